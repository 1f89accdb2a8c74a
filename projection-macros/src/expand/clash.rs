//! Whether two handlers' events share a name: only the compiler knows the names, so it is asked.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use crate::{
    attr::lowering,
    model::Handler,
    tokens::{Ends, text},
    validate::Projection,
};

/// One check for each two handlers of different events, reported at the later one's event.
pub(super) fn checks(projection: &Projection) -> TokenStream {
    let mut checks = TokenStream::new();
    for (i, later) in projection.handlers.iter().enumerate() {
        let mut compared: Vec<&Type> = vec![&later.event];
        for earlier in &projection.handlers[..i] {
            if !compared.contains(&&earlier.event) {
                compared.push(&earlier.event);
                checks.extend(check(projection, earlier, later));
            }
        }
    }
    checks
}

fn check(projection: &Projection, earlier: &Handler, later: &Handler) -> TokenStream {
    let lowering = lowering(&projection.krate);
    let (left, right) = (&earlier.event, &later.event);
    let cfgs = earlier.cfgs.iter().chain(&later.cfgs);
    let message = format!(
        "`{}` and `{}` share an event name: give them different names in `#[event(…)]`, or take the same type in \
         both handlers",
        text(left),
        text(right)
    );
    let refuse = Ends::of(right).around(quote!(__refuse(#message)));
    quote! {
        #(#cfgs)*
        const _: () = {
            #[allow(unused_imports)]
            use #lowering::{NoEvents as _, OtherTypes as _, refuse as __refuse};
            if #lowering::Events::<#left, #right>::SHARE_A_NAME && !#lowering::Types::<#left, #right>::EQUAL {
                #refuse
            }
        };
    }
}
