//! A key expression: `event` and `meta` in, one or more keys out.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Expr, ExprAsync, ExprClosure, ExprPath, ExprReturn, ExprTry, Item, Macro, Token, UnOp,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    visit::{self, Visit},
};

use crate::errors::Errors;

/// What finds the instances an event changes.
#[derive(Debug)]
pub(crate) struct KeyExpr(Expr);

impl Parse for KeyExpr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse().map(Self)
    }
}

impl ToTokens for KeyExpr {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

impl KeyExpr {
    /// Notes what a key expression cannot do.
    pub(crate) fn check(&self, errors: &mut Errors) {
        Check(errors).visit_expr(&self.0);
    }

    /// The expression, borrowed where it is a place.
    pub(crate) fn borrowed(&self) -> TokenStream {
        let expr = &self.0;
        if !is_place(expr) {
            return quote!(#expr);
        }
        let borrow = quote_spanned!(first_span(expr.to_token_stream())=> &);
        quote!(#borrow #expr)
    }

    /// The variable that the expression calls `name`, also where a user's macro wrote it.
    pub(crate) fn variable(&self, name: &str) -> Ident {
        let span = find(self.0.to_token_stream(), name);
        Ident::new(name, span.unwrap_or_else(|| first_span(self.0.to_token_stream())))
    }
}

fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Field(_) | Expr::Index(_) => true,
        Expr::Path(path) => !path.path.is_ident("event") && !path.path.is_ident("meta"),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Paren(inner) => is_place(&inner.expr),
        Expr::Group(inner) => is_place(&inner.expr),
        _ => false,
    }
}

fn find(tokens: TokenStream, name: &str) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == name => Some(ident.span()),
        TokenTree::Group(group) => find(group.stream(), name),
        _ => None,
    })
}

fn first_span(tokens: TokenStream) -> Span {
    tokens.into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// Finds what leaves the expression, or what is not there yet. Closures, async blocks and functions inside have
/// their own `?` and `return`.
struct Check<'a>(&'a mut Errors);

impl<'ast> Visit<'ast> for Check<'_> {
    fn visit_expr_try(&mut self, expr: &'ast ExprTry) {
        self.0.on(
            expr.question_token,
            "`?` cannot leave a key: yield an `Option`, where `None` skips the event, with `.ok()` or `.and_then(…)`",
        );
        visit::visit_expr_try(self, expr);
    }

    fn visit_expr_return(&mut self, expr: &'ast ExprReturn) {
        self.0.on(
            expr.return_token,
            "`return` cannot leave a key: yield an `Option` with `if … { Some(…) } else { None }`, where `None` \
             skips the event",
        );
        visit::visit_expr_return(self, expr);
    }

    fn visit_expr_path(&mut self, expr: &'ast ExprPath) {
        if expr.path.is_ident("self") {
            self.0.on(expr, "a key is found before the instance, so there is no `self`: use `event` and `meta`");
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        // The arguments of `format!` and its like are expressions; other macros are left to the compiler.
        if let Ok(arguments) = mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            for argument in &arguments {
                Check(self.0).visit_expr(argument);
            }
        }
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast ExprAsync) {}

    fn visit_item(&mut self, _: &'ast Item) {}
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn borrowed(expr: &KeyExpr) -> String {
        crate::tokens::text(expr.borrowed())
    }

    fn mistakes(expr: &KeyExpr) -> usize {
        let mut errors = Errors::default();
        expr.check(&mut errors);
        errors.messages().len()
    }

    #[test]
    fn a_place_is_borrowed_and_a_value_is_not() {
        assert_eq!(borrowed(&parse_quote!(event.a.b)), "&event.a.b");
        assert_eq!(borrowed(&parse_quote!(event.v[0])), "&event.v [0]");
        assert_eq!(borrowed(&parse_quote!(*event.boxed)), "&* event.boxed");
        assert_eq!(borrowed(&parse_quote!(EVERYTHING)), "&EVERYTHING");
        assert_eq!(borrowed(&parse_quote!(event)), "event");
        assert_eq!(borrowed(&parse_quote!(event.id())), "event.id()");
    }

    #[test]
    fn what_leaves_the_expression_is_refused_also_in_the_arguments_of_a_macro() {
        assert_eq!(mistakes(&parse_quote!(event.a.parse()?)), 1);
        assert_eq!(mistakes(&parse_quote!(if event.a { return } else { event.b? })), 2);
        assert_eq!(mistakes(&parse_quote!(format!("{}", event.a?))), 1);
        assert_eq!(mistakes(&parse_quote!(self.a)), 1);
    }

    #[test]
    fn what_leaves_a_closure_inside_is_taken() {
        assert_eq!(
            mistakes(&parse_quote!(event.a.iter().filter_map(|a| {
                let b = a.b?;
                return Some(b);
            }))),
            0
        );
        assert_eq!(
            mistakes(&parse_quote!({
                fn f() -> Option<u8> {
                    return None;
                }
                f()
            })),
            0
        );
    }
}
