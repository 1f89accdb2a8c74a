//! One member out of an archive, found by the end of its path.

use std::io::{Read, Seek, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use zip::ZipArchive;

/// Unpacks the member of a zip archive whose path ends with `member` (whole components) into `out`.
pub(crate) fn unzip(archive: impl Read + Seek, member: &str, out: &mut impl Write) -> Result<()> {
    let mut archive = ZipArchive::new(archive).context("this is no zip archive")?;
    let names = archive.file_names().map(|name| Ok(name?.into_owned())).collect::<Result<Vec<_>>>()?;
    let Some(name) = names.iter().find(|name| Path::new(name).ends_with(member)) else {
        bail!("the zip archive has no {member}, only {}", names.join(", "));
    };
    let mut content = archive.by_name(name)?;
    std::io::copy(&mut content, out).with_context(|| format!("cannot unpack {name}"))?;
    Ok(())
}

/// Reads the member of a gzipped tar archive whose path ends with `member` (whole components) into memory.
pub(crate) fn untar(archive: impl Read, member: &str) -> Result<Vec<u8>> {
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    let mut seen = Vec::new();
    for entry in archive.entries().context("this is no tar archive")? {
        let mut entry = entry.context("this is no whole gzipped tar archive")?;
        let path = entry.path()?.into_owned();
        if path.ends_with(member) {
            let mut content = Vec::new();
            entry.read_to_end(&mut content).with_context(|| format!("cannot unpack {}", path.display()))?;
            return Ok(content);
        }
        seen.push(path.display().to_string());
    }
    bail!("the tar archive has no {member}, only {}", seen.join(", "))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn zipped(files: &[(&str, &str)]) -> Cursor<Vec<u8>> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        }
        zip.finish().unwrap()
    }

    fn tarred(files: &[(&str, &str)]) -> Vec<u8> {
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, name, content.as_bytes()).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    const FILES: &[(&str, &str)] = &[("p-1/not-flights.csv", "no"), ("p-1/data/flights.csv", "yes")];

    #[test]
    fn a_zip_member_is_found_by_whole_components_at_the_end_of_its_path() {
        let mut out = Vec::new();
        unzip(zipped(FILES), "flights.csv", &mut out).unwrap();
        assert_eq!(out, b"yes");
    }

    #[test]
    fn a_tar_member_is_found_by_whole_components_at_the_end_of_its_path() {
        assert_eq!(untar(tarred(FILES).as_slice(), "data/flights.csv").unwrap(), b"yes");
    }

    #[test]
    fn a_missing_member_is_an_error_that_names_what_is_there() {
        let of_zip = unzip(zipped(FILES), "planes.csv", &mut Vec::new()).unwrap_err().to_string();
        let of_tar = untar(tarred(FILES).as_slice(), "planes.csv").unwrap_err().to_string();
        for message in [of_zip, of_tar] {
            assert!(message.contains("no planes.csv"), "{message}");
            assert!(message.contains("p-1/data/flights.csv"), "{message}");
        }
    }

    #[test]
    fn half_an_archive_is_an_error() {
        let whole = tarred(FILES);
        assert!(untar(&whole[..whole.len() / 2], "data/flights.csv").is_err());
        let whole = zipped(FILES).into_inner();
        assert!(unzip(Cursor::new(&whole[..whole.len() / 2]), "flights.csv", &mut Vec::new()).is_err());
    }
}
