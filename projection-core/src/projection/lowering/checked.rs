//! A projection's state, checked before it is used, so that a wrong one is one message where it is written.

use crate::ViewState;

/// `S`, where it can be stored.
pub type Stored<S> = <S as IsState>::Itself;

/// What [`ViewState`] says, as a question that is answered with the type: what is wrong with the type is then not
/// reported once for each thing that is missing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as a view's state",
    label = "not a view's state",
    note = "write `#[derive(serde::Serialize, serde::Deserialize)]` above `{Self}`; it must own its data, and be `Send + Sync`"
)]
pub trait IsState {
    /// The type that was asked about.
    type Itself: ViewState;
}

#[diagnostic::do_not_recommend]
impl<S: ViewState> IsState for S {
    type Itself = Self;
}
