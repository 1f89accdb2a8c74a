//! A new version of a view takes the place of the one that readers see.

use std::{sync::Arc, time::Duration};

use super::{ProjectionRuntime, UnknownProjection, worker::Worker};
use crate::{
    FeedError, Position, Projection, StoreError,
    engine::Sample,
    store::{Preparation, ViewVersions},
};

/// How a version takes the place of another; see [`ProjectionRuntime::rebuild`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "give it to `ProjectionRuntime::rebuild`"]
pub struct Rebuild {
    check: Option<usize>,
    goes_back: bool,
    without: Vec<String>,
}

impl Rebuild {
    /// Without a check, forwards only, with every index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares about so many instances with what the events make of them, and refuses to switch if one differs, is missing,
    /// or is there although it should not be. All, if there are no more. It reads the whole history once more and holds
    /// that many states in memory; the new version stands still meanwhile, the one that readers see does not.
    pub fn checking(mut self, instances: usize) -> Self {
        self.check = Some(instances);
        self
    }

    /// Also takes the place of a *newer* version: for a release that is taken back. It is caught up first, too. Without it
    /// a process of an older release that starts again in the middle of a deployment changes nothing.
    pub fn going_back(mut self) -> Self {
        self.goes_back = true;
        self
    }

    /// Leaves out an index that somebody made on the version that readers see now; all others are copied.
    pub fn without_index(mut self, name: impl Into<String>) -> Self {
        self.without.push(name.into());
        self
    }
}

/// How a rebuild ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rebuilt {
    /// Readers see this version now.
    Switched {
        /// What they saw before.
        from: Option<u32>,
        /// How far this version was; at least as far as the other.
        position: Position,
        /// How many instances were compared with the events.
        compared: usize,
    },
    /// Readers saw this version already, or another process was faster.
    Already,
    /// Readers see a newer version, and nothing was changed: say [`Rebuild::going_back`] if that is meant.
    Newer {
        /// Which.
        shown: u32,
    },
}

/// Why a version did not take the place of another. Readers see what they saw before.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RebuildError {
    /// The view has no versions.
    #[error(
        "the view of `{projection}` has one home for all its versions, such as a repository of your own or a plain \
         collection: empty it to build the view anew"
    )]
    NoVersions {
        /// The projection.
        projection: String,
    },
    /// What is stored is not what the events make.
    #[error(
        "version {version} of `{projection}` is not shown: {different} of {compared} instances differ from what the events \
         make of them. Did the handlers change without a new version, or does a state not come back from the store as it \
         was? {}",
        .differences.join("; ")
    )]
    Different {
        /// The projection.
        projection: String,
        /// The version that was checked.
        version: u32,
        /// How many instances were compared.
        compared: usize,
        /// How many differ.
        different: usize,
        /// A few of them, in words.
        differences: Vec<String>,
    },
    /// The store failed.
    #[error("projection `{projection}`: {what}: {source}")]
    Store {
        /// The projection.
        projection: String,
        /// What could not be done.
        what: &'static str,
        /// Why.
        source: StoreError,
    },
    /// No projection of this type is registered.
    #[error(transparent)]
    Unknown(#[from] UnknownProjection),
    /// The projection has failed, or was paused.
    #[error(transparent)]
    Feed(#[from] FeedError),
}

/// How often it is looked how far the versions are.
const LOOK: Duration = Duration::from_millis(200);

impl ProjectionRuntime {
    /// Lets the version of `P` that this process feeds take the place of the one that readers see, once it is ready.
    ///
    /// Whoever raises a projection's `version` gets a second view beside the first: the new one is replayed from the
    /// beginning, while readers see the old one, which a process with its code keeps up to date, if one runs. This waits until the
    /// new one is live and has come as far as the old one's checkpoint, makes its indexes (those it declares, then those that
    /// you made on the old one), checks it, if you say so, and lets `<name>` show it, in one step. Nobody sees half a view.
    ///
    /// Every process may call it at each start. Where another feeds the view it waits until that one has switched. Broken
    /// off anywhere, it goes on when it is called again. The old version's data stays where it is, so that you can
    /// [go back](Rebuild::going_back).
    ///
    /// ```
    /// # use projection_core::{*, memory::*, runtime::{ProjectionRuntime, Rebuild}};
    /// # #[derive(serde::Serialize, serde::Deserialize, Event)] #[event(name = "Deposited")] struct Deposited { cents: i64 }
    /// # #[derive(Default, serde::Serialize, serde::Deserialize)] struct Balance { cents: i64 }
    /// # #[projection(name = "balance", version = 2)]
    /// # impl Balance { #[on] fn deposited(&mut self, event: &Deposited) { self.cents += event.cents; } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (events, views) = (InMemoryEventStore::new(), InMemoryViews::new());
    /// let runtime = ProjectionRuntime::builder(events, views)
    ///     .register_with::<Balance>(|options| options.memory_budget(256 << 20))
    ///     .start()
    ///     .await?;
    /// let rebuilt = runtime.rebuild::<Balance>(Rebuild::new().checking(1_000)).await?;
    /// # drop(rebuilt);
    /// # Ok(()) }
    /// ```
    ///
    /// A few round trips, two every 200 ms while it waits, one for each index; with a check, the history, and the instances
    /// that are compared.
    ///
    /// # Errors
    ///
    /// When `P` was not registered, its view has one home for all versions, an instance differs from what the events make
    /// of it, the projection has failed or was paused, or the store fails.
    pub async fn rebuild<P: Projection>(&self, how: Rebuild) -> Result<Rebuilt, RebuildError> {
        let worker = self.worker(P::NAME)?;
        let versions = worker.versions.clone();
        let versions = versions.ok_or_else(|| RebuildError::NoVersions { projection: P::NAME.to_owned() })?;
        Switch { worker, versions, how, version: P::VERSION }.run(&P::indexes()).await
    }
}

struct Switch<'a> {
    worker: &'a Worker,
    versions: Arc<dyn ViewVersions>,
    how: Rebuild,
    version: u32,
}

