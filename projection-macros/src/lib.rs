//! The macros of `projection-core`: use that crate, which re-exports them.
//!
//! Each is a thin shim over ordinary functions on token streams: *attr* reads the options, *model* the item,
//! *validate* brings them together, *expand* writes code and cannot fail. Mistakes are collected on the way, and the
//! user's item is emitted whatever they are.

mod attr;
mod derive;
mod errors;
mod expand;
mod model;
mod projection;
mod suggest;
#[cfg(test)]
mod testing;
mod tokens;
mod validate;

use proc_macro::TokenStream;

/// Makes a projection of an `impl` block with `#[on]` handlers, or of a function that folds an event into a state.
///
/// See the guide's page on events and handlers, and the trait `Projection`, which it implements.
#[proc_macro_attribute]
pub fn projection(attr: TokenStream, item: TokenStream) -> TokenStream {
    projection::projection(attr.into(), &item.into()).into()
}

/// Implements `Event` for a struct: `#[event(name = "OrderPlaced", aliases = ["OrderCreated"])]`.
#[proc_macro_derive(Event, attributes(event))]
pub fn derive_event(input: TokenStream) -> TokenStream {
    derive::event::derive(input.into()).into()
}

/// Implements `EventSet` for an enum whose every variant holds one event: `Placed(OrderPlaced)`.
#[proc_macro_derive(EventSet, attributes(event_set))]
pub fn derive_event_set(input: TokenStream) -> TokenStream {
    derive::event_set::derive(input.into()).into()
}

/// Implements `Key` for a newtype of another key: `struct OrderId(String);`.
#[proc_macro_derive(Key, attributes(key))]
pub fn derive_key(input: TokenStream) -> TokenStream {
    derive::key::derive(input.into()).into()
}
