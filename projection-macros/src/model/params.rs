//! What a handler takes besides the state: the event, then `id` and `meta` in any order.

use proc_macro2::Span;
use syn::{Ident, Pat, PatType, Signature, Type, TypeReference};

use crate::{
    errors::Errors,
    tokens::{name_of, text},
};

/// A parameter besides state and event, and where its type is named.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extra {
    Id(Span),
    Meta(Span),
}

/// The parameters after the state.
#[derive(Debug)]
pub(crate) struct Params {
    /// The `E` of `event: &E`.
    pub(crate) event: Type,
    pub(crate) extras: Vec<Extra>,
}

impl Params {
    /// Reads `params`, those of `signature` that stand after its state.
    pub(crate) fn read<'a>(
        signature: &Signature,
        params: impl Iterator<Item = &'a PatType>,
        errors: &mut Errors,
    ) -> Option<Self> {
        let params: Vec<_> = params.collect();
        let position = params.iter().position(|param| role(param).is_none());
        match (position, params.first()) {
            (Some(0), _) => {}
            (Some(_), Some(first)) => errors.on(first, "the event comes first: write it before this parameter"),
            (_, _) => errors.on(
                &signature.ident,
                "a handler takes an event: write `event: &OrderPlaced` as its first parameter after the state",
            ),
        }
        let mut event = None;
        let mut extras = Vec::new();
        for (index, param) in params.into_iter().enumerate() {
            if Some(index) == position {
                event = read_event(param, signature, errors);
            } else {
                extras.extend(read_extra(param, &extras, errors));
            }
        }
        Some(Self { event: event?, extras })
    }
}

fn read_event(param: &PatType, signature: &Signature, errors: &mut Errors) -> Option<Type> {
    match &*param.ty {
        Type::Reference(TypeReference { mutability: Some(_), elem, .. }) => {
            errors.on(&param.ty, format!("a handler does not change the event: write `&{}`", text(elem)));
            None
        }
        Type::Reference(TypeReference { elem, .. })
            if matches!(**elem, Type::ImplTrait(_) | Type::TraitObject(_)) =>
        {
            errors
                .on(elem, "a handler takes one event, or an enum of events: write its type, `event: &OrderPlaced`");
            None
        }
        Type::Reference(TypeReference { lifetime: Some(lifetime), elem, .. })
            if signature.generics.lt_token.is_none() =>
        {
            errors.on(lifetime, format!("a handler borrows the event for its call: write `&{}`", text(elem)));
            None
        }
        Type::Reference(TypeReference { elem, .. }) => Some((**elem).clone()),
        Type::ImplTrait(_) => {
            errors.on(
                &param.ty,
                "a handler takes one event, or an enum of events: write its type, `event: &OrderPlaced`",
            );
            None
        }
        owned => {
            let message =
                format!("a handler borrows the event, which others may see too: write `&{}`", text(owned));
            errors.on(owned, message);
            None
        }
    }
}

enum Role {
    Id,
    Meta,
}

/// What a parameter is by its name, or, for the metadata, by its type.
fn role(param: &PatType) -> Option<Role> {
    let name = match &*param.pat {
        Pat::Ident(pat) => Some(&pat.ident),
        _ => None,
    };
    let called = |a: &str, b: &str| name.is_some_and(|name: &Ident| name == a || name == b);
    if called("id", "_id") {
        Some(Role::Id)
    } else if called("meta", "_meta") || is_metadata(&param.ty) {
        Some(Role::Meta)
    } else {
        None
    }
}

fn is_metadata(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_metadata(&reference.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == "EventMetadata"),
        _ => false,
    }
}

fn read_extra(param: &PatType, before: &[Extra], errors: &mut Errors) -> Option<Extra> {
    let Some(role) = role(param) else {
        errors.on(
            param,
            "a handler takes the event, then, if it wants them, `id: &…` and `meta: &EventMetadata`: remove this \
             parameter, or call it `id` or `meta`",
        );
        return None;
    };
    let (extra, name, doubled) = match role {
        Role::Id => (Extra::Id as fn(Span) -> Extra, "id", before.iter().any(|e| matches!(e, Extra::Id(_)))),
        Role::Meta => {
            (Extra::Meta as fn(Span) -> Extra, "meta", before.iter().any(|e| matches!(e, Extra::Meta(_))))
        }
    };
    if doubled {
        errors.on(param, format!("the handler takes `{name}` twice: keep one"));
        return None;
    }
    match &*param.ty {
        Type::Reference(TypeReference { mutability: None, .. }) => Some(extra(name_of(&param.ty))),
        Type::Reference(TypeReference { elem: ty, .. }) => {
            errors.on(&param.ty, format!("`{name}` is borrowed: write `{name}: &{}`", text(ty)));
            None
        }
        ty => {
            errors.on(ty, format!("`{name}` is borrowed: write `{name}: &{}`", text(ty)));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::{FnArg, parse_quote};

    use super::*;

    fn read(signature: &Signature) -> (Option<Params>, Vec<String>) {
        let mut errors = Errors::default();
        let params = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(param) => Some(param),
            FnArg::Receiver(_) => None,
        });
        let params = Params::read(signature, params, &mut errors);
        (params, errors.messages())
    }

    #[test]
    fn id_and_meta_follow_the_event_in_any_order() {
        let (params, errors) = read(&parse_quote!(fn f(self, _: &a::E, m: &x::EventMetadata, _id: &Id)));
        let params = params.unwrap();
        assert!(errors.is_empty());
        assert_eq!(text(params.event), "a::E");
        assert!(matches!(params.extras[..], [Extra::Meta(_), Extra::Id(_)]));
    }

    #[test]
    fn an_event_may_be_taken_apart_by_a_pattern() {
        assert_eq!(text(read(&parse_quote!(fn f(self, E { a, .. }: &E))).0.unwrap().event), "E");
    }

    #[test]
    fn each_wrong_parameter_is_one_message() {
        let (_, errors) = read(&parse_quote!(fn f(self, event: E, id: Id, other: &u8, meta: &mut EventMetadata)));
        assert_eq!(errors.len(), 4, "{errors:?}");
        assert_eq!(read(&parse_quote!(fn f(self))).1.len(), 1);
        assert_eq!(read(&parse_quote!(fn f(self, id: &Id))).1.len(), 1);
        assert_eq!(read(&parse_quote!(fn f(self, event: &E, id: &Id, _id: &Id))).1.len(), 1);
        assert_eq!(read(&parse_quote!(fn f(self, event: &mut E))).1.len(), 1);
        assert_eq!(read(&parse_quote!(fn f(self, event: &'static E))).1.len(), 1);
        assert_eq!(read(&parse_quote!(fn f(self, event: &impl Event))).1.len(), 1);
    }
}
