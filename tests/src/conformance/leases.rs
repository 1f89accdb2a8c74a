//! Leases: one owner at a time, epochs that only rise, a former owner kept out.

use std::time::{Duration, Instant};

use projection_core::{
    ErrorKind, Position, ViewStore,
    store::{
        CheckpointOutcome, Commit, Expected, Fence, LeaseAnswer, LeaseRequest, LeaseStorage, Ownership, SourceName,
    },
};

use super::{Tally, View, change, load, outcome_names};

/// Longer than any test.
const LONG: Duration = Duration::from_secs(600);
/// Soon over.
const SHORT: Duration = Duration::from_millis(60);
const LIMIT: Duration = Duration::from_secs(20);

fn request(owner: &str, ttl: Duration) -> LeaseRequest {
    LeaseRequest { projection: "view".to_owned(), version: 1, owner: owner.to_owned(), ttl }
}

async fn ask(leases: &dyn LeaseStorage, owner: &str, ttl: Duration) -> Result<Fence, Ownership> {
    match leases.acquire(&request(owner, ttl)).await.unwrap() {
        LeaseAnswer::Held(fence) => Ok(fence),
        LeaseAnswer::Taken(other) => Err(other),
    }
}

/// Asks until the lease is held.
pub async fn wait_for(leases: &dyn LeaseStorage, owner: &str) -> Fence {
    let since = Instant::now();
    loop {
        match ask(leases, owner, LONG).await {
            Ok(fence) => return fence,
            Err(other) => assert!(since.elapsed() < LIMIT, "{other:?}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Takes the lease from whoever has it: the fence of the former owner, and that of the new one.
pub async fn take_over(leases: &dyn LeaseStorage, former: &str, owner: &str) -> (Fence, Fence) {
    let old = ask(leases, former, LONG).await.unwrap();
    leases.release("view", &old).await.unwrap();
    (old, ask(leases, owner, LONG).await.unwrap())
}

/// A free lease is the asker's; then others are told whose it is.
pub async fn a_lease_is_held_by_one(views: &impl ViewStore) {
    let leases = views.leases().unwrap();
    assert!(leases.owners().await.unwrap().is_empty());
    let fence = ask(&*leases, "a", LONG).await.unwrap();
    assert_eq!(fence, Fence { owner: "a".to_owned(), epoch: 1, version: 1 });
    let owner = ask(&*leases, "b", LONG).await.unwrap_err();
    assert_eq!((owner.owner.as_str(), owner.epoch, owner.projection.as_str()), ("a", 1, "view"));
    let lasts = owner.expires - owner.since;
    assert!((lasts.as_seconds_f64() - LONG.as_secs_f64()).abs() < 60.0, "{lasts}");
    assert_eq!(leases.owners().await.unwrap(), [owner]);
}

/// A renewal keeps epoch and beginning, and lasts longer.
pub async fn a_renewal_keeps_the_epoch(views: &impl ViewStore) {
    let leases = views.leases().unwrap();
    let fence = ask(&*leases, "a", Duration::from_secs(300)).await.unwrap();
    let before = leases.owners().await.unwrap().remove(0);
    assert_eq!(ask(&*leases, "a", LONG).await.unwrap(), fence);
    let after = leases.owners().await.unwrap().remove(0);
    assert_eq!((after.epoch, after.since), (before.epoch, before.since));
    assert!(after.expires > before.expires);
}

/// A lease that was not renewed ends by itself; the next owner has a higher epoch.
pub async fn a_lease_that_ended_is_taken_with_a_higher_epoch(views: &impl ViewStore) {
    let leases = views.leases().unwrap();
    ask(&*leases, "a", SHORT).await.unwrap();
    let fence = wait_for(&*leases, "b").await;
    assert_eq!((fence.owner.as_str(), fence.epoch), ("b", 2));
    assert_eq!(ask(&*leases, "a", LONG).await.unwrap_err().owner, "b");
}

/// Who lets its own lease end has another epoch afterwards: another may have owned it in between.
pub async fn ones_own_lease_that_ended_has_another_epoch(views: &impl ViewStore) {
    let leases = views.leases().unwrap();
    ask(&*leases, "a", SHORT).await.unwrap();
    let since = Instant::now();
    while !leases.owners().await.unwrap().is_empty() {
        assert!(since.elapsed() < LIMIT);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(ask(&*leases, "a", LONG).await.unwrap().epoch, 2);
}

/// A lease that was given up is free at once, and its epoch is not given out again.
pub async fn a_lease_that_was_given_up_is_free(views: &impl ViewStore) {
    let leases = views.leases().unwrap();
    let (old, new) = take_over(&*leases, "a", "b").await;
    assert_eq!((old.epoch, new.epoch), (1, 2));
    // Too late: it is another's by now.
    leases.release("view", &old).await.unwrap();
    leases.release("nobody", &old).await.unwrap();
    assert_eq!(leases.owners().await.unwrap()[0].owner, "b");
    leases.release("view", &new).await.unwrap();
    assert!(leases.owners().await.unwrap().is_empty());
    assert_eq!(ask(&*leases, "c", LONG).await.unwrap().epoch, 3);
}

/// Of many that ask at once, one holds it.
pub async fn of_many_that_ask_at_once_one_holds_it(views: &impl ViewStore) {
    let leases = views.leases().unwrap();
    for round in 1..=3 {
        let names: Vec<_> = (0..16).map(|n| format!("owner-{n}")).collect();
        let answers = futures::future::join_all(names.iter().map(|name| ask(&*leases, name, LONG))).await;
        let held: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().ok()).collect();
        assert_eq!(held.len(), 1, "{answers:?}");
        assert_eq!(held[0].epoch, round);
        assert!(
            answers.iter().filter_map(|answer| answer.as_ref().err()).all(|other| other.owner == held[0].owner)
        );
        leases.release("view", held[0]).await.unwrap();
    }
}

/// Each version of each projection has its own lease; the owners are listed in order.
pub async fn owners_are_listed(views: &impl ViewStore) {
    let leases = views.leases().unwrap();
    for (projection, version, owner) in [("b", 2, "x"), ("b", 1, "y"), ("a", 7, "x"), ("c", 1, "z")] {
        let ask = LeaseRequest { projection: projection.to_owned(), version, ..request(owner, LONG) };
        assert!(
            matches!(leases.acquire(&ask).await.unwrap(), LeaseAnswer::Held(fence) if fence.version == version)
        );
    }
    let given_up = Fence { owner: "z".to_owned(), epoch: 1, version: 1 };
    leases.release("c", &given_up).await.unwrap();
    let owners = leases.owners().await.unwrap();
    let owners: Vec<_> = owners.iter().map(|owner| (&*owner.projection, owner.version, &*owner.owner)).collect();
    assert_eq!(owners, [("a", 7, "x"), ("b", 1, "y"), ("b", 2, "x")]);
}

/// A checkpoint of a former owner is refused; nothing of it is stored.
pub async fn a_checkpoint_of_a_former_owner_is_refused(views: &impl ViewStore) {
    let leases = views.leases().unwrap();
    let (old, new) = take_over(&*leases, "a", "b").await;
    let storage = views.checkpoints();
    let at = |position, fence: &Fence| {
        let mut checkpoint = super::checkpoints::checkpoint("view", 1, 0, position);
        checkpoint.fence = Some(fence.clone());
        checkpoint
    };
    let error = storage.save(&[at(9, &old)]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(storage.load("view").await.unwrap().is_empty());
    storage.save(&[at(5, &new)]).await.unwrap();
    assert!(storage.save(&[at(9, &old)]).await.is_err());
    assert_eq!(storage.load("view").await.unwrap(), [at(5, &new)]);
    storage.save(&[at(7, &new)]).await.unwrap();
    assert_eq!(storage.load("view").await.unwrap(), [at(7, &new)]);
}

// spec: B11
/// What a former owner commits is refused as a whole, states and checkpoint, and nothing of it is stored.
pub async fn a_commit_of_a_former_owner_is_refused(views: &impl ViewStore) {
    let repository = views.open::<View<Tally, String>>(&SourceName::default()).await.unwrap();
    let guarded = repository.guarded().unwrap();
    let leases = views.leases().unwrap();
    let ids = ["a", "b"].map(str::to_owned);
    let [a, b] = &ids;
    let (one, two) = (Tally::of(1), Tally::of(2));
    let first = super::checkpoints::checkpoint("view", 1, 0, 5);
    let old = wait_for(&*leases, "former").await;
    let changes = [change(a, Some(&one), 5, Expected::Absent)];
    let committed = guarded.commit(Commit { changes: &changes, fence: Some(&old), checkpoint: Some(&first) }).await;
    assert_eq!(outcome_names(&committed.outcomes), ["written"]);
    if matches!(committed.checkpoint, CheckpointOutcome::NotJoined) {
        views.checkpoints().save(std::slice::from_ref(&first)).await.unwrap();
    }
    let stored = load(&*repository, &ids).await;

    // It has loaded, and not yet written, when another takes over.
    let (_, new) = take_over(&*leases, "former", "new").await;
    let second = super::checkpoints::checkpoint("view", 1, 0, 9);
    let at_5 = Expected::At(Position::from(5));
    let changes = [change(a, Some(&two), 9, at_5), change(b, Some(&two), 9, Expected::Absent)];
    let late = Commit { changes: &changes, fence: Some(&old), checkpoint: Some(&second) };
    let committed = guarded.commit(late).await;
    assert_eq!(outcome_names(&committed.outcomes), ["lost"; 2]);
    assert!(matches!(committed.checkpoint, CheckpointOutcome::Fenced), "{:?}", committed.checkpoint);
    assert_eq!(load(&*repository, &ids).await, stored);
    assert_eq!(views.checkpoints().load("view").await.unwrap(), std::slice::from_ref(&first));

    let committed =
        guarded.commit(Commit { changes: &changes, fence: Some(&new), checkpoint: Some(&second) }).await;
    assert_eq!(outcome_names(&committed.outcomes), ["written"; 2]);
    let stored = match committed.checkpoint {
        CheckpointOutcome::Stored => second,
        CheckpointOutcome::NotJoined => first,
        other => panic!("{other:?}"),
    };
    assert_eq!(views.checkpoints().load("view").await.unwrap(), [stored]);
}
