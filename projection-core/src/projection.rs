//! A projection: which events it handles, which instances each event changes, and how.

use serde::{Serialize, de::DeserializeOwned};

use crate::{EventMetadata, EventSet, Index, Key, Keys, MaterializedViewOptions};

#[doc(hidden)]
pub mod lowering;

/// What a view may store: anything serde can write and read back.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as a view's state",
    label = "not a view's state",
    note = "write `#[derive(serde::Serialize, serde::Deserialize)]` above it; it must own its data, and be `Send + Sync`"
)]
pub trait ViewState: Serialize + DeserializeOwned + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> ViewState for T {}

/// A pure fold of events into states, one state for each id.
///
/// `#[projection]` implements it, on an `impl` block or on a function. Written by hand it is as short:
///
/// ```
/// use projection_core::{Event, Handlers, Projection};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "OrderPlaced")]
/// struct OrderPlaced { order_id: String, total_cents: i64 }
///
/// #[derive(Default, Serialize, Deserialize)]
/// struct OrderTotal { total_cents: i64 }
///
/// impl Projection for OrderTotal {
///     type State = Self;
///     type Id = String;
///     const NAME: &'static str = "order-total";
///
///     fn handlers<H: Handlers<Self>>(handlers: &mut H) {
///         handlers.on::<OrderPlaced>(
///             |event, _meta, keys| keys.add(&event.order_id),
///             |state, event, _meta, _id| {
///                 state.get_or_insert_default().total_cents = event.total_cents;
///             },
///         );
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no projection",
    label = "not a projection",
    note = "write `#[projection(name = \"…\")]` above its `impl` block, or implement `Projection` by hand"
)]
pub trait Projection: Sized + Send + Sync + 'static {
    /// What is stored for one instance. Often `Self`.
    type State: ViewState;

    /// What finds an instance.
    type Id: Key;

    /// Names the view's collection and its checkpoint: a renamed type must not lose data.
    const NAME: &'static str;

    /// Raise it when the handlers change in a way that stored states do not have: the view is then rebuilt beside
    /// the old one (spec: B16).
    const VERSION: u32 = 1;

    /// The options from the attribute; options at registration override them.
    #[must_use]
    fn options() -> MaterializedViewOptions {
        MaterializedViewOptions::default()
    }

    /// The indexes the view's queries need, made when the projection starts.
    #[must_use]
    fn indexes() -> Vec<Index> {
        Vec::new()
    }

    /// Names each handler, in source order.
    fn handlers<H: Handlers<Self>>(handlers: &mut H);
}

/// Which instances an event changes.
pub type KeysOf<P, E> = fn(&E, &EventMetadata, &mut Keys<<P as Projection>::Id>);

/// How an event changes one instance. `None` is an instance that does not exist; setting `None` deletes it.
pub type Fold<P, E> = fn(&mut Option<<P as Projection>::State>, &E, &EventMetadata, &<P as Projection>::Id);

/// Is told of each handler of a projection.
pub trait Handlers<P: Projection> {
    /// An event of `E` changes each instance that `keys` names, as `fold` says.
    ///
    /// Several handlers for one event that name the same instance run in the order they were given, as one step.
    fn on<E: EventSet>(&mut self, keys: KeysOf<P, E>, fold: Fold<P, E>) -> &mut Self;
}
