//! Where a server comes from: one that is named, a `mongod` on `PATH`, or the one in a Python package.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The three sources of a server, the first that is there counts.
#[derive(Debug, PartialEq)]
pub(super) enum Source {
    /// It runs already, here.
    Given(String),
    /// This program starts it.
    OnPath(PathBuf),
    /// A Python package carries the program.
    Package,
}

impl Source {
    /// Picks the source from the values of `MONGODB_URI` and `PATH`. An empty URI counts as none.
    fn choose(uri: Option<&str>, path: Option<&OsStr>) -> Self {
        if let Some(uri) = uri.map(str::trim).filter(|uri| !uri.is_empty()) {
            return Self::Given(uri.to_owned());
        }
        Self::choose_program(path)
    }

    /// The same, whether a server is named or not.
    fn choose_program(path: Option<&OsStr>) -> Self {
        let mut candidates = path.into_iter().flat_map(env::split_paths).map(|folder| folder.join("mongod"));
        candidates.find(|file| is_program(file)).map_or(Self::Package, Self::OnPath)
    }

    /// The source in this process's environment.
    pub(super) fn of_environment() -> Self {
        Self::choose(env::var(super::MONGODB_URI).ok().as_deref(), env::var_os("PATH").as_deref())
    }

    /// The source of a server to start, also where one runs already.
    pub(super) fn of_programs() -> Self {
        Self::choose_program(env::var_os("PATH").as_deref())
    }
}

/// The URI of a server that the environment names.
pub(super) fn given() -> Option<String> {
    match Source::of_environment() {
        Source::Given(uri) => Some(uri),
        Source::OnPath(_) | Source::Package => None,
    }
}

fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with_mongod(mode: u32) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mongod");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        folder
    }

    #[test]
    fn a_uri_goes_before_a_mongod_on_the_path() {
        let folder = folder_with_mongod(0o755);
        let source = Source::choose(Some("mongodb://h"), Some(folder.path().as_os_str()));
        assert_eq!(source, Source::Given("mongodb://h".into()));
    }

    #[test]
    fn an_empty_uri_counts_as_none() {
        assert_eq!(Source::choose(Some(" "), None), Source::Package);
    }

    #[test]
    fn a_mongod_on_the_path_goes_before_the_package() {
        let (empty, folder) = (tempfile::tempdir().unwrap(), folder_with_mongod(0o755));
        let path = env::join_paths([empty.path(), folder.path()]).unwrap();
        assert_eq!(Source::choose(None, Some(&path)), Source::OnPath(folder.path().join("mongod")));
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_passed_over() {
        let folder = folder_with_mongod(0o644);
        assert_eq!(Source::choose(None, Some(folder.path().as_os_str())), Source::Package);
    }
}
