//! Where things lie: the workspace, its target folder, the cache outside the tree.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

/// The root of the workspace.
///
/// Cargo says at run time where this crate is, so that a tree which was moved after building is still found.
pub(crate) fn root() -> PathBuf {
    let xtask = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let xtask = PathBuf::from(xtask);
    xtask.parent().map_or_else(|| xtask.clone(), Path::to_path_buf)
}

/// The target folder of the workspace, absolute.
pub(crate) fn target_dir() -> PathBuf {
    let given = env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    let dir = given.map_or_else(|| root().join("target"), PathBuf::from);
    std::path::absolute(&dir).unwrap_or(dir)
}

/// The folder in the target folder that is ours, made if absent.
pub(crate) fn state_dir() -> Result<PathBuf> {
    let dir = target_dir().join("xtask");
    fs::create_dir_all(&dir).map_err(|e| anyhow!("cannot make {}: {e}", dir.display()))?;
    Ok(dir)
}

/// The folder where downloads are kept, made if absent: the user's cache, or the target folder where there is none to
/// write to.
pub(crate) fn cache_dir() -> Result<PathBuf> {
    let candidates = cache_candidates(env::var_os("XDG_CACHE_HOME"), env::var_os("HOME"), &target_dir());
    let usable = |dir: &PathBuf| fs::create_dir_all(dir).is_ok() && tempfile::tempfile_in(dir).is_ok();
    let tried = || candidates.iter().map(|dir| dir.display().to_string()).collect::<Vec<_>>().join(", ");
    candidates.iter().find(|dir| usable(dir)).cloned().ok_or_else(|| {
        anyhow!("no folder to keep downloads in can be written to (tried {}): set XDG_CACHE_HOME to one", tried())
    })
}

/// The cache folders to try, best first. The XDG base directory specification has relative ones ignored.
fn cache_candidates(xdg: Option<OsString>, home: Option<OsString>, target: &Path) -> Vec<PathBuf> {
    let xdg = xdg.map(PathBuf::from).filter(|dir| dir.is_absolute());
    let home = home.map(PathBuf::from).filter(|dir| dir.is_absolute()).map(|dir| dir.join(".cache"));
    let shared = xdg.or(home).map(|dir| dir.join("projection-xtask"));
    shared.into_iter().chain([target.join("xtask").join("cache")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(xdg: Option<&str>, home: Option<&str>) -> PathBuf {
        cache_candidates(xdg.map(Into::into), home.map(Into::into), Path::new("/t")).remove(0)
    }

    #[test]
    fn the_xdg_cache_goes_before_the_home_folder() {
        assert_eq!(first(Some("/x"), Some("/h")), Path::new("/x/projection-xtask"));
        assert_eq!(first(None, Some("/h")), Path::new("/h/.cache/projection-xtask"));
    }

    #[test]
    fn a_relative_or_empty_folder_is_ignored() {
        assert_eq!(first(Some("x"), Some("/h")), Path::new("/h/.cache/projection-xtask"));
        assert_eq!(first(Some(""), Some("")), Path::new("/t/xtask/cache"));
    }

    #[test]
    fn without_a_home_the_target_folder_serves_as_cache() {
        assert_eq!(first(None, None), Path::new("/t/xtask/cache"));
    }
}
