//! A process that is killed in the middle of commits leaves whole flushes only, and all that were acknowledged.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use projection_core::append::{AppendEvents as _, ExpectedVersion};
use projection_core::{CheckpointStorage as _, store::Expected};
use projection_sqlite::SqliteStore;

use crate::support::{Count, File, at, change, checkpoint, commit, event, names, open};

/// Says to a copy of this program which file to write.
const FILE: &str = "PROJECTION_SQLITE_TEST_FILE";
const INSTANCES: i64 = 50;

/// The position of the stored checkpoint.
async fn stored(store: &SqliteStore) -> u32 {
    let found = store.checkpoints().load("count").await.unwrap();
    found.first().map_or(0, |found| u32::try_from(found.position.as_i64()).unwrap())
}

#[tokio::test]
#[ignore = "the other process of the test below, which starts and kills it"]
async fn commits_until_it_is_killed() {
    let Ok(path) = env::var(FILE) else { return };
    let store = SqliteStore::open(path).await.unwrap();
    let count = open::<Count>(&store).await;
    let ids: Vec<i64> = (0..INSTANCES).collect();
    for now in stored(&store).await + 1.. {
        let state = i64::from(now);
        let expected = if now == 1 { Expected::Absent } else { at(now - 1) };
        let changes: Vec<_> = ids.iter().map(|id| change(id, Some(&state), now, expected)).collect();
        let committed = commit(&count, &changes, None, Some(&checkpoint("count", now, None))).await;
        assert_eq!(names(&committed).1, "stored");
        let events = (0..3).map(|n| event(&format!("{now}-{n}")));
        store.events().append("a", ExpectedVersion::Any, events).await.unwrap();
        writeln!(std::io::stderr(), "committed {now}").unwrap();
    }
}

#[tokio::test]
async fn a_process_killed_at_any_moment_leaves_whole_flushes() {
    let file = File::new();
    let mut before = 0;
    for round in 0..12 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "killed::commits_until_it_is_killed"])
            .env(FILE, file.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut seen: Vec<String> = lines.by_ref().take(3).collect();
        thread::sleep(Duration::from_micros(round * 700));
        child.kill().unwrap();
        child.wait().unwrap();
        seen.extend(lines);
        let acknowledged =
            seen.iter().filter_map(|line| line.strip_prefix("committed ")?.parse::<u32>().ok()).max();
        let acknowledged = acknowledged.unwrap_or_else(|| panic!("it committed nothing: {seen:?}"));

        let store = file.open().await;
        let now = stored(&store).await;
        assert!(now >= acknowledged && now > before, "{now} of {acknowledged}, {before} before");
        before = now;
        let ids: Vec<i64> = (0..INSTANCES).collect();
        let found = open::<Count>(&store).await.guarded().unwrap().load(&ids).await.unwrap();
        assert_eq!(found.len(), ids.len());
        assert!(found.iter().all(|(_, found)| found.position.as_i64() == i64::from(now)));
        assert!(found.iter().all(|(_, found)| found.state == Some(i64::from(now))));

        let plain = file.plain();
        let events = "SELECT count(*), ifnull(max(position), 0) FROM events";
        let (events, last): (i64, i64) = plain.query_row(events, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!((events, events % 3), (last, 0));
        assert!(events >= i64::from(acknowledged) * 3 - i64::try_from(round).unwrap() * 3);
        let check: String = plain.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
    }
}
