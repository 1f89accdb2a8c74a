//! The options of our attributes, as they were written.

pub(crate) mod index;
pub(crate) mod key;
pub(crate) mod list;
pub(crate) mod name;
pub(crate) mod on;
pub(crate) mod projection;

use quote::quote;
use syn::{Path, parse_quote};

/// The path of `projection-core` in the user's crate: `crate = …`, or its own name.
pub(crate) fn krate_or_default(krate: Option<Path>) -> Path {
    krate.unwrap_or_else(|| parse_quote!(::projection_core))
}

/// The path of what generated code calls.
pub(crate) fn lowering(krate: &Path) -> proc_macro2::TokenStream {
    quote!(#krate::projection::lowering)
}
