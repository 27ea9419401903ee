//! The journal of a study, which may be killed at any time.
//!
//! The journal is a file of lines, each with a checksum and a JSON document: first the header,
//! then the cells in the order in which they were finished. A line is written at once and
//! reaches the disk before the next one is started, so only the last line can be incomplete. It
//! is detected by its checksum or its missing end, and removed.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::cell::CellResult;
use super::pools::hex;
use super::protocol::{Figure, Protocol};
use super::shard::Shard;
use crate::error::{Difference, StudyError};

const NAME: &str = "journal";
const CHECKSUM: usize = 16;

/// The study and shard to which the results of a folder belong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    journal: u32,
    shard: Option<String>,
    protocol: Protocol,
}

/// Finished cells by number.
pub type Finished = BTreeMap<usize, CellResult>;

/// The journal of a folder, locked while it is open.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

/// The content of a journal.
struct Content {
    header: Header,
    finished: Finished,
    /// Number of bytes up to the end of the last complete line.
    sound: u64,
}

impl Journal {
    /// Opens or creates the journal of a folder and returns the finished cells.
    ///
    /// # Errors
    /// [`StudyError::OtherStudy`] if the results belong to a different study,
    /// [`StudyError::Busy`] if another process uses the folder, [`StudyError::Damaged`] if the
    /// journal was modified.
    pub fn open(
        folder: &Path,
        protocol: &Protocol,
        shard: Option<Shard>,
    ) -> Result<(Self, Finished), StudyError> {
        let path = folder.join(NAME);
        let failed = |error| StudyError::Write { path: path.clone(), error };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut files = std::fs::read_dir(folder).map_err(failed)?;
        if !path.exists() && files.next().is_some() {
            return Err(StudyError::NotOwned { folder: folder.into() });
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut journal = Journal { file: file.map_err(failed)?, path: path.clone() };
        journal.file.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => StudyError::Busy { folder: folder.into() },
            TryLockError::Error(error) => failed(error),
        })?;
        let header =
            Header { journal: 1, shard: shard.map(|s| s.to_string()), protocol: protocol.clone() };
        match read(&path, &mut journal.file)? {
            Some(content) => {
                check_header(folder, &content.header, &header)?;
                journal.file.set_len(content.sound).map_err(failed)?;
                journal.file.seek(SeekFrom::End(0)).map_err(failed)?;
                Ok((journal, content.finished))
            }
            // An empty file, or an incomplete header. Anything else was not written here.
            None => {
                journal.file.rewind().map_err(failed)?;
                let mut there = Vec::new();
                journal.file.read_to_end(&mut there).map_err(failed)?;
                if !is_begun(&there) {
                    return Err(StudyError::NotOwned { folder: folder.into() });
                }
                journal.file.set_len(0).map_err(failed)?;
                journal.file.rewind().map_err(failed)?;
                journal.append(&header)?;
                Ok((journal, Finished::new()))
            }
        }
    }

    /// Appends a finished cell and waits until it is on the disk.
    pub fn finished(&mut self, result: &CellResult) -> Result<(), StudyError> {
        self.append(result)
    }

    fn append(&mut self, entry: &impl Serialize) -> Result<(), StudyError> {
        let write = |file: &mut File| {
            file.write_all(line(&serde_json::to_string(entry)?).as_bytes())?;
            file.sync_data()
        };
        let failed = |error| StudyError::Write { path: self.path.clone(), error };
        write(&mut self.file).map_err(failed)
    }
}

/// Reads the journal of a folder without modifying it.
pub(crate) fn look(folder: &Path) -> Result<(Protocol, Finished), StudyError> {
    let path = folder.join(NAME);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(StudyError::NoStudy { folder: folder.into() });
        }
        Err(error) => return Err(StudyError::Read { path, error }),
    };
    let content = read(&path, &mut file)?;
    let content = content.ok_or_else(|| StudyError::NoStudy { folder: folder.into() })?;
    Ok((content.header.protocol, content.finished))
}

/// Whether bytes are the beginning of a line: part of a checksum and of a document.
fn is_begun(bytes: &[u8]) -> bool {
    let (sum, rest) = bytes.split_at(bytes.len().min(CHECKSUM));
    sum.iter().all(u8::is_ascii_hexdigit)
        && (rest.is_empty() || rest.starts_with(b" {") || rest == b" ")
}

fn line(json: &str) -> String {
    format!("{} {json}\n", checksum(json))
}

fn checksum(json: &str) -> String {
    let mut text = hex(&Sha256::digest(json));
    text.truncate(CHECKSUM);
    text
}

/// The document of a complete line.
fn document(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (sum, json) = text.split_once(' ')?;
    (sum == checksum(json)).then_some(json)
}

