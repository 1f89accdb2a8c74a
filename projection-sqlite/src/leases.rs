//! Leases in a file, judged by SQLite's clock, which is the machine's.

use std::time::Duration;

use async_trait::async_trait;
use projection_core::{
    ErrorKind, StoreError,
    store::{Fence, LeaseAnswer, LeaseRequest, LeaseStorage, Ownership},
};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use time::OffsetDateTime;

use crate::{database::Database, error::Doing};

const LEASES: &str = "projection.leases";
/// Milliseconds since 1970.
const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// Keeps leases in the table `projection.leases`. Cheap to clone.
///
/// A row outlives its lease, so that epochs only rise. Its owner is `NULL` once the lease was given up.
#[derive(Debug, Clone)]
pub struct SqliteLeases {
    database: Database,
    reading: Doing,
    writing: Doing,
}

impl SqliteLeases {
    pub(crate) fn new(database: Database) -> Self {
        let (reading, writing) = (Doing::new("reading", LEASES), Doing::new("writing to", LEASES));
        Self { database, reading, writing }
    }
}

/// Whether the lease of a projection has this owner and epoch. It may have ended by the clock: nobody took it since.
pub(crate) fn is_held(connection: &Connection, projection: &str, fence: &Fence) -> rusqlite::Result<bool> {
    let select = r#"SELECT EXISTS (SELECT 1 FROM "projection.leases"
        WHERE projection = ?1 AND version = ?2 AND owner = ?3 AND epoch = ?4)"#;
    let mut select = connection.prepare_cached(select)?;
    select.query_row(params![projection, fence.version, fence.owner, fence.epoch], |row| row.get(0))
}

/// A row: an ownership in milliseconds, whose owner may be nobody.
struct Lease {
    owner: Option<String>,
    epoch: i64,
    since: i64,
    expires: i64,
}

impl Lease {
    fn find(connection: &Connection, request: &LeaseRequest) -> rusqlite::Result<Option<Self>> {
        let select = r#"SELECT owner, epoch, since, expires FROM "projection.leases"
            WHERE projection = ?1 AND version = ?2"#;
        let mut select = connection.prepare_cached(select)?;
        select.query_row(params![request.projection, request.version], |row| Self::read(row, 0)).optional()
    }

    fn read(row: &Row<'_>, from: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            owner: row.get(from)?,
            epoch: row.get(from + 1)?,
            since: row.get(from + 2)?,
            expires: row.get(from + 3)?,
        })
    }

    fn store(&self, connection: &Connection, request: &LeaseRequest) -> rusqlite::Result<usize> {
        let insert = r#"INSERT OR REPLACE INTO "projection.leases"
            (projection, version, owner, epoch, since, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"#;
        let LeaseRequest { projection, version, .. } = request;
        let Self { owner, epoch, since, expires } = self;
        connection.prepare_cached(insert)?.execute(params![projection, version, owner, epoch, since, expires])
    }
}

#[async_trait]
impl LeaseStorage for SqliteLeases {
    async fn acquire(&self, request: &LeaseRequest) -> Result<LeaseAnswer, StoreError> {
        let (request, doing) = (request.clone(), self.writing.clone());
        let acquire = move |transaction: &mut rusqlite::Transaction<'_>| {
            let failed = |error| doing.failed(error);
            let now = now(transaction).map_err(failed)?;
            let mut lease = Lease { owner: Some(request.owner.clone()), epoch: 1, since: now, expires: 0 };
            lease.expires = now.saturating_add(milliseconds(request.ttl));
            match Lease::find(transaction, &request).map_err(failed)? {
                None => {}
                Some(found) if found.owner.is_none() || found.expires <= now => {
                    lease.epoch = found.epoch.checked_add(1).ok_or_else(|| {
                        doing.wrong(ErrorKind::Permanent, format!("no epoch comes after {}", found.epoch))
                    })?;
                }
                Some(found) if found.owner.as_ref() == Some(&request.owner) => {
                    lease.epoch = found.epoch;
                    lease.since = found.since;
                }
                Some(found) => {
                    let other = found.owner.clone().unwrap_or_default();
                    return Ok(LeaseAnswer::Taken(ownership((request.projection, request.version), other, &found)));
                }
            }
            lease.store(transaction, &request).map_err(failed)?;
            Ok(LeaseAnswer::Held(Fence { owner: request.owner, epoch: lease.epoch, version: request.version }))
        };
        self.database.write(&self.writing, acquire).await
    }

    async fn release(&self, projection: &str, fence: &Fence) -> Result<(), StoreError> {
        let (projection, fence, doing) = (projection.to_owned(), fence.clone(), self.writing.clone());
        let release = move |transaction: &mut rusqlite::Transaction<'_>| {
            let update = r#"UPDATE "projection.leases" SET owner = NULL, expires = 0
                WHERE projection = ?1 AND version = ?2 AND owner = ?3 AND epoch = ?4"#;
            let Fence { owner, epoch, version } = fence;
            let updated = transaction.execute(update, params![projection, version, owner, epoch]);
            updated.map(drop).map_err(|error| doing.failed(error))
        };
        self.database.write(&self.writing, release).await
    }

    async fn owners(&self) -> Result<Vec<Ownership>, StoreError> {
        let doing = self.reading.clone();
        let owners = move |transaction: &rusqlite::Transaction<'_>| {
            let failed = |error| doing.failed(error);
            let select = format!(
                r#"SELECT projection, version, owner, epoch, since, expires FROM "projection.leases"
                WHERE owner IS NOT NULL AND expires > {NOW} ORDER BY projection, version"#
            );
            let mut select = transaction.prepare_cached(&select).map_err(failed)?;
            let mut rows = select.query([]).map_err(failed)?;
            let mut owners = Vec::new();
            while let Some(row) = rows.next().map_err(failed)? {
                let lease = Lease::read(row, 2).map_err(failed)?;
                let of = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
                owners.push(ownership(of, lease.owner.clone().unwrap_or_default(), &lease));
            }
            Ok(owners)
        };
        self.database.read(&self.reading, owners).await
    }
}

fn now(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached(&format!("SELECT {NOW}"))?.query_row([], |row| row.get(0))
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn ownership(of: (String, u32), owner: String, lease: &Lease) -> Ownership {
    let (projection, version) = of;
    let time = |milliseconds: i64| {
        // A lease without an end that we can name ends at the last instant that we can.
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(milliseconds) * 1_000_000);
        at.unwrap_or(time::PrimitiveDateTime::MAX.assume_utc())
    };
    let (since, expires) = (time(lease.since), time(lease.expires));
    Ownership { projection, version, owner, epoch: lease.epoch, since, expires }
}
