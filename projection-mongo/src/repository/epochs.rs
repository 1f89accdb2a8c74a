//! Without transactions the collection itself refuses late writers (spec: B18).
//!
//! Positions guard what is replaced or deleted. What is inserted is guarded by its `_id`, and by a tombstone, but not
//! for ever: a process that slept past its lease may insert what a later owner has created and deleted, and of which
//! the tombstone is gone. So each document carries its writer's epoch, and a takeover tells the collection's validator
//! from which epoch on it takes documents. The server checks that in the insert itself.
//!
//! A new owner tells it before its first write: whatever a former owner may insert comes from events after the
//! checkpoint, which the new owner folds, too. An insert before is met there by its write; one after is refused.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use bson::{Bson, Document, doc};
use futures::TryStreamExt as _;
use projection_core::{ErrorKind, StoreError, store::RESERVED_FIELD};

use crate::{
    bulk::Target,
    document::EPOCH,
    error::{Doing, UNAUTHORIZED, code_of},
};

/// How long the server may wait for others before it changes the validator: an order to do so never outlasts a lease by
/// much.
const LONGEST: Duration = Duration::from_secs(5);

/// How to do without.
const WITHOUT: &str = "or give up the protection from late inserts with `MongoViewsOptions::without_epoch_check`";

/// From which epoch on the collection takes documents.
#[derive(Debug)]
pub(crate) struct Epochs {
    is_checked: bool,
    /// What was told last.
    told: AtomicI64,
}

impl Epochs {
    pub(crate) fn new(is_checked: bool) -> Self {
        Self { is_checked, told: AtomicI64::new(i64::MIN) }
    }

    /// What documents are stamped with.
    pub(super) fn stamp(&self, epoch: i64) -> Option<i64> {
        self.is_checked.then_some(epoch)
    }

    /// The collection refuses documents of earlier epochs from now on. Two round trips for each takeover, one more
    /// where the collection is not there.
    pub(super) async fn tell(&self, target: &Target, epoch: i64) -> Result<(), StoreError> {
        if !self.is_checked || self.told.load(Ordering::SeqCst) == epoch {
            return Ok(());
        }
        let doing = Doing::new("setting the validator of", &target.collection);
        let options = options(target, &doing).await?;
        let found = options.get_document("validator").ok();
        let theirs = found.filter(|found| !found.is_empty() && !is_ours(found));
        let mut command = doc! {
            "collMod": &target.collection,
            "validator": with_ours(theirs, epoch),
            "maxTimeMS": i64::try_from(LONGEST.as_millis()).unwrap_or(i64::MAX),
        };
        if theirs.is_none() {
            // What a former owner wrote may still be changed by hand.
            command.insert("validationLevel", "moderate");
            command.insert("validationAction", "error");
        } else if options.get_str("validationAction").is_ok_and(|action| action == "warn") {
            let message = format!(
                "the collection's validator warns only, and could not refuse late inserts: set its `validationAction` to \
                 `error`, {WITHOUT}"
            );
            return Err(doing.wrong(ErrorKind::Permanent, message));
        }
        target.database.run_command(command).await.map_err(|error| match code_of(&error) {
            Some(UNAUTHORIZED) => {
                doing.wrong(ErrorKind::Permanent, format!("the user lacks `collMod`: grant `dbAdmin`, {WITHOUT}"))
            }
            _ => doing.failed(error),
        })?;
        self.told.store(epoch, Ordering::SeqCst);
        Ok(())
    }
}

/// The options of the collection, which is made where there is none.
async fn options(target: &Target, doing: &Doing) -> Result<Document, StoreError> {
    let command = doc! { "listCollections": 1, "filter": { "name": &target.collection } };
    let found = target.database.run_cursor_command(command).await.map_err(|error| doing.failed(error))?;
    let found: Vec<Document> = found.try_collect().await.map_err(|error| doing.failed(error))?;
    match found.first() {
        Some(found) => Ok(found.get_document("options").cloned().unwrap_or_default()),
        None => {
            target.ensure().await?;
            Ok(Document::new())
        }
    }
}

/// The user's validator, if there is one, alone or with ours of before; and ours.
fn with_ours(theirs: Option<&Document>, epoch: i64) -> Document {
    let ours = doc! { "$nor": [{ path(): { "$lt": epoch } }] };
    match theirs {
        None => ours,
        Some(theirs) => {
            let both = theirs.get_array("$and").ok().filter(|parts| theirs.len() == 1 && parts.len() == 2);
            let before = both.filter(|parts| parts[1].as_document().is_some_and(is_ours)).map(|parts| &parts[0]);
            let theirs = before.cloned().unwrap_or_else(|| theirs.clone().into());
            doc! { "$and": [theirs, ours] }
        }
    }
}

fn is_ours(validator: &Document) -> bool {
    let parts = validator.get_array("$nor").map(Vec::as_slice).unwrap_or_default();
    let [Bson::Document(part)] = parts else { return false };
    validator.len() == 1 && part.len() == 1 && part.contains_key(path())
}

fn path() -> String {
    format!("{RESERVED_FIELD}.{EPOCH}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(epoch: i64) -> Document {
        doc! { "$nor": [{ "_projection.epoch": { "$lt": epoch } }] }
    }

    // spec: B18
    #[test]
    fn ours_takes_the_place_of_ours_and_stands_beside_the_users() {
        let theirs = doc! { "total": { "$gte": 0 } };
        assert_eq!(with_ours(None, 3), ours(3));
        assert!(is_ours(&ours(3)));
        let both = with_ours(Some(&theirs), 3);
        assert_eq!(both, doc! { "$and": [theirs.clone(), ours(3)] });
        assert_eq!(with_ours(Some(&both), 4), doc! { "$and": [theirs, ours(4)] });
    }

    #[test]
    fn a_conjunction_of_the_users_is_kept_whole() {
        let theirs = doc! { "$and": [{ "a": 1 }, { "$nor": [{ "b": 1 }] }] };
        assert_eq!(with_ours(Some(&theirs), 1), doc! { "$and": [theirs, ours(1)] });
    }
}
