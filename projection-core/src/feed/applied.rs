//! Waiting until an append is in a view: read your own writes.

use std::time::Duration;

use super::core::FeedCore;
use crate::{EventRef, FeedError, Phase, Position, append::AppendToken, store::SourceName};

/// Why an append is not in a view.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AppliedError {
    /// It was not applied in time; it will be, unless the projection has failed by then.
    #[error(
        "projection `{projection}` has not applied position {position} within {timeout:?}: it has come to {reached}, \
         and its phase is {phase:?}"
    )]
    TimedOut {
        /// The projection.
        projection: String,
        /// What was waited for.
        position: Position,
        /// How far it has come.
        reached: Position,
        /// What it is doing.
        phase: Phase,
        /// How long was waited.
        timeout: Duration,
    },
    /// An event of the append was passed over with a record, so it is not in the view (spec: B14).
    #[error(
        "projection `{projection}` has passed over event {event}{}: {cause}",
        .instance.as_ref().map_or(String::new(), |instance| format!(" for instance {instance}")),
    )]
    PassedOver {
        /// The projection.
        projection: String,
        /// The event.
        event: EventRef,
        /// The instance that does not have it; `None` where it could not be decoded.
        instance: Option<String>,
        /// Whether the instance is parked, so that the event is applied once it is released.
        parked: bool,
        /// Why.
        cause: String,
    },
    /// The view was begun later in the history: it never has these events.
    #[error("projection `{projection}` was begun after position {start}: what was appended before is not in it")]
    BeforeItsStart {
        /// The projection.
        projection: String,
        /// Where it was begun.
        start: Position,
    },
    /// The token is of another event store.
    #[error("projection `{projection}` reads the events of `{reads}`, and the token is of `{token}`")]
    OtherSource {
        /// The projection.
        projection: String,
        /// The name of the store's order that it reads.
        reads: SourceName,
        /// The name of the order that the token is of.
        token: SourceName,
    },
    /// No projection of this type is registered.
    #[error(transparent)]
    Unknown(#[from] crate::runtime::UnknownProjection),
    /// The projection has failed, or its records cannot be read.
    #[error(transparent)]
    Feed(#[from] FeedError),
}

/// How often the checkpoint of a view that another process feeds is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// How far a view is, and from where.
struct Reached {
    start: Position,
    /// Whether something may be passed over: asked of the store only then.
    passes_over: bool,
}

impl FeedCore {
    /// Waits until everything that `token` names is applied, also by another process that owns the view.
    pub(crate) async fn applied(&self, token: &AppendToken, timeout: Duration) -> Result<(), AppliedError> {
        let (projection, reads) = (self.projection.clone(), self.source.name());
        if reads != *token.source() {
            return Err(AppliedError::OtherSource { projection, reads, token: token.source().clone() });
        }
        let waited = tokio::time::timeout(timeout, async {
            let reached = self.reaches(token.last()).await?;
            if token.last() > Position::START && token.after() < reached.start {
                return Err(AppliedError::BeforeItsStart { projection: projection.clone(), start: reached.start });
            }
            if reached.passes_over {
                self.records.look_for(token.after(), token.last()).await?;
            }
            Ok(())
        });
        waited.await.unwrap_or_else(|_| {
            let progress = self.progress().borrow().clone();
            let (reached, phase) = (progress.position, progress.phase);
            Err(AppliedError::TimedOut { projection, position: token.last(), reached, phase, timeout })
        })
    }

    async fn reaches(&self, position: Position) -> Result<Reached, AppliedError> {
        let mut progress = self.progress();
        loop {
            let now = progress.borrow_and_update().clone();
            if now.position >= position {
                let passes_over = now.parked > 0 || self.records.may_pass_over();
                return Ok(Reached { start: now.start, passes_over });
            }
            match now.phase {
                Phase::Failed => {
                    let stopped = FeedError::Stopped { projection: self.projection.clone() };
                    return Err(self.failure().unwrap_or(stopped).into());
                }
                Phase::Standby => {
                    let stored = self.records.checkpoint().await?;
                    if let Some(stored) = stored.filter(|stored| stored.position >= position) {
                        return Ok(Reached { start: stored.start, passes_over: true });
                    }
                    tokio::time::sleep(LOOK).await;
                }
                // The recorder lives as long as this feed.
                _ => drop(progress.changed().await),
            }
        }
    }
}
