//! Checkpoints and records of skipped events as rows, inside a transaction.

use projection_core::{
    EventRef, Position,
    store::{Checkpoint, CheckpointKey, Fence, Partition, SkippedEvent},
};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params, types::Type};

pub(crate) const CHECKPOINTS: &str = "projection.checkpoints";
pub(super) const SKIPPED: &str = "projection.skipped";

/// Stores a checkpoint over the one with the same key.
pub(crate) fn store(connection: &Connection, checkpoint: &Checkpoint) -> Result<()> {
    let insert = r#"INSERT OR REPLACE INTO "projection.checkpoints"
        (projection, version, partition, position, start, caught_up, handled, owner, epoch, fence_version)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"#;
    let CheckpointKey { projection, version, partition } = &checkpoint.key;
    let handled = serde_json::to_string(&checkpoint.handled);
    let handled = handled.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let fence = checkpoint.fence.as_ref();
    connection.prepare_cached(insert)?.execute(params![
        projection,
        version,
        partition.0,
        checkpoint.position.as_i64(),
        checkpoint.start.as_i64(),
        checkpoint.caught_up,
        handled,
        fence.map(|fence| &fence.owner),
        fence.map(|fence| fence.epoch),
        fence.map(|fence| fence.version),
    ])?;
    Ok(())
}

/// The newest epoch that is known, of the stored checkpoint or of the lease, where it is above that of this one's owner.
pub(crate) fn newer_epoch(connection: &Connection, checkpoint: &Checkpoint) -> Result<Option<i64>> {
    let Some(fence) = &checkpoint.fence else {
        return Ok(None);
    };
    let select = r#"SELECT epoch FROM (SELECT epoch FROM "projection.checkpoints"
        WHERE projection = ?1 AND version = ?2 AND partition = ?3
        UNION ALL SELECT epoch FROM "projection.leases" WHERE projection = ?1 AND version = ?2)
        WHERE epoch > ?4 ORDER BY epoch DESC LIMIT 1"#;
    let CheckpointKey { projection, version, partition } = &checkpoint.key;
    let mut select = connection.prepare_cached(select)?;
    select.query_row(params![projection, version, partition.0, fence.epoch], |row| row.get(0)).optional()
}

/// The checkpoints of a projection.
pub(super) fn load(connection: &Connection, projection: &str) -> Result<Vec<Checkpoint>> {
    let select = r#"SELECT projection, version, partition, position, start, caught_up, handled, owner, epoch,
        fence_version FROM "projection.checkpoints" WHERE projection = ?1 ORDER BY version, partition"#;
    let mut select = connection.prepare_cached(select)?;
    select.query_map([projection], checkpoint)?.collect()
}

fn checkpoint(row: &Row<'_>) -> Result<Checkpoint> {
    let fence = match (row.get(7)?, row.get(8)?, row.get(9)?) {
        (Some(owner), Some(epoch), Some(version)) => Some(Fence { owner, epoch, version }),
        _ => None,
    };
    let handled = row.get_ref(6)?.as_bytes()?;
    let handled = serde_json::from_slice(handled)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(6, Type::Text, error.into()))?;
    Ok(Checkpoint {
        key: key(row)?,
        position: position(row, 3)?,
        start: position(row, 4)?,
        caught_up: row.get(5)?,
        handled,
        fence,
    })
}

/// Records a skipped event, unless it is recorded for that instance.
pub(super) fn record(connection: &Connection, skipped: &SkippedEvent) -> Result<()> {
    let insert = r#"INSERT INTO "projection.skipped"
        (projection, version, partition, position, source, id, type, instance, cause)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE NOT EXISTS (SELECT 1 FROM "projection.skipped"
        WHERE projection = ?1 AND version = ?2 AND partition = ?3 AND position = ?4 AND source = ?5 AND id = ?6
        AND instance IS ?8)"#;
    let CheckpointKey { projection, version, partition } = &skipped.key;
    let EventRef { source, id } = &skipped.event;
    let SkippedEvent { name, instance, cause, .. } = skipped;
    let position = skipped.position.as_i64();
    connection.prepare_cached(insert)?.execute(params![
        projection,
        version,
        partition.0,
        position,
        source,
        id,
        name,
        instance,
        cause
    ])?;
    Ok(())
}

/// What a projection has passed over.
pub(super) fn skipped(connection: &Connection, projection: &str) -> Result<Vec<SkippedEvent>> {
    let select = r#"SELECT projection, version, partition, position, source, id, type, instance, cause
        FROM "projection.skipped" WHERE projection = ?1 ORDER BY position, version, partition, instance"#;
    let mut select = connection.prepare_cached(select)?;
    let skipped = select.query_map([projection], |row| {
        Ok(SkippedEvent {
            key: key(row)?,
            position: position(row, 3)?,
            event: EventRef::new(row.get::<_, String>(4)?, row.get::<_, String>(5)?),
            name: row.get(6)?,
            instance: row.get(7)?,
            cause: row.get(8)?,
        })
    })?;
    skipped.collect()
}

/// The first three columns.
pub(super) fn key(row: &Row<'_>) -> Result<CheckpointKey> {
    Ok(CheckpointKey { projection: row.get(0)?, version: row.get(1)?, partition: Partition(row.get(2)?) })
}

pub(super) fn position(row: &Row<'_>, column: usize) -> Result<Position> {
    let position: i64 = row.get(column)?;
    Position::try_from(position).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, position))
}
