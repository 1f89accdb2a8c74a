//! What no handler may be: `async`, `unsafe`, generic.

use syn::{Attribute, Signature, parse_quote};

use crate::errors::Errors;

/// Notes all in `signature` that is more than a plain function.
pub(crate) fn refuse_all_but_plain(signature: &Signature, errors: &mut Errors) {
    if let Some(token) = &signature.asyncness {
        errors.on(
            token,
            "a handler does no I/O, so that history can be replayed in batches: remove `async`, and put what it \
             waits for into the event",
        );
    }
    if let Some(token) = &signature.unsafety {
        errors.on(token, "a handler is a plain function: remove `unsafe`");
    }
    if let Some(token) = &signature.constness {
        errors.on(token, "a handler is a plain function: remove `const`");
    }
    if let Some(token) = &signature.abi {
        errors.on(token, "a handler is a plain function: remove `extern`");
    }
    if let Some(token) = &signature.variadic {
        errors.on(token, "a handler is a plain function: remove `...`");
    }
    if signature.generics.lt_token.is_some() {
        errors.on(
            &signature.generics,
            "a handler is not generic: write its types out, and references without lifetimes, `event: &OrderPlaced`",
        );
    } else if let Some(clause) = &signature.generics.where_clause {
        errors.on(clause, "a handler is not generic: remove the `where` clause");
    }
}

/// A handler's signature is ours to say, so a lint that asks for another one would be our fault.
pub(crate) fn allowed() -> Attribute {
    parse_quote! {
        #[allow(
            clippy::missing_const_for_fn,
            clippy::needless_pass_by_value,
            clippy::trivially_copy_pass_by_ref,
            clippy::unnecessary_wraps,
            clippy::unused_self
        )]
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn each_mistake_is_one_message() {
        let mut errors = Errors::default();
        refuse_all_but_plain(
            &parse_quote!(const async unsafe extern "C" fn f<'a, T>(t: &'a T) where T: Copy),
            &mut errors,
        );
        assert_eq!(errors.messages().len(), 5);
        let mut errors = Errors::default();
        refuse_all_but_plain(&parse_quote!(fn f(t: &T)), &mut errors);
        assert!(errors.is_empty());
    }
}
