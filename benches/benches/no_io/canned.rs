//! An event store that hands out BSON from memory, made before the clock starts.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use benches::{
    account::{Account, Deposited, Noted, Withdrawn},
    generate::{Happened, Shape},
};
use projection_core::{
    Event, EventMetadata, EventRef, EventStore, Filter, Position, StoreError,
    store::{EventPage, RawEvent, SourceName, Window},
};
use serde::de::DeserializeOwned;

/// A history in memory.
#[derive(Clone)]
pub(crate) struct CannedEvents {
    events: Arc<[Canned]>,
    happened: Arc<[Happened]>,
}

#[derive(Clone)]
struct Canned {
    meta: EventMetadata,
    data: Vec<u8>,
}

impl CannedEvents {
    pub(crate) fn of(shape: Shape) -> Self {
        let happened: Arc<[Happened]> = shape.history().collect();
        let names: HashMap<&str, Arc<str>> =
            [Deposited::NAME, Withdrawn::NAME, Noted::NAME].into_iter().map(|name| (name, name.into())).collect();
        let source: Arc<str> = "bench".into();
        let canned = happened.iter().zip(1_u32..).map(|(happened, position)| {
            let (name, account, data) = match happened {
                Happened::Deposited(event) => (Deposited::NAME, event.account, bson::serialize_to_vec(event)),
                Happened::Withdrawn(event) => (Withdrawn::NAME, event.account, bson::serialize_to_vec(event)),
                Happened::Noted(event) => (Noted::NAME, event.account, bson::serialize_to_vec(event)),
            };
            let event = EventRef::new(Arc::clone(&source), format!("e-{position}"));
            let stream = format!("account-{account}");
            let meta = EventMetadata::new(position.into(), event, Arc::clone(&names[name]), stream);
            Canned { meta, data: data.unwrap() }
        });
        let events = canned.collect();
        Self { events, happened }
    }

    /// Decodes every event, and nothing else.
    pub(crate) fn decode_all(&self) -> usize {
        self.events
            .iter()
            .filter(|event| match event.meta.name() {
                Deposited::NAME => {
                    std::hint::black_box(bson::deserialize_from_slice::<Deposited>(&event.data)).is_ok()
                }
                Withdrawn::NAME => {
                    std::hint::black_box(bson::deserialize_from_slice::<Withdrawn>(&event.data)).is_ok()
                }
                _ => std::hint::black_box(bson::deserialize_from_slice::<Noted>(&event.data)).is_ok(),
            })
            .count()
    }

    /// Applies every event, decoded before, to a state in a map: what is left where nothing is generic.
    pub(crate) fn fold_all(&self) -> usize {
        let mut accounts: HashMap<i64, Account> = HashMap::new();
        for happened in self.happened.iter() {
            match happened {
                Happened::Deposited(event) => accounts.entry(event.account).or_default().deposited(event),
                Happened::Withdrawn(event) => accounts.entry(event.account).or_default().withdrawn(event),
                Happened::Noted(event) => accounts.entry(event.account).or_default().noted(event),
            }
        }
        accounts.len()
    }
}

#[async_trait]
impl EventStore for CannedEvents {
    type Page = Page;

    fn source(&self) -> SourceName {
        SourceName::default()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        Position::try_from(self.events.len() as u64).map_err(StoreError::permanent)
    }

    async fn read(&self, window: Window, _: &Filter, limit: usize) -> Result<Page, StoreError> {
        let place = |position: Position| usize::try_from(position.as_i64()).unwrap();
        let (from, end) = (place(window.after), place(window.up_to));
        Ok(Page { store: self.clone(), from, to: end.min(from + limit) })
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        Ok(vec![None; events.len()])
    }
}

/// A part of the history.
pub(crate) struct Page {
    store: CannedEvents,
    from: usize,
    to: usize,
}

impl EventPage for Page {
    type Raw<'a> = Raw<'a>;

    fn events(&self) -> impl Iterator<Item = Raw<'_>> + Send {
        self.store.events[self.from..self.to].iter().map(Raw)
    }

    fn covers(&self) -> Position {
        Position::from(u32::try_from(self.to).unwrap())
    }
}

/// One event of it.
pub(crate) struct Raw<'a>(&'a Canned);

impl RawEvent for Raw<'_> {
    fn position(&self) -> Position {
        self.0.meta.position()
    }

    fn name(&self) -> &str {
        self.0.meta.name()
    }

    fn size(&self) -> usize {
        self.0.data.len()
    }

    fn metadata(&self) -> EventMetadata {
        self.0.meta.clone()
    }

    fn decode<E: DeserializeOwned>(&self) -> Result<E, StoreError> {
        bson::deserialize_from_slice(&self.0.data).map_err(StoreError::poison)
    }
}
