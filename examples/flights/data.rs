//! Which file is read, and what its rows say.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use flights::{
    history::FlightHistory,
    input::{self, InputError, Malformed},
};

/// What `--data` calls the whole year.
const FULL: &str = "full";

/// The file to read: the one that was named, else the first week.
pub(crate) fn file(data: Option<&Path>) -> Result<PathBuf, DataError> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    match data {
        None => Ok(package.join("data").join("flights-2013-01-01-to-07.csv")),
        Some(data) if data == Path::new(FULL) => {
            let year = package.join("..").join("..").join("data").join("flights.csv");
            if year.is_file() { Ok(year) } else { Err(DataError::NoYear) }
        }
        Some(data) => Ok(data.to_owned()),
    }
}

/// Reads the file, naming each malformed row as it comes; says how many there were.
pub(crate) fn read(path: &Path, name: impl Fn(&Malformed)) -> Result<(FlightHistory, u64), DataError> {
    let file = File::open(path).map_err(|source| DataError::Open { path: path.to_owned(), source })?;
    let mut malformed = 0;
    let history = input::read(file, |row| {
        malformed += 1;
        name(&row);
    });
    let history = history.map_err(|source| DataError::Read { path: path.to_owned(), source })?;
    Ok((history, malformed))
}

/// Why there are no flights.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DataError {
    #[error("the whole year is not there yet: run `cargo xtask data`, which brings it")]
    NoYear,
    #[error("{} cannot be opened", .path.display())]
    Open { path: PathBuf, source: std::io::Error },
    #[error("{} cannot be read as flights", .path.display())]
    Read { path: PathBuf, source: InputError },
}
