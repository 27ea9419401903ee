//! The files of a command, checked before anything is read or computed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use enclust_io::{folder_of, written_file};

use crate::failure::Failure;
use crate::inputs::STANDARD_INPUT;

/// The endings of files of labels.
pub const LABELS: &[&str] = &["csv", "tsv", "txt", "tab", "npy", "npz"];
/// The ending of arrays.
pub const ARRAY: &[&str] = &["npy"];
/// The ending of models.
pub const MODEL: &[&str] = &["npz"];
/// The ending of tables.
pub const TABLE: &[&str] = &["csv"];
/// The ending of records.
pub const RECORD: &[&str] = &["json"];
/// The endings of figures.
pub const FIGURE: &[&str] = &["svg", "pdf", "png"];

/// The ending of reports.
pub const PAGE: &[&str] = &["html"];

/// The inputs and outputs of a command, each with the option that names it.
#[derive(Debug, Default)]
pub struct Files<'a> {
    inputs: Vec<(&'static str, &'a Path)>,
    outputs: Vec<Output<'a>>,
}

#[derive(Debug)]
struct Output<'a> {
    option: &'static str,
    path: &'a Path,
    endings: &'static [&'static str],
}

/// What makes two paths the same file: device and inode of a file that exists, otherwise its
/// folder and its name.
#[derive(Debug, PartialEq)]
enum Identity {
    Existing(Inode),
    New(Inode, OsString),
}

#[cfg(unix)]
type Inode = (u64, u64);
#[cfg(not(unix))]
type Inode = PathBuf;

impl<'a> Files<'a> {
    /// Adds an input, if it is given.
    pub fn reads(mut self, option: &'static str, path: Option<&'a PathBuf>) -> Self {
        self.inputs.extend(path.map(|path| (option, path.as_path())));
        self
    }

    /// Adds an output, if it is given, with the endings that fit its content.
    pub fn writes(
        mut self,
        option: &'static str,
        path: Option<&'a PathBuf>,
        endings: &'static [&'static str],
    ) -> Self {
        self.outputs.extend(path.map(|path| Output { option, path, endings }));
        self
    }

    /// Checks that every output can be written and that none is an input or another output.
    /// Returns the outputs that exist already and will be replaced.
    pub fn check(&self) -> Result<Vec<PathBuf>, Failure> {
        self.check_standard_input()?;
        let mut taken: Vec<(&'static str, Identity)> = Vec::new();
        let is_file = |path: &Path| path != Path::new(STANDARD_INPUT);
        for &(option, path) in self.inputs.iter().filter(|(_, path)| is_file(path)) {
            // An input that does not exist is reported when it is read.
            taken.extend(inode(path).ok().map(|inode| (option, Identity::Existing(inode))));
        }
        let mut replaced = Vec::new();
        for output in &self.outputs {
            // A device or a pipe holds nothing that could be lost.
            if fs::metadata(output.path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
                continue;
            }
            let identity = output.identity()?;
            if let Some((other, _)) = taken.iter().find(|(_, other)| *other == identity) {
                return Err(output.refused(format!(
                    "this is the same file as {other}; nothing was written, choose another name"
                )));
            }
            if matches!(identity, Identity::Existing(_)) {
                replaced.push(output.path.to_path_buf());
            }
            taken.push((output.option, identity));
        }
        Ok(replaced)
    }

    /// Standard input can be read only once.
    fn check_standard_input(&self) -> Result<(), Failure> {
        let mut readers = self.inputs.iter().filter(|(_, path)| *path == Path::new(STANDARD_INPUT));
        match (readers.next(), readers.next()) {
            (Some((one, _)), Some((other, _))) => Err(Failure::StandardInput { one, other }),
            _ => Ok(()),
        }
    }
}

impl Output<'_> {
    fn identity(&self) -> Result<Identity, Failure> {
        self.check_name()?;
        let file = written_file(self.path).map_err(|error| self.refused(error))?;
        let folder = folder_of(&file);
        match fs::metadata(folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(self.refused(format!("{} is not a folder", folder.display()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(self.refused(format!("the folder {} does not exist", folder.display())));
            }
            Err(error) => return Err(self.refused(error)),
        }
        let there = fs::metadata(&file).ok();
        if there.as_ref().is_some_and(|found| found.permissions().readonly()) {
            return Err(self.refused("the file is write-protected"));
        }
        // Only an attempt shows whether files can be made in a folder.
        tempfile::Builder::new()
            .prefix(".enclust-")
            .tempfile_in(folder)
            .map_err(|error| self.refused(format!("cannot write into its folder: {error}")))?;
        let found = match there {
            Some(_) => inode(&file).map(Identity::Existing),
            None => inode(folder).map(|folder| {
                Identity::New(folder, file.file_name().unwrap_or_default().to_os_string())
            }),
        };
        found.map_err(|error| self.refused(error))
    }

    fn check_name(&self) -> Result<(), Failure> {
        if self.path == Path::new("-") {
            return Err(self.refused("outputs are files; results go to standard output by default"));
        }
        if fs::metadata(self.path).is_ok_and(|found| found.is_dir()) {
            return Err(self.refused("this is a folder; add the name of a file"));
        }
        let ending = self.path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        if ending.is_none_or(|ending| !self.endings.contains(&ending.as_str())) {
            let endings: Vec<String> = self.endings.iter().map(|e| format!(".{e}")).collect();
            let fits = endings.join(", ");
            return Err(self.refused(format!("the name must end in {fits}, to fit the content")));
        }
        Ok(())
    }

    fn refused(&self, reason: impl ToString) -> Failure {
        let (option, path) = (self.option, self.path.to_path_buf());
        Failure::OutputFile { option, path, reason: reason.to_string() }
    }
}

#[cfg(unix)]
fn inode(path: &Path) -> io::Result<Inode> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn inode(path: &Path) -> io::Result<Inode> {
    fs::canonicalize(path)
}
