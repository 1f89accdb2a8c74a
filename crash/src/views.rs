//! The views that are replayed: a counter for each airline, flights in the air that are created and deleted, airports
//! where an event changes two instances, one instance of all.

use std::collections::BTreeMap;

use anyhow::Result;
use flights::{
    stored::StoredViews,
    views::{Airborne, AirportTraffic, Punctuality, Records},
};
use projection_core::{
    EventStore, Key, MaterializedViewOptionsBuilder, Projection, ViewStore, runtime::ProjectionRuntimeBuilder,
};

/// Registers all of them.
pub(crate) fn register<E: EventStore, V: ViewStore>(
    builder: ProjectionRuntimeBuilder<E, V>,
    batch_size: usize,
    memory_budget: Option<usize>,
) -> ProjectionRuntimeBuilder<E, V> {
    let configure = move |options: MaterializedViewOptionsBuilder| {
        let options = options.batch_size(batch_size);
        match memory_budget {
            Some(bytes) => options.memory_budget(bytes),
            None => options,
        }
    };
    builder
        .register_with::<Punctuality>(configure)
        .register_with::<Airborne>(configure)
        .register_with::<AirportTraffic>(configure)
        .register_with::<Records>(configure)
}

/// Their names.
pub(crate) const NAMES: [&str; 4] = [Punctuality::NAME, Airborne::NAME, AirportTraffic::NAME, Records::NAME];

/// The documents of all views: by view, by id, as JSON.
pub(crate) type Documents = BTreeMap<String, BTreeMap<String, String>>;

/// Reads all documents.
pub(crate) async fn documents(stored: &impl StoredViews) -> Result<Documents> {
    let mut all = Documents::new();
    read::<Punctuality>(stored, &mut all).await?;
    read::<Airborne>(stored, &mut all).await?;
    read::<AirportTraffic>(stored, &mut all).await?;
    read::<Records>(stored, &mut all).await?;
    Ok(all)
}

async fn read<P: Projection>(stored: &impl StoredViews, all: &mut Documents) -> Result<()> {
    let mut documents = BTreeMap::new();
    let mut failed = None;
    let visit = |id: P::Id, state: P::State| match serde_json::to_string(&state) {
        Ok(json) => drop(documents.insert(id.as_key().to_string(), json)),
        Err(error) => failed = Some(error),
    };
    stored.each::<P>(visit).await?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    all.insert(P::NAME.to_owned(), documents);
    Ok(())
}
