//! Files that are written completely or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::mem::forget;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempPath;

use crate::error::WriteError;

/// Writes a file completely or not at all.
///
/// The data are written to a temporary file in the same folder, which is renamed to `path` when
/// all of the data have reached the disk. If writing fails, the temporary file is removed and
/// an existing file at `path` remains unchanged. A file that is replaced keeps its permissions.
/// If `path` is a symbolic link, the file that it points to is written, and the link remains. If
/// `path` is a device or a pipe, such as `/dev/stdout`, it is written to directly.
///
/// ```
/// use std::io::Write;
/// use enclust_io::write_atomically;
///
/// let path = std::env::temp_dir().join(format!("enclust-doc-{}.txt", std::process::id()));
/// write_atomically(&path, |file| writeln!(file, "all of it"))?;
/// assert_eq!(std::fs::read_to_string(&path)?, "all of it\n");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`] with the error of `write` or of the system.
pub fn write_atomically<T>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> Result<T, WriteError> {
    let path = path.as_ref();
    let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
    let written = if is_special {
        write_through(path, write)
    } else {
        written_file(path).and_then(|target| write_beside(&target, write))
    };
    written.map_err(|error| WriteError { path: path.into(), error })
}

/// The file that is written if this path is given: the path itself or, if it is a symbolic link,
/// the file at the end of the chain of links, which need not exist.
///
/// # Errors
/// The error of the system, and an error for links that form a circle.
pub fn written_file(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut at = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if !fs::symlink_metadata(&at).is_ok_and(|found| found.is_symlink()) {
            return Ok(at);
        }
        at = folder_of(&at).join(fs::read_link(&at)?);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The folder of a file; `.` for a name without one.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// Removes all temporary files of [`write_atomically`] and prevents that new ones are made or
/// renamed, for a program that is about to end because of a signal. The result of every file is
/// then either complete or absent.
pub fn discard_unfinished() {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        // The program is about to end, so an error cannot be reported.
        let _ = fs::remove_file(path);
    }
    // The lock is never released, so a thread that wants to rename its file waits until the end
    // of the program.
    forget(unfinished);
}

/// The temporary files that exist now. The lock is held while one is made, renamed or removed.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_through<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<T> {
    let mut file = BufWriter::new(File::options().write(true).open(path)?);
    let out = write(&mut file)?;
    file.flush()?;
    Ok(out)
}

fn write_beside<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<T> {
    let replaced = fs::metadata(path).ok();
    let (file, temporary) = Temporary::beside(path)?;
    let mut file = BufWriter::new(file);
    let out = write(&mut file)?;
    let file = file.into_inner()?;
    if let Some(replaced) = replaced {
        file.set_permissions(replaced.permissions())?;
    }
    file.sync_all()?;
    temporary.rename(path)?;
    Ok(out)
}

/// A temporary file that is removed when it is dropped or when the program is interrupted.
struct Temporary(Option<TempPath>);

impl Temporary {
    fn beside(path: &Path) -> io::Result<(File, Self)> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".enclust-").suffix(".part");
        // Temporary files are readable only by their owner; results get the permissions of the
        // umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut unfinished = unfinished();
        let (file, temporary) = builder.tempfile_in(folder_of(path))?.into_parts();
        unfinished.push(temporary.to_path_buf());
        Ok((file, Temporary(Some(temporary))))
    }

    fn rename(mut self, path: &Path) -> io::Result<()> {
        self.end(|temporary| temporary.persist(path).map_err(|failed| failed.error))
    }

    fn end(&mut self, end: impl FnOnce(TempPath) -> io::Result<()>) -> io::Result<()> {
        let Some(temporary) = self.0.take() else { return Ok(()) };
        let mut unfinished = unfinished();
        let place = unfinished.iter().position(|path| **path == *temporary);
        let ended = end(temporary);
        place.map(|place| unfinished.swap_remove(place));
        ended
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A file that cannot be removed stays; the error that led here is reported.
        let _ = self.end(TempPath::close);
    }
}
