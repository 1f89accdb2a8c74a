//! Whether two handlers' events share a name: only the compiler knows the names, so it is asked.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    attr::lowering,
    model::Handler,
    tokens::{Ends, text},
    validate::Projection,
};

/// For each event, one check against all earlier ones: several clashes of one event are one message, at its type.
pub(super) fn checks(projection: &Projection) -> TokenStream {
    let mut different: Vec<&Handler> = Vec::new();
    let mut checks = TokenStream::new();
    for later in &projection.handlers {
        if different.iter().any(|earlier| earlier.event == later.event && earlier.cfgs == later.cfgs) {
            continue;
        }
        let mut earlier = different.iter().filter(|earlier| earlier.event != later.event).peekable();
        if earlier.peek().is_some() {
            checks.extend(check(projection, earlier.map(|earlier| &**earlier), later));
        }
        different.push(later);
    }
    checks
}

fn check<'a>(projection: &Projection, earlier: impl Iterator<Item = &'a Handler>, later: &Handler) -> TokenStream {
    let (lowering, cfgs, right) = (lowering(&projection.krate), &later.cfgs, &later.event);
    let pairs = earlier.map(|Handler { cfgs, event: left, .. }| {
        let message = format!(
            "`{}` and `{}` share an event name: give them different names in `#[event(…)]`, or take the same type in \
             both handlers",
            text(left),
            text(right)
        );
        let refuse = Ends::of(right).around(quote!(__refuse(#message)));
        quote! {
            #(#cfgs)*
            if __Two::<#left, #right>::SHARE_A_NAME && !__Two::<#left, #right>::ARE_ONE {
                #refuse
            }
        }
    });
    quote! {
        #(#cfgs)*
        #[allow(unused_imports)]
        const _: () = {
            use #lowering::{NoEvents as _, NotOne as _, Two as __Two, refuse as __refuse};
            #(#pairs)*
        };
    }
}
