//! Random batches: SQLite and the store in memory behave the same.

use acceptance::conformance::model::{behave_the_same, steps};
use projection_core::memory::InMemoryViews;
use projection_sqlite::SqliteStore;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_batches_have_the_same_outcomes_on_sqlite_and_in_memory(steps in steps()) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let on_sqlite = SqliteStore::open_in_memory().await.unwrap().views();
            behave_the_same(&InMemoryViews::new(), &on_sqlite, &steps).await;
        });
    }
}
