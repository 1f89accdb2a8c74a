//! Appending in a transaction of the caller.

use std::time::{Duration, Instant};

use acceptance::{
    conformance::append::{event, everything},
    server::{TestDatabase, with_database},
};
use bson::{Document, doc};
use mongodb::{ClientSession, Collection};
use projection_core::{
    ErrorKind, EventStore as _, Position, StoreError,
    append::{AppendError, AppendEvents as _, ExpectedVersion, StreamAppend},
};
use projection_mongo::{MongoEvents, MongoEventsOptions};

struct Shop {
    events: MongoEvents,
    stock: Collection<Document>,
    session: ClientSession,
}

impl Shop {
    async fn open(database: &TestDatabase, options: MongoEventsOptions) -> Self {
        let events = MongoEvents::open(&database.database, "events", options).await.unwrap();
        let stock = database.database.collection("stock");
        stock.insert_one(doc! { "_id": "bolt", "pieces": 1 }).await.unwrap();
        Self { events, stock, session: database.database.client().start_session().await.unwrap() }
    }

    /// Begins a transaction that has written something already.
    async fn begin(&mut self) {
        self.session.start_transaction().await.unwrap();
        let more = doc! { "$inc": { "pieces": 1 } };
        self.stock.update_one(doc! { "_id": "bolt" }, more).session(&mut self.session).await.unwrap();
    }

    async fn pieces(&self) -> i32 {
        self.stock.find_one(doc! {}).await.unwrap().unwrap().get_i32("pieces").unwrap()
    }

