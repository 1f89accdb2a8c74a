//! One owner: what a former owner commits late is not stored (spec: B10, B16).

use std::time::Duration;

use projection_core::{
    CheckpointStorage as _, ErrorKind,
    store::{Expected, Fence, LeaseAnswer, LeaseRequest, LeaseStorage as _},
};
use projection_sqlite::SqliteStore;

use crate::support::{Count, Repository, at, change, checkpoint, commit, names, open};

async fn held(store: &SqliteStore, owner: &str, ttl: Duration) -> Fence {
    let request = LeaseRequest { projection: "count".to_owned(), version: 1, owner: owner.to_owned(), ttl };
    match store.leases().acquire(&request).await.unwrap() {
        LeaseAnswer::Held(fence) => fence,
        LeaseAnswer::Taken(ownership) => panic!("{ownership:?}"),
    }
}

async fn count(repository: &Repository<Count>, id: i64) -> Option<i64> {
    repository.find_by_id(&id).await.unwrap()
}

#[tokio::test]
async fn a_batch_of_the_owner_is_written_with_its_checkpoint() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let repository = open::<Count>(&store).await;
    let fence = held(&store, "one", Duration::from_secs(60)).await;
    let mark = checkpoint("count", 5, Some(&fence));
    let changes = [change(&1, Some(&10), 5, Expected::Absent), change(&2, Some(&20), 4, Expected::Absent)];
    let committed = commit(&repository, &changes, Some(&fence), Some(&mark)).await;
    assert_eq!(names(&committed), (vec!["written"; 2], "stored"));
    assert_eq!(store.checkpoints().load("count").await.unwrap(), [mark]);
    assert_eq!(count(&repository, 2).await, Some(20));
}

#[tokio::test]
async fn a_former_owner_writes_nothing_once_another_has_the_lease() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let repository = open::<Count>(&store).await;
    let former = held(&store, "one", Duration::ZERO).await;
    // Its lease has ended, and nobody took it since: it may still write.
    let mark = checkpoint("count", 1, Some(&former));
    let written =
        commit(&repository, &[change(&1, Some(&10), 1, Expected::Absent)], Some(&former), Some(&mark)).await;
    assert_eq!(names(&written), (vec!["written"], "stored"));

    let owner = held(&store, "two", Duration::from_secs(60)).await;
    assert_eq!(owner.epoch, former.epoch + 1);
    let late = checkpoint("count", 2, Some(&former));
    let changes = [change(&1, Some(&11), 2, at(1)), change(&2, Some(&20), 2, Expected::Absent)];
    for checkpoint in [Some(&late), None] {
        let committed = commit(&repository, &changes, Some(&former), checkpoint).await;
        assert_eq!(names(&committed), (vec!["lost"; 2], "fenced"));
    }
    assert_eq!((count(&repository, 1).await, count(&repository, 2).await), (Some(10), None));
    assert_eq!(store.checkpoints().load("count").await.unwrap(), [mark]);
}

#[tokio::test]
async fn nobody_is_the_owner_of_a_lease_that_was_given_up_or_never_taken() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let repository = open::<Count>(&store).await;
    let fence = held(&store, "one", Duration::from_secs(60)).await;
    store.leases().release("count", &fence).await.unwrap();
    let never = Fence { owner: "never".to_owned(), epoch: 1, version: 1 };
    let other_version = Fence { version: 2, ..held(&store, "two", Duration::from_secs(60)).await };
    for fence in [fence, never, other_version] {
        let committed = commit(&repository, &[change(&1, Some(&1), 1, Expected::Absent)], Some(&fence), None).await;
        assert_eq!(names(&committed), (vec!["lost"], "fenced"), "{fence:?}");
    }
}

#[tokio::test]
async fn a_checkpoint_of_a_lower_epoch_is_refused_with_its_batch() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let repository = open::<Count>(&store).await;
    let fence = |epoch| Fence { owner: format!("owner-{epoch}"), epoch, version: 1 };
    let newer = checkpoint("count", 5, Some(&fence(3)));
    store.checkpoints().save(std::slice::from_ref(&newer)).await.unwrap();

    let older = checkpoint("count", 9, Some(&fence(2)));
    let error = store.checkpoints().save(&[checkpoint("other", 1, None), older.clone()]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().contains("epoch 3") && error.to_string().contains("epoch 2"), "{error}");
    assert!(store.checkpoints().load("other").await.unwrap().is_empty());

    let committed = commit(&repository, &[change(&1, Some(&1), 9, Expected::Absent)], None, Some(&older)).await;
    assert_eq!(names(&committed), (vec!["lost"], "fenced"));
    assert_eq!(count(&repository, 1).await, None);
    assert_eq!(store.checkpoints().load("count").await.unwrap(), [newer]);
    store.checkpoints().save(&[checkpoint("count", 9, Some(&fence(3)))]).await.unwrap();
}

#[tokio::test]
async fn what_lost_keeps_the_checkpoint_out_and_not_the_others() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let repository = open::<Count>(&store).await;
    let mark = checkpoint("count", 5, None);
    let changes = [change(&1, Some(&10), 5, Expected::Absent), change(&2, Some(&20), 5, at(3))];
    let committed = commit(&repository, &changes, None, Some(&mark)).await;
    assert_eq!(names(&committed), (vec!["written", "lost"], "not joined"));
    assert_eq!(count(&repository, 1).await, Some(10));
    assert!(store.checkpoints().load("count").await.unwrap().is_empty());
    let committed = commit(&repository, &[], None, Some(&mark)).await;
    assert_eq!(names(&committed), (vec![], "stored"));
}
