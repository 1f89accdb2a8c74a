//! Comparing what is stored of a view with the history: a share of its instances is folded onto nothing, while the view
//! stands still.

use std::{collections::HashSet, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::{
    Engine, History,
    flush::anew::load,
    history::{self, Share, Which},
    target::{FlushContext, ProjectionTarget},
    waiting::retried,
};
use crate::{
    FeedError, Key, KeyMismatch, KeyRef, Position, Projection, StoreError,
    comparable::comparable,
    store::{Stored, ViewVersions, Window},
};

/// What is compared.
#[derive(Clone, Copy)]
pub(crate) struct Sample<'a> {
    pub versions: &'a dyn ViewVersions,
    /// About so many instances.
    pub instances: usize,
}

/// What a comparison found.
#[derive(Debug, Default)]
pub(crate) struct Verified {
    pub compared: usize,
    /// How many of them differ.
    pub different: usize,
    /// A few of these, in words.
    pub differences: Vec<String>,
}

/// How many differences are put into words.
const SHOWN: usize = 5;
/// How many instances are loaded at once.
const LOADED: usize = 1_000;

impl Engine {
    /// Compares about so many instances with the history up to where the view is.
    pub(crate) async fn verify(
        &mut self,
        sample: Sample<'_>,
        stop: &CancellationToken,
    ) -> Result<Verified, FeedError> {
        let history = History::of(Arc::clone(&self.source), Window { after: self.start, up_to: self.position });
        let (target, context) = self.target_with(None, stop);
        target.verify(sample, &history, &context).await
    }
}

pub(super) async fn verify<P: Projection>(
    target: &ProjectionTarget<P>,
    sample: Sample<'_>,
    history: &History,
    context: &FlushContext<'_>,
) -> Result<Verified, FeedError> {
    let repository = Arc::clone(&target.repository);
    let Some(guarded) = repository.guarded() else { return Ok(Verified::default()) };
    let (share, stored) = stored::<P>(sample, context).await?;
    let passed_over = skipped(context).await?;
    let folded = history::fold(target, &Which::Of(share), passed_over, history, context).await?;
    let all: HashSet<&P::Id> = stored.iter().chain(folded.keys()).collect();
    let all: Vec<P::Id> = all.into_iter().cloned().collect();
    let mut verified = Verified::default();
    for some in all.chunks(LOADED) {
        for (id, found) in some.iter().zip(load::<P>(guarded, some, context).await?) {
            let folded = folded.get(id).and_then(|folding| folding.state.as_ref());
            compare::<P>(id, found.as_ref(), folded, &mut verified);
        }
    }
    Ok(verified)
}

/// The share, and its instances as they are stored.
async fn stored<P: Projection>(
    sample: Sample<'_>,
    context: &FlushContext<'_>,
) -> Result<(Share, Vec<P::Id>), FeedError> {
    let failed = |error| context.identity.storage_failed("its instances cannot be read", error);
    let (name, version) = (&context.identity.projection, context.identity.version);
    let mut all = 0;
    sample.versions.ids(name, version, &mut |_| all += 1).await.map_err(failed)?;
    let share = Share::of(all, sample.instances);
    let mut ids = Ok(Vec::new());
    let mut kept = |key: KeyRef<'_>| match (id_of::<P::Id>(key), &mut ids) {
        (Ok(id), Ok(ids)) if share.has(id.as_key()) => ids.push(id),
        (Err(mismatch), Ok(_)) => ids = Err(mismatch),
        _ => {}
    };
    sample.versions.ids(name, version, &mut kept).await.map_err(failed)?;
    Ok((share, ids.map_err(|mismatch| failed(StoreError::permanent(mismatch)))?))
}

/// The id that a store tells. Some keep a UUID as text.
fn id_of<Id: Key>(key: KeyRef<'_>) -> Result<Id, KeyMismatch> {
    Id::from_key(key).or_else(|mismatch| match key {
        KeyRef::Text(text) => text.parse().map_or(Err(mismatch), |uuid| Id::from_key(KeyRef::Uuid(uuid))),
        _ => Err(mismatch),
    })
}

/// The events of instances that are recorded as skipped.
async fn skipped(context: &FlushContext<'_>) -> Result<HashSet<(String, Position)>, FeedError> {
    let key = context.identity.key();
    let recorded = || context.checkpoints.skipped(&key.projection);
    let recorded = retried(context.options.retry(), context.stop, recorded).await;
    let recorded =
        recorded.map_err(|gave_up| context.storage_gave_up("its skipped events cannot be read", gave_up))?;
    let of_this = recorded.into_iter().filter(|skipped| skipped.key == key);
    Ok(of_this.filter_map(|skipped| Some((skipped.instance?, skipped.position))).collect())
}

fn compare<P: Projection>(
    id: &P::Id,
    stored: Option<&Stored<P::State>>,
    folded: Option<&P::State>,
    verified: &mut Verified,
) {
    if stored.is_some_and(|stored| !stored.offered.is_empty()) {
        // It holds events that are in no history.
        return;
    }
    verified.compared += 1;
    let stored = stored.and_then(|stored| stored.state.as_ref());
    let text = |state: Option<&P::State>| match state.map(comparable) {
        None => "nothing".to_owned(),
        Some(Ok(json)) => json.to_string(),
        Some(Err(reason)) => reason,
    };
    let (stored, folded) = (text(stored), text(folded));
    if stored != folded {
        verified.different += 1;
        if verified.differences.len() < SHOWN {
            let id = id.as_key();
            verified.differences.push(format!("{id}: stored is {stored}, the events make {folded}"));
        }
    }
}
