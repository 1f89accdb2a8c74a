//! Many views, one scan: views of one runtime that are near each other take the same pages, read and decoded once. A view
//! that lags behind, or is far ahead, reads by itself, and comes back when it meets the others.

mod page;
mod ring;

use std::{
    any::TypeId,
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Instant,
};

use async_trait::async_trait;
use time::OffsetDateTime;
use tokio::sync::Notify;

use self::{
    page::SharedPage,
    ring::{Ring, Step},
};
use super::{
    decode::{Decode, DecodedPage, Decoders, Payload},
    source::{Source, StoreSource},
};
use crate::{
    EventRef, Filter, Position, StoreError,
    store::{EventPage as _, EventStore, SourceName, Window},
};

/// One scan of a store, for all views of a runtime.
pub(crate) struct Hub<S: EventStore> {
    store: Arc<S>,
    /// Who shares it, until the first page is read.
    joining: Mutex<Union<S>>,
    union: OnceLock<Union<S>>,
    ring: Mutex<Ring>,
    changed: Notify,
}

/// Everything that some view takes: the names, each with the types it is decoded into.
struct Union<S: EventStore> {
    kinds: HashMap<&'static str, usize>,
    decoders: Vec<Vec<Arc<dyn Decode<S>>>>,
}

impl<S: EventStore> Hub<S> {
    pub(crate) fn new(store: Arc<S>) -> Arc<Self> {
        let union = Union { kinds: HashMap::new(), decoders: Vec::new() };
        Arc::new(Self {
            store,
            joining: Mutex::new(union),
            union: OnceLock::new(),
            ring: Mutex::new(Ring::new()),
            changed: Notify::new(),
        })
    }

    /// A source for one more view. To be called before any view reads.
    pub(crate) fn join(self: &Arc<Self>, decoders: Decoders<S>) -> Arc<dyn Source> {
        {
            let mut union = self.joining.lock().unwrap_or_else(PoisonError::into_inner);
            for (name, decoder) in decoders.all() {
                union.add(name, decoder);
            }
        }
        let (member, types) = (self.ring().join(), decoders.types());
        let alone = StoreSource::new(Arc::clone(&self.store), Filter::all(), decoders);
        Arc::new(Member { hub: Arc::clone(self), member, alone, types, wanted: OnceLock::new() })
    }

    /// The name of the store's order.
    pub(crate) fn source(&self) -> SourceName {
        self.store.source()
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn union(&self) -> &Union<S> {
        self.union.get_or_init(|| self.joining.lock().unwrap_or_else(PoisonError::into_inner).take())
    }

    /// Reads and decodes the next page for all.
    async fn read(&self, window: Window, limit: usize) -> Result<SharedPage, StoreError> {
        let union = self.union();
        let names: BTreeSet<String> = union.kinds.keys().map(|name| (*name).to_owned()).collect();
        let raw = self.store.read(window, &Filter::all().with_names(names), limit).await?;
        let mut page = SharedPage::new(window.after, raw.covers());
        for event in raw.events() {
            page.push(&event, union);
        }
        Ok(page)
    }
}

impl<S: EventStore> Union<S> {
    fn add(&mut self, name: &'static str, decoder: Arc<dyn Decode<S>>) {
        let kind = *self.kinds.entry(name).or_insert_with(|| {
            self.decoders.push(Vec::new());
            self.decoders.len() - 1
        });
        let same = |other: &Arc<dyn Decode<S>>| other.makes() == decoder.makes();
        if !self.decoders[kind].iter().any(same) {
            self.decoders[kind].push(decoder);
        }
    }

    fn take(&mut self) -> Self {
        Self { kinds: std::mem::take(&mut self.kinds), decoders: std::mem::take(&mut self.decoders) }
    }
}

/// One view that shares the scan.
struct Member<S: EventStore> {
    hub: Arc<Hub<S>>,
    member: usize,
    /// For reading by itself.
    alone: StoreSource<S>,
    types: HashMap<&'static str, TypeId>,
    /// Which type it takes of each kind of event.
    wanted: OnceLock<Vec<Option<TypeId>>>,
}

impl<S: EventStore> Member<S> {
    fn wanted(&self) -> &[Option<TypeId>] {
        self.wanted.get_or_init(|| {
            let union = self.hub.union();
            let mut wanted = vec![None; union.decoders.len()];
            for (name, kind) in &union.kinds {
                wanted[*kind] = self.types.get(name).copied();
            }
            wanted
        })
    }

    /// Reads the next page for all, and puts it where all find it.
    async fn read_for_all(&self, window: Window, limit: usize) -> Result<(), StoreError> {
        // Also when this future is dropped, another may read.
        let reading = Reading { ring: &self.hub.ring, changed: &self.hub.changed };
        let page = self.hub.read(window, limit).await?;
        self.hub.ring().push(page);
        drop(reading);
        Ok(())
    }
}

/// Ends a read for all.
struct Reading<'a> {
    ring: &'a Mutex<Ring>,
    changed: &'a Notify,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner).has_read();
        self.changed.notify_waiters();
    }
}

#[async_trait]
impl<S: EventStore> Source for Member<S> {
    fn name(&self) -> SourceName {
        self.alone.name()
    }

    fn filter(&self) -> &Filter {
        self.alone.filter()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        self.alone.mark().await
    }

    async fn read(&self, window: Window, limit: usize) -> Result<DecodedPage, StoreError> {
        let started = Instant::now();
        loop {
            let changed = self.hub.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let step = self.hub.ring().step(self.member, window, Instant::now());
            match step {
                Step::Take(page) => {
                    // It may have been the last to take an older one.
                    self.hub.changed.notify_waiters();
                    return Ok(page.cut(window, self.wanted(), started.elapsed()));
                }
                Step::Read(window) => self.read_for_all(window, limit).await?,
                Step::Alone(window) => return self.alone.read(window, limit).await,
                Step::Wait(until) => {
                    tokio::select! {
                        () = changed => {}
                        () = tokio::time::sleep_until(until.into()) => {}
                    }
                }
            }
        }
    }

    async fn read_anew(&self, window: Window, limit: usize) -> Result<DecodedPage, StoreError> {
        self.alone.read(window, limit).await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        self.alone.locate(events).await
    }

    async fn before(&self, time: OffsetDateTime) -> Result<Position, StoreError> {
        self.alone.before(time).await
    }

    async fn held_by(&self) -> Result<Option<String>, StoreError> {
        self.alone.held_by().await
    }

    fn decode_json(&self, name: &str, data: &serde_json::Value) -> Option<Result<Payload, StoreError>> {
        self.alone.decode_json(name, data)
    }
}
