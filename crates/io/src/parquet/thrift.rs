//! The part of Thrift's compact protocol that is needed to find single numbers in the metadata
//! of a Parquet file and to skip the rest. Functions return `None` for invalid data.

/// The maximum nesting depth of structures.
const DEEPEST: u8 = 16;

/// Types of fields.
pub(super) mod kind {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const STRUCT: u8 = 12;
}

/// Bytes and the current position.
pub(super) struct Thrift<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Thrift<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Thrift { bytes, at }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    fn step(&mut self, bytes: u64) -> Option<()> {
        let end = self.at.checked_add(usize::try_from(bytes).ok()?)?;
        self.at = end;
        (end <= self.bytes.len()).then_some(())
    }

    /// Seven bits per byte, the lowest first.
    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A whole number with its sign in the lowest bit.
    pub fn number(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The type and the number of elements of a list.
    pub fn list(&mut self) -> Option<(u8, u64)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.unsigned()?,
            few => few.into(),
        };
        Some((head & 0xf, count))
    }

    /// Visits the fields of a structure: their numbers and types. The visitor returns whether
    /// it has read the field; otherwise the field is skipped.
    pub fn fields(
        &mut self,
        mut visit: impl FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        self.fields_at(0, &mut visit)
    }

    fn fields_at(
        &mut self,
        depth: u8,
        visit: &mut dyn FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        let mut field = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => self.number()?,
                further => field.checked_add(further.into())?,
            };
            if !visit(self, field, head & 0xf)? {
                self.skip(head & 0xf, depth)?;
            }
        }
    }

    /// Skips a value.
    fn skip(&mut self, kind: u8, depth: u8) -> Option<()> {
        match kind {
            kind::TRUE | kind::FALSE => Some(()),
            kind::BYTE => self.step(1),
            kind::I16 | kind::I32 | kind::I64 => self.unsigned().map(|_| ()),
            kind::DOUBLE => self.step(8),
            kind::BINARY => {
                let length = self.unsigned()?;
                self.step(length)
            }
            kind::LIST | kind::SET if depth < DEEPEST => self.skip_list(depth + 1),
            kind::STRUCT if depth < DEEPEST => {
                self.fields_at(depth + 1, &mut |_, _, _| Some(false))
            }
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: u8) -> Option<()> {
        let (kind, count) = self.list()?;
        // A Boolean in a list takes one byte, unlike one in a structure.
        let kind = if matches!(kind, kind::TRUE | kind::FALSE) { kind::BYTE } else { kind };
        (0..count).try_for_each(|_| self.skip(kind, depth))
    }
}
