//! A view store as a repository of states: find, save, delete, one and many.

use std::collections::BTreeMap;

use projection_core::{
    ErrorKind, Key, ViewState, ViewStore,
    store::{SharedRepository, SourceName},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Account, Tally, View};

async fn open<S: ViewState, Id: Key>(views: &impl ViewStore) -> SharedRepository<View<S, Id>> {
    views.open::<View<S, Id>>(&SourceName::default()).await.unwrap()
}

async fn survives<S: ViewState + std::fmt::Debug + PartialEq>(views: &impl ViewStore, id: &str, state: S) {
    let repository = open::<S, String>(views).await;
    let id = id.to_owned();
    repository.save(&id, &state).await.unwrap();
    assert_eq!(repository.find_by_id(&id).await.unwrap().as_ref(), Some(&state));
    assert_eq!(repository.find_all_by_id(&[id]).await.unwrap(), [(0, state)]);
}

/// A state comes back as it was saved, also one that is no map.
pub async fn a_state_survives_the_way_to_the_store_and_back(views: &impl ViewStore) {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Phase {
        Open,
        Closed { by: String },
    }
    survives(views, "map", Tally::of(3)).await;
    survives(views, "integer", i64::MIN).await;
    survives(views, "double", 0.1).await;
    survives(views, "text", "text".to_owned()).await;
    survives(views, "list", vec![1, 2]).await;
    survives(views, "unit variant", Phase::Open).await;
    survives(views, "struct variant", Phase::Closed { by: "me".to_owned() }).await;
    survives(views, "option", Some(5)).await;
    survives(views, "a field called value", BTreeMap::from([("value".to_owned(), 5)])).await;
    survives(views, "numbers as keys", BTreeMap::from([(-7, BTreeMap::from([(true, 1_u8)]))])).await;
    survives(views, "names", BTreeMap::from([("a.b".to_owned(), 1), ("$c".to_owned(), 2), (String::new(), 3)]))
        .await;
}

/// A state that is read may have less fields than what was saved.
pub async fn a_field_that_the_state_no_longer_has_is_passed_over(views: &impl ViewStore) {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Less {
        n: i64,
    }
    let id = "a".to_owned();
    open::<Tally, String>(views).await.save(&id, &Tally::of(3)).await.unwrap();
    assert_eq!(open::<Less, String>(views).await.find_by_id(&id).await.unwrap(), Some(Less { n: 3 }));
}

// spec: P30
/// Missing ids are absent; each state has the place of its id, also where an id is asked for twice.
pub async fn found_states_have_the_places_of_their_ids(views: &impl ViewStore) {
    let repository = open::<Tally, String>(views).await;
    let ids = ["a", "b", "c", "a"].map(str::to_owned);
    repository.save_all(&[(&ids[0], &Tally::of(1)), (&ids[2], &Tally::of(3))]).await.unwrap();
    let mut found = repository.find_all_by_id(&ids).await.unwrap();
    found.sort_by_key(|(place, _)| *place);
    assert_eq!(found, [(0, Tally::of(1)), (2, Tally::of(3)), (3, Tally::of(1))]);
    assert!(repository.find_all_by_id(&[]).await.unwrap().is_empty());
    assert!(repository.find_by_id(&ids[1]).await.unwrap().is_none());
    repository.save_all(&[]).await.unwrap();
}

/// Saving creates or replaces; deleting what is not there is harmless.
pub async fn saving_replaces_and_deleting_twice_is_harmless(views: &impl ViewStore) {
    let repository = open::<Tally, String>(views).await;
    let id = "a".to_owned();
    repository.save(&id, &Tally::of(1)).await.unwrap();
    repository.save_all(&[(&id, &Tally::of(2))]).await.unwrap();
    assert_eq!(repository.find_by_id(&id).await.unwrap(), Some(Tally::of(2)));
    repository.delete(&id).await.unwrap();
    repository.delete(&id).await.unwrap();
    assert_eq!(repository.find_by_id(&id).await.unwrap(), None);
}

// spec: B32
/// Every type of key finds its own instance and no other.
pub async fn every_type_of_key_finds_its_instance(views: &impl ViewStore) {
    async fn check<Id: Key>(views: &impl ViewStore, ids: &[Id]) {
        let repository = open::<i64, Id>(views).await;
        let states: Vec<i64> = (0..).take(ids.len()).collect();
        let pairs: Vec<_> = ids.iter().zip(&states).collect();
        repository.save_all(&pairs).await.unwrap();
        let mut found = repository.find_all_by_id(ids).await.unwrap();
        found.sort_unstable();
        let expected: Vec<_> = states.iter().copied().enumerate().collect();
        assert_eq!(found, expected);
    }
    check(views, &["", "1", "$a.b", "ä", "a\0b"].map(str::to_owned)).await;
    check(views, &[0, 1, -1, i64::MIN, i64::MAX, 1 << 53, (1 << 53) + 1]).await;
    check(views, &[Uuid::nil(), Uuid::from_u128(1), Uuid::max()]).await;
    check(views, &[vec![], vec![0_u8], vec![0; 16], vec![255; 3]]).await;
    check(views, &[projection_core::StreamId::from("s")]).await;
    check(views, &[projection_core::Singleton]).await;
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct WithId {
    _id: String,
    n: i64,
}

// spec: P31
/// A state may carry its own id, and gets it back; another one is refused before anything is written.
pub async fn an_id_in_the_state_must_be_the_instance_s(views: &impl ViewStore) {
    let repository = open::<WithId, String>(views).await;
    let ids = ["a", "b"].map(str::to_owned);
    let state = |id: &str| WithId { _id: id.to_owned(), n: 1 };
    repository.save(&ids[0], &state("a")).await.unwrap();
    assert_eq!(repository.find_by_id(&ids[0]).await.unwrap(), Some(state("a")));
    let error = repository.save(&ids[1], &state("other")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Poison);
    assert!(error.to_string().contains("\"b\"") && error.to_string().contains("\"other\""), "{error}");
    assert_eq!(repository.find_by_id(&ids[1]).await.unwrap(), None);
}

/// The name of our sub-document is refused as a field of a state.
pub async fn our_own_name_is_refused_as_a_field(views: &impl ViewStore) {
    #[derive(Debug, Serialize, Deserialize)]
    struct Greedy {
        _projection: i64,
    }
    let repository = open::<Greedy, String>(views).await;
    let error = repository.save(&"a".to_owned(), &Greedy { _projection: 1 }).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Poison);
    assert!(error.to_string().contains("_projection"), "{error}");
}

/// What does not fit the state's type is an error that names the instance.
pub async fn a_state_that_does_not_fit_is_named(views: &impl ViewStore) {
    let id = "a".to_owned();
    open::<i64, String>(views).await.save(&id, &3).await.unwrap();
    let error = open::<String, String>(views).await.find_by_id(&id).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Poison);
    assert!(error.to_string().contains("instance \"a\""), "{error}");
}

/// A view can be opened again, and its indexes are there once.
pub async fn a_view_can_be_opened_again(views: &impl ViewStore) {
    for _ in 0..2 {
        let repository = views.open::<Account>(&SourceName::default()).await.unwrap();
        let account = Account { email: "a@x".into(), city: "x".into() };
        repository.save(&"a".to_owned(), &account).await.unwrap();
    }
}
