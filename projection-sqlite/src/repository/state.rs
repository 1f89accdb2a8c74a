//! A state as JSON text: a state that is no map stands under `value`.

use projection_core::{
    KeyRef, StoreError,
    store::{RESERVED_FIELD, RefusedState},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The longest state that is stored. SQLite takes rows up to 1,000,000,000 bytes; the rest is for what stands beside.
const MAX_STATE: usize = 900_000_000;

/// An encoded state.
#[derive(Debug)]
pub(super) struct StateText {
    pub(super) json: String,
    pub(super) is_value: bool,
}

/// Around a state that is no map.
#[derive(Serialize, Deserialize)]
struct Holder<S> {
    value: S,
}

/// A stored state that does not fit the projection's type.
#[derive(Debug, thiserror::Error)]
#[error("the stored state of instance {instance} cannot be decoded: {source}")]
struct UndecodableState {
    instance: String,
    source: serde_json::Error,
}

/// A state that a unique index of this store cannot hold.
#[derive(Debug, thiserror::Error)]
#[error(
    "instance {instance} has a list in `{field}`, which has a unique index: SQLite cannot index the elements of a \
     list; keep one value there, or take the index away"
)]
struct ListInUniqueIndex {
    instance: String,
    field: String,
}

impl StateText {
    /// Writes a state. `unique` names the fields of unique indexes.
    pub(super) fn encode<S: Serialize>(id: KeyRef<'_>, state: &S, unique: &[String]) -> Result<Self, StoreError> {
        let mut json = serde_json::to_string(state)
            .map_err(|error| RefusedState::Unencodable { instance: id.to_string(), cause: error.to_string() })?;
        let is_value = !json.starts_with('{');
        if is_value {
            json = format!("{{\"value\":{json}}}");
        }
        if json.len() > MAX_STATE {
            let (instance, size) = (id.to_string(), json.len());
            return Err(RefusedState::TooLarge { instance, size, limit: MAX_STATE }.into());
        }
        // Rarely there, so looked for in the text first.
        let suspicious = !is_value && (json.contains("\"_id\"") || json.contains(RESERVED_FIELD));
        if suspicious || !unique.is_empty() {
            let fields: Value = serde_json::from_str(&json).unwrap_or_default();
            if !is_value {
                check_names(id, &fields)?;
            }
            if let Some(field) = unique.iter().find(|field| holds_list(&fields, field)) {
                let (instance, field) = (id.to_string(), field.clone());
                return Err(StoreError::poison(ListInUniqueIndex { instance, field }));
            }
        }
        Ok(Self { json, is_value })
    }

    /// Reads a state.
    pub(super) fn decode<S: DeserializeOwned>(
        id: KeyRef<'_>,
        json: &[u8],
        is_value: bool,
    ) -> Result<S, StoreError> {
        let decoded = if is_value {
            serde_json::from_slice(json).map(|holder: Holder<S>| holder.value)
        } else {
            serde_json::from_slice(json)
        };
        decoded.map_err(|source| StoreError::poison(UndecodableState { instance: id.to_string(), source }))
    }
}

/// Refuses fields that a state may not have (spec: P31).
fn check_names(id: KeyRef<'_>, fields: &Value) -> Result<(), RefusedState> {
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

/// Whether there is a list at the path or on the way to it.
fn holds_list(fields: &Value, path: &str) -> bool {
    let mut at = Some(fields);
    for field in path.split('.') {
        match at {
            Some(Value::Array(_)) => return true,
            Some(value) => at = value.get(field),
            None => return false,
        }
    }
    at.is_some_and(Value::is_array)
}

#[cfg(test)]
mod tests {
    use projection_core::ErrorKind;
    use serde_json::json;

    use super::*;

    const ID: KeyRef<'static> = KeyRef::Text("a");

    #[test]
    fn a_state_that_is_no_map_stands_under_value() {
        let text = |state: Value| StateText::encode(ID, &state, &[]).unwrap();
        assert_eq!(text(json!(3)).json, r#"{"value":3}"#);
        assert_eq!(text(json!({ "value": 3 })).json, r#"{"value":3}"#);
        assert!(text(json!(3)).is_value && !text(json!({ "value": 3 })).is_value);
        assert_eq!(StateText::decode::<Option<i64>>(ID, br#"{"value":null}"#, true).unwrap(), None);
    }

    #[test]
    fn a_list_in_a_unique_field_is_refused_naming_the_field() {
        let unique = ["lines.sku".to_owned()];
        let encode = |state: Value| StateText::encode(ID, &state, &unique);
        for state in [json!({ "lines": [{ "sku": "a" }] }), json!({ "lines": { "sku": [] } })] {
            let error = encode(state).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Poison);
            assert!(error.to_string().contains("`lines.sku`"), "{error}");
        }
        for state in [json!({ "lines": { "sku": "a" } }), json!({}), json!([1]), json!({ "other": [] })] {
            assert!(encode(state).is_ok());
        }
    }
}
