//! The derives: `Event`, `EventSet`, `Key`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Path, parse::ParseStream};

use crate::{attr::list::List, errors::Errors};

pub(crate) mod event;
pub(crate) mod event_set;
pub(crate) mod key;

/// Parses the item, lets `derive` read it, and answers its code or its mistakes.
fn derive(input: TokenStream, derive: impl FnOnce(&DeriveInput, &mut Errors) -> TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let code = match syn::parse2::<DeriveInput>(input) {
        Ok(input) => derive(&input, &mut errors),
        Err(error) => {
            errors.push(error);
            TokenStream::new()
        }
    };
    if errors.is_empty() {
        return code;
    }
    let errors = errors.into_tokens();
    quote!(#code #errors)
}

/// Reads all `#[attribute(…)]` of an item as one list of options.
fn options(
    list: &List,
    attribute: &str,
    input: &DeriveInput,
    errors: &mut Errors,
    read: impl FnMut(&syn::Ident, ParseStream<'_>) -> syn::Result<()>,
) -> crate::attr::list::Given {
    let mut tokens = TokenStream::new();
    for written in input.attrs.iter().filter(|written| written.path().is_ident(attribute)) {
        match written.meta.require_list() {
            Ok(list) => {
                let more = &list.tokens;
                tokens.extend(if tokens.is_empty() { quote!(#more) } else { quote!(, #more) });
            }
            Err(error) => errors.push(error),
        }
    }
    list.read(tokens, errors, read)
}

/// `crate = path`.
fn krate(input: ParseStream<'_>) -> syn::Result<Path> {
    input.parse::<syn::Token![=]>()?;
    input.call(Path::parse_mod_style)
}

/// Notes that the item is generic, with `why` it cannot be.
fn refuse_generics(input: &DeriveInput, why: &str, errors: &mut Errors) {
    if input.generics.lt_token.is_some() {
        errors.on(&input.generics, why);
    }
}
