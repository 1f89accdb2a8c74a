//! Whether two handlers' events share a name: only the compiler knows the names, so it is asked.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    attr::lowering,
    model::Handler,
    tokens::{Ends, text},
    validate::Projection,
};

/// One check for each two different events, reported at the later one.
pub(super) fn checks(projection: &Projection) -> TokenStream {
    let mut different: Vec<&Handler> = Vec::new();
    let mut checks = TokenStream::new();
    for later in &projection.handlers {
        if different.iter().any(|earlier| earlier.event == later.event && earlier.cfgs == later.cfgs) {
            continue;
        }
        for earlier in different.iter().filter(|earlier| earlier.event != later.event) {
            checks.extend(check(projection, earlier, later));
        }
        different.push(later);
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
