//! The conformance suites of views, on MongoDB.

use acceptance::{lease_suites, server::with_database, view_suites};
use projection_mongo::{MongoCheckpoints, MongoViews};

async fn views<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(MongoViews) -> F) {
    with_database(|database| test(MongoViews::new(database.database))).await;
}

async fn checkpoints<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(MongoCheckpoints) -> F) {
    with_database(|database| test(MongoCheckpoints::new(database.database))).await;
}

view_suites!(views, checkpoints);
lease_suites!(views);
