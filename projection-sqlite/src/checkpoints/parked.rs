//! Records of parked instances as rows, inside a transaction.

use projection_core::{
    EventRef,
    store::{CheckpointKey, ParkedInstance},
};
use rusqlite::{Connection, Result, params};

use super::rows::{key, position};

pub(super) const PARKED: &str = "projection.parked";

/// Parks an instance, over the record of the same instance.
pub(super) fn park(connection: &Connection, parked: &ParkedInstance) -> Result<()> {
    let insert = r#"INSERT OR REPLACE INTO "projection.parked"
        (projection, version, partition, instance, position, source, id, type, cause)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"#;
    let CheckpointKey { projection, version, partition } = &parked.key;
    let EventRef { source, id } = &parked.event;
    let ParkedInstance { instance, name, cause, .. } = parked;
    let from = parked.from.as_i64();
    let mut insert = connection.prepare_cached(insert)?;
    insert.execute(params![projection, version, partition.0, instance, from, source, id, name, cause])?;
    Ok(())
}

/// The parked instances of a projection.
pub(super) fn parked(connection: &Connection, projection: &str) -> Result<Vec<ParkedInstance>> {
    let select = r#"SELECT projection, version, partition, instance, position, source, id, type, cause
        FROM "projection.parked" WHERE projection = ?1 ORDER BY position, version, partition, instance"#;
    let mut select = connection.prepare_cached(select)?;
    let parked = select.query_map([projection], |row| {
        Ok(ParkedInstance {
            key: key(row)?,
            instance: row.get(3)?,
            from: position(row, 4)?,
            event: EventRef::new(row.get::<_, String>(5)?, row.get::<_, String>(6)?),
            name: row.get(7)?,
            cause: row.get(8)?,
        })
    })?;
    parked.collect()
}

/// Removes the record of a parked instance.
pub(super) fn unpark(connection: &Connection, key: &CheckpointKey, instance: &str) -> Result<()> {
    let delete = r#"DELETE FROM "projection.parked"
        WHERE projection = ?1 AND version = ?2 AND partition = ?3 AND instance = ?4"#;
    let CheckpointKey { projection, version, partition } = key;
    connection.prepare_cached(delete)?.execute(params![projection, version, partition.0, instance])?;
    Ok(())
}
