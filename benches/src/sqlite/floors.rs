//! What cannot be undercut: reading the events, and writing each state once.

use anyhow::Result;
use projection_sqlite::rusqlite::{Connection, params};

use crate::{generate::Shape, measure::Ran, plain::EventData};

/// Reads every event, in order, and does not look at it.
pub(super) fn scan(history: &Connection) -> Result<Ran> {
    each(history, |_| Ok(()))
}

/// Reads every event, in order, and decodes it.
pub(super) fn decode(history: &Connection) -> Result<Ran> {
    each(history, |data| {
        let data: EventData = serde_json::from_slice(data)?;
        std::hint::black_box(data);
        Ok(())
    })
}

fn each(history: &Connection, mut look: impl FnMut(&[u8]) -> Result<()>) -> Result<Ran> {
    let mut events = history.prepare("SELECT type, data FROM events ORDER BY position")?;
    let mut events = events.query([])?;
    let mut count = 0;
    while let Some(row) = events.next()? {
        look(row.get_ref(1)?.as_bytes()?)?;
        count += 1;
    }
    Ok(Ran::of(count))
}

/// The final states, encoded, by account.
pub(super) fn states(shape: &Shape) -> Result<Vec<(i64, String)>> {
    shape.final_states().iter().map(|(id, state)| Ok((*id, serde_json::to_string(state)?))).collect()
}

/// Inserts them into an empty table, in one transaction.
pub(super) fn insert(target: &mut Connection, states: &[(i64, String)]) -> Result<Ran> {
    let transaction = target.transaction()?;
    let mut insert = transaction.prepare("INSERT INTO accounts (id, state) VALUES (?1, ?2)")?;
    for (id, state) in states {
        insert.execute(params![id, state])?;
    }
    drop(insert);
    transaction.commit()?;
    Ok(Ran::of(states.len() as u64))
}
