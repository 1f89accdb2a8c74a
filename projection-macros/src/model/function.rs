//! A free function that folds an event into a state.

use proc_macro2::Span;
use syn::{
    Attribute, FnArg, GenericArgument, ItemFn, PathArguments, PathSegment, ReturnType, Signature, Type,
    TypeReference,
};

use super::{
    Handler, Shape,
    handler::{returned, typed},
    params::Params,
    signature::{allowed, refuse_all_but_plain},
};
use crate::{
    attr::on,
    errors::Errors,
    tokens::{Ends, name_of, text},
};

/// A function as a projection: its state, and itself as the one handler.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) state: Type,
    pub(crate) handler: Option<Handler>,
}

impl Function {
    /// Reads the function; none where even its state cannot be read.
    pub(crate) fn take(item: &mut ItemFn, errors: &mut Errors) -> Option<Self> {
        if let Some((attribute, _)) = on::take(&mut item.attrs, errors) {
            errors.on(attribute, "a function that is a projection is its own handler: remove `#[on]`");
        }
        let signature = &item.sig;
        refuse_all_but_plain(signature, errors);
        if let Some(FnArg::Receiver(receiver)) = signature.inputs.first() {
            errors.on(
                receiver,
                "`#[projection]` goes above the `impl` block, and `#[on]` above each of its handlers",
            );
            return None;
        }
        let mut params = typed(signature);
        let (Some(first), true) = (params.next(), signature.inputs.len() > 1) else {
            errors.on(
                &signature.ident,
                "a projection folds an event into a state: write `(state: State, event: &OrderEvent) -> State`",
            );
            return None;
        };
        let taken = Taken::read(&first.ty, signature, errors)?;
        let params = Params::read(signature, params, errors);
        let shape = taken.shape(item, errors);
        let name = item.sig.ident.clone();
        let handler = params.zip(shape).map(|(Params { event, extras }, shape)| Handler {
            cfgs: Vec::<Attribute>::new(),
            name,
            key: None,
            event,
            shape,
            extras,
        });
        if item.sig.generics.lt_token.is_some() {
            return None;
        }
        item.attrs.insert(0, allowed());
        Some(Self { state: taken.state.clone(), handler })
    }
}

/// How the function takes its state.
struct Taken {
    state: Type,
    /// Where its type is named.
    place: Span,
    how: How,
}

enum How {
    Owned,
    Option,
    Changed,
}

impl Taken {
    fn read(ty: &Type, signature: &Signature, errors: &mut Errors) -> Option<Self> {
        let taken = |state: &Type, how| Some(Self { state: state.clone(), place: name_of(ty), how });
        match ty {
            Type::Reference(TypeReference { lifetime: Some(lifetime), elem, .. })
                if signature.generics.lt_token.is_none() =>
            {
                errors
                    .on(lifetime, format!("a handler borrows the state for its call: write `&mut {}`", text(elem)));
                None
            }
            Type::Reference(TypeReference { mutability: None, elem, .. }) => {
                errors.on(
                    ty,
                    format!(
                        "the first parameter is the state, to be changed: write `state: &mut {0}`, or `state: {0}` and \
                         return the new one",
                        text(elem)
                    ),
                );
                None
            }
            Type::Reference(TypeReference { elem, .. }) => match in_option(elem) {
                Some(state) => {
                    let state = text(state);
                    errors.on(ty, format!("write `state: Option<{state}>`, and return `Option<{state}>`"));
                    None
                }
                None => taken(elem, How::Changed),
            },
            Type::ImplTrait(_) => {
                errors.on(ty, "a projection has one type of state: write it");
                None
            }
            _ => match in_option(ty) {
                Some(state) => taken(state, How::Option),
                None => taken(ty, How::Owned),
            },
        }
    }

    fn shape(&self, item: &ItemFn, errors: &mut Errors) -> Option<Shape> {
        let state = text(&self.state);
        match (&self.how, returned(&item.sig)) {
            (How::Owned, Some(ty)) => Some(Shape::Fold(self.place, Ends::of(ty))),
            (How::Option, Some(ty)) => Some(Shape::FoldOption(Ends::of(ty))),
            (How::Changed, None) => Some(Shape::Change(self.place)),
            (How::Changed, Some(ty)) => {
                errors.on(
                    ty,
                    format!(
                        "a handler that takes `&mut {state}` changes the state in place: return nothing; or take \
                         `{state}` and return the new one"
                    ),
                );
                None
            }
            (How::Owned | How::Option, None) => {
                let message = format!(
                    "the function returns the new state: write `-> {state}`, or `-> Option<{state}>` where `None` \
                     deletes the instance; or take `state: &mut {state}`"
                );
                match &item.sig.output {
                    ReturnType::Default => errors.on(&item.sig.ident, message),
                    ReturnType::Type(_, ty) => errors.on(ty, message),
                }
                None
            }
        }
    }
}

/// The `S` of `Option<S>`.
fn in_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathSegment { ident, arguments: PathArguments::AngleBracketed(arguments) } = path.path.segments.last()?
    else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(state) if ident == "Option" => Some(state),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn read(mut item: ItemFn) -> (Option<Function>, Vec<String>) {
        let mut errors = Errors::default();
        let function = Function::take(&mut item, &mut errors);
        (function, errors.messages())
    }

    fn shape(item: ItemFn) -> (String, Shape) {
        let (function, errors) = read(item);
        assert!(errors.is_empty(), "{errors:?}");
        let function = function.unwrap();
        (text(function.state), function.handler.unwrap().shape)
    }

    #[test]
    fn a_function_takes_the_state_or_an_option_of_it_or_changes_it() {
        assert!(matches!(shape(parse_quote!(fn f(s: S, e: &E) -> S {})), (s, Shape::Fold(..)) if s == "S"));
        let (state, shaped) = shape(parse_quote!(
            fn f(s: Option<Vec<S>>, e: &E) -> Option<Vec<S>> {}
        ));
        assert!(matches!(shaped, Shape::FoldOption(_)) && state == "Vec<S>");
        assert!(matches!(shape(parse_quote!(fn f(s: &mut S, e: &E) {})), (s, Shape::Change(_)) if s == "S"));
    }

    #[test]
    fn each_other_way_is_one_message() {
        for item in [
            parse_quote!(
                fn f() -> S {}
            ),
            parse_quote!(
                fn f(s: S) -> S {}
            ),
            parse_quote!(
                fn f(s: &S, e: &E) -> S {}
            ),
            parse_quote!(
                fn f(s: &mut S, e: &E) -> S {}
            ),
            parse_quote!(
                fn f(s: &mut Option<S>, e: &E) {}
            ),
            parse_quote!(
                fn f(s: S, e: &E) {}
            ),
            parse_quote!(
                fn f(s: S, e: &E) -> () {}
            ),
            parse_quote!(
                fn f(&mut self, e: &E) {}
            ),
            parse_quote!(
                async fn f(s: S, e: &E) -> S {}
            ),
            parse_quote!(
                #[on]
                fn f(s: S, e: &E) -> S {}
            ),
        ] {
            let (_, errors) = read(item);
            assert_eq!(errors.len(), 1, "{errors:?}");
        }
    }
}
