//! Whole expansions, as the compiler sees them: snapshots, written out by `prettyplease`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{derive, projection};

/// The code as a person would write it.
fn pretty(tokens: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}

fn expanded(attr: TokenStream, item: &TokenStream) -> String {
    pretty(projection::projection(attr, item))
}

macro_rules! assert_expansion {
    ($code:expr $(,)?) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($code) })
    };
}

mod derives;
mod projections;
mod promises;
