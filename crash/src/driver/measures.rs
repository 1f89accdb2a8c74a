//! What the journal of a run tells: batches flushed again, times to take over, commits that came too late.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use crate::journal::{Line, What};

/// For each view and each time that it was begun anew (an owner came, or the server after a kill): how many batches had
/// been handed to the store that the checkpoint does not claim, so that they are flushed again.
pub(super) fn again(lines: &[Line]) -> Vec<u64> {
    #[derive(Default)]
    struct View {
        handed: BTreeSet<i64>,
        /// Who will read its checkpoint.
        awaited: Option<u32>,
    }
    let mut views: BTreeMap<&str, View> = BTreeMap::new();
    let mut owners: BTreeMap<&str, u32> = BTreeMap::new();
    let mut found = Vec::new();
    for line in lines {
        match &line.what {
            What::Owner { projection, .. } => {
                owners.insert(projection, line.pid);
                views.entry(projection).or_default().awaited = Some(line.pid);
            }
            What::ServerKilled => {
                for (view, owner) in &owners {
                    views.entry(view).or_default().awaited = Some(*owner);
                }
            }
            What::Resumes { projection, from } => {
                let view = views.entry(projection).or_default();
                if view.awaited != Some(line.pid) {
                    continue;
                }
                view.awaited = None;
                if !view.handed.is_empty() {
                    found.push(view.handed.split_off(&(from + 1)).len() as u64);
                }
            }
            // A former owner that wakes up hands over what a later one has flushed, or will.
            What::Begin { projection, to, .. } if owners.get(projection.as_str()) == Some(&line.pid) => {
                views.entry(projection).or_default().handed.insert(*to);
            }
            _ => {}
        }
    }
    found
}

/// From the kill or stop of an owner until another process had flushed its first batch of the same view.
pub(super) fn takeovers(lines: &[Line]) -> Vec<Duration> {
    let mut processes: HashMap<u32, &str> = HashMap::new();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    // Views whose owner was struck: which process it was, and when.
    let mut struck: BTreeMap<&str, (&str, u64)> = BTreeMap::new();
    let mut found = Vec::new();
    for line in lines {
        let process = processes.get(&line.pid).copied().unwrap_or("");
        match &line.what {
            What::Spawned(name) => drop(processes.insert(line.pid, name)),
            What::Owner { projection, .. } => drop(owners.insert(projection, process)),
            What::Signals { .. } | What::Killed | What::Stopped => {
                let owned = owners.iter().filter(|(_, owner)| **owner == process);
                struck.extend(owned.map(|(view, _)| (*view, (process, line.at))));
            }
            What::End { projection, ended, .. } if ended.is_whole() => {
                if let Some((by, at)) = struck.remove(projection.as_str())
                    && by != process
                {
                    found.push(Duration::from_micros(line.at.saturating_sub(at)));
                }
            }
            _ => {}
        }
    }
    found
}

/// Commits that were stored although they were sent after a later owner had stored one.
pub(super) fn late_commits(lines: &[Line], has_commit_command: bool) -> Vec<String> {
    // By view: the latest epoch of which something is stored, and since which line.
    let mut newest: BTreeMap<&str, (i64, usize)> = BTreeMap::new();
    let mut sent: HashMap<(u32, &str), usize> = HashMap::new();
    let mut late = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        match &line.what {
            What::Sending { projection } if has_commit_command => {
                sent.insert((line.pid, projection), place);
            }
            What::Begin { projection, .. } if !has_commit_command => {
                sent.insert((line.pid, projection), place);
            }
            What::End { projection, epoch, to, ended } if ended.is_whole() => {
                let (latest, since) = *newest.entry(projection).or_insert((*epoch, place));
                if *epoch > latest {
                    newest.insert(projection, (*epoch, place));
                } else if *epoch < latest && sent.get(&(line.pid, projection)).is_some_and(|sent| *sent > since) {
                    late.push(format!(
                        "{projection}: a batch up to {to} of epoch {epoch} was stored after one of epoch {latest}"
                    ));
                }
            }
            _ => {}
        }
    }
    late
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Ended;

    fn line(at: u64, pid: u32, what: What) -> Line {
        Line { at, pid, what }
    }

    fn owner(epoch: i64) -> What {
        What::Owner { projection: "v".into(), epoch }
    }

    fn begin(to: i64) -> What {
        What::Begin { projection: "v".into(), epoch: 1, to }
    }

    fn end(epoch: i64, to: i64) -> What {
        What::End { projection: "v".into(), epoch, to, ended: Ended::Stored }
    }

    // spec: B12
    #[test]
    fn a_batch_that_the_checkpoint_does_not_claim_counts_as_flushed_again() {
        let resumes = |from| What::Resumes { projection: "v".into(), from };
        let lines = |from| {
            let all = [owner(1), resumes(0), begin(10), begin(20), resumes(10), owner(2), resumes(from), begin(20)];
            all.map(|what| line(0, 1, what))
        };
        assert_eq!(again(&lines(10)), [1]);
        assert_eq!(again(&lines(20)), [0], "it was stored, and only the answer was lost");
        assert_eq!(again(&lines(0)), [2], "a checkpoint was lost");
    }

    #[test]
    fn a_takeover_ends_with_the_first_batch_of_another_process() {
        let spawned = |name: &str| What::Spawned(name.into());
        let lines = [
            line(0, 1, spawned("A")),
            line(0, 2, spawned("B")),
            line(0, 1, owner(1)),
            line(100, 1, What::Killed),
            line(200, 2, owner(2)),
            line(350, 2, end(2, 10)),
            line(400, 2, end(2, 20)),
        ];
        assert_eq!(takeovers(&lines), [Duration::from_micros(250)]);
    }

    // spec: B11
    #[test]
    fn what_a_former_owner_sends_after_the_first_batch_of_a_later_one_is_late_if_it_is_stored() {
        let sending = || What::Sending { projection: "v".into() };
        let in_time =
            [line(0, 1, sending()), line(0, 2, sending()), line(0, 2, end(2, 10)), line(0, 1, end(1, 10))];
        assert!(late_commits(&in_time, true).is_empty(), "it may have been stored before");
        let late = [line(0, 2, sending()), line(0, 2, end(2, 10)), line(0, 1, sending()), line(0, 1, end(1, 10))];
        assert_eq!(late_commits(&late, true).len(), 1);
    }
}
