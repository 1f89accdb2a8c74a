//! Random batches: MongoDB and the store in memory behave the same.

use acceptance::{
    conformance::model::{behave_the_same, steps},
    server::{TestDatabase, with_database},
};
use bson::doc;
use projection_core::memory::InMemoryViews;
use projection_mongo::MongoViews;
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};

async fn clear(database: &TestDatabase) {
    for collection in ["view.v1", "view.v1.tombstones"] {
        database.database.collection::<bson::Document>(collection).delete_many(doc! {}).await.unwrap();
    }
}

#[tokio::test]
async fn random_batches_have_the_same_outcomes_on_mongodb_and_in_memory() {
    with_database(|database| async move {
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
