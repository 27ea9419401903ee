//! Reads ten thousand damaged files: no panic, no invalid result, and no more memory than
//! stated.
#![allow(unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::mat::{Big, DOUBLE, Little, STORED, array, compressed, file, raw_variable};
use common::{accepted, bytes_of, npy, zipped};
use enclust_core::Bytes;
use enclust_io::{Format, PoolOptions, Source, TableOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Counts the memory in use and its maximum.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// Safety: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(IN_USE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of damaged files per format.
const FILES: usize = 2000;
/// The memory that reading may take, as stated in the documentation of the crate.
const TIMES_CONTENT: usize = 128;
const BESIDES: usize = 1 << 20;

/// The maximum content of a file of this size: more than the file itself if it is compressed.
fn content(format: Format, size: usize) -> usize {
    match format {
        Format::Mat | Format::Npz | Format::Parquet => 1032 * size,
        _ => size,
    }
}

/// Ensures that tests do not count each other's memory.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the bytes in all possible ways and checks the memory that this took.
fn read(bytes: &[u8], format: Format, content: usize) -> usize {
    let before = IN_USE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let accepted = accepted::check(bytes, format);
    let taken = PEAK.load(Relaxed) - before;
    assert!(
        taken <= TIMES_CONTENT * content + BESIDES,
        "{taken} bytes for {} as {format:?} with {content} bytes of content",
        bytes.len()
    );
    accepted
}

/// Random numbers for the damage.
struct Chance(ChaCha8Rng);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

/// Applies one to three random changes to the bytes.
fn damage(bytes: &mut Vec<u8>, chance: &mut Chance) {
    for _ in 0..=chance.below(3) {
        let at = chance.below(bytes.len());
        match chance.below(8) {
            0 => bytes.truncate(at),
            1 => flip(bytes, chance),
            2 => {
                let length = chance.below(20).min(bytes.len() - at);
                bytes.drain(at..at + length);
            }
            3 => {
                let length = chance.below(40).min(bytes.len() - at);
                let copy = bytes[at..at + length].to_vec();
                let to = chance.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            4 => bytes.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0xff),
            5 => {
                let size = chance.of(&[&b"\xff\xff\xff\x7f"[..], b"\0\0\0\x10", b"\0\0\0\0"]);
                let at = at / 4 * 4;
                bytes.iter_mut().skip(at).zip(size).for_each(|(byte, &new)| *byte = new);
            }
            6 => huge_number(bytes, chance),
            _ => {
                let words = [&b"NaN"[..], b"-1", b",", b"\n", b"\"", b"1e999", b"\r\n\r\n", b"\0"];
                let word = chance.of(&words);
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
}

fn flip(bytes: &mut [u8], chance: &mut Chance) {
    for _ in 0..=chance.below(8) {
        let (at, bit) = (chance.below(bytes.len()), chance.below(8));
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << bit;
        }
    }
}

/// Replaces a digit by a large number, for example in the shape of a NumPy header.
fn huge_number(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let digits: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
    if !digits.is_empty() {
        let at = digits[chance.below(digits.len())];
        let number = chance.of(&["4000000000", "9223372036854775807", "99999999999999999999", "0"]);
        bytes.splice(at..=at, number.bytes());
    }
}

/// Damages the files of a format, reads each one, and returns how many were accepted.
fn run(format: Format, seed: u64, make: impl Fn(&mut Chance) -> Vec<u8>) -> usize {
    let mut chance = Chance(ChaCha8Rng::seed_from_u64(seed));
    let mut accepted = 0;
    for _ in 0..FILES {
        let bytes = make(&mut chance);
        accepted += usize::from(read(&bytes, format, content(format, bytes.len())) > 0);
    }
    println!("{format:?}: {accepted} of {FILES} were accepted");
    accepted
}

fn labels(count: usize, clusters: usize, chance: &mut Chance) -> Vec<u8> {
    (0..count).map(|_| chance.below(clusters) as u8).collect()
}

#[test]
fn text() {
    let _alone = alone();
    let whole = |chance: &mut Chance| {
        let separator = chance.of(&[",", ";", "\t", " "]);
        let (rows, columns) = (1 + chance.below(60), 1 + chance.below(5));
        let mut lines = vec![];
        let (ids, header) = (chance.below(2) == 0, chance.below(2) == 0);
        if header {
            let names = (0..columns).map(|k| format!("c{k}"));
            lines.push(ids.then(|| "id".to_string()).into_iter().chain(names).collect::<Vec<_>>());
        }
        for row in 0..rows {
            let id = ids.then(|| format!("s{row}"));
            let cell = |_| match chance.below(40) {
                0 => "NA".to_string(),
                1 => "-1".to_string(),
                2 => "\"b, c\"".to_string(),
                label => (label % 6).to_string(),
            };
            lines.push(id.into_iter().chain((0..columns).map(cell)).collect());
        }
        let lines: Vec<_> = lines.iter().map(|cells| cells.join(separator)).collect();
        lines.join("\n").into_bytes()
    };
    let accepted = run(Format::Csv, 1, |chance| {
        let mut bytes = whole(chance);
        damage(&mut bytes, chance);
        bytes
    });
    assert!(accepted > FILES / 20 && accepted < FILES);
}

fn whole_npy(chance: &mut Chance) -> Vec<u8> {
    let (rows, columns) = (1 + chance.below(40), 1 + chance.below(5));
    let shape = format!("({rows}, {columns})");
    let values = labels(rows * columns, 5, chance);
    let fortran = chance.below(2) == 0;
    match chance.below(6) {
        0 => npy("|i1", fortran, &shape, &values),
        1 => npy("<i8", fortran, &shape, &bytes_of(&values, |v| i64::from(v).to_le_bytes())),
        2 => npy(">f4", fortran, &shape, &bytes_of(&values, |v| f32::from(v).to_be_bytes())),
        3 => npy("<U1", fortran, &shape, &bytes_of(&values, |v| u32::from(v + 97).to_le_bytes())),
        4 => npy(
            "<f8",
            false,
            &format!("({},)", values.len()),
            &bytes_of(&values, |v| f64::from(v).to_le_bytes()),
        ),
        _ => {
            let square = vec![0.5_f64; rows * rows];
            npy("<f8", fortran, &format!("({rows}, {rows})"), &bytes_of(&square, f64::to_le_bytes))
        }
    }
}

#[test]
fn numpy_arrays() {
    let _alone = alone();
    let accepted = run(Format::Npy, 2, |chance| {
        let mut bytes = whole_npy(chance);
        damage(&mut bytes, chance);
        bytes
    });
    assert!(accepted > FILES / 20 && accepted < FILES);
}

/// Half of the damage is done before packing, so that checksums are valid.
#[test]
fn numpy_archives() {
    let _alone = alone();
    let accepted = run(Format::Npz, 3, |chance| {
        let rows = 2 + chance.below(40);
        let mut members = npy("|u1", false, &format!("({rows}, 2)"), &labels(2 * rows, 4, chance));
        let truth = npy("<i2", false, &format!("({rows},)"), &vec![0; 2 * rows]);
        let ids: Vec<u8> = (0..rows as u8).map(|i| 48 + i).collect();
        let ids = npy("|S1", false, &format!("({rows},)"), &ids);
        let inside = chance.below(2) == 0;
        if inside {
            damage(&mut members, chance);
        }
        let files = [("members.npy", members), ("gt.npy", truth), ("ids.npy", ids)];
        let mut bytes = zipped(chance.below(2) == 0, &files);
        if !inside {
            damage(&mut bytes, chance);
        }
        bytes
    });
    assert!(accepted > FILES / 20 && accepted < FILES);
}

/// As above: half of the damage is done before compression.
#[test]
fn matlab_files() {
    let _alone = alone();
    let accepted = run(Format::Mat, 4, |chance| {
        let order = if chance.below(2) == 0 { Little } else { Big };
        let rows = 2 + chance.below(40);
        let values: Vec<f64> = labels(2 * rows, 4, chance).into_iter().map(f64::from).collect();
        let stored = &STORED[chance.below(STORED.len())];
        let mut variables = [
            array(order, stored, &[rows as u32, 2], "members", &values),
            array(order, DOUBLE, &[1, rows as u32], "gt", &values[..rows]),
            raw_variable(order, 2, &[1, 1], "info", &[0; 16]),
        ];
        let inside = chance.below(2) == 0;
        if inside {
            damage(&mut variables[chance.below(3)], chance);
        }
        if chance.below(2) == 0 {
            variables = variables.map(|variable| compressed(order, &variable));
        }
        let mut bytes = file(order, &variables);
        if !inside {
            damage(&mut bytes, chance);
        }
        bytes
    });
    assert!(accepted > FILES / 20 && accepted < FILES);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables() {
    use ::parquet::basic::Compression;
    use common::parquet::{Column, written};
    let _alone = alone();
    let accepted = run(Format::Parquet, 6, |chance| {
        let rows = 2 + chance.below(60);
        let text: Vec<_> = (0..rows).map(|row| Some(format!("s{row}"))).collect();
        let columns = [
            Column::Text("optional binary id (UTF8);", text),
            Column::Int32("optional int32 c1;", (0..rows as i32).map(|i| Some(i % 5)).collect()),
            Column::Double(
                "optional double c2;",
                (0..rows).map(|i| (i % 3 > 0).then_some(i as f64)).collect(),
            ),
        ];
        let codecs = [&Compression::UNCOMPRESSED, &Compression::SNAPPY, &Compression::LZ4_RAW];
        let mut bytes = written(*chance.of(&codecs), chance.below(2) == 0, &columns);
        damage(&mut bytes, chance);
        bytes
    });
    assert!(accepted > FILES / 100 && accepted < FILES);
}

/// Files of one format with the name of another, and noise with every name.
#[test]
fn wrong_types() {
    let _alone = alone();
    let formats =
        [Format::Csv, Format::Tsv, Format::Npy, Format::Npz, Format::Mat, Format::Parquet];
    for (at, &format) in formats.iter().enumerate() {
        run(format, 10 + at as u64, |chance| match chance.below(4) {
            0 => whole_npy(chance),
            1 => zipped(true, &[("members.npy", whole_npy(chance))]),
            2 => common::mat::small_pool(Little, chance.below(2) == 0),
            _ => {
                let length = chance.below(400);
                (0..length).map(|_| chance.below(256) as u8).collect()
            }
        });
    }
}

/// A few bytes that are a thousand times as long when unpacked.
#[test]
fn bombs() {
    let _alone = alone();
    let zeros = npy("|u1", false, "(4000000, 1)", &vec![0; 4_000_000]);
    let packed = zipped(true, &[("members.npy", zeros)]);
    assert!(packed.len() < 8000 && read(&packed, Format::Npz, 4_000_128) > 0);
    // Singleton clusters; their number is chosen such that the hash table has just grown.
    let rows = (1 << 19) / 8 * 7 + 1;
    let noise = npy("|i1", false, &format!("({rows}, 1)"), &vec![0xff; rows]);
    assert!(read(&noise, Format::Npy, rows) > 0);
    let values = vec![0.0; 1_000_000];
    let zeros = compressed(Little, &array(Little, &STORED[1], &[1_000_000, 1], "members", &values));
    let packed = file(Little, &[zeros]);
    assert!(packed.len() < 2000 && read(&packed, Format::Mat, 1_000_064) > 0);
}

/// The worst case for text: the shortest cells and only different labels.
#[test]
fn dense_text() {
    let _alone = alone();
    let counted: String = (0..40_000)
        .map(|i| format!("{}\n", char::from_u32(0x4e00 + i % 20_000).unwrap()))
        .collect();
    read(counted.as_bytes(), Format::Csv, counted.len());
    let short = "1,".repeat(200_000);
    read(short.as_bytes(), Format::Csv, short.len());
    let lines = "1\n".repeat(200_000);
    assert!(read(lines.as_bytes(), Format::Csv, lines.len()) > 0);
    let noise = "-1\n".repeat(100_000);
    assert!(read(noise.as_bytes(), Format::Csv, noise.len()) > 0);
    let counts: String = (0..100_000).map(|i| format!("{i}\n")).collect();
    assert!(read(counts.as_bytes(), Format::Csv, counts.len()) > 0);
}

/// Damaged compression ends with an error or the content, within a stated limit of memory.
#[test]
fn compressed_files() {
    let _alone = alone();
    let limit = 16 << 20;
    let table = TableOptions { memory: Some(Bytes(limit)), ..TableOptions::default() };
    let options = PoolOptions { table, ..PoolOptions::default() };
    let mut chance = Chance(ChaCha8Rng::seed_from_u64(20));
    let mut accepted = 0;
    for _ in 0..FILES {
        let text: String = (0..200).map(|_| format!("{},x\n", chance.below(4))).collect();
        let mut bytes = if chance.below(2) == 0 { gzip(&text) } else { zstd(&text) };
        damage(&mut bytes, &mut chance);
        let before = IN_USE.load(Relaxed);
        PEAK.store(before, Relaxed);
        accepted += usize::from(Source::from_bytes("x.csv.gz", bytes).pool(&options).is_ok());
        let taken = (PEAK.load(Relaxed) - before) as u64;
        // A decoder may take its window, and a growing list up to twice its length.
        assert!(taken <= 3 * limit, "{taken} bytes");
    }
    println!("compressed: {accepted} of {FILES} were accepted");
    assert!(accepted < FILES);
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress_to_vec(text.as_bytes(), level)
}
