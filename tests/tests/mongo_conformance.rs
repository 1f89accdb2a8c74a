//! The conformance suites of views, on MongoDB, with transactions and without.

use acceptance::server::{Kind, with_database_on};
use projection_mongo::{MongoCheckpoints, MongoViews};

macro_rules! suites {
    ($kind:expr) => {
        use acceptance::{lease_suites, rebuild_suites, view_suites};

        use super::*;

        async fn views<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(MongoViews) -> F) {
            with_database_on($kind, |database| test(MongoViews::new(database.database))).await;
        }

        async fn checkpoints<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(MongoCheckpoints) -> F) {
            with_database_on($kind, |database| test(MongoCheckpoints::new(database.database))).await;
        }

        view_suites!(views, checkpoints);
        lease_suites!(views);
        rebuild_suites!(views);
    };
}

mod on_a_replica_set {
    suites!(Kind::ReplicaSet);
}

mod on_a_standalone_server {
    suites!(Kind::Standalone);
}
