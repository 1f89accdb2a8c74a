//! What kind of server answers: a member of a replica set, a router of a sharded cluster, or a standalone server.

use bson::{Document, doc};
use mongodb::{Database, error::Result};

/// The kind of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Member,
    Router,
    Standalone,
}

/// Asks. One round trip.
pub(crate) async fn kind(database: &Database) -> Result<Kind> {
    database.run_command(doc! { "hello": 1 }).await.map(|hello| Kind::of(&hello))
}

impl Kind {
    fn of(hello: &Document) -> Self {
        if hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid") {
            Self::Router
        } else if hello.contains_key("setName") {
            Self::Member
        } else {
            Self::Standalone
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: B34
    #[test]
    fn a_server_is_known_by_its_answer_to_hello() {
        let router = doc! { "isWritablePrimary": true, "msg": "isdbgrid", "maxWireVersion": 17, "ok": 1.0 };
        let member = doc! { "isWritablePrimary": true, "setName": "rs0", "maxWireVersion": 17, "ok": 1.0 };
        let standalone = doc! { "isWritablePrimary": true, "maxWireVersion": 17, "ok": 1.0 };
        assert_eq!([&router, &member, &standalone].map(Kind::of), [Kind::Router, Kind::Member, Kind::Standalone]);
    }
}
