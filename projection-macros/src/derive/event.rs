//! `#[derive(Event)]`: the name a struct's events are stored under.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, LitStr, Path, Token, bracketed, parse::ParseStream, punctuated::Punctuated};

use super::{krate, options, refuse_generics};
use crate::{
    attr::{
        krate_or_default,
        list::{Known, List, value},
    },
    errors::Errors,
};

const OPTIONS: List = List {
    attribute: "#[event]",
    known: &[
        Known::once("name", "name = \"OrderPlaced\""),
        Known::once("aliases", "aliases = [\"OrderCreated\"]"),
        Known::once("crate", "crate = renamed_projection_core"),
    ],
    elsewhere: |_| None,
};

#[derive(Default)]
struct EventOptions {
    name: Option<LitStr>,
    aliases: Vec<LitStr>,
    krate: Option<Path>,
}

/// Expands the derive.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    super::derive(input, |input, errors| {
        let options = read(input, errors);
        refuse_generics(
            input,
            "an event is not generic, since its name stands for one type: write a struct for each",
            errors,
        );
        match &input.data {
            Data::Struct(_) => {}
            Data::Enum(item) => errors.on(
                item.enum_token,
                "an event is a struct: derive `EventSet` for an enum with one variant for each event",
            ),
            Data::Union(item) => errors.on(item.union_token, "an event is a struct"),
        }
        if input.generics.lt_token.is_some() { TokenStream::new() } else { expand(input, options) }
    })
}

fn read(input: &DeriveInput, errors: &mut Errors) -> EventOptions {
    let mut event = EventOptions::default();
    let given = options(&OPTIONS, "event", input, errors, |option, input| {
        match option.to_string().as_str() {
            "name" => event.name = Some(not_empty(value(input)?)?),
            "aliases" => event.aliases = aliases(input)?,
            _crate => event.krate = Some(krate(input)?),
        }
        Ok(())
    });
    if !given.has("name") {
        errors.on(
            &input.ident,
            "an event has a name of its own, so that a renamed struct does not lose its events: write \
             `#[event(name = \"…\")]` above the struct",
        );
    }
    let mut names: Vec<LitStr> = event.name.iter().cloned().collect();
    for alias in &event.aliases {
        if names.iter().any(|name| name.value() == alias.value()) {
            let message = format!("the name {:?} is given twice: keep one", alias.value());
            errors.on(alias, message);
        }
        names.push(alias.clone());
    }
    event
}

fn aliases(input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    input.parse::<Token![=]>()?;
    let content;
    bracketed!(content in input);
    let aliases = Punctuated::<LitStr, Token![,]>::parse_terminated(&content)?;
    aliases.into_iter().map(not_empty).collect()
}

fn not_empty(name: LitStr) -> syn::Result<LitStr> {
    if name.value().is_empty() {
        return Err(syn::Error::new(name.span(), "an event's name is empty"));
    }
    Ok(name)
}

fn expand(input: &DeriveInput, options: EventOptions) -> TokenStream {
    let (ident, krate) = (&input.ident, krate_or_default(options.krate));
    let name = options.name.map_or_else(|| ident.to_string(), |name| name.value());
    let aliases = &options.aliases;
    let aliases = (!aliases.is_empty()).then(|| quote!(const ALIASES: &'static [&'static str] = &[#(#aliases),*];));
    quote! {
        #[automatically_derived]
        impl #krate::Event for #ident {
            const NAME: &'static str = #name;
            #aliases
        }
    }
}
