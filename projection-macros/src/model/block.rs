//! An `impl` block with `#[on]` handlers.

use syn::{ImplItem, ItemImpl};

use super::{Handler, signature::allowed};
use crate::{attr::on, errors::Errors};

/// The handlers of an `impl` block, in source order, as far as they could be read.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) handlers: Vec<Handler>,
    /// Whether the type can have an implementation from us, right or wrong.
    pub(crate) can_be_implemented: bool,
}

impl Block {
    /// Reads the block, and takes the `#[on]`s off it.
    pub(crate) fn take(item: &mut ItemImpl, errors: &mut Errors) -> Self {
        let mut can_be_implemented = true;
        if let Some((_, path, _)) = &item.trait_ {
            errors.on(
                path,
                "`#[projection]` goes on an `impl` block of the state itself: move the handlers into `impl State { … }`",
            );
            can_be_implemented = false;
        }
        if item.generics.lt_token.is_some() {
            errors.on(&item.generics, "a projection is not generic, since its name stands for one view: write the type out, `impl Count<Order>`");
            can_be_implemented = false;
        }
        let mut marked = 0;
        let mut handlers = Vec::new();
        for member in &mut item.items {
            let ImplItem::Fn(function) = member else {
                refuse(member, errors);
                continue;
            };
            if let Some((_, on)) = on::take(&mut function.attrs, errors) {
                function.attrs.insert(0, allowed());
                marked += 1;
                handlers.extend(Handler::read(function, on, errors));
            }
        }
        if marked == 0 && item.trait_.is_none() {
            errors.on(
                &item.self_ty,
                "the projection handles no event: write `#[on]` above a function, `#[on] fn placed(&mut self, event: \
                 &OrderPlaced) { … }`",
            );
        }
        Self { handlers, can_be_implemented }
    }
}

/// Notes an `#[on]` above what is no function.
fn refuse(member: &mut ImplItem, errors: &mut Errors) {
    let attributes = match member {
        ImplItem::Const(item) => &mut item.attrs,
        ImplItem::Type(item) => &mut item.attrs,
        ImplItem::Macro(item) => &mut item.attrs,
        _ => return,
    };
    if let Some((attribute, _)) = on::take(attributes, errors) {
        errors.on(attribute, "`#[on]` goes above a function: `fn placed(&mut self, event: &OrderPlaced) { … }`");
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;
    use syn::parse_quote;

    use super::*;

    #[test]
    fn handlers_are_read_in_source_order_and_other_items_are_left_alone() {
        let mut item: ItemImpl = parse_quote! {
            impl S {
                const A: u8 = 1;
                #[on] fn a(&mut self, e: &A) {}
                fn helper(&self) {}
                #[inline] #[on(key = e)] #[cfg(x)] fn b(e: &B) -> Self {}
            }
        };
        let mut errors = Errors::default();
        let block = Block::take(&mut item, &mut errors);
        assert!(errors.is_empty());
        assert_eq!(block.handlers.iter().map(|handler| handler.name.to_string()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(block.handlers[1].cfgs.len(), 1);
        assert!(!item.to_token_stream().to_string().contains("# [on"));
    }

    #[test]
    fn a_mark_above_what_is_no_function_is_one_message() {
        let mut errors = Errors::default();
        let mut item = parse_quote!(impl S { #[on] const A: u8 = 1; #[on] fn a(&mut self, e: &A) {} });
        Block::take(&mut item, &mut errors);
        assert_eq!(errors.messages().len(), 1);
    }

    #[test]
    fn a_block_without_handlers_a_generic_one_and_one_of_a_trait_are_refused() {
        for mut item in [
            parse_quote!(impl S { fn a(&mut self, e: &A) {} }),
            parse_quote!(
                impl<T> S<T> {
                    #[on]
                    fn a(&mut self, e: &A) {}
                }
            ),
            parse_quote!(impl Clone for S { fn clone(&self) -> Self {} }),
        ] {
            let mut errors = Errors::default();
            Block::take(&mut item, &mut errors);
            assert_eq!(errors.messages().len(), 1);
        }
    }
}
