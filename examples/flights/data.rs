//! Which file is read, and what its rows say.

use std::{
    ffi::OsStr,
    fs::File,
    path::{Path, PathBuf},
};

use flights::{
    history::FlightHistory,
    input::{self, InputError, Malformed},
    report::Report,
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

/// The SQLite file for the flights of a file: in the folder that is not in the repository, under the same name.
pub(crate) fn database(flights: &Path, copies: u32) -> PathBuf {
    let name = flights.file_stem().unwrap_or(OsStr::new("flights")).to_string_lossy();
    let times = if copies == 1 { String::new() } else { format!("-x{copies}") };
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = package.ancestors().nth(2).unwrap_or(package).join("data");
    folder.join(format!("{name}{times}.db"))
}

/// The flights of a file.
pub(crate) struct Flights {
    pub(crate) history: FlightHistory,
    /// How many rows said no flight.
    pub(crate) malformed: u64,
    /// The first few of them, for the report.
    pub(crate) first_malformed: Vec<Malformed>,
}

/// Reads the file, naming each malformed row as it comes.
pub(crate) fn read(path: &Path, name: impl Fn(&Malformed)) -> Result<Flights, DataError> {
    let file = File::open(path).map_err(|source| DataError::Open { path: path.to_owned(), source })?;
    let mut malformed = 0;
    let mut first_malformed = Vec::new();
    let history = input::read(file, |row| {
        name(&row);
        malformed += 1;
        if first_malformed.len() < Report::MALFORMED_SHOWN {
            first_malformed.push(row);
        }
    });
    let history = history.map_err(|source| DataError::Read { path: path.to_owned(), source })?;
    Ok(Flights { history, malformed, first_malformed })
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