    async fn until_marked(&self, position: Position) -> Duration {
        let since = Instant::now();
        while self.events.mark().await.unwrap() < position {
            assert!(since.elapsed() < Duration::from_secs(30), "{:?}", self.events.held_by().await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        since.elapsed()
    }
}

async fn with_shop<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(Shop) -> F + Send + 'static) {
    with_database(|database| async move { test(Shop::open(&database, MongoEventsOptions::new()).await).await })
        .await;
}

#[tokio::test]
async fn events_and_a_document_of_the_user_change_in_one_step() {
    with_shop(|mut shop| async move {
        shop.begin().await;
        let parts = |ids: [&str; 2]| {
            let [a, b] = ids.map(|id| [event(id)]);
            vec![StreamAppend::new("a", ExpectedVersion::Any, a), StreamAppend::new("b", ExpectedVersion::Any, b)]
        };
        // Others go on, also after the transaction has begun.
        shop.events.append("c", ExpectedVersion::Any, [event("other")]).await.unwrap();
        let appended = shop.events.append_all_in(&mut shop.session, parts(["1", "2"])).await.unwrap();
        let after = shop.events.append("c", ExpectedVersion::Exact(1), [event("after")]).await.unwrap();
        assert!(after.position() > appended.position());
        // Neither is seen, nor what stands behind it.
        assert!(shop.events.mark().await.unwrap() < appended.token().after().max(after.token().after()));
        assert_eq!((everything(&shop.events).await.len(), shop.pieces().await), (1, 1));
        shop.session.commit_transaction().await.unwrap();
        assert_eq!((everything(&shop.events).await.len(), shop.pieces().await), (4, 2));
        assert_eq!(shop.events.mark().await.unwrap(), after.position());
        assert!(shop.events.holding().await.unwrap().is_empty());

        // In the same session, once more.
        shop.begin().await;
        let again = shop.events.append_all_in(&mut shop.session, parts(["3", "4"])).await.unwrap();
        shop.session.commit_transaction().await.unwrap();
        assert_eq!(again.version_of(&"b".into()), Some(2));
        assert_eq!(shop.events.mark().await.unwrap(), again.position());
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_is_aborted_holds_the_mark_for_two_seconds() {
    with_shop(|mut shop| async move {
        shop.begin().await;
        shop.events.append_in(&mut shop.session, "a", ExpectedVersion::Any, [event("1")]).await.unwrap();
        shop.session.abort_transaction().await.unwrap();
        let after = shop.events.append("b", ExpectedVersion::Any, [event("2")]).await.unwrap();
        let took = shop.until_marked(after.position()).await;
        assert!(took > Duration::from_millis(500) && took < Duration::from_secs(8), "{took:?}");
        assert_eq!((everything(&shop.events).await.len(), shop.pieces().await), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_goes_on_holds_the_mark_until_it_commits() {
    with_shop(|mut shop| async move {
        shop.begin().await;
        let appended =
            shop.events.append_in(&mut shop.session, "a", ExpectedVersion::Any, [event("1")]).await.unwrap();
        let after = shop.events.append("b", ExpectedVersion::Any, [event("2")]).await.unwrap();
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(4) {
            assert!(shop.events.mark().await.unwrap() < appended.position());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        shop.session.commit_transaction().await.unwrap();
        assert_eq!(shop.events.mark().await.unwrap(), after.position());
        assert_eq!(everything(&shop.events).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_past_its_time_is_ended_and_cannot_commit() {
    with_database(|database| async move {
        let options = MongoEventsOptions::new().with_commit_within(Duration::from_secs(3)).with_owner("slow");
        let mut shop = Shop::open(&database, options).await;
        shop.begin().await;
        shop.events.append_in(&mut shop.session, "a", ExpectedVersion::Any, [event("1")]).await.unwrap();
        let after = shop.events.append("b", ExpectedVersion::Any, [event("2")]).await.unwrap();
        assert!(
            shop.events
                .held_by()
                .await
                .unwrap()
                .unwrap()
                .starts_with("an append of slow that has positions above 0")
        );
        let took = shop.until_marked(after.position()).await;
        assert!(took > Duration::from_millis(2_500) && took < Duration::from_secs(9), "{took:?}");
        shop.session.commit_transaction().await.unwrap_err();
        assert_eq!((everything(&shop.events).await.len(), shop.pieces().await), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn a_conflict_leaves_the_transaction_as_it_was() {
    with_shop(|mut shop| async move {
        shop.events.append("a", ExpectedVersion::Any, [event("0")]).await.unwrap();
        shop.begin().await;
        let wrong = shop.events.append_in(&mut shop.session, "a", ExpectedVersion::NoStream, [event("1")]).await;
        assert!(matches!(wrong, Err(AppendError::Conflict { actual: 1, .. })));
        assert!(shop.events.holding().await.unwrap().is_empty());
        shop.events.append_in(&mut shop.session, "a", ExpectedVersion::Exact(1), [event("1")]).await.unwrap();
        shop.session.commit_transaction().await.unwrap();
        assert_eq!((everything(&shop.events).await.len(), shop.pieces().await), (2, 2));
    })
    .await;
}

#[tokio::test]
async fn what_another_appended_after_the_transaction_began_is_in_the_way() {
    with_shop(|mut shop| async move {
        shop.begin().await;
        // It looks at the stream as it was when it began.
        shop.events.append("a", ExpectedVersion::NoStream, [event("0")]).await.unwrap();
        let error = shop.events.append_in(&mut shop.session, "a", ExpectedVersion::NoStream, [event("1")]).await;
        assert_eq!(StoreError::from(error.unwrap_err()).kind(), ErrorKind::Transient);
        shop.session.abort_transaction().await.unwrap();
        shop.begin().await;
        let error = shop.events.append_in(&mut shop.session, "a", ExpectedVersion::NoStream, [event("1")]).await;
        assert!(matches!(error, Err(AppendError::Conflict { actual: 1, .. })));
        shop.session.abort_transaction().await.unwrap();
    })
    .await;
}

// spec: P24
#[tokio::test]
async fn a_duplicate_in_it_undoes_the_whole_transaction_and_holds_nothing() {
    with_shop(|mut shop| async move {
        shop.events.append("a", ExpectedVersion::Any, [event("0")]).await.unwrap();
        shop.begin().await;
        let twice =
            shop.events.append_in(&mut shop.session, "a", ExpectedVersion::Any, [event("1"), event("0")]).await;
        assert!(matches!(twice, Err(AppendError::Duplicate(event)) if event.id.as_ref() == "0"));
        assert!(shop.events.holding().await.unwrap().is_empty());
        shop.session.commit_transaction().await.unwrap_err();
        assert_eq!((everything(&shop.events).await.len(), shop.pieces().await), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn a_session_without_a_transaction_is_refused() {
    with_shop(|mut shop| async move {
        let error =
            shop.events.append_in(&mut shop.session, "a", ExpectedVersion::Any, [event("1")]).await.unwrap_err();
        assert!(error.to_string().contains("begin one with `start_transaction`"), "{error}");
        assert!(everything(&shop.events).await.is_empty());
        shop.begin().await;
        shop.events.append_in(&mut shop.session, "a", ExpectedVersion::Any, [event("1")]).await.unwrap();
        shop.session.commit_transaction().await.unwrap();
        assert_eq!(everything(&shop.events).await.len(), 1);
    })
    .await;
}
