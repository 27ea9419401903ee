//! The separator of the cells of a text file, and its detection.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use crate::cells::Records;
use crate::error::Fault;
use crate::file::Format;
use crate::grid::number;
use crate::marks::MissingMarks;

/// The number of lines from which the separator is detected.
const HEAD: usize = 100;

/// What separates two cells of a line.
///
/// ```
/// use enclust_io::Separator;
///
/// assert_eq!("semicolon".parse(), Ok(Separator::SEMICOLON));
/// assert_eq!("|".parse(), Ok(Separator::Byte(b'|')));
/// assert_eq!(Separator::COMMA.to_string(), "comma");
/// assert!("x".parse::<Separator>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separator {
    /// One ASCII character.
    Byte(u8),
    /// One or more spaces or tabs.
    Space,
}

/// The separators that have a name.
const NAMED: [(Separator, &str); 4] = [
    (Separator::COMMA, "comma"),
    (Separator::SEMICOLON, "semicolon"),
    (Separator::TAB, "tab"),
    (Separator::Space, "space"),
];

/// The text is not a separator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a separator; write comma, semicolon, tab, space or one character that is \
     not a letter, a digit or a quote"
)]
pub struct NoSeparator {
    text: String,
}

impl Separator {
    /// `,`
    pub const COMMA: Separator = Separator::Byte(b',');
    /// `;`
    pub const SEMICOLON: Separator = Separator::Byte(b';');
    /// The tab character.
    pub const TAB: Separator = Separator::Byte(b'\t');

    /// Whether this byte separates cells.
    pub(crate) fn is(self, byte: u8) -> bool {
        match self {
            Separator::Byte(own) => byte == own,
            Separator::Space => matches!(byte, b' ' | b'\t'),
        }
    }
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (NAMED.iter().find(|(named, _)| named == self), self) {
            (Some((_, name)), _) => f.write_str(name),
            (None, Separator::Byte(byte)) => write!(f, "{}", char::from(*byte)),
            (None, Separator::Space) => f.write_str("space"),
        }
    }
}

impl FromStr for Separator {
    type Err = NoSeparator;

    fn from_str(text: &str) -> Result<Self, NoSeparator> {
        if let Some((separator, _)) = NAMED.iter().find(|(_, name)| *name == text) {
            return Ok(*separator);
        }
        match text.as_bytes() {
            b" " => Ok(Separator::Space),
            b"\t" => Ok(Separator::TAB),
            [byte] if byte.is_ascii_punctuation() && !b"\"'.+-".contains(byte) => {
                Ok(Separator::Byte(*byte))
            }
            _ => Err(NoSeparator { text: text.into() }),
        }
    }
}

/// Detects the separator from the first lines; [`TableOptions`](crate::TableOptions) documents
/// the rules.
pub(crate) fn detect(
    text: &str,
    format: Format,
    short_header: bool,
    marks: &MissingMarks,
) -> Result<Separator, Fault> {
    const SIGNS: [Separator; 3] = [Separator::TAB, Separator::SEMICOLON, Separator::COMMA];
    let heads = SIGNS.map(|separator| Head::of(text, separator));
    let mut even: Vec<&Head> = heads.iter().filter(|head| head.is_even(short_header)).collect();
    // A separator that divides quoted cells of another one is inside text.
    if even.iter().any(|head| !head.has_inner_quote) {
        even.retain(|head| !head.has_inner_quote);
    }
    let unclear = |fitting: &[&Head]| {
        let candidates = fitting.iter().map(|head| head.separator).collect();
        Fault::SeparatorUnclear { candidates }
    };
    if format == Format::Tsv && (heads[0].occurs() || even.is_empty()) {
        return Ok(Separator::TAB);
    }
    let spaces = Words::of(text);
    match even[..] {
        _ if format == Format::Tsv => Err(unclear(&even)),
        [one] if one.separator == Separator::COMMA && spaces.have_decimal_commas() => {
            Err(Fault::SeparatorUnclear { candidates: vec![one.separator, Separator::Space] })
        }
        [one] => Ok(one.separator),
        [] if spaces.are_even_numbers(marks) => Ok(Separator::Space),
        [] if heads.iter().any(Head::occurs) => usual(&heads),
        [] => spaces.or_one_column(marks),
        _ => Err(unclear(&even)),
    }
}

/// The separator that divides most lines alike. Some line differs, so that reading the lines
/// will return an error that names it.
fn usual(heads: &[Head]) -> Result<Separator, Fault> {
    let mut found: Vec<_> = heads.iter().map(|head| (head.most_alike(), head.separator)).collect();
    found.sort_by_key(|(alike, _)| std::cmp::Reverse(*alike));
    match found[..] {
        [(best, separator), (next, _), ..] if best > next => Ok(separator),
        _ => {
            let occurring = heads.iter().filter(|head| head.occurs());
            let candidates = occurring.map(|head| head.separator).collect();
            Err(Fault::SeparatorUnclear { candidates })
        }
    }
}

