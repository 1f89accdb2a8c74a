//! SHA-256 of a file, compared with the one recorded in the source.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};

/// Why a file is not the one that was recorded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChecksumError {
    /// The file could not be read to its end.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file has other content.
    #[error("{path} has the SHA-256 {found}, but should have {expected}", path = path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// The checksum of what it holds, in hexadecimal digits.
        found: String,
        /// The checksum that is recorded, in hexadecimal digits.
        expected: String,
    },
}

/// Accepts the file only if its SHA-256 is `expected` (lower-case hexadecimal digits).
pub(crate) fn verify(path: &Path, expected: &str) -> Result<(), ChecksumError> {
    let found = sha256(path).map_err(|source| ChecksumError::Read { path: path.into(), source })?;
    if found == expected {
        return Ok(());
    }
    Err(ChecksumError::Differs { path: path.into(), found, expected: expected.into() })
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Context::new(&SHA256);
    let mut buffer = vec![0; 1 << 18];
    loop {
        let n = file.read(&mut buffer)?;
        if n == 0 {
            break;
        }
        hasher.update(&buffer[..n]);
    }
    Ok(hasher.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn file_with(content: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        file
    }

    #[test]
    fn the_recorded_content_is_accepted() {
        verify(file_with("abc").path(), OF_ABC).unwrap();
    }

    #[test]
    fn other_content_is_refused_with_both_checksums() {
        let message = verify(file_with("abd").path(), OF_ABC).unwrap_err().to_string();
        assert!(message.contains(OF_ABC), "{message}");
        assert!(message.contains("a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"), "{message}");
    }

    #[test]
    fn a_missing_file_is_an_error_that_names_it() {
        let message = verify(Path::new("/no/such/file"), OF_ABC).unwrap_err().to_string();
        assert!(message.contains("/no/such/file"), "{message}");
    }
}