/// The content of a journal; `None` if its header is incomplete.
fn read(path: &Path, file: &mut File) -> Result<Option<Content>, StudyError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| StudyError::Read { path: path.into(), error })?;
    let damaged = |line: usize| StudyError::Damaged { path: path.into(), line: line + 1 };
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    let mut header: Option<Header> = None;
    let mut finished = Finished::new();
    let mut sound = 0;
    for (number, line) in lines.iter().enumerate() {
        let Some(json) = document(line) else {
            // A killed process leaves an incomplete last line. Anything after an incomplete
            // line means that the file was damaged.
            if number + 1 == lines.len() {
                break;
            }
            return Err(damaged(number));
        };
        match &header {
            None => header = Some(serde_json::from_str(json).map_err(|_| damaged(number))?),
            Some(header) => {
                let result: CellResult = serde_json::from_str(json).map_err(|_| damaged(number))?;
                if !belongs(&result, &header.protocol) {
                    return Err(damaged(number));
                }
                finished.insert(result.cell, result);
            }
        }
        sound += line.len() as u64;
    }
    Ok(header.map(|header| Content { header, finished, sound }))
}

/// Whether a result can belong to a cell of the protocol.
fn belongs(result: &CellResult, protocol: &Protocol) -> bool {
    if result.cell >= protocol.cells() {
        return false;
    }
    let pool = protocol.cell(result.cell).pool;
    let measured = |figures: Vec<Figure>| figures.len() == result.values.len();
    protocol.figures(pool).is_ok_and(measured)
        && protocol.clusters(pool).len() == result.clusters.len()
}

fn check_header(folder: &Path, there: &Header, here: &Header) -> Result<(), StudyError> {
    let shown = |shard: &Option<String>| shard.clone().unwrap_or("the whole".into());
    let mut differences = there.protocol.differences(&here.protocol);
    if there.shard != here.shard {
        let (there, here) = (shown(&there.shard), shown(&here.shard));
        differences.push(Difference { at: "shard".into(), there, here });
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(StudyError::OtherStudy { folder: folder.into(), differences })
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::tests::example;
    use super::*;

    fn result(cell: usize) -> CellResult {
        let values = vec![0.1 + 0.2, 1.0 / 3.0, 5e-324];
        let seconds = vec![("consensus".to_string(), 0.25)];
        CellResult { cell, values, clusters: vec![2], status: "direct".into(), seconds }
    }

    fn written(folder: &Path) -> Vec<u8> {
        let (mut journal, finished) = Journal::open(folder, &example(), None).unwrap();
        assert!(finished.is_empty());
        for cell in [4, 0, 7] {
            journal.finished(&result(cell)).unwrap();
        }
        std::fs::read(folder.join(NAME)).unwrap()
    }

    #[test]
    fn figures_come_back_bit_by_bit() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        let (_, finished) = Journal::open(folder.path(), &example(), None).unwrap();
        assert_eq!(finished.keys().copied().collect::<Vec<_>>(), [0, 4, 7]);
        assert_eq!(finished[&4], result(4));
    }

    #[test]
    fn cut_off_anywhere_it_holds_what_was_whole_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let whole = written(folder.path());
        let ends: Vec<usize> = (1..=whole.len()).filter(|&i| whole[i - 1] == b'\n').collect();
        // Only lengths near the ends of lines and a few others, because each one waits for the
        // disk.
        let near = |length: &usize| ends.iter().any(|end| end.abs_diff(*length) <= 2);
        for length in (0..=whole.len()).filter(|length| near(length) || length % 97 == 0) {
            std::fs::write(folder.path().join(NAME), &whole[..length]).unwrap();
            let (mut journal, finished) = Journal::open(folder.path(), &example(), None).unwrap();
            let cells = ends.iter().filter(|&&end| end <= length).count().saturating_sub(1);
            assert_eq!(finished.len(), cells, "cut at {length}");
            journal.finished(&result(1)).unwrap();
            drop(journal);
            let (_, finished) = Journal::open(folder.path(), &example(), None).unwrap();
            assert_eq!(finished.len(), cells + 1, "cut at {length}");
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let whole = written(folder.path());
        let last_line = whole[..whole.len() - 1].iter().rposition(|&b| b == b'\n').unwrap();
        for at in (0..last_line).step_by(7) {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(folder.path().join(NAME), &changed).unwrap();
            let outcome = Journal::open(folder.path(), &example(), None);
            assert!(matches!(outcome, Err(StudyError::Damaged { .. })), "byte {at}");
        }
    }

    #[test]
    fn another_study_or_shard_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        let mut other = example();
        other.runs = 4;
        let error = Journal::open(folder.path(), &other, None).unwrap_err().to_string();
        assert!(error.contains("runs is 3 there and 4 here"), "{error}");
        let shard = Some("1/2".parse().unwrap());
        let error = Journal::open(folder.path(), &example(), shard).unwrap_err().to_string();
        assert!(error.contains("shard is the whole there and 1/2 here"), "{error}");
    }

    #[test]
    fn a_second_process_is_kept_out() {
        let folder = tempfile::tempdir().unwrap();
        let held = Journal::open(folder.path(), &example(), None).unwrap();
        let second = Journal::open(folder.path(), &example(), None);
        assert!(matches!(second, Err(StudyError::Busy { .. })));
        drop(held);
        assert!(Journal::open(folder.path(), &example(), None).is_ok());
    }
}
