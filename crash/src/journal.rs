//! What happened in a run, a line each, appended to one file by its processes and by the driver. A line is one write, so
//! it is there also when its writer is killed right after, and lines stand in the order in which they were written.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    /// Microseconds since 1970.
    pub(crate) at: u64,
    pub(crate) pid: u32,
    pub(crate) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum What {
    /// It holds the lease.
    Owner { projection: String, epoch: i64 },
    /// It has read its checkpoint.
    Resumes { projection: String, from: i64 },
    /// It hands a batch to the store.
    Begin { projection: String, epoch: i64, to: i64 },
    /// It is about to send `commitTransaction`.
    Sending { projection: String },
    /// The store has answered for the batch.
    End { projection: String, epoch: i64, to: i64, ended: Ended },
    /// It signals itself.
    Signals { step: String, stop: bool },
    /// The driver started it, to play this process.
    Spawned(String),
    /// The driver kills it.
    Killed,
    /// The driver stops it.
    Stopped,
    /// The driver lets it go on.
    Continued,
    /// The driver kills the server.
    ServerKilled,
    /// How often each step was reached.
    Steps(Vec<(String, u64)>),
    /// All views are up to date.
    Done,
    /// It ended with an error.
    Failed(String),
}

/// How a batch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ended {
    /// Stored, with its checkpoint.
    Stored,
    /// All is written; the checkpoint comes next.
    Written,
    Fenced,
    /// Something of it was not written, or it is not known.
    Failed,
}

impl Ended {
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Stored | Self::Written)
    }
}

/// Appends to the file.
#[derive(Debug)]
pub(crate) struct Journal(File);

impl Journal {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::options().append(true).create(true).open(path);
        Ok(Self(file.with_context(|| format!("cannot open {}", path.display()))?))
    }

    /// Appends a line of this process.
    pub(crate) fn write(&self, what: What) -> Result<()> {
        self.write_of(std::process::id(), what)
    }

    /// Appends a line of another process.
    pub(crate) fn write_of(&self, pid: u32, what: What) -> Result<()> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        let line = Line { at: u64::try_from(at)?, pid, what };
        let mut bytes = serde_json::to_vec(&line)?;
        bytes.push(b'\n');
        (&self.0).write_all(&bytes).context("cannot write the journal")
    }
}

/// Reads the file while it grows.
#[derive(Debug)]
pub(crate) struct Reader {
    file: File,
    read: u64,
    pub(crate) lines: Vec<Line>,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Ok(Self { file: File::open(path)?, read: 0, lines: Vec::new() })
    }

    /// Reads what has come; the place of the first new line.
    pub(crate) fn advance(&mut self) -> Result<usize> {
        let before = self.lines.len();
        self.file.seek(SeekFrom::Start(self.read))?;
        let mut new = Vec::new();
        self.file.read_to_end(&mut new)?;
        let whole = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        for line in new[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line = serde_json::from_slice(line);
            self.lines.push(line.context("a line of the journal is damaged")?);
        }
        self.read += u64::try_from(whole)?;
        Ok(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_in_order_while_the_file_grows() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let journal = Journal::open(file.path()).unwrap();
        let mut reader = Reader::open(file.path()).unwrap();
        journal.write(What::Killed).unwrap();
        assert_eq!(reader.advance().unwrap(), 0);
        journal.write_of(7, What::Done).unwrap();
        assert_eq!(reader.advance().unwrap(), 1);
        let lines: Vec<_> = reader.lines.iter().map(|line| line.what.clone()).collect();
        assert_eq!(lines, [What::Killed, What::Done]);
        assert_eq!(reader.lines[1].pid, 7);
    }
}