/// What is to be done about what readers see.
enum Due {
    /// This version is as far, and readers see that one.
    Switch {
        from: Option<u32>,
        position: Position,
    },
    Nothing(Rebuilt),
}

impl Switch<'_> {
    async fn run(self, indexes: &[crate::Index]) -> Result<Rebuilt, RebuildError> {
        let name = self.worker.name.as_str();
        let like = match self.due().await? {
            Due::Nothing(ended) => return Ok(ended),
            Due::Switch { from, .. } => from,
        };
        let without = self.how.without.as_slice();
        let made =
            self.versions.prepare(Preparation { projection: name, version: self.version, indexes, like, without });
        made.await.map_err(|source| self.failed("its indexes cannot be made", source))?;
        let mut compared = None;
        loop {
            // Another process may feed it now, or have switched; and the other version may be ahead again.
            let (from, position) = match self.due().await? {
                Due::Nothing(ended) => return Ok(ended),
                Due::Switch { from, position } => (from, position),
            };
            let Some(compared) = compared else {
                compared = self.check().await?;
                continue;
            };
            let shown = self.versions.show(name, self.version).await;
            shown.map_err(|source| self.failed("readers cannot be shown its new version", source))?;
            tracing::info!(projection = name, version = self.version, ?from, %position, "readers see a new version");
            return Ok(Rebuilt::Switched { from, position, compared });
        }
    }

    /// Waits until something is due.
    async fn due(&self) -> Result<Due, RebuildError> {
        let shown = || self.versions.shown(&self.worker.name);
        loop {
            let shown = shown().await.map_err(|source| self.failed("what readers see cannot be found", source))?;
            match shown {
                Some(shown) if shown == self.version => return Ok(Due::Nothing(Rebuilt::Already)),
                Some(shown) if shown > self.version && !self.how.goes_back => {
                    return Ok(Due::Nothing(Rebuilt::Newer { shown }));
                }
                _ => {}
            }
            let other = match shown {
                Some(shown) => self.worker.feed.reached_by(shown).await?,
                None => None,
            };
            if let Some(position) = self.worker.feed.live_at()?
                && other.is_none_or(|other| other <= position)
            {
                return Ok(Due::Switch { from: shown, position });
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// How many instances were compared; `None` when this process does not feed the view any more.
    async fn check(&self) -> Result<Option<usize>, RebuildError> {
        let Some(instances) = self.how.check else { return Ok(Some(0)) };
        let sample = Sample { versions: self.versions.as_ref(), instances };
        let Some(verified) = self.worker.feed.verify(sample).await? else { return Ok(None) };
        if verified.different == 0 {
            return Ok(Some(verified.compared));
        }
        Err(RebuildError::Different {
            projection: self.worker.name.clone(),
            version: self.version,
            compared: verified.compared,
            different: verified.different,
            differences: verified.differences,
        })
    }

    fn failed(&self, what: &'static str, source: StoreError) -> RebuildError {
        RebuildError::Store { projection: self.worker.name.clone(), what, source }
    }
}
