//! A state as serde writes it: the elements of a map, or one value.

use bson::{RawBsonRef, RawDocument};
use projection_core::{
    KeyRef,
    store::{RESERVED_FIELD, RefusedState},
};
use serde::Serialize;

use crate::{encode::AsStored, id, writer};

#[derive(Serialize)]
#[serde(bound = "S: Serialize")]
struct Holder<'a, S> {
    value: AsStored<'a, S>,
}

/// Writes the state as the field `value` of a document, over what `buffer` held.
pub(super) fn serialize<S: Serialize>(id: KeyRef<'_>, state: &S, buffer: &mut Vec<u8>) -> Result<(), RefusedState> {
    buffer.clear();
    bson::serialize_to_buffer(&Holder { value: AsStored(state) }, buffer).map_err(|error| {
        let cause = error.message.clone().unwrap_or_else(|| error.to_string());
        RefusedState::Unencodable { instance: id.to_string(), cause }
    })
}

/// What was written by [`serialize`]: the whole document, and its map where the state is one.
pub(super) struct Written<'a> {
    pub(super) whole: &'a RawDocument,
    pub(super) map: Option<&'a RawDocument>,
    /// The state's own `_id`: where it stands in the map.
    pub(super) own_id: Option<writer::ElementAt<'a>>,
}

impl<'a> Written<'a> {
    /// Looks for fields that a state may not have.
    pub(super) fn check(id: KeyRef<'_>, buffer: &'a [u8]) -> Result<Self, RefusedState> {
        let unencodable = |cause: bson::error::Error| RefusedState::Unencodable {
            instance: id.to_string(),
            cause: cause.to_string(),
        };
        let whole = RawDocument::from_bytes(buffer).map_err(unencodable)?;
        let map = match whole.get(super::VALUE).map_err(unencodable)? {
            Some(RawBsonRef::Document(map)) => Some(map),
            _ => None,
        };
        let mut own_id = None;
        for element in map.into_iter().flat_map(writer::elements) {
            let element = element.map_err(unencodable)?;
            match element.name() {
                RESERVED_FIELD => return Err(RefusedState::ReservedField { instance: id.to_string() }),
                "_id" => {
                    let own = element.value().map_err(unencodable)?;
                    if !id::is_same(own, id) {
                        let found =
                            bson::Bson::try_from(own).map_or_else(|error| error.to_string(), |own| own.to_string());
                        return Err(RefusedState::OtherId { instance: id.to_string(), found });
                    }
                    own_id = Some(element);
                }
                _ => {}
            }
        }
        Ok(Self { whole, map, own_id })
    }
}
