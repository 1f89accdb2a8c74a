//! What every implementation of the storage traits must do, and the server that tests of databases run on.
//!
//! A suite is a set of functions over a store; [`suite!`] makes a test of each for one implementation.

pub mod conformance;
pub mod server;

/// Makes a test of each function of a suite. `$run` calls what it is given with a fresh, empty store.
#[macro_export]
macro_rules! suite {
    ($suite:ident, $run:path, [$($test:ident),* $(,)?]) => {
        $(
            #[tokio::test]
            async fn $test() {
                $run(|store| async move { $crate::conformance::$suite::$test(&store).await }).await;
            }
        )*
    };
}
