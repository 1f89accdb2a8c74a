//! Whether the connected user may write what a view needs: asked when it is opened, not found out in the replay.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};
use mongodb::Database;
use projection_core::{ErrorKind, StoreError};

use crate::error::Doing;

/// What is done to each collection of ours.
const NEEDED: [&str; 4] = ["find", "insert", "remove", "update"];

/// What the connected user may do.
pub(super) struct Privileges<'a> {
    database: &'a str,
    view: &'a str,
    /// As the server answered. One that does not tell will refuse by itself.
    status: Option<Document>,
}

impl<'a> Privileges<'a> {
    /// Asks the server. One round trip.
    pub(super) async fn of(database: &'a Database, view: &'a str) -> Self {
        let admin = database.client().database("admin");
        let status = admin.run_command(doc! { "connectionStatus": 1, "showPrivileges": true }).await.ok();
        Self { database: database.name(), view, status }
    }

    /// Refuses a user who may not read and write all of these collections. Where nobody is logged in, there is nothing to
    /// refuse.
    pub(super) fn check(&self, collections: &[&str]) -> Result<(), StoreError> {
        self.refuse(self.status.as_ref().and_then(|status| missing(status, self.database, collections)))
    }

    /// Refuses a user who may not change the validator of this collection, by which late inserts are refused (spec: B18).
    pub(super) fn check_validator(&self, collection: &str) -> Result<(), StoreError> {
        self.refuse(self.status.as_ref().and_then(|status| without_validator(status, self.database, collection)))
    }

    fn refuse(&self, why: Option<String>) -> Result<(), StoreError> {
        let wrong = |why| Doing::new("opening the view", self.view).wrong(ErrorKind::Permanent, why);
        why.map_or(Ok(()), |why: String| Err(wrong(why)))
    }
}

/// What is in the way of a check that a former owner's inserts would meet.
fn without_validator(status: &Document, database: &str, collection: &str) -> Option<String> {
    let (user, privileges) = user(status)?;
    (!allowed(&privileges, database, collection).contains("collMod")).then(|| {
        format!(
            "the user {user} may not `collMod` on `{collection}`, by which late inserts of a former owner are refused \
             where there are no transactions: grant the role `dbAdmin` on the database `{database}`, use a replica set, \
             which may have one member, or do without by `MongoViewsOptions::without_epoch_check`"
        )
    })
}

/// Who may not do what, and what to grant.
fn missing(status: &Document, database: &str, collections: &[&str]) -> Option<String> {
    let (user, privileges) = user(status)?;
    let lacks = collections.iter().filter_map(|collection| {
        let may = allowed(&privileges, database, collection);
        let not: Vec<_> = NEEDED.into_iter().filter(|action| !may.contains(action)).collect();
        (!not.is_empty()).then(|| format!("`{}` on `{collection}`", not.join("`, `")))
    });
    let lacks: Vec<_> = lacks.collect();
    if lacks.is_empty() {
        return None;
    }
    Some(format!(
        "the user {user} may not {}: grant the role `readWrite` on the database `{database}`",
        lacks.join(", ")
    ))
}

/// The user who is logged in, and what they may do.
fn user(status: &Document) -> Option<(String, Vec<&Document>)> {
    let info = status.get_document("authInfo").ok()?;
    let user = info.get_array("authenticatedUsers").ok()?.first()?.as_document()?;
    let (name, home) = (user.get_str("user").unwrap_or_default(), user.get_str("db").unwrap_or_default());
    let privileges = info.get_array("authenticatedUserPrivileges").ok()?;
    Some((format!("`{name}` of `{home}`"), privileges.iter().filter_map(Bson::as_document).collect()))
}

/// The actions that some privilege allows on this collection.
fn allowed<'a>(privileges: &[&'a Document], database: &str, collection: &str) -> BTreeSet<&'a str> {
    let covers = |resource: &Document| {
        let (Ok(on_database), Ok(on_collection)) = (resource.get_str("db"), resource.get_str("collection")) else {
            return resource.get_bool("anyResource").unwrap_or(false);
        };
        (on_database.is_empty() || on_database == database)
            && (on_collection.is_empty() || on_collection == collection)
    };
    let those = privileges.iter().filter(|privilege| privilege.get_document("resource").is_ok_and(covers));
    let actions = those.filter_map(|privilege| privilege.get_array("actions").ok()).flatten();
    actions.filter_map(|action| action.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a server answers.
    fn status(privileges: Vec<Bson>) -> Document {
        doc! { "authInfo": {
            "authenticatedUsers": [{ "user": "app", "db": "admin" }],
            "authenticatedUserRoles": [],
            "authenticatedUserPrivileges": privileges,
        }, "ok": 1.0 }
    }

    fn on(resource: Document, actions: &[&str]) -> Bson {
        Bson::Document(doc! { "resource": resource, "actions": actions })
    }

    #[test]
    fn a_user_who_may_only_read_is_named_with_what_to_grant() {
        let reads = status(vec![on(doc! { "db": "shop", "collection": "" }, &["find", "listCollections"])]);
        assert_eq!(
            missing(&reads, "shop", &["orders.v1"]).unwrap(),
            "the user `app` of `admin` may not `insert`, `remove`, `update` on `orders.v1`: grant the role `readWrite` \
             on the database `shop`"
        );
    }

    #[test]
    fn privileges_on_one_collection_on_all_and_on_everything_are_added_up() {
        let some = status(vec![
            on(doc! { "db": "shop", "collection": "" }, &["find", "insert"]),
            on(doc! { "db": "", "collection": "orders.v1" }, &["update"]),
            on(doc! { "anyResource": true }, &["remove"]),
            on(doc! { "db": "other", "collection": "" }, &NEEDED),
            on(doc! { "cluster": true }, &["killAnySession"]),
        ]);
        assert_eq!(missing(&some, "shop", &["orders.v1"]), None);
        assert!(missing(&some, "shop", &["orders.v1", "else"]).unwrap().contains("may not `update` on `else`"));
    }

    // spec: B18
    #[test]
    fn to_change_the_validator_is_more_than_to_write() {
        let writes = status(vec![on(doc! { "db": "shop", "collection": "" }, &NEEDED)]);
        let message = without_validator(&writes, "shop", "orders.v1").unwrap();
        assert!(message.starts_with("the user `app` of `admin` may not `collMod` on `orders.v1`"), "{message}");
        let both = status(vec![on(doc! { "db": "shop", "collection": "" }, &["collMod", "insert"])]);
        assert_eq!(without_validator(&both, "shop", "orders.v1"), None);
    }

    #[test]
    fn where_nobody_is_logged_in_nothing_is_missing() {
        let nobody =
            doc! { "authInfo": { "authenticatedUsers": [], "authenticatedUserPrivileges": [] }, "ok": 1.0 };
        assert_eq!(missing(&nobody, "shop", &["orders.v1"]), None);
    }
}
