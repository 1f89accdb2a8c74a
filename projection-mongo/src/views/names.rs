//! The names of a view: its versioned collection, and the MongoDB view over it that queries use.

use bson::{Document, doc};
use futures::TryStreamExt as _;
use mongodb::{Database, results::CollectionType};
use projection_core::{ErrorKind, StoreError};

use crate::error::{Doing, NAMESPACE_EXISTS, NAMESPACE_NOT_FOUND, UNAUTHORIZED, code_of};

/// The collection of one version.
pub(super) fn versioned(projection: &str, version: u32) -> String {
    format!("{projection}.v{version}")
}

/// The version that a collection of the view holds.
pub(super) fn version_of(projection: &str, collection: &str) -> Option<u32> {
    collection.strip_prefix(projection)?.strip_prefix(".v")?.parse().ok()
}

/// The collection that the view shows, where there is a view.
pub(super) async fn shown(database: &Database, view: &str) -> Result<Option<String>, StoreError> {
    match find(database, view).await? {
        Found::ViewOn(shown) => Ok(Some(shown)),
        Found::Nothing | Found::Collection | Found::Other => Ok(None),
    }
}

/// What is stored under a name.
enum Found {
    Nothing,
    Collection,
    ViewOn(String),
    Other,
}

/// Refuses names that are taken by something else; whether readers see another collection under the view's name.
pub(super) async fn check_versioned(database: &Database, view: &str, collection: &str) -> Result<bool, StoreError> {
    check_name(view)?;
    let found = find(database, view).await?;
    if let Found::Collection | Found::Other = found {
        let message = format!(
            "there is a collection of that name, which is not ours: rename it, or keep the view in it with \
             `MongoViewsOptions::with_plain_collection({view:?}, {view:?})`"
        );
        return Err(Doing::new("opening the view", view).wrong(ErrorKind::Permanent, message));
    }
    check_plain(database, collection).await?;
    Ok(matches!(found, Found::ViewOn(shown) if shown != collection))
}

/// Refuses a name under which documents cannot be written.
pub(super) async fn check_plain(database: &Database, collection: &str) -> Result<(), StoreError> {
    check_name(collection)?;
    match find(database, collection).await? {
        Found::Nothing | Found::Collection => Ok(()),
        Found::ViewOn(_) | Found::Other => {
            let message =
                "documents cannot be written there: it is a view or a time series; name another collection";
            Err(Doing::new("opening the collection", collection).wrong(ErrorKind::Permanent, message))
        }
    }
}

/// Lets the view show another collection, in one step; makes it where there is none.
pub(super) async fn show(database: &Database, view: &str, collection: &str) -> Result<(), StoreError> {
    let pipeline: [Document; 0] = [];
    let majority = doc! { "w": "majority" };
    let command = doc! {
        "collMod": view, "viewOn": collection, "pipeline": pipeline.to_vec(), "writeConcern": majority,
    };
    let doing = Doing::new("re-pointing the view", view);
    match database.run_command(command).await {
        Ok(_) => Ok(()),
        Err(error) if code_of(&error) == Some(NAMESPACE_NOT_FOUND) => ensure_view(database, view, collection).await,
        Err(error) if code_of(&error) == Some(UNAUTHORIZED) => {
            let message = format!(
                "the user lacks `collMod`: grant `dbAdmin`, or have `db.runCommand({{ collMod: {view:?}, viewOn: \
                 {collection:?}, pipeline: [] }})` run by somebody who has it"
            );
            Err(doing.wrong(ErrorKind::Permanent, message))
        }
        Err(error) => Err(doing.failed(error)),
    }
}

/// Makes the view that queries use, where there is none. One that shows another version is left alone.
pub(super) async fn ensure_view(database: &Database, view: &str, collection: &str) -> Result<(), StoreError> {
    match find(database, view).await? {
        Found::Nothing => {}
        Found::ViewOn(shown) => {
            if shown != collection {
                tracing::info!(
                    view,
                    shown,
                    collection,
                    "readers see another version until this one is shown: `rebuild`"
                );
            }
            return Ok(());
        }
        Found::Collection | Found::Other => return Ok(()),
    }
    let none: [Document; 0] = [];
    match database.create_collection(view).view_on(collection).pipeline(none).await {
        // Another process was first.
        Err(error) if code_of(&error) == Some(NAMESPACE_EXISTS) => Ok(()),
        made => made.map_err(|error| Doing::new("making the view", view).failed(error)),
    }
}

async fn find(database: &Database, name: &str) -> Result<Found, StoreError> {
    let doing = Doing::new("looking for", name);
    let collections = database.list_collections().filter(doc! { "name": name });
    let mut collections = collections.await.map_err(|error| doing.failed(error))?;
    let found = collections.try_next().await.map_err(|error| doing.failed(error))?;
    Ok(match found.map(|found| (found.collection_type, found.options.view_on)) {
        None => Found::Nothing,
        Some((CollectionType::Collection, _)) => Found::Collection,
        Some((CollectionType::View, Some(on))) => Found::ViewOn(on),
        Some(_) => Found::Other,
    })
}

fn check_name(name: &str) -> Result<(), StoreError> {
    let most = 200;
    let fits = !name.is_empty()
        && name.len() <= most
        && !name.contains(['$', '\0'])
        && !name.starts_with("system.")
        && !name.starts_with('.')
        && !name.ends_with('.');
    if fits {
        return Ok(());
    }
    let message = format!(
        "MongoDB takes no collection of that name: use 1 to {most} bytes, without `$`, not beginning with `system.`, \
         and without a dot at either end"
    );
    Err(Doing::new("opening the collection", name).wrong(ErrorKind::Permanent, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_mongodb_would_refuse_is_refused_beforehand() {
        for name in ["", "a$b", "system.x", ".a", "a."] {
            assert!(check_name(name).is_err(), "{name}");
        }
        for name in ["orders", "order-status", "a.b", "Bestellübersicht"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        assert_eq!(versioned("order-status", 2), "order-status.v2");
        assert_eq!(version_of("order-status", "order-status.v2"), Some(2));
        assert_eq!(version_of("order", "order-status.v2"), None);
    }
}
