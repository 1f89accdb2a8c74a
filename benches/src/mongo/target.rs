//! The view before a run, empty or filled, and after it, checked.

use anyhow::{Context, Result, bail};
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongodb::Database;
use projection_core::ProjectionRuntime;
use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews, MongoViewsOptions};

use super::{BY_HAND, Server, dataset};
use crate::{
    account::Account,
    dataset::Dataset,
    generate::{Shape, Totals},
    measure::Measured,
    options::Tuning,
    ours,
    plain::StoredAccount,
    way::Way,
};

/// The database that each run over this history writes to.
pub(super) fn name(shape: &Shape) -> String {
    format!("{}_view", dataset::name(shape))
}

/// Drops what the runs have written, and the history too if it is not to be kept.
pub(crate) async fn clean_up(uri: &str, shape: &Shape, forget: bool) -> Result<()> {
    let server = Server::connect(uri, false).await?;
    server.database(&name(shape)).drop().await?;
    if forget {
        server.database(&dataset::name(shape)).drop().await?;
    }
    Ok(())
}

/// Empties the target; fills it with what one event for each account makes, if asked. What is left to write of earlier
/// runs is written before this one begins.
pub(crate) async fn make_ready(uri: &str, shape: &Shape, way: Way, filled: bool) -> Result<()> {
    let server = Server::connect(uri, false).await?;
    let target = server.database(&name(shape));
    target.drop().await?;
    if filled && way.is_ours() {
        fill_ours(&server.database(&dataset::name(shape)), &target).await?;
    } else if filled && way.writes() && way != Way::Insert {
        fill_by_hand(shape, &target).await?;
    }
    server.database("admin").run_command(doc! { "fsync": 1 }).await?;
    Ok(())
}

/// A replay of its own, whose checkpoint is kept elsewhere: the measured one begins anew, over instances that are there.
async fn fill_ours(history: &Database, target: &Database) -> Result<()> {
    let events = MongoEvents::open(history, dataset::OPENING, MongoEventsOptions::new()).await?;
    let options = MongoViewsOptions::new()
        .with_checkpoints("opening.checkpoints", "opening.skipped")
        .with_leases("opening.leases", "opening.fences");
    let views = MongoViews::with_options(target.clone(), options);
    let tuning = Tuning { rebuild: true, ..Tuning::default() };
    let builder =
        ProjectionRuntime::builder(events, views).register_with::<Account>(move |options| tuning.apply(options));
    ours::replay(builder, false).await?;
    Ok(())
}

async fn fill_by_hand(shape: &Shape, target: &Database) -> Result<()> {
    let accounts = target.collection::<StoredAccount>(BY_HAND);
    let ids: Vec<i64> = (0..shape.instances.cast_signed()).collect();
    for some in ids.chunks(10_000) {
        let documents = some.iter().map(|id| {
            let state = Account { events: 1, ..Account::default() };
            StoredAccount { id: *id, state }
        });
        accounts.insert_many(documents).ordered(false).await?;
    }
    Ok(())
}

/// Whether the view is what the events that were applied make.
pub(crate) async fn check(
    uri: &str,
    dataset: &Dataset,
    shape: &Shape,
    way: Way,
    measured: &Measured,
    filled: bool,
) -> Result<()> {
    if !way.writes() {
        return Ok(());
    }
    let server = Server::connect(uri, false).await?;
    let found = totals(&server.database(&name(shape)), way).await?;
    let opened = filled && way != Way::Insert;
    let whole = way == Way::Insert || measured.events == shape.events;
    let expected = match (opened, whole) {
        (false, true) => dataset.totals,
        (true, true) => dataset.totals.after_opening(shape.instances.cast_signed()),
        // Of a part of the history, only the number of events is known.
        (_, false) => {
            let opening = if opened { shape.instances } else { 0 };
            Totals { events: (measured.events + opening).cast_signed(), ..found }
        }
    };
    if found != expected {
        bail!("{}: the view holds {found:?}, and the events make {expected:?}", way.title());
    }
    Ok(())
}

async fn totals(target: &Database, way: Way) -> Result<Totals> {
    let state = if way.is_ours() { "$" } else { "$state." };
    let sum = |field: &str| doc! { "$sum": format!("{state}{field}") };
    let group = doc! { "$group": {
        "_id": Bson::Null, "instances": { "$sum": 1_i64 },
        "events": sum("events"), "cents": sum("cents"), "last": sum("last"),
    } };
    let mut groups = target.collection::<Document>(BY_HAND).aggregate([group]).await?;
    let group = groups.try_next().await?.context("the view is empty")?;
    let field = |name: &str| group.get_i64(name).with_context(|| format!("the sum of {name} is no whole number"));
    Ok(Totals {
        instances: field("instances")?,
        events: field("events")?,
        cents: field("cents")?,
        last: field("last")?,
    })
}
