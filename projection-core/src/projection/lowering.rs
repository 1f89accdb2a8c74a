//! What `#[projection]` expands to calls these, so that a mistake is reported in the user's words.

/// A state that can start from nothing: one with a `Default`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `Default`, so a handler that takes `&mut self` has nothing to start from",
    label = "needs `{Self}: Default`",
    note = "write `#[derive(Default)]` above `{Self}`, or create the instance in a handler without `self`: `fn(event) -> Self`"
)]
pub trait StartState: Sized {
    /// The state of an instance before its first event.
    fn start() -> Self;
}

#[diagnostic::do_not_recommend]
impl<S: Default> StartState for S {
    fn start() -> Self {
        S::default()
    }
}

/// What a handler may return: the state, or an `Option` of it, where `None` is no instance.
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}`",
    label = "expected `{S}` or `Option<{S}>`",
    note = "a handler returns the new state, `Option` of it where `None` deletes the instance, or nothing where it takes `&mut self`"
)]
pub trait IntoState<S> {
    /// The state after the event.
    fn into_state(self) -> Option<S>;
}

#[diagnostic::do_not_recommend]
impl<S> IntoState<S> for S {
    fn into_state(self) -> Option<S> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl<S> IntoState<S> for Option<S> {
    fn into_state(self) -> Option<S> {
        self
    }
}

/// `fn(event) -> Self`: created, or replaced.
pub fn create<S>(state: &mut Option<S>, made: impl IntoState<S>) {
    *state = made.into_state();
}

/// `&mut self`: starts from `Default`, or is changed.
pub fn change<S: StartState>(state: &mut Option<S>) -> &mut S {
    state.get_or_insert_with(S::start)
}

/// `self -> Self`: not called on an absent instance, else replaced or deleted.
pub fn replace<S, R: IntoState<S>>(state: &mut Option<S>, handler: impl FnOnce(S) -> R) {
    if let Some(present) = state.take() {
        *state = handler(present).into_state();
    }
}
