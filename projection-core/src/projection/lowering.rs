//! What `#[projection]` expands to calls these, so that a mistake is reported in the user's words.

use std::num::NonZeroUsize;

mod checked;
mod names;

pub use checked::{IsState, Stored};
pub use names::{NoEvent, NoEvents, NotOne, OneEvent, Two, repeats_a_name};

/// A state that can start from nothing: one with a `Default`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `Default`, so a handler that changes it has nothing to start from",
    label = "needs `{Self}: Default`",
    note = "write `#[derive(Default)]` above `{Self}`, or create the instance in a handler without `self`: `fn(event) -> Self`; a function takes `state: Option<{Self}>` to see an absent instance"
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

/// What a handler returned, as the state of its instance.
pub fn returned<S>(made: impl IntoState<S>) -> Option<S> {
    made.into_state()
}

/// `&mut self`: starts from `Default`, or is changed.
pub fn change<S: StartState>(state: &mut Option<S>) -> &mut S {
    state.get_or_insert_with(S::start)
}

/// `state: S`: starts from `Default`, or is taken.
pub fn take<S: StartState>(state: &mut Option<S>) -> S {
    state.take().unwrap_or_else(S::start)
}

/// `self -> Self`: not called on an absent instance, else replaced or deleted.
pub fn replace<S>(state: &mut Option<S>, handler: impl FnOnce(S) -> Option<S>) {
    if let Some(present) = state.take() {
        *state = handler(present);
    }
}

/// The attribute's `batch_size`, refused while the user's crate is compiled.
#[track_caller]
#[must_use]
pub const fn batch_size(pairs: usize) -> NonZeroUsize {
    match NonZeroUsize::new(pairs) {
        Some(pairs) => pairs,
        None => refuse(
            "`batch_size` is 0: a batch holds 1 event or more; 1 reads, applies and saves each event by itself",
        ),
    }
}

/// Ends the compilation of the user's crate with `message`.
#[track_caller]
#[expect(
    clippy::panic,
    reason = "called in constants only: the compiler reports it as an error where it is called"
)]
pub const fn refuse(message: &'static str) -> ! {
    panic!("{}", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_that_changes_starts_from_default_where_there_is_no_instance() {
        let mut state = None;
        *change(&mut state) += 1;
        *change(&mut state) += 1;
        assert_eq!(state, Some(2));
        assert_eq!((take(&mut state), state), (2, None));
        assert_eq!(take::<u8>(&mut None), 0);
    }

    #[test]
    fn a_handler_that_replaces_is_not_called_where_there_is_no_instance() {
        let mut state = None;
        replace(&mut state, |present: u8| Some(present + 1));
        assert_eq!(state, None);
        state = Some(1);
        replace(&mut state, |present| Some(present + 1));
        assert_eq!(state, Some(2));
        replace(&mut state, |_| None);
        assert_eq!(state, None);
    }

    #[test]
    fn a_handler_returns_the_state_or_an_option_of_it() {
        assert_eq!(returned::<u8>(1), Some(1));
        assert_eq!(returned::<u8>(None), None);
    }
}
