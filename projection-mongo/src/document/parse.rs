//! Reads the document of an instance: our part by hand, the state straight into its type.

use bson::{RawBsonRef, RawDocument};
use projection_core::{EventRef, KeyRef, Position, store::RESERVED_FIELD};
use serde::de::DeserializeOwned;

use super::{Format, VALUE};
use crate::{decode, decode::DecodeError, id};

/// A stored document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parsed<'a> {
    document: &'a RawDocument,
    ours: Option<&'a RawDocument>,
}

/// What a repository cannot do with a stored document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unusable {
    #[error(
        "is fed from `{found}`, and this view is fed from `{expected}`: feed it from `{found}`, or raise the projection's version"
    )]
    OtherSource { found: String, expected: String },
    #[error(
        "has no position, so what it holds is not known: it was not written by the projection; remove it, or raise the projection's version"
    )]
    NoPosition,
    #[error(
        "was written by version {found} of the projection, and this is version {expected}: empty the collection, or keep each version in one of its own"
    )]
    OtherVersion { found: i64, expected: u32 },
    #[error("has a `{RESERVED_FIELD}.{0}` that we did not write")]
    Damaged(&'static str),
}

impl<'a> Parsed<'a> {
    pub(crate) fn new(document: &'a RawDocument) -> Self {
        let ours = match document.get(RESERVED_FIELD) {
            Ok(Some(RawBsonRef::Document(ours))) => Some(ours),
            _ => None,
        };
        Self { document, ours }
    }

    /// The instance's key; `None` where `_id` is of a type that no key has.
    pub(crate) fn id(&self) -> Option<KeyRef<'a>> {
        self.document.get("_id").ok().flatten().and_then(id::from_bson)
    }

    pub(crate) fn document(&self) -> &'a RawDocument {
        self.document
    }

    pub(crate) fn size(&self) -> usize {
        self.document.as_bytes().len()
    }

    /// The state, decoded.
    pub(crate) fn state<S: DeserializeOwned>(&self) -> Result<S, DecodeError> {
        let ours = |name| self.ours.and_then(|ours| ours.get(name).ok().flatten());
        if let Some(RawBsonRef::Boolean(true)) = ours("value") {
            return decode::from_value(self.document.get(VALUE)?.unwrap_or(RawBsonRef::Null));
        }
        let own_id = ours("id").map(|id| ("_id", id));
        decode::from_fields(self.document, &["_id", RESERVED_FIELD], own_id)
    }

    /// The position of the last event applied.
    pub(crate) fn position(&self, format: &Format) -> Result<Position, Unusable> {
        let ours = self.ours.ok_or(Unusable::NoPosition)?;
        if let Some(expected) = format.version {
            match ours.get("version").ok().flatten().and_then(whole) {
                Some(found) if found != i64::from(expected) => {
                    return Err(Unusable::OtherVersion { found, expected });
                }
                Some(_) => {}
                None => return Err(Unusable::Damaged("version")),
            }
        }
        let Ok(Some(positions)) = ours.get("position") else {
            return Err(Unusable::NoPosition);
        };
        let RawBsonRef::Document(positions) = positions else {
            return Err(Unusable::Damaged("position"));
        };
        let mut found = None;
        for entry in positions {
            let (source, position) = entry.map_err(|_| Unusable::Damaged("position"))?;
            if source.as_str() != format.source.as_str() {
                let (found, expected) = (source.as_str().to_owned(), format.source.to_string());
                return Err(Unusable::OtherSource { found, expected });
            }
            found = whole(position).and_then(|position| Position::try_from(position).ok());
        }
        found.ok_or(Unusable::Damaged("position"))
    }

    /// The events without a position that were applied.
    pub(crate) fn offered(&self) -> Result<Vec<EventRef>, Unusable> {
        let damaged = |_| Unusable::Damaged("offered");
        let Some(offered) = self.ours.and_then(|ours| ours.get("offered").ok().flatten()) else {
            return Ok(Vec::new());
        };
        let offered = offered.as_array().ok_or(Unusable::Damaged("offered"))?;
        let mut events = Vec::new();
        for event in offered {
            let event = event.map_err(damaged)?.as_document().ok_or(Unusable::Damaged("offered"))?;
            events.push(EventRef::new(
                event.get_str("source").map_err(damaged)?,
                event.get_str("id").map_err(damaged)?,
            ));
        }
        Ok(events)
    }
}

/// The position in a document that was read for nothing else.
pub(crate) fn position_of(document: &RawDocument, format: &Format) -> Option<Position> {
    Parsed::new(document).position(format).ok()
}

fn whole(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int64(int) => Some(int),
        RawBsonRef::Int32(int) => Some(int.into()),
        other => decode::as_whole(other),
    }
}
