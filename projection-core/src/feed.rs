//! Feeds, for those who drive a view by hand: replay its history, then offer it events. A service that keeps
//! several views starts a [`ProjectionRuntime`](crate::ProjectionRuntime) instead.

mod accept;
mod applied;
mod catchup;
mod core;
mod domain;
mod hold;
mod late;
mod materialized_view;
mod offer;
mod offered;
mod parked;
mod records;
mod replay;
mod start;
mod state;
mod versions;
mod view;

pub(crate) use self::core::FeedCore;
pub use crate::engine::FeedError;
pub use applied::AppliedError;
pub use catchup::CatchupProjectionFeed;
pub use domain::DomainEventFeed;
pub use hold::Hold;
pub use materialized_view::{FlushDuringReplay, MaterializedView, ReplayAware};
pub use offer::Accepted;
pub use offered::{Offered, OfferedEvent};
pub use view::{IntoFeed, ProjectionView};
