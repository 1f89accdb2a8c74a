//! A replay and its hooks: started, completed, abandoned (spec: P7, P12, P13).

use tokio_util::sync::CancellationToken;

use super::ReplayAware;
use crate::{
    FeedError, Position,
    engine::{Engine, caught},
};

/// Applies the history up to `mark`, and records that it was.
pub(super) async fn replay(engine: &mut Engine, mark: Position, stop: &CancellationToken) -> Result<(), FeedError> {
    let projection = engine.identity.projection.clone();
    tracing::info!(projection, from = %engine.position, to = %mark, "replay started");
    let mut hooks = Hooks { engine, completed: false };
    hooks.started();
    hooks.engine.advance(mark, stop).await?;
    if stop.is_cancelled() {
        return Err(hooks.engine.stopped());
    }
    if let Some(aware) = hooks.engine.target.replay_aware() {
        let completed = aware.replay_completed().await;
        completed.map_err(|source| FeedError::ReplayCompleted { projection: projection.clone(), source })?;
    }
    hooks.completed = true;
    drop(hooks);
    tracing::info!(projection, position = %engine.position, "replay completed");
    engine.record_caught_up(stop).await
}

/// Calls `replay_abandoned` when the replay does not come to its end, also by a panic or when its future is dropped.
struct Hooks<'a> {
    engine: &'a mut Engine,
    completed: bool,
}

impl Hooks<'_> {
    fn started(&mut self) {
        self.engine.replaying = true;
        if let Some(aware) = self.engine.target.replay_aware() {
            self.engine.claims = aware.flush().is_some();
            aware.replay_started();
        }
    }
}

impl Drop for Hooks<'_> {
    fn drop(&mut self) {
        self.engine.replaying = false;
        let claimed = std::mem::replace(&mut self.engine.claims, true);
        if self.completed {
            return;
        }
        tracing::info!(projection = self.engine.identity.projection, "replay abandoned");
        self.engine.target.discard();
        // What the view holds is not claimed: the next run begins where the last checkpoint is.
        if !claimed {
            self.engine.position = self.engine.stored.unwrap_or(self.engine.start);
        }
        if let Some(Err(panic)) = self.engine.target.replay_aware().map(abandon) {
            tracing::error!(projection = self.engine.identity.projection, panic, "replay_abandoned failed");
        }
    }
}

/// It cannot fail; should it panic, that must not hide why the replay ended (spec: P13).
fn abandon(aware: &dyn ReplayAware) -> Result<(), String> {
    caught(|| aware.replay_abandoned())
}
