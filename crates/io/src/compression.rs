//! Compressed files: gzip and Zstandard.

use std::io;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

use crate::budget::Budget;
use crate::error::{Fault, shown};
use crate::file::read_within;

/// A compression of whole files, detected by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x1f\x8b") {
            Some(Compression::Gzip)
        } else if bytes.starts_with(b"\x28\xb5\x2f\xfd") {
            Some(Compression::Zstd)
        } else {
            None
        }
    }

    /// The decompressed bytes, which must fit into the budget beside the compressed ones.
    pub fn expand(self, bytes: &[u8], budget: Budget) -> Result<Vec<u8>, Fault> {
        let held = bytes.len() as u64;
        let expanded = match self {
            Compression::Gzip => read_within(MultiGzDecoder::new(bytes), budget, held),
            Compression::Zstd => zstd_frames(bytes, budget),
        };
        expanded.map_err(|fault| match fault {
            Fault::System { message, .. } => {
                Fault::Compressed { format: self.name(), what: shown(&message) }
            }
            other => other,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "Zstandard",
        }
    }

    /// The name without the extension of the compression.
    pub fn inner_name(self, path: &Path) -> &Path {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match (extension.as_deref(), path.file_stem()) {
            (Some("gz" | "gzip" | "zst" | "zstd"), Some(inner)) => Path::new(inner),
            _ => path,
        }
    }
}

/// Decodes one frame after the other, because the decoder reads only one. Skippable frames
/// contain no data.
fn zstd_frames(mut rest: &[u8], budget: Budget) -> Result<Vec<u8>, Fault> {
    let (held, mut content) = (rest.len() as u64, Vec::new());
    while !rest.is_empty() {
        let mut frame = match StreamingDecoder::new(&mut rest) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                rest = rest.get(length as usize..).ok_or_else(|| damaged("a frame is cut off"))?;
                continue;
            }
            Err(error) => return Err(damaged(error)),
        };
        let part = read_within(&mut frame, budget, held + content.len() as u64)?;
        if frame.decoder.get_checksum_from_data() != frame.decoder.get_calculated_checksum()
            && frame.decoder.get_checksum_from_data().is_some()
        {
            return Err(damaged("the checksum does not match"));
        }
        content.extend(part);
    }
    Ok(content)
}

fn damaged(error: impl ToString) -> Fault {
    Fault::System { kind: io::ErrorKind::InvalidData, message: error.to_string() }
}
