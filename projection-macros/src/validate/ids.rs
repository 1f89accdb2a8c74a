//! Whether each handler's event finds its instances: what `id`, `key`, `singleton` and `#[on(key = …)]` say together.

use syn::Type;

use crate::{attr::projection::ProjectionOptions, errors::Errors, model::Handler, tokens::text};

/// Notes each way in which an event would find no instance, or two ways to it.
pub(crate) fn check(options: &ProjectionOptions, handlers: &[Handler], errors: &mut Errors) {
    if options.singleton.is_some() {
        refuse_beside_singleton(options, handlers, errors);
        return;
    }
    let keyed = |handler: &&Handler| handler.key.is_some();
    let Some(id) = &options.id else {
        if options.given.has("id") {
            return;
        }
        let key = options.key.as_ref().or_else(|| handlers.iter().find_map(|handler| handler.key.as_ref()));
        if let Some(key) = key {
            errors.on(
                key,
                "a key needs the type it yields, which a macro cannot see: write `id = OrderId` in `#[projection(…)]`",
            );
        }
        return;
    };
    if options.given.has("key") || is_stream_id(id) || handlers.is_empty() {
        return;
    }
    if !handlers.iter().any(|handler| keyed(&handler)) {
        errors.on(
            id,
            format!(
                "an event is without a way to find its `{}`: write `key = event.order_id` in `#[projection(…)]`, or \
                 `#[on(key = event.order_id)]` above each handler",
                text(id)
            ),
        );
        return;
    }
    for handler in handlers.iter().filter(|handler| !keyed(handler)) {
        errors.on(
            &handler.name,
            format!(
                "this event is without a way to find its `{}`: write `#[on(key = event.order_id)]`, or `key = …` in \
                 `#[projection(…)]` for all handlers without one",
                text(id)
            ),
        );
    }
}

fn refuse_beside_singleton(options: &ProjectionOptions, handlers: &[Handler], errors: &mut Errors) {
    const WHY: &str =
        "a `singleton` has one instance, which needs no `id` and no `key`: remove this, or `singleton`";
    if let Some(id) = &options.id {
        errors.on(id, WHY);
    }
    for key in options.key.iter().chain(handlers.iter().filter_map(|handler| handler.key.as_ref())) {
        errors.on(key, WHY);
    }
}

fn is_stream_id(id: &Type) -> bool {
    matches!(id, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "StreamId"))
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;
    use syn::parse_quote;

    use super::*;
    use crate::{attr, model::Block};

    fn mistakes(options: &TokenStream, mut item: syn::ItemImpl) -> Vec<String> {
        let mut errors = Errors::default();
        let options = attr::projection::read(quote!(name = "a", #options), &mut errors);
        let block = Block::take(&mut item, &mut errors);
        check(&options, &block.handlers, &mut errors);
        errors.messages()
    }

    fn plain() -> syn::ItemImpl {
        parse_quote!(impl S { #[on] fn a(&mut self, e: &A) {} #[on] fn b(&mut self, e: &B) {} })
    }

    fn with_keys() -> syn::ItemImpl {
        parse_quote!(impl S { #[on(key = event.a)] fn a(&mut self, e: &A) {} #[on(key = event.b)] fn b(&mut self, e: &B) {} })
    }

    fn with_one_key() -> syn::ItemImpl {
        parse_quote!(impl S { #[on(key = event.a)] fn a(&mut self, e: &A) {} #[on] fn b(&mut self, e: &B) {} })
    }

    #[test]
    fn a_stream_a_singleton_one_key_or_a_key_for_each_are_ways_to_an_instance() {
        assert!(mistakes(&quote!(), plain()).is_empty());
        assert!(mistakes(&quote!(id = StreamId), plain()).is_empty());
        assert!(mistakes(&quote!(id = StreamId), with_one_key()).is_empty());
        assert!(mistakes(&quote!(singleton), plain()).is_empty());
        assert!(mistakes(&quote!(id = A, key = event.a), plain()).is_empty());
        assert!(mistakes(&quote!(id = A, key = event.a), with_one_key()).is_empty());
        assert!(mistakes(&quote!(id = A), with_keys()).is_empty());
    }

    #[test]
    fn an_id_without_a_way_to_find_it_is_one_message() {
        assert_eq!(mistakes(&quote!(id = A), plain()).len(), 1);
        assert_eq!(mistakes(&quote!(id = A), with_one_key()).len(), 1);
    }

    #[test]
    fn a_key_without_its_type_is_one_message() {
        assert_eq!(mistakes(&quote!(key = event.a), plain()).len(), 1);
        assert_eq!(mistakes(&quote!(), with_keys()).len(), 1);
    }

    #[test]
    fn a_singleton_has_neither_id_nor_key() {
        assert_eq!(mistakes(&quote!(singleton, id = A, key = event.a), plain()).len(), 2);
        assert_eq!(mistakes(&quote!(singleton), with_keys()).len(), 2);
    }

    #[test]
    fn an_option_whose_value_was_wrong_is_not_missing_too() {
        assert_eq!(mistakes(&quote!(id = A, key = ), plain()).len(), 1);
        assert_eq!(mistakes(&quote!(id = , key = event.a), plain()).len(), 1);
    }
}
