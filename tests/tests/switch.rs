//! From history to live while writers write, in memory and in SQLite. MongoDB: `mongo_switch`.

use acceptance::switch::writers_over_the_switch;
use projection_core::memory::{InMemoryEventStore, InMemoryViews};
use projection_sqlite::SqliteStore;

// spec: P20, P23, B1, B20
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_memory_nothing_is_lost_doubled_or_reordered() {
    for seed in 0..1000 {
        writers_over_the_switch(&InMemoryEventStore::new(), &InMemoryViews::new(), seed).await;
    }
}

// spec: P20, P23, B1, B20
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_sqlite_nothing_is_lost_doubled_or_reordered() {
    let directory = tempfile::tempdir().unwrap();
    for seed in 0..40 {
        let store = SqliteStore::open(directory.path().join(format!("{seed}.db"))).await.unwrap();
        writers_over_the_switch(&store.events(), &store.views(), seed).await;
    }
}
