//! From history to live while writers write, in MongoDB.

use acceptance::{server::with_database, switch::writers_over_the_switch};
use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews};

// spec: P20, P23, B1, B20
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_doubled_or_reordered() {
    for seed in 0..30 {
        with_database(move |test| async move {
            let database = test.database.clone();
            let events = MongoEvents::open(&database, "events", MongoEventsOptions::new()).await.unwrap();
            writers_over_the_switch(&events, &MongoViews::new(database), seed).await;
        })
        .await;
    }
}
