//! Files that are there whole or not at all.

use std::io::Write;
use std::path::Path;

use crate::error::StudyError;

/// Writes a file under another name beside its place, then renames it.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StudyError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        let mut file = readable_by_all().tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|e| e.error)
    };
    match write() {
        Ok(_) => Ok(()),
        Err(error) => Err(StudyError::Write { path: path.into(), error }),
    }
}

/// Temporary files are private by default; these become results. The user's mask still
/// applies.
fn readable_by_all() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".enclust-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}
