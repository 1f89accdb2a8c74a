//! A connection that counts what it sends, if it is told to, and what the server says of itself.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, Result};
use bson::{Document, doc};
use mongodb::{
    Client, Database,
    event::{EventHandler, command::CommandEvent},
    options::ClientOptions,
};

use crate::measure::Sent;

/// A server, by a client of its own.
pub(crate) struct Server {
    client: Client,
    counters: Option<Arc<Counters>>,
}

#[derive(Default)]
struct Counters {
    round_trips: AtomicU64,
    statements: AtomicU64,
}

impl Server {
    /// Connects, and asks whether the server is there.
    pub(crate) async fn connect(uri: &str, counting: bool) -> Result<Self> {
        let mut options = ClientOptions::parse(uri).await.with_context(|| format!("{uri:?} is no MongoDB URI"))?;
        options.server_selection_timeout.get_or_insert(Duration::from_secs(10));
        options.app_name.get_or_insert_with(|| "bench-replay".to_owned());
        let counters = counting.then(Arc::<Counters>::default);
        // The driver builds a document of every command and reply for whoever listens, which costs more than sending it.
        options.command_event_handler = counters.clone().map(|counters| {
            EventHandler::callback(move |event| {
                if let CommandEvent::Started(started) = event {
                    counters.round_trips.fetch_add(1, Ordering::Relaxed);
                    counters.statements.fetch_add(statements(&started.command), Ordering::Relaxed);
                }
            })
        });
        let client = Client::with_options(options)?;
        let server = Self { client, counters };
        let ping = server.client.database("admin").run_command(doc! { "ping": 1 }).await;
        ping.with_context(|| format!("no MongoDB answers at {uri}: start one with `cargo xtask services up`"))?;
        Ok(server)
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn database(&self, name: &str) -> Database {
        self.client.database(name)
    }

    /// What was sent so far, if it is counted.
    pub(crate) fn sent(&self) -> Option<Sent> {
        self.counters.as_ref().map(|counters| Sent {
            round_trips: counters.round_trips.load(Ordering::Relaxed),
            statements: counters.statements.load(Ordering::Relaxed),
        })
    }
}

/// One for each document that is written, one for any other command.
fn statements(command: &Document) -> u64 {
    let written = ["documents", "updates", "deletes"].into_iter().find_map(|list| command.get_array(list).ok());
    written.map_or(1, |written| written.len() as u64)
}

/// Processor time of the server so far, in seconds; `None` where it does not say.
pub(super) async fn cpu(client: &Client) -> Result<Option<f64>> {
    let status = client.database("admin").run_command(doc! { "serverStatus": 1 }).await?;
    let extra = status.get_document("extra_info").ok();
    let microseconds = |field: &str| extra?.get_i64(field).ok();
    let times = microseconds("user_time_us").zip(microseconds("system_time_us"));
    Ok(times.map(|(user, system)| (user + system) as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_a_document_that_is_written_or_a_command_that_is_not() {
        assert_eq!(statements(&doc! { "insert": "a", "documents": [{ "_id": 1 }, { "_id": 2 }] }), 2);
        assert_eq!(statements(&doc! { "update": "a", "updates": [{ "q": {}, "u": {} }] }), 1);
        assert_eq!(statements(&doc! { "find": "a", "filter": { "_id": { "$in": [1, 2, 3] } } }), 1);
    }
}
