//! What must compile, whatever the user's module calls, denies and renames.

mod compiles {
    mod deny_warnings;
    mod handlers_under_cfg;
    mod inside_a_macro;
    mod keys;
    mod renamed_dependency;
    mod shadowed_prelude;
}

/// The projection's name, and how many handlers it has.
fn handlers_of<P: projection_core::Projection>() -> (&'static str, usize) {
    struct Count(usize);

    impl<P: projection_core::Projection> projection_core::Handlers<P> for Count {
        fn on<E: projection_core::EventSet>(
            &mut self,
            _: projection_core::projection::KeysOf<P, E>,
            _: projection_core::projection::Fold<P, E>,
        ) -> &mut Self {
            self.0 += 1;
            self
        }
    }

    let mut count = Count(0);
    P::handlers(&mut count);
    (P::NAME, count.0)
}
