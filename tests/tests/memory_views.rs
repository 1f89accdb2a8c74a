//! The conformance suites of views, on the stores in memory.

use acceptance::{lease_suites, rebuild_suites, view_suites};
use projection_core::memory::{InMemoryCheckpoints, InMemoryViews};

async fn views<F: Future<Output = ()>>(test: impl FnOnce(InMemoryViews) -> F) {
    test(InMemoryViews::new()).await;
}

async fn checkpoints<F: Future<Output = ()>>(test: impl FnOnce(InMemoryCheckpoints) -> F) {
    test(InMemoryCheckpoints::new()).await;
}

view_suites!(views, checkpoints);
lease_suites!(views);
rebuild_suites!(views);
#[tokio::test]
async fn every_instance_of_a_view_can_be_read_in_the_order_of_the_ids() {
    use acceptance::conformance::{View, put};
    use projection_core::{
        Position, ViewStore as _,
        store::{Expected, SourceName},
    };

    let views = InMemoryViews::new();
    assert!(views.all::<View<i64, i64>>().unwrap().is_empty());
    let repository = views.open::<View<i64, i64>>(&SourceName::default()).await.unwrap();
    for id in [3, 1, 2] {
        put(&*repository, &id, Some(&(id * 10)), 1, Expected::Absent).await;
    }
    put(&*repository, &2, None, 2, Expected::At(Position::from(1))).await;
    assert_eq!(views.all::<View<i64, i64>>().unwrap(), [(1, 10), (3, 30)]);
    assert_eq!(views.get::<View<i64, i64>>(&3).unwrap(), Some(30));
    assert_eq!(views.get::<View<i64, i64>>(&2).unwrap(), None);
}
