//! The ways in MongoDB.

mod by_hand;
mod connect;
mod dataset;
mod floors;
mod target;

use anyhow::{Result, bail};
use mongodb::{
    Database,
    options::{Acknowledgment, WriteConcern},
};
use projection_core::ProjectionRuntime;
use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews};

pub(crate) use connect::Server;
pub(crate) use dataset::prepare;
pub(crate) use target::{check, clean_up, make_ready};

use crate::{
    account::Account,
    measure::{Measured, Ran, Sent, clocked},
    ours,
    spec::{Spec, Work},
    way::Way,
};

/// The collection of the events, in a database of their own.
const EVENTS: &str = "events";
/// The collection of the accounts that are written by hand.
const BY_HAND: &str = "accounts";

/// One run in this process.
pub(crate) async fn run(uri: &str, spec: &Spec) -> Result<Measured> {
    let Work::Accounts { shape, way, events: limit, majority } = &spec.work else {
        bail!("not a run over the made-up history");
    };
    let server = Server::connect(uri, spec.counting).await?;
    let history = server.database(&dataset::name(shape));
    let target = server.database(&target::name(shape));
    let concern = concern(*majority);
    match way {
        Way::Rebuild | Way::Default => {
            let work = async {
                let events = MongoEvents::open(&history, EVENTS, MongoEventsOptions::new()).await?;
                let tuning = spec.tuning;
                let builder = ProjectionRuntime::builder(events, MongoViews::new(target))
                    .register_with::<Account>(move |options| tuning.apply(options));
                let replayed = ours::replay(tuning.of_runtime(builder), spec.telling).await?;
                Ok(Ran { events: shape.events, replayed: Some(replayed) })
            };
            server.measured(work).await
        }
        Way::PerEvent | Way::PerEventOne => {
            server.measured(by_hand::per_event(&history, &target, *limit, concern)).await
        }
        Way::PlainBatch => server.measured(by_hand::batches(&history, &target, *limit, concern)).await,
        Way::Scan => server.measured(floors::scan(&history)).await,
        Way::Decode => server.measured(floors::decode(&history)).await,
        Way::Insert => {
            let states = floors::documents(shape)?;
            server.measured(floors::insert(&target, states, concern)).await
        }
    }
}

impl Server {
    /// Does the work between two looks at clocks and counters.
    pub(crate) async fn measured(&self, work: impl Future<Output = Result<Ran>>) -> Result<Measured> {
        let (cpu, sent) = (connect::cpu(self.client()).await?, self.sent());
        let measured = clocked(work).await?;
        let sent = self.sent().zip(sent).map(|(after, before)| Sent {
            round_trips: after.round_trips - before.round_trips,
            statements: after.statements - before.statements,
        });
        let server_cpu = connect::cpu(self.client()).await?.zip(cpu).map(|(after, before)| after - before);
        Ok(Measured { server_cpu, sent, ..measured })
    }
}

fn concern(majority: bool) -> WriteConcern {
    let w = if majority { Acknowledgment::Majority } else { Acknowledgment::Nodes(1) };
    WriteConcern::builder().w(w).build()
}

/// The events in position order, without `_id`s and other things that nobody needs.
fn events<T: Send + Sync>(history: &Database) -> mongodb::Collection<T> {
    history.collection(EVENTS)
}
