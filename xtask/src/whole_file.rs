//! A file that is there whole or not at all, however its writing ends.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

use crate::checksum;

/// How a file is to look when it is complete.
#[derive(Clone, Copy)]
pub(crate) struct WholeFile<'a> {
    /// Where it goes; its folder is made if absent.
    pub(crate) path: &'a Path,
    /// Its permission bits.
    pub(crate) mode: u32,
    /// The SHA-256 that it must have, where one is recorded.
    pub(crate) sha256: Option<&'a str>,
}

impl WholeFile<'_> {
    /// Lets `fill` write a temporary file beside `path`, checks it, and only then gives it its name.
    pub(crate) fn write(self, fill: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let cannot = || format!("cannot write {}", self.path.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        let mut temporary = NamedTempFile::new_in(folder).with_context(cannot)?;
        fill(temporary.as_file_mut()).with_context(cannot)?;
        temporary.as_file().set_permissions(Permissions::from_mode(self.mode)).with_context(cannot)?;
        temporary.as_file().sync_all().with_context(cannot)?;
        if let Some(expected) = self.sha256 {
            checksum::verify(temporary.path(), expected).with_context(cannot)?;
        }
        temporary.persist(self.path).with_context(cannot)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn an_interrupted_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, "old").unwrap();
        let file = WholeFile { path: &path, mode: 0o644, sha256: None };
        let result = file.write(|out| {
            out.write_all(b"ne")?;
            anyhow::bail!("interrupted")
        });
        assert!(result.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn content_with_another_checksum_never_gets_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let file = WholeFile { path: &path, mode: 0o644, sha256: Some("00") };
        let result = file.write(|out| Ok(out.write_all(b"abc")?));
        assert!(format!("{:#}", result.unwrap_err()).contains("should have 00"));
        assert_eq!(entries(folder.path()), 0);
    }

    #[test]
    fn a_complete_file_has_its_content_and_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made").join("f");
        let file = WholeFile { path: &path, mode: 0o755, sha256: None };
        file.write(|out| Ok(out.write_all(b"abc")?)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "abc");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
    }
}
