//! A replica set of a test's own, whose primary may step down or be killed.

use std::time::{Duration, Instant};

use bson::{Document, doc};

use super::{IMPATIENT, LIMIT, OwnServer};
use crate::server::TestDatabase;

const NAME: &str = "own";

/// A replica set of a test's own.
#[derive(Debug)]
pub struct OwnReplicaSet {
    members: Vec<OwnServer>,
}

impl OwnReplicaSet {
    /// Starts so many members that elect a primary soon; one takes writes when this returns.
    pub async fn of(members: usize) -> Self {
        Self::start(members, &[]).await
    }

    /// The same, with these arguments to each member.
    pub async fn start(members: usize, arguments: &[&str]) -> Self {
        let arguments = [&["--replSet", NAME], arguments].concat();
        let start = (0..members).map(|_| OwnServer::start(&arguments));
        let set = Self { members: futures::future::join_all(start).await };
        let hosts = set.members.iter().zip(0..).map(|(member, id)| doc! { "_id": id, "host": member.address() });
        let config = doc! {
            "_id": NAME, "members": hosts.collect::<Vec<_>>(),
            "settings": { "electionTimeoutMillis": 1000, "heartbeatIntervalMillis": 200 },
        };
        let admin = set.members[0].admin().await;
        admin.run_command(doc! { "replSetInitiate": config }).await.unwrap();
        set.settled().await;
        set
    }

    /// Where to connect to, by a client that soon notices when a member is away.
    #[must_use]
    pub fn uri(&self) -> String {
        let hosts: Vec<_> = self.members.iter().map(OwnServer::address).collect();
        format!("mongodb://{}/?replicaSet={NAME}&{IMPATIENT}", hosts.join(","))
    }

    /// A database on it.
    pub async fn database(&self) -> TestDatabase {
        TestDatabase::at(&self.uri()).await
    }

    /// The only member of a set of one, or the first.
    #[must_use]
    pub fn first(&self) -> &OwnServer {
        &self.members[0]
    }

    /// Waits until one member takes writes and the others follow it.
    pub async fn settled(&self) {
        let since = Instant::now();
        loop {
            let all = futures::future::join_all(self.members.iter().map(OwnServer::hello)).await;
            let count = |role: &str| {
                let has = |hello: &&Document| hello.get_bool(role).unwrap_or(false);
                all.iter().flatten().filter(has).count()
            };
            if count("isWritablePrimary") == 1 && count("secondary") == self.members.len() - 1 {
                return;
            }
            assert!(since.elapsed() < LIMIT, "no primary with all others after it: {all:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The member that takes writes.
    pub async fn primary(&self) -> &OwnServer {
        self.settled().await;
        let all: Vec<_> = self.members.iter().collect();
        takes_writes(&all).await.expect("it did not step down while we looked")
    }

    /// All members but this one.
    #[must_use]
    pub fn others(&self, than: &OwnServer) -> Vec<&OwnServer> {
        self.members.iter().filter(|member| !std::ptr::eq(*member, than)).collect()
    }

    /// Another member becomes the primary.
    pub async fn step_down(&self) {
        let admin = self.primary().await.admin().await;
        admin.run_command(doc! { "replSetStepDown": 3, "secondaryCatchUpPeriodSecs": 2 }).await.unwrap();
    }

    /// The primary is killed, another is elected, and the one that was killed comes back.
    pub async fn lose_primary(&self) {
        let primary = self.primary().await;
        primary.kill();
        self.takes_over_from(primary).await;
        assert!(primary.start_again().await, "the port of the one that was killed is taken");
    }

    /// Waits until another member takes writes than this one, which was killed.
    pub async fn takes_over_from(&self, killed: &OwnServer) {
        let (others, since) = (self.others(killed), Instant::now());
        while takes_writes(&others).await.is_none() {
            assert!(since.elapsed() < LIMIT, "no other primary is elected");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

async fn takes_writes<'a>(members: &[&'a OwnServer]) -> Option<&'a OwnServer> {
    for member in members {
        if member.hello().await.is_some_and(|hello| hello.get_bool("isWritablePrimary").unwrap_or(false)) {
            return Some(member);
        }
    }
    None
}
