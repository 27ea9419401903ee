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
    let spaces = Words::of(text, marks);
    match even[..] {
        _ if format == Format::Tsv => Err(unclear(&even)),
        [one] if one.separator == Separator::COMMA && spaces.have_decimal_commas() => {
            Err(Fault::SeparatorUnclear { candidates: vec![one.separator, Separator::Space] })
        }
        [one] => Ok(one.separator),
        [] if spaces.are_even_numbers() => Ok(Separator::Space),
        [] if heads.iter().any(Head::occurs) => usual(&heads),
        [] => spaces.or_one_column(),
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

/// The first lines, separated by spaces. The words are not kept, because a line may be long.
struct Words {
    lines: Vec<Line>,
    /// Whether every quote is closed and belongs to a whole cell, and no line is blank.
    is_sound: bool,
}

/// What the words of a line are.
#[derive(Default)]
struct Line {
    words: usize,
    first: String,
    /// Whether the first word is a number or missing.
    begins_with_number: bool,
    /// Whether the other words are numbers or missing.
    others_are_numbers: bool,
    /// Whether all words are numbers.
    all_are_numbers: bool,
    /// Whether all words are numbers if a comma is a decimal point.
    all_are_decimal: bool,
}

impl Line {
    fn new() -> Self {
        let (others_are_numbers, all_are_numbers, all_are_decimal) = (true, true, true);
        Line { others_are_numbers, all_are_numbers, all_are_decimal, ..Line::default() }
    }

    fn push(&mut self, word: &str, marks: &MissingMarks) {
        let is_number = number(word).is_some();
        let is_value = is_number || marks.contains(word);
        let is_decimal =
            || !word.ends_with([',', ';']) && number(&word.replacen(',', ".", 1)).is_some();
        if self.words == 0 {
            (self.first, self.begins_with_number) = (word.into(), is_value);
        } else {
            self.others_are_numbers &= is_value;
        }
        self.all_are_numbers &= is_number;
        self.all_are_decimal = self.all_are_decimal && is_decimal();
        self.words += 1;
    }
}

impl Words {
    fn of(text: &str, marks: &MissingMarks) -> Self {
        let mut records = Records::new(text, Separator::Space);
        let mut lines = Vec::new();
        while lines.len() < HEAD {
            let mut line = Line::new();
            match records.next(|word| line.push(word, marks)) {
                Ok(Some(_)) => lines.push(line),
                Ok(None) => break,
                Err(_) => return Words { lines, is_sound: false },
            }
        }
        Words { lines, is_sound: true }
    }

    /// The lines below a possible header.
    fn body(&self) -> &[Line] {
        if self.lines.len() > 1 { &self.lines[1..] } else { &self.lines }
    }

    /// Whether all cells are numbers, except in the first line and in a first column without
    /// repetition. A name of several words must not be split into cells.
    fn are_numbers(&self) -> bool {
        let mut seen = HashSet::new();
        let body = self.body();
        body.iter().any(|line| line.words > 1)
            && body.iter().all(|line| line.others_are_numbers)
            && (body.iter().all(|line| line.begins_with_number)
                || self.lines.len() > 1 && body.iter().all(|line| seen.insert(&line.first)))
    }

    fn are_even_numbers(&self) -> bool {
        self.is_sound && is_even(&self.lines) && self.are_numbers()
    }

    /// Whether commas may be decimal points between spaces.
    fn have_decimal_commas(&self) -> bool {
        is_even(self.body()) && self.body().iter().all(|line| line.all_are_decimal)
    }

    /// Spaces between numbers separate cells; a file without spaces below its first line has one
    /// column. Spaces between words may be either.
    fn or_one_column(&self) -> Result<Separator, Fault> {
        let names_one_column = self.lines.len() > 1 && !self.lines[0].all_are_numbers;
        let one_each = |lines: &[Line]| lines.iter().all(|line| line.words == 1);
        if one_each(&self.lines) || names_one_column && one_each(self.body()) {
            Ok(Separator::COMMA)
        } else if self.are_numbers() || self.lines.iter().all(|line| line.all_are_numbers) {
            Ok(Separator::Space)
        } else {
            Err(Fault::SeparatorUnclear { candidates: vec![Separator::Space] })
        }
    }
}

/// Whether all lines have the same number of words, more than one.
fn is_even(lines: &[Line]) -> bool {
    let width = lines.first().map_or(0, |line| line.words);
    width > 1 && lines.iter().all(|line| line.words == width)
}
