//! Unique indexes of a view in memory.

use std::{collections::BTreeMap, slice};

use serde_json::Value;

use super::owned_key::OwnedKey;
use crate::{Direction, Index, KeyRef, StoreError};

/// Which instance has which values in the indexed fields. A field that is missing counts as `null`, as in MongoDB.
#[derive(Debug)]
pub(super) struct UniqueIndex {
    index: Index,
    holders: BTreeMap<String, OwnedKey>,
}

/// A unique index refuses a state (spec: P32).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("instance {instance} breaks the unique index {index}: instance {holder} has the values {values} already")]
struct NotUnique {
    instance: String,
    index: String,
    values: String,
    holder: String,
}

impl UniqueIndex {
    pub(super) fn new(index: Index) -> Self {
        Self { index, holders: BTreeMap::new() }
    }

    pub(super) fn is(&self, index: &Index) -> bool {
        self.index == *index
    }

    /// Whether `id` may have `fields`.
    pub(super) fn check(&self, id: KeyRef<'_>, fields: &Value) -> Result<(), StoreError> {
        for values in self.entries(fields) {
            if let Some(holder) = self.holders.get(&values).filter(|holder| holder.as_key() != id) {
                return Err(StoreError::unique(NotUnique {
                    instance: id.to_string(),
                    index: self.name(),
                    values,
                    holder: holder.as_key().to_string(),
                }));
            }
        }
        Ok(())
    }

    pub(super) fn add(&mut self, id: &OwnedKey, fields: &Value) {
        for values in self.entries(fields) {
            self.holders.insert(values, id.clone());
        }
    }

    pub(super) fn remove(&mut self, fields: &Value) {
        for values in self.entries(fields) {
            self.holders.remove(&values);
        }
    }

    /// The name MongoDB gives to such an index.
    fn name(&self) -> String {
        let part = |(field, direction): &(String, Direction)| {
            format!("{field}_{}", if *direction == Direction::Descending { -1 } else { 1 })
        };
        self.index.fields().iter().map(part).collect::<Vec<_>>().join("_")
    }

    /// One entry for each combination of the fields' values; an array has an entry for each of its elements.
    fn entries(&self, fields: &Value) -> Vec<String> {
        let mut entries = vec![Vec::new()];
        for (path, _) in self.index.fields() {
            let values = at_path(fields, path);
            entries = entries
                .iter()
                .flat_map(|entry| values.iter().map(|value| [entry.as_slice(), slice::from_ref(value)].concat()))
                .collect();
        }
        entries.into_iter().map(|entry| Value::Array(entry).to_string()).collect()
    }
}

fn at_path(value: &Value, path: &str) -> Vec<Value> {
    if let Value::Array(elements) = value {
        return elements.iter().flat_map(|element| at_path(element, path)).collect();
    }
    let (field, rest) = path.split_once('.').map_or((path, None), |(field, rest)| (field, Some(rest)));
    match (value.get(field), rest) {
        (None, _) => vec![Value::Null],
        (Some(inner), Some(rest)) => at_path(inner, rest),
        (Some(Value::Array(elements)), None) => elements.clone(),
        (Some(value), None) => vec![value.clone()],
    }
}
