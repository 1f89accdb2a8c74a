//! Whether views are written in transactions.

use mongodb::Database;
use projection_core::{ErrorKind, StoreError};

use crate::{error::Doing, topology};

/// Whether the owner of a view writes it in transactions: the view's documents, the checkpoint and the fence as one.
///
/// A server that is a member of a replica set has transactions, and so has a router; a standalone server has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transactions {
    /// Where the server has them.
    #[default]
    Auto,
    /// Never: each write is conditional on the position that was loaded.
    Never,
    /// Always: a server without them is refused when a view is opened.
    Always,
}

impl Transactions {
    /// Whether to use them with this server. One round trip, or none.
    pub(super) async fn are_used(self, database: &Database) -> Result<bool, StoreError> {
        if self == Self::Never {
            return Ok(false);
        }
        let doing = Doing::new("opening the database", database.name());
        let kind = topology::kind(database).await.map_err(|error| doing.failed(error))?;
        let has = kind != topology::Kind::Standalone;
        if !has && self == Self::Always {
            let message = "a standalone server has no transactions: make it a replica set, which may have one member, \
                           or use `Transactions::Auto`";
            return Err(doing.wrong(ErrorKind::Permanent, message));
        }
        Ok(has)
    }
}
