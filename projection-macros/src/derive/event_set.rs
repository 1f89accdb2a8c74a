//! `#[derive(EventSet)]`: an enum with one variant for each of several events.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Fields, Path, Type, Variant};

use super::{krate, options, refuse_generics};
use crate::{
    attr::{
        krate_or_default,
        list::{Known, List},
        lowering,
    },
    errors::Errors,
    tokens::{Ends, hidden, text},
};

const OPTIONS: List = List {
    attribute: "#[event_set]",
    known: &[Known::once("crate", "crate = renamed_projection_core")],
    elsewhere: |name| (name == "name").then_some("it belongs to each event, in its `#[event(name = \"…\")]`"),
};

/// Expands the derive.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    super::derive(input, |input, errors| {
        let mut path: Option<Path> = None;
        options(&OPTIONS, "event_set", input, errors, |_crate, input| {
            path = Some(krate(input)?);
            Ok(())
        });
        refuse_generics(input, "an enum of events is not generic: write its events out", errors);
        let variants = variants(input, errors);
        if errors.is_empty() {
            expand(&input.ident, &krate_or_default(path), &variants)
        } else {
            TokenStream::new()
        }
    })
}

fn variants<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Vec<(&'a Ident, &'a Type)> {
    let Data::Enum(item) = &input.data else {
        errors.on(&input.ident, "a set of events is an enum: derive `Event` for a struct");
        return Vec::new();
    };
    if item.variants.is_empty() {
        errors.on(
            &input.ident,
            "a set of events has one event or more: write a variant for each, `Placed(OrderPlaced)`",
        );
    }
    item.variants.iter().filter_map(|variant| Some((&variant.ident, event(variant, errors)?))).collect()
}

fn event<'a>(variant: &'a Variant, errors: &mut Errors) -> Option<&'a Type> {
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Some(&fields.unnamed[0].ty),
        _ => {
            let name = &variant.ident;
            errors.on(
                variant,
                format!("a variant holds one event, a struct with `#[derive(Event)]`: write `{name}({name})`"),
            );
            None
        }
    }
}

fn expand(ident: &Ident, krate: &Path, variants: &[(&Ident, &Type)]) -> TokenStream {
    let lowering = lowering(krate);
    let visitor = hidden("visitor");
    let names = variants.iter().map(|(name, _)| name);
    let events: Vec<_> = variants.iter().map(|(_, event)| event).collect();
    let checks = variants.iter().enumerate().skip(1).map(|(index, (_, event))| {
        let event_name = text(event);
        let message =
            format!("`{event_name}` has the name of an earlier variant's event: give it another in `#[event(…)]`");
        let refuse = Ends::of(event).around(quote!(__refuse(#message)));
        quote!(if #lowering::repeats_a_name(<#ident as #krate::EventSet>::TYPES, #index) { #refuse })
    });
    let checks = (variants.len() > 1).then(|| {
        quote! {
            const _: () = {
                use #lowering::refuse as __refuse;
                #(#checks)*
            };
        }
    });
    // A type that is no event is reported by `visit`, and not by `TYPES` too.
    quote! {
        #[automatically_derived]
        impl #krate::EventSet for #ident {
            const TYPES: &'static [#krate::EventType] = {
                #[allow(unused_imports)]
                use #lowering::NoEvent as _;
                &[#(#lowering::OneEvent::<#events>::TYPE),*]
            };

            fn visit<__V: #krate::EventVisitor<Self>>(#visitor: &mut __V) {
                #(#visitor.event::<#events>(Self::#names);)*
            }
        }
        #checks
    }
}
