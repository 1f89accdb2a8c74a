//! A state as JSON text: a state that is no map stands under `value`, as it does in a database.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    KeyRef, StoreError,
    store::{RESERVED_FIELD, RefusedState},
};

/// The name under which a state is stored that is no map.
const VALUE: &str = "value";

/// An encoded state.
#[derive(Debug, Clone)]
pub(super) struct StateText {
    json: Box<str>,
    is_map: bool,
}

impl StateText {
    pub(super) fn encode<S: Serialize>(id: KeyRef<'_>, state: &S) -> Result<Self, RefusedState> {
        let json = serde_json::to_string(state)
            .map_err(|error| RefusedState::Unencodable { instance: id.to_string(), cause: error.to_string() })?;
        let text = Self { is_map: json.starts_with('{'), json: json.into_boxed_str() };
        text.check(id)?;
        Ok(text)
    }

    pub(super) fn decode<S: DeserializeOwned>(&self, id: KeyRef<'_>) -> Result<S, StoreError> {
        serde_json::from_str(&self.json)
            .map_err(|source| StoreError::poison(UndecodableState { instance: id.to_string(), source }))
    }

    pub(super) fn len(&self) -> usize {
        self.json.len()
    }

    /// The fields by which a query would find it.
    pub(super) fn fields(&self) -> Value {
        let state = serde_json::from_str(&self.json).unwrap_or_default();
        if self.is_map { state } else { Value::Object([(VALUE.to_owned(), state)].into_iter().collect()) }
    }

    fn check(&self, id: KeyRef<'_>) -> Result<(), RefusedState> {
        // Rarely there, so looked for in the text first.
        let suspicious = |field| self.json.contains(field);
        if !self.is_map || !(suspicious("\"_id\"") || suspicious(RESERVED_FIELD)) {
            return Ok(());
        }
        let fields = self.fields();
        if fields.get(RESERVED_FIELD).is_some() {
            return Err(RefusedState::ReservedField { instance: id.to_string() });
        }
        match fields.get("_id") {
            Some(found) if !is_key(found, id) => {
                Err(RefusedState::OtherId { instance: id.to_string(), found: found.to_string() })
            }
            _ => Ok(()),
        }
    }
}

/// A stored state that does not fit the projection's type.
#[derive(Debug, thiserror::Error)]
#[error("the stored state of instance {instance} cannot be decoded: {source}")]
struct UndecodableState {
    instance: String,
    source: serde_json::Error,
}

fn is_key(found: &Value, id: KeyRef<'_>) -> bool {
    match id {
        KeyRef::Text(text) => found.as_str() == Some(text),
        KeyRef::Int(int) => found.as_i64() == Some(int),
        KeyRef::Uuid(uuid) => found.as_str().and_then(|text| text.parse().ok()) == Some(uuid),
        KeyRef::Bytes(bytes) => found.as_array().is_some_and(|found| {
            found.iter().map(Value::as_u64).eq(bytes.iter().map(|byte| Some(u64::from(*byte))))
        }),
    }
}
