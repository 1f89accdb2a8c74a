//! `#[projection(name = "order-status", …)]`: the options of a whole projection.

use proc_macro2::TokenStream;
use syn::{Expr, ExprLit, Ident, Lit, LitInt, LitStr, Path, Type, parse::ParseStream};

use super::{
    index::IndexDef,
    key::KeyExpr,
    list::{Given, Known, List, value},
    name,
};
use crate::errors::Errors;

pub(super) const OPTIONS: List = List {
    attribute: "#[projection]",
    known: &[
        Known::once("name", "name = \"order-status\""),
        Known::once("id", "id = OrderId"),
        Known::once("key", "key = event.order_id"),
        Known::once("batch_size", "batch_size = 200"),
        Known::once("version", "version = 1"),
        Known::once("singleton", "singleton"),
        Known::many("index", "index(state, -total_cents)"),
        Known::many("unique", "unique(email)"),
        Known::once("crate", "crate = renamed_projection_core"),
    ],
    elsewhere: |_| None,
};

/// The options, as far as they were right.
#[derive(Debug, Default)]
pub(crate) struct ProjectionOptions {
    pub(crate) given: Given,
    pub(crate) name: Option<LitStr>,
    pub(crate) id: Option<Type>,
    pub(crate) key: Option<KeyExpr>,
    pub(crate) batch_size: Option<Expr>,
    pub(crate) version: Option<LitInt>,
    pub(crate) singleton: Option<Ident>,
    pub(crate) indexes: Vec<IndexDef>,
    pub(crate) krate: Option<Path>,
}

/// Reads the attribute's arguments.
pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> ProjectionOptions {
    let mut options = ProjectionOptions::default();
    options.given = OPTIONS.read(tokens, errors, |option, input| options.read_one(option, input));
    if !options.given.has("name") {
        errors.at(
            proc_macro2::Span::call_site(),
            "a projection has a name, so that a renamed type keeps its view and its checkpoint: write \
             `#[projection(name = \"order-status\")]`",
        );
    }
    if let Some(key) = &options.key {
        key.check(errors);
    }
    options
}

impl ProjectionOptions {
    fn read_one(&mut self, option: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        match option.to_string().as_str() {
            "name" => self.name = Some(read_name(input)?),
            "id" => self.id = Some(value(input)?),
            "key" => self.key = Some(value(input)?),
            "batch_size" => self.batch_size = Some(read_batch_size(input)?),
            "version" => self.version = Some(read_version(input)?),
            "index" => self.indexes.push(IndexDef::parse(input, false)?),
            "unique" => self.indexes.push(IndexDef::parse(input, true)?),
            "crate" => {
                input.parse::<syn::Token![=]>()?;
                self.krate = Some(input.call(Path::parse_mod_style)?);
            }
            _singleton => self.singleton = Some(option.clone()),
        }
        Ok(())
    }
}

fn read_name(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let literal: LitStr = value(input)?;
    match name::refused(&literal) {
        Some(why) => Err(syn::Error::new(literal.span(), why)),
        None => Ok(literal),
    }
}

fn read_batch_size(input: ParseStream<'_>) -> syn::Result<Expr> {
    let expr: Expr = value(input)?;
    if let Expr::Lit(ExprLit { lit, .. }) = &expr {
        match lit {
            Lit::Int(int) if int.base10_digits() == "0" => {
                let message = "a batch holds 1 event or more; 1 reads, applies and saves each event by itself";
                return Err(syn::Error::new(int.span(), message));
            }
            Lit::Int(_) => {}
            other => return Err(syn::Error::new(other.span(), "`batch_size` is a number of events")),
        }
    }
    Ok(expr)
}

fn read_version(input: ParseStream<'_>) -> syn::Result<LitInt> {
    let wrong = |span| {
        let message =
            format!("`version` is a whole number from 1 to {}, raised when the handlers change", u32::MAX);
        syn::Error::new(span, message)
    };
    let span = input.fork().call(|input| {
        input.parse::<syn::Token![=]>()?;
        Ok(input.span())
    });
    let literal: LitInt = value(input).map_err(|error| span.map_or(error, wrong))?;
    match literal.base10_parse::<u32>() {
        Ok(1..) if matches!(literal.suffix(), "" | "u32") => Ok(literal),
        _ => Err(wrong(literal.span())),
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn mistakes(tokens: TokenStream) -> Vec<String> {
        let mut errors = Errors::default();
        read(tokens, &mut errors);
        errors.messages()
    }

    #[test]
    fn all_options_are_read() {
        let mut errors = Errors::default();
        let options = read(
            quote!(name = "a", id = A<B>, key = event.a.iter().map(|a, b| a < b), batch_size = 2 * N, version = 3,
                   singleton, index(a, -b), unique(c), index(d), crate = a::b,),
            &mut errors,
        );
        assert!(errors.is_empty(), "{:?}", errors.messages());
        assert!(options.name.is_some() && options.id.is_some() && options.key.is_some() && options.krate.is_some());
        assert!(options.batch_size.is_some() && options.version.is_some() && options.singleton.is_some());
        assert_eq!(options.indexes.iter().map(|index| index.unique).collect::<Vec<_>>(), [false, true, false]);
    }

    // spec: P2
    #[test]
    fn a_batch_of_zero_is_refused() {
        let mistakes = mistakes(quote!(name = "a", batch_size = 0));
        assert_eq!(
            mistakes,
            [
                "a batch holds 1 event or more; 1 reads, applies and saves each event by itself: write `batch_size = 200`"
            ]
        );
    }

    // spec: B16
    #[test]
    fn a_version_is_a_literal_from_one() {
        for version in [quote!(0), quote!(-1), quote!(4294967296), quote!(V), quote!("1"), quote!(1u8)] {
            let mistakes = mistakes(quote!(name = "a", version = #version));
            assert_eq!(mistakes.len(), 1, "{version}");
            assert!(mistakes[0].starts_with("`version` is a whole number from 1"), "{}", mistakes[0]);
        }
    }

    #[test]
    fn a_name_that_was_refused_is_not_missing_too() {
        assert_eq!(mistakes(quote!(name = "")).len(), 1);
        assert_eq!(mistakes(quote!()).len(), 1);
        assert_eq!(mistakes(quote!(nmae = "a")).len(), 1);
    }
}
