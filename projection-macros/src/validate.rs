//! Brings options and handlers together: what comes out is right, and expanding it cannot fail.

use proc_macro2::Ident;
use syn::{Expr, LitInt, LitStr, Path, Type};

use crate::{
    attr::{index::IndexDef, key::KeyExpr, krate_or_default, projection::ProjectionOptions},
    errors::Errors,
    model::Handler,
};

mod ids;

/// A projection without mistakes in it.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) krate: Path,
    pub(crate) target: Target,
    pub(crate) state: Type,
    pub(crate) id: Id,
    /// The projection's own key, used where a handler has none.
    pub(crate) key: Option<KeyExpr>,
    pub(crate) name: Option<LitStr>,
    pub(crate) version: Option<LitInt>,
    pub(crate) batch_size: Option<Expr>,
    pub(crate) indexes: Vec<IndexDef>,
    pub(crate) handlers: Vec<Handler>,
}

/// What implements `Projection`.
#[derive(Debug)]
pub(crate) enum Target {
    /// The state itself, whose `impl` block has the handlers.
    Block,
    /// A type that is called as the function, which is its one handler.
    Function(Ident),
}

/// What finds an instance.
#[derive(Debug)]
pub(crate) enum Id {
    /// `id = …`
    Named(Box<Type>),
    /// Nothing was said: an instance is a stream.
    Stream,
    Singleton,
}

impl Projection {
    /// Checks what options and handlers say together. Where there are mistakes, what comes out handles nothing: it
    /// stands in for the projection, so that the places that use it are not reported too.
    pub(crate) fn new(
        options: ProjectionOptions,
        target: Target,
        state: Type,
        handlers: Vec<Handler>,
        errors: &mut Errors,
    ) -> Self {
        ids::check(&options, &handlers, errors);
        let id = match (options.singleton, options.id) {
            (Some(_), _) => Id::Singleton,
            (None, Some(id)) => Id::Named(Box::new(id)),
            (None, None) => Id::Stream,
        };
        let mut projection = Self {
            krate: krate_or_default(options.krate),
            target,
            state,
            id,
            key: options.key,
            name: options.name,
            version: options.version,
            batch_size: options.batch_size,
            indexes: options.indexes,
            handlers,
        };
        if !errors.is_empty() {
            projection.batch_size = None;
            projection.handlers.clear();
        }
        projection
    }
}
