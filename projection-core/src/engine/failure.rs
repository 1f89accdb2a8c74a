//! Why a feed stopped: one error that names projection, instance, event and position.

use crate::{EventRef, Position, StoreError};

/// Why a feed could not start, or stopped.
///
/// Cheap to clone: the same failure is returned to the caller, shown in the status, and refused to those who offer
/// events afterwards.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FeedError {
    /// The event store could not be read.
    #[error("projection `{projection}`: the events after position {after} cannot be read")]
    Read {
        /// The projection.
        projection: String,
        /// Where it had come to.
        after: Position,
        /// The store's error.
        source: StoreError,
    },
    /// View instances could not be read or written.
    #[error(
        "projection `{projection}`: {} cannot be read or written, after {tries} {}; {}",
        .instance.as_ref().map_or("a batch".to_owned(), |instance| format!("instance {instance}")),
        if *.tries == 1 { "try" } else { "tries" },
        .event.as_ref().map_or("no event".to_owned(), |event| format!("the last event in it is {event} at position {position}")),
    )]
    Write {
        /// The projection.
        projection: String,
        /// The instance; `None` where the repository does not say which one failed.
        instance: Option<String>,
        /// The last event that was to be applied.
        event: Option<EventRef>,
        /// The last event's position.
        position: Position,
        /// How often it was tried.
        tries: usize,
        /// The store's error.
        source: StoreError,
    },
    /// An event could not be decoded, or its handler panicked.
    #[error(
        "projection `{projection}`: event {event} (`{name}`, position {position}) cannot be applied{}; to pass over \
         such events with a record, set `on_poison(OnPoison::Skip)`",
        .instance.as_ref().map_or(String::new(), |instance| format!(" to instance {instance}")),
    )]
    Poison {
        /// The projection.
        projection: String,
        /// The instance; `None` where the event could not be decoded, so has none.
        instance: Option<String>,
        /// The event.
        event: EventRef,
        /// The event's name.
        name: String,
        /// Where it stands.
        position: Position,
        /// The decoding error, or the panic's message.
        source: StoreError,
    },
    /// An event that was offered, and that the store does not hold, cannot be decoded. The feed goes on.
    #[error("projection `{projection}`: the offered event {event} cannot be taken")]
    Offered {
        /// The projection.
        projection: String,
        /// The event.
        event: EventRef,
        /// Why.
        source: StoreError,
    },
    /// A checkpoint, a record or the mark could not be read or stored.
    #[error("projection `{projection}`: {what}")]
    Storage {
        /// The projection.
        projection: String,
        /// What could not be done.
        what: &'static str,
        /// The store's error.
        source: StoreError,
    },
    /// A hand-written view's `replay_completed` failed.
    #[error("projection `{projection}`: the view could not complete its replay")]
    ReplayCompleted {
        /// The projection.
        projection: String,
        /// The view's error.
        source: StoreError,
    },
    /// The handlers take other events than when the checkpoint was stored (spec: B16).
    #[error(
        "projection `{projection}` version {version}: its handlers changed since its checkpoint was stored at position \
         {position}: {change}. Raise `version` to {} to build the view anew beside the old one; or accept that events \
         before {position} are not applied anew, by `accept_changed_handlers()` in its options",
        .version + 1,
    )]
    ChangedHandlers {
        /// The projection.
        projection: String,
        /// Its version.
        version: u32,
        /// The checkpoint's position.
        position: Position,
        /// Which names came, which went.
        change: String,
    },
    /// An event came at a position that the view had passed, since its store's writers give out positions before they
    /// commit, and the instances that it changes cannot be folded anew.
    #[error(
        "projection `{projection}`: an event came late, at position {position}, which the view had passed{}; {reason}. \
         Raise its `version` to build it anew; or resume it, and do without",
        if .instances.is_empty() { String::new() } else { format!("; it changes instance {}", .instances.join(", ")) },
    )]
    Late {
        /// The projection.
        projection: String,
        /// The position of the event; of the first, if there are several.
        position: Position,
        /// The instances that cannot be folded anew, where they are known.
        instances: Vec<String>,
        /// Why not.
        reason: String,
    },
    /// The view was begun later in the history than is asked for now (spec: P22).
    #[error(
        "projection `{projection}` was begun after position {start}, without the history before it, and is to start \
         after position {asked} now: older events would be applied to instances that later ones have changed. Empty the \
         view and remove its checkpoint, or raise its `version`, to build it anew; or start it as before, by \
         `.start(Start::After({start}))` in its options or by `go_live`"
    )]
    Rebuild {
        /// The projection.
        projection: String,
        /// The position after which it was begun.
        start: Position,
        /// The position after which it is to start now.
        asked: Position,
    },
    /// Another process has taken the projection over: nothing more is written by this one.
    #[error("projection `{projection}` is owned by another process now")]
    Fenced {
        /// The projection.
        projection: String,
    },
    /// It was stopped before it had caught up.
    #[error("projection `{projection}` was stopped")]
    Stopped {
        /// The projection.
        projection: String,
    },
    /// The feed was not started, so takes no events.
    #[error("projection `{projection}` is not started: call `catch_up` or `go_live` first")]
    NotStarted {
        /// The projection.
        projection: String,
    },
    /// As many events are held during the replay as may be (spec: P21).
    #[error("projection `{projection}` holds {held} events until its replay is over, and takes no more")]
    HoldFull {
        /// The projection.
        projection: String,
        /// How many are held.
        held: usize,
    },
    /// The projection itself is not in order; nothing was started.
    #[error("projection `{projection}` cannot be run: {reason}")]
    Invalid {
        /// The projection.
        projection: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A hook, a repository or a store panicked.
    #[error("projection `{projection}`: one of its hooks or stores {message}")]
    Panicked {
        /// The projection.
        projection: String,
        /// The panic's message.
        message: String,
    },
}

impl FeedError {
    /// Whether starting again may help: the cause may have passed by then.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Read { source, .. }
            | Self::Write { source, .. }
            | Self::Storage { source, .. }
            | Self::ReplayCompleted { source, .. } => source.may_pass(),
            Self::Fenced { .. } => true,
            _ => false,
        }
    }
}
