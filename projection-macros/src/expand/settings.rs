//! Version, options and indexes, where they are not the defaults.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    attr::{index::IndexDef, lowering},
    tokens::Ends,
    validate::Projection,
};

pub(super) fn settings(projection: &Projection) -> TokenStream {
    let version = projection.version.as_ref().map(|version| quote!(const VERSION: u32 = #version;));
    let options = options(projection);
    let indexes = indexes(projection);
    quote!(#version #options #indexes)
}

fn options(projection: &Projection) -> Option<TokenStream> {
    let (krate, size) = (&projection.krate, projection.batch_size.as_ref()?);
    let lowering = lowering(krate);
    // A constant, so that a size of 0 is found when the user's crate is checked, and reported where it stands.
    let checked = Ends::of(size).around(quote!(__batch_size(#size)));
    Some(quote! {
        fn options() -> #krate::MaterializedViewOptions {
            use #lowering::batch_size as __batch_size;
            const __BATCH_SIZE: ::core::num::NonZeroUsize = #checked;
            <#krate::MaterializedViewOptions as ::core::default::Default>::default().with_batch_size(__BATCH_SIZE)
        }
    })
}

fn indexes(projection: &Projection) -> Option<TokenStream> {
    if projection.indexes.is_empty() {
        return None;
    }
    let krate = &projection.krate;
    let indexes = projection.indexes.iter().map(|IndexDef { fields, unique }| {
        let unique = unique.then(|| quote!(.unique()));
        quote!(#krate::Index::new([#(#fields),*])#unique)
    });
    Some(quote! {
        fn indexes() -> ::std::vec::Vec<#krate::Index> {
            ::std::vec![#(#indexes),*]
        }
    })
}
