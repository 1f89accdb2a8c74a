//! `index(state, -total_cents)`: the fields of an index, as they were written.

use syn::{
    Ident, LitStr, Token,
    ext::IdentExt as _,
    parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

/// An index that the view's queries need.
#[derive(Debug)]
pub(crate) struct IndexDef {
    /// Dotted paths; a leading `-` is descending.
    pub(crate) fields: Vec<LitStr>,
    pub(crate) unique: bool,
}

impl IndexDef {
    /// What follows `index` or `unique`.
    pub(crate) fn parse(input: ParseStream<'_>, unique: bool) -> syn::Result<Self> {
        let content;
        let parentheses = parenthesized!(content in input);
        let fields = Punctuated::<Field, Token![,]>::parse_terminated(&content)?;
        if fields.is_empty() {
            return Err(syn::Error::new(parentheses.span.join(), "an index has one field or more"));
        }
        let mut seen: Vec<String> = Vec::new();
        for Field(field) in &fields {
            let path = field.value().trim_start_matches('-').to_owned();
            if seen.contains(&path) {
                return Err(syn::Error::new(field.span(), format!("`{path}` is in this index twice")));
            }
            seen.push(path);
        }
        Ok(Self { fields: fields.into_iter().map(|Field(field)| field).collect(), unique })
    }
}

/// `state`, `-total_cents`, `address.city`, or a literal for a field that serde calls otherwise: `"order-state"`.
struct Field(LitStr);

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let minus: Option<Token![-]> = input.parse()?;
        let sign = if minus.is_some() { "-" } else { "" };
        if input.peek(LitStr) {
            let literal: LitStr = input.parse()?;
            return Ok(Self(LitStr::new(&format!("{sign}{}", literal.value()), literal.span())));
        }
        let first = input.call(Ident::parse_any)?;
        let mut path = format!("{sign}{}", first.unraw());
        while input.peek(Token![.]) {
            let _: Token![.] = input.parse()?;
            path = format!("{path}.{}", input.call(Ident::parse_any)?.unraw());
        }
        Ok(Self(LitStr::new(&path, first.span())))
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;
    use syn::parse::Parser as _;

    use super::*;

    fn fields(tokens: TokenStream) -> syn::Result<Vec<String>> {
        let index = (|input: ParseStream<'_>| IndexDef::parse(input, false)).parse2(tokens)?;
        Ok(index.fields.iter().map(LitStr::value).collect())
    }

    #[test]
    fn fields_are_names_paths_or_literals_and_a_minus_is_kept() {
        let fields = fields(quote!((state, -total, address.city, r#type, "order-state", -"x.y"))).unwrap();
        assert_eq!(fields, ["state", "-total", "address.city", "type", "order-state", "-x.y"]);
    }

    #[test]
    fn an_index_of_nothing_or_with_one_field_twice_is_refused() {
        assert_eq!(fields(quote!(())).unwrap_err().to_string(), "an index has one field or more");
        assert_eq!(fields(quote!((a, -a))).unwrap_err().to_string(), "`a` is in this index twice");
    }
}