/// The numbers of cells of the first lines with one separator.
struct Head {
    separator: Separator,
    cells: Vec<usize>,
    /// Whether every quote is closed and belongs to a whole cell.
    is_sound: bool,
    has_inner_quote: bool,
}

impl Head {
    fn of(text: &str, separator: Separator) -> Self {
        let mut records = Records::new(text, separator);
        let mut head =
            Head { separator, cells: Vec::new(), is_sound: true, has_inner_quote: false };
        while head.cells.len() < HEAD {
            match records.next(|_| ()) {
                Ok(Some(row)) => {
                    head.cells.push(row.cells);
                    head.has_inner_quote |= row.has_inner_quote;
                }
                Ok(None) => break,
                Err(_) => {
                    head.is_sound = false;
                    break;
                }
            }
        }
        head
    }

    fn occurs(&self) -> bool {
        self.cells.iter().any(|&cells| cells > 1)
    }

    /// Whether all lines have the same number of cells, more than one; a short header may lack
    /// one.
    fn is_even(&self, short_header: bool) -> bool {
        let Some((&first, body)) = self.cells.split_first() else { return false };
        let width = body.first().copied().unwrap_or(first);
        let fits = first == width || short_header && first + 1 == width;
        self.is_sound && width > 1 && fits && body.iter().all(|&cells| cells == width)
    }

    /// The largest number of lines with the same number of cells, more than one.
    fn most_alike(&self) -> usize {
        let alike = |width: &usize| self.cells.iter().filter(|cells| *cells == width).count();
        self.cells.iter().filter(|&&width| width > 1).map(alike).max().unwrap_or(0)
    }
}

/// The first lines, separated by spaces.
struct Words {
    lines: Vec<Vec<String>>,
    /// Whether every quote is closed and belongs to a whole cell, and no line is blank.
    is_sound: bool,
}

impl Words {
    fn of(text: &str) -> Self {
        let mut records = Records::new(text, Separator::Space);
        let mut lines = Vec::new();
        while lines.len() < HEAD {
            let mut words = Vec::new();
            match records.next(|word| words.push(word.to_string())) {
                Ok(Some(_)) => lines.push(words),
                Ok(None) => break,
                Err(_) => return Words { lines, is_sound: false },
            }
        }
        Words { lines, is_sound: true }
    }

    /// The lines below a possible header.
    fn body(&self) -> &[Vec<String>] {
        if self.lines.len() > 1 { &self.lines[1..] } else { &self.lines }
    }

    /// Whether all cells are numbers, except in the first line and in a first column without
    /// repetition. A name of several words must not be split into cells.
    fn are_numbers(&self, marks: &MissingMarks) -> bool {
        let is_number = |word: &String| marks.contains(word) || number(word).is_some();
        let mut seen = HashSet::new();
        let body = self.body();
        body.iter().any(|line| line.len() > 1)
            && body.iter().all(|line| line[1..].iter().all(is_number))
            && (body.iter().all(|line| is_number(&line[0]))
                || self.lines.len() > 1 && body.iter().all(|line| seen.insert(&line[0])))
    }

    fn are_even_numbers(&self, marks: &MissingMarks) -> bool {
        let width = self.lines.first().map_or(0, Vec::len);
        let even = width > 1 && self.lines.iter().all(|line| line.len() == width);
        even && self.is_sound && self.are_numbers(marks)
    }

    /// Whether commas may be decimal points between spaces.
    fn have_decimal_commas(&self) -> bool {
        let is_decimal = |word: &String| {
            !word.ends_with([',', ';']) && number(&word.replacen(',', ".", 1)).is_some()
        };
        let body = self.body();
        let width = body.first().map_or(0, Vec::len);
        width > 1 && body.iter().all(|line| line.len() == width && line.iter().all(is_decimal))
    }

    /// Spaces between numbers separate cells; a file without spaces below its first line has one
    /// column. Spaces between words may be either.
    fn or_one_column(&self, marks: &MissingMarks) -> Result<Separator, Fault> {
        let is_number = |word: &String| number(word).is_some();
        let names_one_column = self.lines.len() > 1 && !self.lines[0].iter().all(is_number);
        let one_each = |lines: &[Vec<String>]| lines.iter().all(|line| line.len() == 1);
        if one_each(&self.lines) || names_one_column && one_each(self.body()) {
            Ok(Separator::COMMA)
        } else if self.are_numbers(marks) || self.lines.iter().flatten().all(is_number) {
            Ok(Separator::Space)
        } else {
            Err(Fault::SeparatorUnclear { candidates: vec![Separator::Space] })
        }
    }
}
