//! `#[derive(Key)]`: a newtype of another key.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Field, Fields, Path};

use super::{krate, options, refuse_generics};
use crate::{
    attr::{
        krate_or_default,
        list::{Known, List},
    },
    errors::Errors,
    tokens::hidden,
};

const OPTIONS: List = List {
    attribute: "#[key]",
    known: &[Known::once("crate", "crate = renamed_projection_core")],
    elsewhere: |_| None,
};

/// Expands the derive.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    super::derive(input, |input, errors| {
        let mut path: Option<Path> = None;
        options(&OPTIONS, "key", input, errors, |_crate, input| {
            path = Some(krate(input)?);
            Ok(())
        });
        refuse_generics(input, "a key is not generic: write one newtype for each kind of id", errors);
        match inner(input, errors) {
            Some(field) if errors.is_empty() => expand(input, field, &krate_or_default(path)),
            _ => TokenStream::new(),
        }
    })
}

fn inner<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Option<&'a Field> {
    const ONE_VALUE: &str = "a key is one value: make it a newtype of a `String`, `struct Id(String);`, and join the \
                             parts where it is made";
    let fields = match &input.data {
        Data::Struct(item) => &item.fields,
        Data::Enum(_) | Data::Union(_) => {
            errors.on(&input.ident, ONE_VALUE);
            return None;
        }
    };
    let mut each = fields.iter();
    match (each.next(), each.next()) {
        (Some(field), None) => Some(field),
        (None, _) => {
            errors.on(&input.ident, ONE_VALUE);
            None
        }
        (Some(_), Some(_)) => {
            match fields {
                Fields::Named(fields) => errors.on(&fields.named, ONE_VALUE),
                Fields::Unnamed(fields) => errors.on(&fields.unnamed, ONE_VALUE),
                Fields::Unit => {}
            }
            None
        }
    }
}

fn expand(input: &DeriveInput, field: &Field, krate: &Path) -> TokenStream {
    let (ident, ty) = (&input.ident, &field.ty);
    let (key, inner) = (hidden("key"), hidden("inner"));
    let (get, make) = match &field.ident {
        Some(name) => (quote!(&self.#name), quote!(|#inner| Self { #name: #inner })),
        None => (quote!(&self.0), quote!(Self)),
    };
    quote! {
        #[automatically_derived]
        impl #krate::Key for #ident {
            fn as_key(&self) -> #krate::KeyRef<'_> {
                <#ty as #krate::Key>::as_key(#get)
            }

            fn from_key(#key: #krate::KeyRef<'_>) -> ::core::result::Result<Self, #krate::KeyMismatch> {
                <#ty as #krate::Key>::from_key(#key).map(#make)
            }
        }
    }
}
