//! What holds of every expansion.

use super::*;

fn with_the_crate_renamed() -> Vec<String> {
    let krate = quote!(crate = renamed::core);
    vec![
        expanded(
            quote!(name = "a", id = A, key = event.a, batch_size = 5, index(a), #krate),
            &quote! {
                impl S {
                    #[on] fn a(&mut self, event: &A, id: &A) {}
                    #[on] fn b(event: &B) -> Self {}
                    #[on] fn c(self, event: &C) -> Option<Self> {}
                }
            },
        ),
        expanded(
            quote!(name = "a", #krate),
            &quote!(
                fn a(state: S, event: &E) -> S {
                    state
                }
            ),
        ),
        expanded(
            quote!(name = "a", singleton, #krate),
            &quote!(
                fn a(state: Option<S>, event: &E) -> S {}
            ),
        ),
        pretty(derive::event::derive(quote!(
            #[event(name = "A", #krate)]
            struct A;
        ))),
        pretty(derive::event_set::derive(quote!(
            #[event_set(#krate)]
            enum A {
                B(B),
                C(C),
            }
        ))),
        pretty(derive::key::derive(quote!(
            #[key(#krate)]
            struct A(String);
        ))),
    ]
}

#[test]
fn a_renamed_dependency_is_the_only_one_that_is_named() {
    for code in with_the_crate_renamed() {
        assert!(!code.contains("projection_core"), "{code}");
        assert!(!code.contains("compile_error"), "{code}");
    }
}

#[test]
fn what_is_no_item_is_given_back_with_a_message() {
    let code = projection::projection(quote!(name = "a"), &quote!(impl)).to_string();
    assert!(code.starts_with("impl") && code.contains("compile_error"), "{code}");
}

#[test]
fn functions_are_given_back_as_they_were() {
    let item = quote! {
        impl S {
            #[doc = "A handler."]
            #[inline]
            #[on(key = event.a)]
            pub(crate) fn a(&mut self, A { a, .. }: &A) { self.0 += a; }
            #[doc = "No handler."]
            const fn helper(&self) -> u8 { 1 }
        }
    };
    let code = projection::projection(quote!(name = "a", id = A), &item).to_string();
    let handler = quote! {
        #[doc = "A handler."]
        #[inline]
        pub(crate) fn a(&mut self, A { a, .. }: &A) { self.0 += a; }
        #[doc = "No handler."]
        const fn helper(&self) -> u8 { 1 }
    };
    assert!(code.contains(&handler.to_string()), "{code}");
}
