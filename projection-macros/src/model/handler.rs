//! A handler: one function that folds one event, or one enum of events, into a state.

use proc_macro2::Span;
use syn::{Attribute, FnArg, Ident, ImplItemFn, PatType, Receiver, ReturnType, Signature, Type};

use super::{Extra, params::Params, signature::refuse_all_but_plain};
use crate::{
    attr::{key::KeyExpr, on::On},
    errors::Errors,
    tokens::Ends,
};

/// One function that folds an event into a state.
#[derive(Debug)]
pub(crate) struct Handler {
    /// Its `#[cfg]`s, which its registration shares.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) name: Ident,
    /// What finds the instances of its event, where it says so itself.
    pub(crate) key: Option<KeyExpr>,
    pub(crate) event: Type,
    pub(crate) shape: Shape,
    pub(crate) extras: Vec<Extra>,
}

/// How a handler takes the state and gives it back, and where the user wrote that.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// `fn(event) -> Self`.
    Create(Ends),
    /// `&mut self`, or `state: &mut S`.
    Change(Span),
    /// `self -> Self`: not called when absent.
    Replace(Ends),
    /// `state: S -> S`: starts from `Default`.
    Fold(Span, Ends),
    /// `state: Option<S> -> Option<S>`.
    FoldOption(Ends),
}

impl Handler {
    /// Reads a function of an `impl` block that is marked `#[on]`.
    pub(crate) fn read(function: &ImplItemFn, on: On, errors: &mut Errors) -> Option<Self> {
        let signature = &function.sig;
        refuse_all_but_plain(signature, errors);
        let shape = shape(signature, errors);
        let params = Params::read(signature, typed(signature), errors);
        let (shape, Params { event, extras }) = (shape?, params?);
        let cfgs = cfgs(&function.attrs);
        Some(Self { cfgs, name: signature.ident.clone(), key: on.key, event, shape, extras })
    }
}

/// The parameters that are no `self`.
pub(crate) fn typed(signature: &Signature) -> impl Iterator<Item = &PatType> {
    signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(param) => Some(param),
        FnArg::Receiver(_) => None,
    })
}

/// The `#[cfg]`s among `attributes`.
fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// The type a function returns, if it is not `()`.
pub(crate) fn returned(signature: &Signature) -> Option<&Type> {
    match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) if matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty()) => None,
        ReturnType::Type(_, ty) => Some(ty),
    }
}

enum State {
    Owned,
    Changed,
}

fn shape(signature: &Signature, errors: &mut Errors) -> Option<Shape> {
    let state = match signature.receiver() {
        Some(receiver) => Some(state(receiver, signature, errors)?),
        None => None,
    };
    match (state, returned(signature)) {
        (None, Some(ty)) => Some(Shape::Create(Ends::of(ty))),
        (None, None) => {
            errors.on(
                &signature.ident,
                "a handler without `self` creates the instance: return `Self`, or `Option<Self>` where `None` is no \
                 instance; or take `&mut self` to change it",
            );
            None
        }
        (Some(State::Changed), None) => Some(Shape::Change(Ends::of(signature.receiver()).last)),
        (Some(State::Changed), Some(ty)) => {
            errors.on(
                ty,
                "a handler that takes `&mut self` changes the state in place: return nothing; or take `self` and \
                 return `Self`, or `Option<Self>` where `None` deletes the instance",
            );
            None
        }
        (Some(State::Owned), Some(ty)) => Some(Shape::Replace(Ends::of(ty))),
        (Some(State::Owned), None) => {
            errors.on(
                &signature.ident,
                "a handler that takes `self` gives it back: return `Self`, or `Option<Self>` where `None` deletes \
                 the instance; or take `&mut self`",
            );
            None
        }
    }
}

fn state(receiver: &Receiver, signature: &Signature, errors: &mut Errors) -> Option<State> {
    match &*receiver.ty {
        Type::Path(path) if path.path.is_ident("Self") => Some(State::Owned),
        Type::Reference(reference) if reference.lifetime.is_some() && signature.generics.lt_token.is_none() => {
            errors.on(receiver, "a handler borrows the state for its call: write `&mut self`");
            None
        }
        Type::Reference(reference) if is_self(&reference.elem) => {
            if reference.mutability.is_none() {
                errors.on(
                    receiver,
                    "a handler cannot change what it takes by `&self`: write `&mut self` to change the state, \
                     `self` to replace or delete it, or no `self` to create it",
                );
                return None;
            }
            Some(State::Changed)
        }
        _ => {
            errors.on(receiver, "a handler takes the state by `&mut self` or `self`, or creates it without `self`");
            None
        }
    }
}

fn is_self(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Self"))
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn read(function: &ImplItemFn) -> Result<Shape, Vec<String>> {
        let mut errors = Errors::default();
        let handler = Handler::read(function, On::default(), &mut errors);
        handler.map(|handler| handler.shape).ok_or_else(|| errors.messages())
    }

    #[test]
    fn a_handler_creates_changes_or_replaces() {
        assert!(matches!(
            read(&parse_quote!(
                fn f(e: &E) -> Self {}
            )),
            Ok(Shape::Create(_))
        ));
        assert!(matches!(
            read(&parse_quote!(
                fn f(&mut self, e: &E) {}
            )),
            Ok(Shape::Change(_))
        ));
        assert!(matches!(
            read(&parse_quote!(
                fn f(&mut self, e: &E) -> () {}
            )),
            Ok(Shape::Change(_))
        ));
        assert!(matches!(
            read(&parse_quote!(
                fn f(self: &mut Self, e: &E) {}
            )),
            Ok(Shape::Change(_))
        ));
        assert!(matches!(
            read(&parse_quote!(
                fn f(mut self, e: &E) -> Option<Self> {}
            )),
            Ok(Shape::Replace(_))
        ));
    }

    #[test]
    fn each_other_way_is_one_message() {
        for function in [
            parse_quote!(
                fn f(e: &E) {}
            ),
            parse_quote!(
                fn f(&self, e: &E) {}
            ),
            parse_quote!(
                fn f(&'a mut self, e: &E) {}
            ),
            parse_quote!(
                fn f(self: Box<Self>, e: &E) -> Self {}
            ),
            parse_quote!(
                fn f(self, e: &E) {}
            ),
            parse_quote!(
                fn f(&mut self, e: &E) -> Self {}
            ),
            parse_quote!(
                fn f(&mut self) {}
            ),
        ] {
            assert_eq!(read(&function).unwrap_err().len(), 1);
        }
    }
}
