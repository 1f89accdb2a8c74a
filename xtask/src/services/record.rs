//! What was started, written down where the next run, and the tests, find it.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::{mongod, process};
use crate::paths;
use crate::whole_file::WholeFile;

/// A `mongod` that was started. The tests read this too: names and meanings stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Where to connect to.
    pub(super) mongodb_uri: String,
    /// The process.
    pub(super) pid: u32,
    /// The temporary folder with its data and its log.
    pub(super) folder: PathBuf,
    /// The program that it runs, which tests start servers of their own with.
    #[serde(default)]
    pub(super) mongod: Option<PathBuf>,
    /// When it was started, as RFC 3339 has it.
    pub(super) started_at: String,
}

/// The server can be used.
fn finished_path() -> Result<PathBuf> {
    Ok(paths::state_dir()?.join("services.json"))
}

/// The server was started and cannot be used yet. Found at rest, it was started by a run that was killed.
fn unfinished_path() -> Result<PathBuf> {
    Ok(paths::state_dir()?.join("services.starting.json"))
}

impl Record {
    /// The record of the server that runs, or ran.
    pub(super) fn load() -> Result<Option<Self>> {
        Self::read(&finished_path()?)
    }

    /// Writes down that the server is being started.
    pub(super) fn begin(&self) -> Result<()> {
        let json = serde_json::to_vec_pretty(self)?;
        let whole = WholeFile { path: &unfinished_path()?, mode: 0o644, sha256: None };
        whole.write(|out| Ok(out.write_all(&json)?))
    }

    /// Writes down that the server can be used.
    pub(super) fn finish() -> Result<()> {
        fs::rename(unfinished_path()?, finished_path()?).context("cannot write the record of what was started")
    }

    /// Takes back [`begin`](Self::begin).
    pub(super) fn cancel() -> Result<()> {
        remove(&unfinished_path()?)
    }

    /// Removes the record and the folder of a server that has ended.
    pub(super) fn discard(&self) -> Result<()> {
        self.remove_folder()?;
        remove(&finished_path()?)
    }

    fn read(path: &Path) -> Result<Option<Self>> {
        let json = match fs::read(path) {
            Ok(json) => json,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
        };
        let record = serde_json::from_slice(&json);
        record.map(Some).with_context(|| format!("{} was not written by us: remove it", path.display()))
    }

    /// Removes the folder, if it is one that we made: a record that was tampered with must not cost anybody's data.
    fn remove_folder(&self) -> Result<()> {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with(mongod::FOLDER_PREFIX) {
            bail!("the folder {} was not made by us: it is left alone", self.folder.display());
        }
        match fs::remove_dir_all(&self.folder) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                Err(e).with_context(|| format!("cannot remove {}", self.folder.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Ends a server that a killed run left half started. The caller holds the lock: nobody is starting one now.
pub(super) async fn end_unfinished() -> Result<()> {
    let path = unfinished_path()?;
    let Some(record) = Record::read(&path)? else {
        return Ok(());
    };
    if process::runs(&record) {
        eprintln!("ending the mongod that a run which was killed left half started (process {})", record.pid);
        process::end(&record).await?;
    }
    record.remove_folder()?;
    remove(&path)
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => {
            Err(e).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(folder: PathBuf) -> Record {
        let mongodb_uri = "mongodb://127.0.0.1:1/?replicaSet=rs0&directConnection=true".into();
        let mongod = Some("/bin/mongod".into());
        Record { mongodb_uri, pid: 7, folder, mongod, started_at: "2013-01-01T00:00:00Z".into() }
    }

    #[test]
    fn the_record_has_the_fields_that_the_tests_read() {
        let json = serde_json::to_string(&record("/f".into())).unwrap();
        assert_eq!(
            json,
            r#"{"mongodb_uri":"mongodb://127.0.0.1:1/?replicaSet=rs0&directConnection=true","pid":7,"#.to_owned()
                + r#""folder":"/f","mongod":"/bin/mongod","started_at":"2013-01-01T00:00:00Z"}"#
        );
    }

    #[test]
    fn no_file_is_no_record() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Record::read(&folder.path().join("services.json")).unwrap(), None);
    }

    #[test]
    fn a_file_that_is_no_record_is_an_error_that_names_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "{").unwrap();
        let message = Record::read(file.path()).unwrap_err().to_string();
        assert!(message.contains(&*file.path().to_string_lossy()), "{message}");
    }

    #[test]
    fn a_folder_that_we_did_not_make_is_never_removed() {
        let folder = tempfile::tempdir().unwrap();
        assert!(record(folder.path().into()).remove_folder().is_err());
        assert!(folder.path().exists());
    }

    #[test]
    fn a_folder_of_ours_is_removed_and_may_be_gone_already() {
        let folder = tempfile::tempdir().unwrap().path().join(format!("{}x", mongod::FOLDER_PREFIX));
        fs::create_dir_all(&folder).unwrap();
        let record = record(folder.clone());
        record.remove_folder().unwrap();
        assert!(!folder.exists());
        record.remove_folder().unwrap();
        _ = fs::remove_dir(folder.parent().unwrap());
    }
}
