//! The ways that are written by hand, with the plain driver.

use std::collections::{HashMap, hash_map::Entry};

use anyhow::Result;
use projection_sqlite::rusqlite::{Connection, OptionalExtension, params};

use crate::{
    account::Account,
    measure::Ran,
    plain::{EventData, apply},
};

/// How many events the straightforward batch has.
const BATCH: usize = 1000;

const EVENTS: &str = "SELECT type, data FROM events ORDER BY position LIMIT ?1";
const FIND: &str = "SELECT state FROM accounts WHERE id = ?1";
const SAVE: &str = "INSERT INTO accounts (id, state) VALUES (?1, ?2) \
                    ON CONFLICT (id) DO UPDATE SET state = excluded.state";

/// For each event: read its account, apply it, write the account, commit.
pub(super) fn per_event(history: &Connection, target: &Connection, limit: u64) -> Result<Ran> {
    let mut events = history.prepare(EVENTS)?;
    let mut events = events.query([limit.cast_signed()])?;
    let mut applied = 0;
    while let Some(row) = events.next()? {
        let (name, data): (String, String) = (row.get(0)?, row.get(1)?);
        let data: EventData = serde_json::from_str(&data)?;
        let mut account = find(target, data.account)?;
        apply(&mut account, &name, &data);
        save(target, data.account, &account)?;
        applied += 1;
    }
    Ok(Ran::of(applied))
}

/// For each thousand events: read their accounts, apply them, write the accounts, commit.
pub(super) fn batches(history: &Connection, target: &mut Connection, limit: u64) -> Result<Ran> {
    let mut events = history.prepare(EVENTS)?;
    let mut events = events.query([limit.cast_signed()])?;
    let (mut applied, mut batch) = (0, Vec::with_capacity(BATCH));
    while let Some(row) = events.next()? {
        let (name, data): (String, String) = (row.get(0)?, row.get(1)?);
        batch.push((name, serde_json::from_str(&data)?));
        applied += 1;
        if batch.len() == BATCH {
            flush(target, &batch)?;
            batch.clear();
        }
    }
    if !batch.is_empty() {
        flush(target, &batch)?;
    }
    Ok(Ran::of(applied))
}

fn flush(target: &mut Connection, batch: &[(String, EventData)]) -> Result<()> {
    let transaction = target.transaction()?;
    let mut accounts: HashMap<i64, Account> = HashMap::new();
    for (name, data) in batch {
        let account = match accounts.entry(data.account) {
            Entry::Occupied(account) => account.into_mut(),
            Entry::Vacant(absent) => absent.insert(find(&transaction, data.account)?),
        };
        apply(account, name, data);
    }
    for (id, account) in &accounts {
        save(&transaction, *id, account)?;
    }
    transaction.commit()?;
    Ok(())
}

fn find(target: &Connection, id: i64) -> Result<Account> {
    let mut find = target.prepare_cached(FIND)?;
    let state: Option<String> = find.query_row([id], |row| row.get(0)).optional()?;
    Ok(state.map(|state| serde_json::from_str(&state)).transpose()?.unwrap_or_default())
}

fn save(target: &Connection, id: i64, account: &Account) -> Result<()> {
    target.prepare_cached(SAVE)?.execute(params![id, serde_json::to_string(account)?])?;
    Ok(())
}
