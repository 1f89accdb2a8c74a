//! The engine: one way for history, for what arrived meanwhile, and for live events. Pages are decoded once, routed
//! to instances, folded in batches, and flushed before or with the checkpoint that claims them.

mod absorb;
mod ahead;
mod batch;
mod begin;
mod cache;
mod decode;
mod drive;
mod failure;
mod flush;
mod fold;
mod hand_written;
mod history;
mod identity;
mod late;
mod panics;
mod passed;
mod reader;
mod release;
mod route;
mod shared;
mod source;
mod table;
mod target;
mod verify;
mod waiting;
mod working;

pub(crate) use absorb::Absorbed;
pub(crate) use batch::Batch;
pub(crate) use decode::{DecodedEvent, Decoders};
pub(crate) use drive::Engine;
pub use failure::FeedError;
pub(crate) use fold::{Folding, fold_instance};
pub(crate) use hand_written::HandWritten;
pub(crate) use history::History;
pub(crate) use identity::Identity;
pub(crate) use late::Refolded;
pub(crate) use panics::{caught, message_of};
pub(crate) use passed::{Parked, Passed};
pub(crate) use route::{Router, route, router};
pub(crate) use shared::Hub;
pub(crate) use source::{Source, StoreSource};
pub(crate) use table::HandlerTable;
pub(crate) use target::{ProjectionTarget, Target};
pub(crate) use verify::{Sample, Verified};
pub(crate) use waiting::{retried, wait};
