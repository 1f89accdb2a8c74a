//! States as JSON, so that two of them can be compared.

use serde::Serialize;
use serde_json::Value;

use crate::ViewState;

/// A state as JSON; `Err` says that it cannot be.
pub(crate) fn json<S: Serialize>(state: &S) -> Result<Value, String> {
    serde_json::to_value(state).map_err(|error| format!("a state cannot be written as JSON: {error}"))
}

/// A state, written and read back.
pub(crate) fn through_json<S: ViewState>(state: &S) -> Result<S, String> {
    let json = json(state)?;
    S::deserialize(&json).map_err(|error| format!("the state {json} cannot be read back from its JSON: {error}"))
}

/// The state as JSON. A state that does not come through JSON as the same text has parts without an order, such as a
/// `HashSet`; then its arrays are compared as sets.
pub(crate) fn comparable<S: ViewState>(state: &S) -> Result<Value, String> {
    let mut value = json(state)?;
    if value != json(&through_json(state)?)? {
        sort_arrays(&mut value);
    }
    Ok(value)
}

fn sort_arrays(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(sort_arrays);
            items.sort_by_key(ToString::to_string);
        }
        Value::Object(fields) => fields.values_mut().for_each(sort_arrays),
        _ => {}
    }
}
