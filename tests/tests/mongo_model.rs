//! Random batches: MongoDB and the store in memory behave the same.

use acceptance::{
    conformance::model::{behave_the_same, behave_the_same_for_owners, steps},
    on_each_kind_of_server,
    server::{Kind, TestDatabase, with_database_on},
};
use bson::doc;
use projection_core::memory::InMemoryViews;
use projection_mongo::MongoViews;
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};

on_each_kind_of_server!(
    random_batches_have_the_same_outcomes_on_mongodb_and_in_memory,
    random_batches_of_owners_have_the_same_outcomes_on_mongodb_and_in_memory,
);

async fn clear(database: &TestDatabase) {
    let kept = ["leases", "fences", "checkpoints"].map(|kept| format!("projection.{kept}"));
    for collection in ["view.v1", "view.v1.tombstones"].into_iter().chain(kept.iter().map(String::as_str)) {
        database.database.collection::<bson::Document>(collection).delete_many(doc! {}).await.unwrap();
    }
}

async fn random_batches_have_the_same_outcomes_on_mongodb_and_in_memory(server: Kind) {
    with_database_on(server, |database| async move {
        let on_mongo = MongoViews::new(database.database.clone());
        let mut runner = TestRunner::default();
        for _ in 0..40 {
            let steps = steps().new_tree(&mut runner).unwrap().current();
            println!("{steps:#?}");
            behave_the_same(&InMemoryViews::new(), &on_mongo, &steps).await;
            clear(&database).await;
        }
    })
    .await;
}

// spec: B11, B18
async fn random_batches_of_owners_have_the_same_outcomes_on_mongodb_and_in_memory(server: Kind) {
    with_database_on(server, |database| async move {
        let mut runner = TestRunner::default();
        for _ in 0..40 {
            // Another process each time: leases were removed in between.
            let on_mongo = MongoViews::new(database.database.clone());
            let steps = steps().new_tree(&mut runner).unwrap().current();
            println!("{steps:#?}");
            behave_the_same_for_owners(&InMemoryViews::new(), &on_mongo, &steps).await;
            clear(&database).await;
        }
    })
    .await;
}
