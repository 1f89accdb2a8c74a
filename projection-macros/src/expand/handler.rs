//! One handler's registration: how its event finds the instances, and how it changes one.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote};

use crate::{
    attr::{key::KeyExpr, lowering},
    model::{Extra, Handler, Shape},
    tokens::{at, hidden, name_of},
    validate::{Id, Projection, Target},
};

pub(super) fn registration(projection: &Projection, handler: &Handler) -> TokenStream {
    let Handler { cfgs, event, .. } = handler;
    let (registry, keys, fold) = (hidden("handlers"), keys(projection, handler), fold(projection, handler));
    let on = Ident::new("on", name_of(&projection.state));
    quote!(#(#cfgs)* #registry.#on::<#event>(#keys, #fold);)
}

/// `|event, meta, keys| keys.add(…)`, where only `event` and `meta` are seen by the user's expression.
fn keys(projection: &Projection, handler: &Handler) -> TokenStream {
    let (krate, meta, keys) = (&projection.krate, hidden("meta"), hidden("keys"));
    match (handler.key.as_ref().or(projection.key.as_ref()), &projection.id) {
        (Some(key), _) => keys_of(key, &keys),
        (None, Id::Singleton) => quote!(|_, _, #keys| #keys.push(#krate::Singleton)),
        (None, Id::Named(_) | Id::Stream) => quote!(|_, #meta, #keys| #keys.add(#meta.stream_id())),
    }
}

fn keys_of(key: &KeyExpr, keys: &Ident) -> TokenStream {
    let (event, meta, expr) = (key.variable("event"), key.variable("meta"), key.borrowed());
    quote!(|#event, #meta, #keys| #keys.add(#expr))
}

/// `|state, event, meta, id| …`, which calls the user's function as its shape says.
///
/// What the compiler may refuse stands, for its message, where the user wrote it: a state without a start at the
/// first `&mut self`, so that this is one message, and a wrong result at its type.
fn fold(projection: &Projection, handler: &Handler) -> TokenStream {
    let lowering = lowering(&projection.krate);
    let (state, event, meta, id) = (hidden("state"), hidden("event"), hidden("meta"), hidden("id"));
    let name = &handler.name;
    let function = match projection.target {
        Target::Block => quote!(Self::#name),
        Target::Function(_) => quote!(#name),
    };
    let stored = match projection.target {
        Target::Block => quote!(Self),
        Target::Function(_) => projection.state.to_token_stream(),
    };
    let extras = handler.extras.iter().map(|extra| match extra {
        Extra::Id(span) => Ident::new("id", at(*span)),
        Extra::Meta(span) => Ident::new("meta", at(*span)),
    });
    let rest = quote!(#event #(, #extras)*);
    let call = match handler.shape {
        Shape::Create(returned) => {
            let made = returned.around(quote!(#function(#rest)));
            quote!(*#state = #lowering::returned::<#stored>(#made))
        }
        Shape::Change(_) => {
            let started = Ident::new("state", at(start(projection)));
            quote!(#function(#lowering::change(#started), #rest))
        }
        Shape::Replace(returned) => {
            let made = returned.around(quote!(#function(#state, #rest)));
            quote!(#lowering::replace(#state, |#state| #lowering::returned::<#stored>(#made)))
        }
        Shape::Fold(started, returned) => {
            let started = Ident::new("state", at(started));
            let made = returned.around(quote!(#function(#lowering::take(#started), #rest)));
            quote!(*#state = #lowering::returned::<#stored>(#made))
        }
        Shape::FoldOption(returned) => {
            let made = returned.around(quote!(#function(#state.take(), #rest)));
            quote!(*#state = #lowering::returned::<#stored>(#made))
        }
    };
    quote!(|#state, #event, #meta, #id| #call)
}

/// Where the first handler says that the state must be able to start.
fn start(projection: &Projection) -> Span {
    let first = projection.handlers.iter().find_map(|handler| match handler.shape {
        Shape::Change(span) => Some(span),
        _ => None,
    });
    first.unwrap_or_else(Span::call_site)
}
