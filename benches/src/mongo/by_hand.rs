//! The ways that are written by hand, with the plain driver and typed documents.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use bson::{Bson, doc};
use futures::TryStreamExt;
use mongodb::{
    Collection, Database,
    options::{CollectionOptions, WriteConcern},
};

use super::BY_HAND;
use crate::{
    measure::Ran,
    plain::{StoredAccount, StoredEvent, apply},
};

/// How many events the straightforward batch has.
const BATCH: usize = 1000;

fn accounts(target: &Database, concern: WriteConcern) -> Collection<StoredAccount> {
    let options = CollectionOptions::builder().write_concern(concern).build();
    target.collection_with_options(BY_HAND, options)
}

/// For each event: read its account, apply it, write the account.
pub(super) async fn per_event(
    history: &Database,
    target: &Database,
    limit: u64,
    concern: WriteConcern,
) -> Result<Ran> {
    let accounts = accounts(target, concern);
    let limit = i64::try_from(limit)?;
    let mut events =
        super::events::<StoredEvent>(history).find(doc! {}).sort(doc! { "position": 1 }).limit(limit).await?;
    let mut applied = 0;
    while let Some(event) = events.try_next().await? {
        let id = event.data.account;
        let stored = accounts.find_one(doc! { "_id": id }).await?;
        let mut account = stored.unwrap_or_else(|| StoredAccount::new(id));
        apply(&mut account.state, &event.name, &event.data);
        accounts.replace_one(doc! { "_id": id }, &account).upsert(true).await?;
        applied += 1;
    }
    Ok(Ran::of(applied))
}

/// For each thousand events: read their accounts, apply them, write the accounts in bulk.
pub(super) async fn batches(
    history: &Database,
    target: &Database,
    limit: u64,
    concern: WriteConcern,
) -> Result<Ran> {
    let accounts = accounts(target, concern.clone());
    let limit = i64::try_from(limit)?;
    let mut events =
        super::events::<StoredEvent>(history).find(doc! {}).sort(doc! { "position": 1 }).limit(limit).await?;
    let (mut applied, mut batch) = (0, Vec::with_capacity(BATCH));
    while let Some(event) = events.try_next().await? {
        batch.push(event);
        applied += 1;
        if batch.len() == BATCH {
            flush(&accounts, target, &batch, &concern).await?;
            batch.clear();
        }
    }
    if !batch.is_empty() {
        flush(&accounts, target, &batch, &concern).await?;
    }
    Ok(Ran::of(applied))
}

async fn flush(
    accounts: &Collection<StoredAccount>,
    target: &Database,
    batch: &[StoredEvent],
    concern: &WriteConcern,
) -> Result<()> {
    let mut states: HashMap<i64, StoredAccount> = HashMap::new();
    for event in batch {
        let id = event.data.account;
        states.entry(id).or_insert_with(|| StoredAccount::new(id));
    }
    let ids: Vec<i64> = states.keys().copied().collect();
    let mut stored = accounts.find(doc! { "_id": { "$in": ids } }).await?;
    while let Some(account) = stored.try_next().await? {
        states.insert(account.id, account);
    }
    for event in batch {
        let account = states.get_mut(&event.data.account).context("every account of the batch is there")?;
        apply(&mut account.state, &event.name, &event.data);
    }
    // `Client::bulk_write` needs MongoDB 8.0.
    let updates = states.values().map(|account| {
        let replacement = bson::serialize_to_document(account)?;
        Ok(Bson::from(doc! { "q": { "_id": account.id }, "u": replacement, "upsert": true }))
    });
    let updates = updates.collect::<Result<Vec<_>>>()?;
    let concern = bson::serialize_to_bson(concern)?;
    let update = doc! { "update": BY_HAND, "updates": updates, "ordered": false, "writeConcern": concern };
    let reply = target.run_command(update).await?;
    if reply.contains_key("writeErrors") || reply.contains_key("writeConcernError") {
        bail!("the bulk write failed: {reply}");
    }
    Ok(())
}
