//! The history as the store holds it now, and instances folded from it, in memory, onto nothing.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

use indexmap::IndexMap;

use super::{
    DecodedEvent, Folding, Passed,
    batch::Batch,
    fold_instance, route,
    source::Source,
    target::{FlushContext, ProjectionTarget},
    waiting::retried,
};
use crate::{FeedError, Key, KeyRef, OnPoison, Position, Projection, StoreError, store::Window};

/// How many events are read at once.
const PAGE: usize = 2_000;

/// What instances are folded anew from.
pub(crate) struct History {
    source: Arc<dyn Source>,
    /// From where the view began to where it is.
    pub window: Window,
}

impl History {
    pub(crate) fn of(source: Arc<dyn Source>, window: Window) -> Self {
        Self { source, window }
    }

    /// The next page after `after`, as the store holds it now.
    async fn page(
        &self,
        after: Position,
        context: &FlushContext<'_>,
    ) -> Result<(Vec<Arc<DecodedEvent>>, Position), FeedError> {
        let rest = Window { after, ..self.window };
        let read = || self.source.read_anew(rest, PAGE);
        let page = retried(context.options.retry(), context.stop, read).await;
        let page = page.map_err(|gave_up| context.storage_gave_up("its history cannot be read again", gave_up))?;
        Ok((page.events, page.covers))
    }
}

/// Instances as the history makes them.
pub(super) type Anew<P> = IndexMap<<P as Projection>::Id, Folding<<P as Projection>::State>>;

/// Which instances are folded.
pub(super) enum Which<'a, Id> {
    These(&'a [Id]),
    /// Those of this share.
    Of(Share),
}

/// One in so many instances, always the same ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share(u64);

impl Share {
    /// Of `all` instances about `some`, or all of them.
    pub(super) fn of(all: usize, some: usize) -> Self {
        Self(all.div_ceil(some.max(1)).max(1) as u64)
    }

    pub(super) fn has(self, id: KeyRef<'_>) -> bool {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        hasher.finish().is_multiple_of(self.0)
    }
}

/// Routes an event; one that cannot be is passed over or fails, as the options say.
pub(super) fn put<P: Projection>(
    target: &ProjectionTarget<P>,
    batch: &mut Batch<P::Id>,
    event: &Arc<DecodedEvent>,
    context: &FlushContext<'_>,
) -> Result<(), FeedError> {
    match route(&target.table, batch, event) {
        Err(source) if context.options.on_poison() != OnPoison::Skip => {
            Err(context.identity.poison(event, None, source))
        }
        _ => Ok(()),
    }
}

/// Folds the history, but for those events of instances that `except` names; anew without an event whose handler panicked
/// and that is to be skipped.
pub(super) async fn fold<P: Projection>(
    target: &ProjectionTarget<P>,
    which: &Which<'_, P::Id>,
    mut except: HashSet<(String, Position)>,
    history: &History,
    context: &FlushContext<'_>,
) -> Result<Anew<P>, FeedError> {
    'anew: loop {
        let these = if let Which::These(ids) = which { *ids } else { &[] };
        let mut anew: Anew<P> = these.iter().map(|id| (id.clone(), Folding::from_stored(None))).collect();
        let mut covered = history.window.after;
        while covered < history.window.up_to {
            context.go_on()?;
            let (events, covers) = history.page(covered, context).await?;
            covered = covers;
            for event in &events {
                let mut batch = Batch::new();
                put(target, &mut batch, event, context)?;
                for (id, steps) in batch.instances {
                    let wanted = match which {
                        Which::These(_) => anew.contains_key(&id),
                        Which::Of(share) => share.has(id.as_key()),
                    };
                    if !wanted {
                        continue;
                    }
                    let at = (id.as_key().to_string(), event.meta.position());
                    if !target.parked.takes(&at.0, at.1) {
                        continue;
                    }
                    let skip = [except.contains(&at)];
                    let folding = anew.entry(id.clone()).or_insert_with(|| Folding::from_stored(None));
                    let Err(panicked) = fold_instance(&target.table, &id, folding, &steps, &skip) else { continue };
                    if context.options.on_poison() != OnPoison::Skip {
                        let source = StoreError::poison(format!("its handler {}", panicked.message));
                        return Err(context.identity.poison(event, Some(at.0), source));
                    }
                    let mut passed = Passed::default();
                    passed.skipped.push(context.identity.skipped(event, Some(at.0.clone()), &panicked.message));
                    context.record(&passed).await?;
                    except.insert(at);
                    continue 'anew;
                }
            }
        }
        return Ok(anew);
    }
}
