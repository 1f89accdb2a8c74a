//! Python packages as carriers of files: downloaded by pip, checked, kept in the cache.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, anyhow, bail};
use tokio::process::Command;

use crate::checksum;
use crate::paths;
use crate::whole_file::WholeFile;

/// A file that pip can download, and what it must be.
pub(crate) struct Archive {
    /// The package and its version, as pip takes it.
    pub(crate) requirement: &'static str,
    /// The built package or its source.
    pub(crate) form: Form,
    /// The name under which it is cached.
    pub(crate) file_name: &'static str,
    /// Its SHA-256.
    pub(crate) sha256: &'static str,
}

/// The two forms in which a Python package is published.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// Built, a zip archive.
    Wheel,
    /// Source, a gzipped tar archive.
    Source,
}

/// The ways to call pip, the one that fits the interpreter on `PATH` first.
const PIPS: &[&[&str]] = &[&["python3", "-m", "pip"], &["pip3"], &["pip"], &["python", "-m", "pip"]];

/// The path of the archive in the cache, downloaded if it is not there whole.
pub(crate) async fn fetch(archive: &Archive) -> Result<PathBuf> {
    let path = paths::cache_dir()?.join(archive.file_name);
    if path.exists() {
        match checksum::verify(&path, archive.sha256) {
            Ok(()) => return Ok(path),
            Err(why) => eprintln!("{why}: downloading it again"),
        }
    }
    download(archive, &path).await.with_context(|| format!("cannot download {}", archive.requirement))?;
    Ok(path)
}

async fn download(archive: &Archive, path: &Path) -> Result<()> {
    let folder = tempfile::tempdir_in(paths::cache_dir()?)?;
    let pip = find_pip().await?;
    eprintln!("downloading {} with {}", archive.requirement, pip.join(" "));
    let form = match archive.form {
        Form::Wheel => "--only-binary=:all:",
        Form::Source => "--no-binary=:all:",
    };
    let status = command(pip)
        .args(["download", "--no-deps", "--no-input", "--disable-pip-version-check", form, "--dest"])
        .arg(folder.path())
        .arg(archive.requirement)
        .stdout(io::stderr())
        .status()
        .await
        .with_context(|| format!("cannot run {}", pip.join(" ")))?;
    if !status.success() {
        bail!("{} ended with {status}; what it said is above", pip.join(" "));
    }
    let downloaded = only_file_in(folder.path())?;
    let whole = WholeFile { path, mode: 0o644, sha256: Some(archive.sha256) };
    whole.write(|out| {
        io::copy(&mut File::open(&downloaded)?, out)?;
        Ok(())
    })
}

async fn find_pip() -> Result<&'static [&'static str]> {
    for pip in PIPS {
        let version = command(pip).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().await;
        if version.is_ok_and(|status| status.success()) {
            return Ok(pip);
        }
    }
    let tried = PIPS.iter().map(|pip| pip.join(" ")).collect::<Vec<_>>().join(", ");
    Err(anyhow!(
        "no pip was found (tried {tried}): install Python 3 and its pip (on Debian the package python3-pip)"
    ))
}

fn command(pip: &[&str]) -> Command {
    let mut command = Command::new(pip[0]);
    command.args(&pip[1..]).stdin(Stdio::null()).kill_on_drop(true);
    command
}

fn only_file_in(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    match (files.pop(), files.len()) {
        (Some(file), 0) => Ok(file),
        (None, _) => bail!("pip downloaded nothing"),
        (Some(_), others) => bail!("pip downloaded {} files where one was expected", others + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_is_the_only_file_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(only_file_in(folder.path()).is_err());
        fs::write(folder.path().join("a"), "").unwrap();
        assert_eq!(only_file_in(folder.path()).unwrap(), folder.path().join("a"));
        fs::write(folder.path().join("b"), "").unwrap();
        assert!(only_file_in(folder.path()).is_err());
    }
}
