//! `#[projection]`, from the user's tokens to ours.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{Item, spanned::Spanned as _};

use crate::{
    attr,
    errors::Errors,
    expand,
    model::{Block, Function},
    validate::{Projection, Target},
};

/// Expands the attribute. The item is emitted also where there are mistakes.
pub(crate) fn projection(attr: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parsed = match syn::parse2::<Item>(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.push(error);
            let errors = errors.into_tokens();
            return quote!(#item #errors);
        }
    };
    let options = attr::projection::read(attr, &mut errors);
    let (item, projection) = match parsed {
        Item::Impl(mut item) => {
            let block = Block::take(&mut item, &mut errors);
            let state = (*item.self_ty).clone();
            let projection = Projection::new(options, Target::Block, state, block.handlers, &mut errors);
            let projection = block.can_be_implemented.then(|| expand::projection(&projection));
            (item.into_token_stream(), projection)
        }
        Item::Fn(mut item) => {
            let function = Function::take(&mut item, &mut errors);
            let projection = function.map(|function| {
                let target = Target::Function(item.sig.ident.clone());
                let handlers = function.handler.into_iter().collect();
                let projection = Projection::new(options, target, function.state, handlers, &mut errors);
                let target = expand::target_of_function(&item);
                let projection = expand::projection(&projection);
                quote!(#target #projection)
            });
            (item.into_token_stream(), projection)
        }
        other => {
            errors.at(
                keyword(&other),
                "`#[projection]` goes above an `impl` block, `impl OrderStatus { … }`, or a function `fn(state, event) -> \
                 state`",
            );
            (other.into_token_stream(), None)
        }
    };
    let errors = errors.into_tokens();
    quote!(#item #projection #errors)
}

/// Where an item says what it is.
fn keyword(item: &Item) -> proc_macro2::Span {
    match item {
        Item::Struct(item) => item.ident.span(),
        Item::Enum(item) => item.ident.span(),
        Item::Trait(item) => item.ident.span(),
        Item::Mod(item) => item.ident.span(),
        other => other.span(),
    }
}
