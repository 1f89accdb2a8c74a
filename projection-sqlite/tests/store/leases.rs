use std::time::Duration;

use projection_core::{
    ViewStore as _,
    store::{Fence, LeaseAnswer, LeaseRequest, LeaseStorage as _},
};
use projection_sqlite::SqliteStore;
use time::OffsetDateTime;

use crate::support::File;

const LONG: Duration = Duration::from_secs(60);

fn request(owner: &str, ttl: Duration) -> LeaseRequest {
    LeaseRequest { projection: "orders".to_owned(), version: 1, owner: owner.to_owned(), ttl }
}

fn held(owner: &str, epoch: i64) -> LeaseAnswer {
    LeaseAnswer::Held(Fence { owner: owner.to_owned(), epoch, version: 1 })
}

#[tokio::test]
async fn a_lease_is_renewed_by_its_owner_and_refused_to_others() {
    let file = File::new();
    let (one, two) = (file.open().await.leases(), file.open().await.leases());
    let before = OffsetDateTime::now_utc() - Duration::from_secs(1);
    assert_eq!(one.acquire(&request("one", LONG)).await.unwrap(), held("one", 1));
    assert_eq!(one.acquire(&request("one", LONG * 2)).await.unwrap(), held("one", 1));
    let LeaseAnswer::Taken(taken) = two.acquire(&request("two", LONG)).await.unwrap() else {
        panic!("two owners");
    };
    assert_eq!((taken.owner.as_str(), taken.epoch), ("one", 1));
    assert!(taken.since > before && taken.expires > taken.since + LONG);
    assert_eq!(two.owners().await.unwrap(), [taken]);

    let other_version = LeaseRequest { version: 2, ..request("two", LONG) };
    assert!(matches!(two.acquire(&other_version).await.unwrap(), LeaseAnswer::Held(_)));
    let versions: Vec<_> = one.owners().await.unwrap().iter().map(|owner| owner.version).collect();
    assert_eq!(versions, [1, 2]);
}

#[tokio::test]
async fn epochs_only_rise_also_over_release_expiry_and_reopening() {
    let file = File::new();
    let leases = file.open().await.leases();
    assert_eq!(leases.acquire(&request("one", Duration::ZERO)).await.unwrap(), held("one", 1));
    assert!(leases.owners().await.unwrap().is_empty());
    // It has expired: the same owner takes it anew.
    assert_eq!(leases.acquire(&request("one", LONG)).await.unwrap(), held("one", 2));
    let fence = Fence { owner: "one".to_owned(), epoch: 2, version: 1 };
    leases.release("orders", &fence).await.unwrap();
    leases.release("orders", &fence).await.unwrap();
    assert!(leases.owners().await.unwrap().is_empty());
    drop(leases);
    let leases = file.open().await.leases();
    assert_eq!(leases.acquire(&request("two", LONG)).await.unwrap(), held("two", 3));
    // It is another's by now.
    leases.release("orders", &fence).await.unwrap();
    assert_eq!(leases.owners().await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_ask_at_once_one_gets_it() {
    let file = File::new();
    file.open().await;
    let mut asking = tokio::task::JoinSet::new();
    for owner in 0..8 {
        let path = file.path();
        asking.spawn(async move {
            let leases = SqliteStore::open(path).await.unwrap().leases();
            leases.acquire(&request(&owner.to_string(), LONG)).await.unwrap()
        });
    }
    let answers = asking.join_all().await;
    let held = answers.iter().filter(|answer| matches!(answer, LeaseAnswer::Held(_)));
    assert_eq!(held.count(), 1);
}

#[tokio::test]
async fn a_store_in_memory_has_no_owners_to_tell_apart() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    assert!(store.views().leases().is_none());
    assert!(File::new().open().await.views().leases().is_some());
}
