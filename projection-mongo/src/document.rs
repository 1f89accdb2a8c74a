//! The document of a view instance.
//!
//! The state's fields stand at the top level, where queries find them; a state that is no map stands under `value`.
//! `_id` is the instance's key. What we store besides is one sub-document, `_projection`:
//!
//! | field | holds | is there |
//! |---|---|---|
//! | `position.<source>` | the position of the last event applied (spec: B11) | always, when written by a projection |
//! | `offered` | events without a position that were applied (spec: P20) | when there are any |
//! | `epoch` | the epoch of the owner that wrote it (spec: B18) | where there are no transactions |
//! | `version` | the projection's version | in a plain collection, where no name says it |
//! | `id` | the state's own `_id`, as serde wrote it | when the state has a field `_id` |
//! | `value` | `true` | when the state is no map |

mod encode;
mod parse;
mod state;

pub(crate) use encode::{Encoder, Stamp};
pub(crate) use parse::{Parsed, position_of};

/// The name of the field that holds a state that is no map.
pub(crate) const VALUE: &str = "value";
/// The name of the field of ours that holds the writer's epoch.
pub(crate) const EPOCH: &str = "epoch";
/// The largest document that a server stores: 16 MiB.
pub(crate) const MAX_DOCUMENT: usize = 16 * 1024 * 1024;

/// How documents of one view are written and read.
#[derive(Debug, Clone)]
pub(crate) struct Format {
    /// The source whose positions are stored.
    pub(crate) source: projection_core::store::SourceName,
    /// The projection's version, where documents carry it.
    pub(crate) version: Option<u32>,
}

impl Format {
    /// The path to the position.
    pub(crate) fn position_path(&self) -> String {
        format!("{}.position.{}", projection_core::store::RESERVED_FIELD, self.source)
    }
}

#[cfg(test)]
mod tests;
