//! Small things about tokens: where they start and end, how they read in a message, what their names hide.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Type, TypePath};

/// The first and the last token of a piece of the user's code.
///
/// Code that is generated from its first to its last token is underlined there as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) first: Span,
    pub(crate) last: Span,
}

impl Ends {
    pub(crate) fn of(tokens: impl ToTokens) -> Self {
        let mut spans = tokens.into_token_stream().into_iter().map(|token| token.span());
        let first = spans.next().unwrap_or_else(Span::call_site);
        Self { first, last: spans.last().unwrap_or(first) }
    }

    /// One token.
    pub(crate) fn at(token: Span) -> Self {
        Self { first: token, last: token }
    }

    /// `tokens`, reported as if they stood here, and with names as they are seen here.
    pub(crate) fn around(self, tokens: TokenStream) -> TokenStream {
        let place = |(index, mut token): (usize, TokenTree)| {
            // What `$crate` means is in its span.
            if token.to_string() != "$crate" {
                token.set_span(if index == 0 { self.first } else { self.last });
            }
            token
        };
        tokens.into_iter().enumerate().map(place).collect()
    }
}

/// The token that stands for a type, where only one can: the `Order` of `&views::Order<T>`.
pub(crate) fn name_of(ty: &Type) -> Span {
    match ty {
        Type::Reference(reference) => name_of(&reference.elem),
        Type::Path(TypePath { path, .. }) => {
            path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span())
        }
        other => Ends::of(other).last,
    }
}

/// The place of `span`, with names that the user's code does not see.
pub(crate) fn at(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// A name that the user's code does not see.
pub(crate) fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// `tokens` as a person writes them.
pub(crate) fn text(tokens: impl ToTokens) -> String {
    let mut text = tokens.into_token_stream().to_string();
    for (spaced, tight) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" ,", ","),
        (" (", "("),
        (" . ", "."),
    ] {
        text = text.replace(spaced, tight);
    }
    text
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn code_in_a_message_reads_as_it_was_written() {
        assert_eq!(text(quote!(&a::Vec<(u8, B)>)), "&a::Vec<(u8, B)>");
        assert_eq!(text(quote!(Option<Option<Self>>)), "Option<Option<Self>>");
    }
}
