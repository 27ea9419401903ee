//! Archives of NumPy arrays, `.npz`: zip files whose members are `.npy` files.
//!
//! Only requested arrays are unpacked. An array is unpacked only if deflate can reach its
//! declared size, and its checksum and size are verified.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use zip::ZipArchive;

use crate::budget::Budget;
use crate::error::{Fault, shown};
use crate::file::{DEFLATE, MAX_INFLATED};
use crate::grid::Grid;
use crate::marks::MissingMarks;
use crate::npy::NpyArray;
use crate::table::{Arrays, TableOptions};

/// An archive whose arrays can be read by name.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    marks: MissingMarks,
    budget: Budget,
    /// Bytes of the archive and of the arrays that were read.
    held: u64,
}

impl<'a> Archive<'a> {
    pub fn open(bytes: &'a [u8], options: &TableOptions) -> Result<Self, Fault> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(unsound)?;
        let (marks, budget) = (options.missing.clone(), Budget::new(options.memory));
        Ok(Archive { zip, marks, budget, held: bytes.len() as u64 })
    }
}

impl<'m> Arrays<'m> for Archive<'_> {
    /// In the order of the archive; files that are not arrays are omitted.
    fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().flatten();
        names.filter_map(|name| name.strip_suffix(".npy").map(String::from)).collect()
    }

    fn array(&mut self, name: &str) -> Result<Box<dyn Grid + 'm>, Fault> {
        let bytes = self.unpacked(name)?;
        let array = NpyArray::parse(Cow::Owned(bytes), Some(name.into()), &self.marks)?;
        self.budget.require_values(self.held, &array)?;
        Ok(Box::new(array))
    }

    fn is_read(&self, _: &str) -> bool {
        true
    }

    fn only_is_pool(&self) -> bool {
        true
    }
}

impl Archive<'_> {
    /// The file of the array with this name, after checking its size and checksum.
    fn unpacked(&mut self, name: &str) -> Result<Vec<u8>, Fault> {
        let mut entry = self.zip.by_name(&format!("{name}.npy")).map_err(unsound)?;
        let (packed, declared) = (entry.compressed_size(), entry.size());
        let most = packed.saturating_mul(DEFLATE as u64).min(MAX_INFLATED as u64);
        if declared > most {
            let what = format!(
                "{:?} declares {declared} bytes, but at most {most} are possible",
                shown(name)
            );
            return Err(Fault::Npz { what });
        }
        self.budget.require(self.held, declared)?;
        self.held += declared;
        let mut bytes = Vec::new();
        bytes.reserve_exact(declared as usize);
        // One byte more than declared, to detect that the data are longer.
        let unpacked = entry.by_ref().take(declared + 1).read_to_end(&mut bytes);
        unpacked.map_err(|error| unsound(error.into()))?;
        if bytes.len() as u64 != declared {
            let what = format!("{:?} does not have the declared length", shown(name));
            return Err(Fault::Npz { what });
        }
        Ok(bytes)
    }
}

fn unsound(error: zip::result::ZipError) -> Fault {
    Fault::Npz { what: shown(&error.to_string()) }
}
