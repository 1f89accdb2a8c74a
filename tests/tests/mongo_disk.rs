//! A disk that is full: the projection waits for room, and goes on.

use std::{error::Error as _, path::Path, process::Command};

use acceptance::{
    notes::{Noted, events, import},
    progress::{reaches, reaches_phase},
    server::{OwnServer, TestDatabase, with_database},
};
use bson::doc;
use projection_core::{Phase, Position, ProjectionRuntime, ViewStore as _, projection, store::SourceName};
use projection_mongo::MongoViews;
use serde::{Deserialize, Serialize};

const EVENTS: u32 = 600;
/// Of each instance's state, in bytes.
const LARGE: usize = 1_000_000;

/// A small event makes a large state, which does not compress well.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Noise {
    text: String,
}

#[projection(name = "noise", id = i64, key = event.n, batch_size = 5)]
impl Noise {
    #[on]
    fn noted(&mut self, event: &Noted) {
        self.text = noise(event.n.unsigned_abs());
    }
}

fn noise(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'!' + u8::try_from(state % 90).unwrap())
    };
    (0..LARGE).map(|_| next()).collect()
}

async fn start(test: &TestDatabase, count: u32) -> ProjectionRuntime {
    import(&test.database, 1..=count).await;
    let (events, views) = (events(&test.database).await, MongoViews::new(test.database.clone()));
    let runtime = ProjectionRuntime::builder(events, views).register::<Noise>();
    runtime.start().await.unwrap()
}

async fn is_right(test: &TestDatabase, count: u32) {
    let views = MongoViews::new(test.plain().await);
    let repository = views.open::<Noise>(&SourceName::default()).await.unwrap();
    for n in 1..=count {
        let found = repository.find_by_id(&n.into()).await.unwrap().expect("it is stored");
        assert!(found.text == noise(n.into()), "{n}");
    }
}

// spec: B33, B41
#[tokio::test]
async fn while_the_server_says_that_its_disk_is_full_the_projection_retries() {
    with_database(|test| async move {
        let point = test.fail_after(&["insert"], 3, doc! { "errorCode": 14_031 }).await;
        let runtime = start(&test, 12).await;
        reaches_phase(&runtime, Phase::Retrying).await;
        point.off().await;
        reaches(&runtime, "12", |progress| progress.position == Position::from(12)).await;
        runtime.shutdown().await;
        is_right(&test, 12).await;
    })
    .await;
}

/// A small file system of our own; taken away when it is dropped.
struct Disk(tempfile::TempDir);

impl Disk {
    fn of(size: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        run("mount", &["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"], folder.path());
        Self(folder)
    }

    fn grows_to(&self, size: &str) {
        run("mount", &["-o", &format!("remount,size={size}")], self.0.path());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

fn run(program: &str, arguments: &[&str], path: &Path) {
    let status = Command::new(program).args(arguments).arg(path).status().unwrap();
    assert!(status.success(), "{program}: {status}; this test mounts a file system, and so must be root");
}

// spec: B33, B41
#[tokio::test]
#[ignore = "mounts a file system, and so must be root; run it with `cargo xtask test -- -p acceptance --test mongo_disk -- --ignored`"]
async fn a_disk_that_is_really_full_is_waited_out() {
    let disk = Disk::of("600m");
    let server = OwnServer::start_in(tempfile::tempdir_in(disk.0.path()).unwrap(), &[]).await;
    let test = server.database().await;
    let runtime = start(&test, EVENTS).await;
    reaches_phase(&runtime, Phase::Retrying).await;
    let at = runtime.progress()[0].borrow().position;
    assert!(Position::START < at && at < Position::from(EVENTS), "{at}");
    let cause =
        runtime.list().remove(0).failure.as_ref().and_then(|failure| failure.source().map(ToString::to_string));
    println!("at {at}: {}", cause.as_deref().unwrap_or("it is trying again"));

    disk.grows_to("4g");
    if server.hello().await.is_none() {
        println!("the server has ended, and is started again");
        server.kill();
        assert!(server.start_again().await);
    }
    reaches(&runtime, "the end", |progress| progress.position == Position::from(EVENTS)).await;
    runtime.shutdown().await;
    is_right(&test, EVENTS).await;
    drop(server);
}
