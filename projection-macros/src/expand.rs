//! Writes the implementation of `Projection`.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::ItemFn;

use crate::{
    attr::lowering,
    tokens::{Ends, hidden, name_of, text},
    validate::{Id, Projection, Target},
};

mod clash;
mod handler;
mod settings;

/// The type that stands for a function: braced, so that its name stays the function's where values are meant.
pub(crate) fn target_of_function(item: &ItemFn) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let doc = format!(" The projection that the function [`{name}`](fn@{name}) is, as a type to register.");
    quote! {
        #[doc = #doc]
        #[allow(dead_code, non_camel_case_types, missing_debug_implementations, missing_copy_implementations)]
        #vis struct #name {}
    }
}

/// The implementation, and what the compiler checks beside it.
pub(crate) fn projection(projection: &Projection) -> TokenStream {
    let Projection { krate, state, .. } = projection;
    let target = match &projection.target {
        Target::Block => state.to_token_stream(),
        Target::Function(name) => name.to_token_stream(),
    };
    let id = match &projection.id {
        Id::Named(id) => id.to_token_stream(),
        Id::Stream => quote!(#krate::StreamId),
        Id::Singleton => quote!(#krate::Singleton),
    };
    let lowering = lowering(krate);
    // All of it stands at one token, and so does each call that needs it: what is wrong with it is one message.
    let stored = Ends::at(name_of(state)).around(quote!(type State = #lowering::Stored<#state>;));
    let name = projection.name.as_ref().map_or_else(|| text(&target), syn::LitStr::value);
    let settings = settings::settings(projection);
    let handlers = projection.handlers.iter().map(|handler| handler::registration(projection, handler));
    let registry = hidden("handlers");
    let clashes = clash::checks(projection);
    quote! {
        #[automatically_derived]
        #[allow(deprecated, unused_variables, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #krate::Projection for #target {
            #stored
            type Id = #id;
            const NAME: &'static str = #name;
            #settings

            fn handlers<__H: #krate::Handlers<Self>>(#registry: &mut __H) {
                #(#handlers)*
            }
        }
        #clashes
    }
}
