//! The conformance suites of views, on SQLite: in a file, and in memory.

use acceptance::{lease_suites, rebuild_suites, view_suites};
use projection_sqlite::{SqliteCheckpoints, SqliteStore, SqliteViews};

mod in_a_file {
    use super::*;

    async fn with_file<F: Future<Output = ()>>(test: impl FnOnce(SqliteStore) -> F) {
        let directory = tempfile::tempdir().unwrap();
        test(SqliteStore::open(directory.path().join("test.db")).await.unwrap()).await;
    }

    async fn views<F: Future<Output = ()>>(test: impl FnOnce(SqliteViews) -> F) {
        with_file(|store| test(store.views())).await;
    }

    async fn checkpoints<F: Future<Output = ()>>(test: impl FnOnce(SqliteCheckpoints) -> F) {
        with_file(|store| test(store.checkpoints())).await;
    }

    view_suites!(views, checkpoints);
    lease_suites!(views);
    rebuild_suites!(views);
}

mod in_memory {
    use super::*;

    async fn views<F: Future<Output = ()>>(test: impl FnOnce(SqliteViews) -> F) {
        test(SqliteStore::open_in_memory().await.unwrap().views()).await;
    }

    async fn checkpoints<F: Future<Output = ()>>(test: impl FnOnce(SqliteCheckpoints) -> F) {
        test(SqliteStore::open_in_memory().await.unwrap().checkpoints()).await;
    }

    view_suites!(views, checkpoints);
}
