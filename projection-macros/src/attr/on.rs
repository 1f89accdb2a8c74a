//! `#[on]`, `#[on(key = …)]`: what marks a handler.

use syn::{Attribute, Meta};

use super::{
    key::KeyExpr,
    list::{Known, List, value},
};
use crate::errors::Errors;

const OPTIONS: List = List {
    attribute: "#[on]",
    known: &[Known::once("key", "key = event.order_id")],
    elsewhere: |name| {
        super::projection::OPTIONS
            .known
            .iter()
            .any(|known| known.name == name)
            .then_some("it belongs to the whole projection, in `#[projection(…)]`")
    },
};

/// The options of one handler.
#[derive(Debug, Default)]
pub(crate) struct On {
    /// What finds the instances of this event, instead of the projection's key.
    pub(crate) key: Option<KeyExpr>,
}

/// Takes the `#[on]` off an item's attributes, if there is one.
pub(crate) fn take(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Option<(Attribute, On)> {
    let mut ours = Vec::new();
    attributes.retain(|attribute| {
        let on = attribute.path().is_ident("on");
        if on {
            ours.push(attribute.clone());
        }
        !on
    });
    let mut ours = ours.into_iter();
    let attribute = ours.next()?;
    for doubled in ours {
        errors.on(doubled, "`#[on]` is given twice: keep one");
    }
    let on = read(&attribute, errors);
    Some((attribute, on))
}

fn read(attribute: &Attribute, errors: &mut Errors) -> On {
    let mut on = On::default();
    match &attribute.meta {
        Meta::Path(_) => {}
        Meta::NameValue(meta) => errors.on(meta, "write `#[on]`, or `#[on(key = event.order_id)]`"),
        Meta::List(list) => {
            OPTIONS.read(list.tokens.clone(), errors, |_key, input| {
                on.key = Some(value(input)?);
                Ok(())
            });
        }
    }
    if let Some(key) = &on.key {
        key.check(errors);
    }
    on
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn on_is_taken_off_and_the_others_stay() {
        let mut errors = Errors::default();
        let mut attributes: Vec<Attribute> =
            vec![parse_quote!(#[inline]), parse_quote!(#[on]), parse_quote!(#[doc = ""])];
        assert!(take(&mut attributes, &mut errors).is_some());
        assert_eq!(attributes.len(), 2);
        assert!(take(&mut attributes, &mut errors).is_none());
        assert!(errors.is_empty());
    }

    #[test]
    fn an_option_of_the_projection_is_sent_there() {
        let mut errors = Errors::default();
        take(&mut vec![parse_quote!(#[on(batch_size = 5, ky = 1)]), parse_quote!(#[on])], &mut errors);
        assert_eq!(
            errors.messages(),
            [
                "`#[on]` is given twice: keep one",
                "`#[on]` has no option `batch_size`: it belongs to the whole projection, in `#[projection(…)]`",
                "`#[on]` has no option `ky`: did you mean `key = event.order_id`?",
            ]
        );
    }
}
