//! Files that were once read in an unexpected way: each is read as stated here, or it is an error
//! that names the position and the option that helps.

mod common;

use std::io::Write;

use common::mat::{Little, STORED, array, compressed, doubles, file};
use common::{npy, zipped};
use enclust_core::{Bytes, Ensemble};
use enclust_io::{
    Fault, Features, Format, Labels, MissingMarks, Place, Pool, PoolOptions, Separator, Source,
    TableOptions, pairs_from_text, read_similarity_within, similarity_from_npy,
};
use flate2::Compression;
use flate2::write::GzEncoder;

/// A file and what becomes of it as a pool.
struct Case {
    name: &'static str,
    bytes: Vec<u8>,
    options: TableOptions,
    expected: Expected,
}

enum Expected {
    /// One text per clustering, one word per sample; `.` is a missing label.
    Pool(&'static [&'static str], Separator),
    Fault(Fault),
}

use Expected::Pool as Read;

fn case(name: &'static str, bytes: impl AsRef<[u8]>, expected: impl Into<Expected>) -> Case {
    with(name, bytes, TableOptions::default(), expected)
}

fn with(
    name: &'static str,
    bytes: impl AsRef<[u8]>,
    options: TableOptions,
    expected: impl Into<Expected>,
) -> Case {
    Case { name, bytes: bytes.as_ref().to_vec(), options, expected: expected.into() }
}

impl From<Fault> for Expected {
    fn from(fault: Fault) -> Self {
        Expected::Fault(fault)
    }
}

fn ensemble(columns: &[&str]) -> Ensemble {
    let words = |column: &str| -> Vec<Option<u32>> {
        column.split(' ').map(|word| word.parse().ok()).collect()
    };
    Ensemble::from_columns(&columns.iter().map(|column| words(column)).collect::<Vec<_>>()).unwrap()
}

fn check(cases: Vec<Case>) {
    for Case { name, bytes, options, expected } in cases {
        let options = PoolOptions { table: options, ..PoolOptions::default() };
        let found = Pool::from_bytes_with_layout(&bytes, Format::Csv, &options);
        match (expected, found) {
            (Expected::Fault(expected), Err(found)) => assert_eq!(found, expected, "{name}"),
            (Read(columns, separator), Ok((pool, layout))) => {
                assert_eq!(pool.ensemble, ensemble(columns), "{name}");
                assert_eq!(layout.unwrap().separator, separator, "{name}");
            }
            (_, found) => panic!("{name}: {found:?}"),
        }
    }
}

fn at(line: usize, column: usize) -> Place {
    Place::Line { line, column }
}

fn ragged(line: usize, expected: usize, found: usize, separator: Separator) -> Fault {
    Fault::Ragged { line, expected, found, separator }
}

fn unclear(candidates: &[Separator]) -> Fault {
    Fault::SeparatorUnclear { candidates: candidates.to_vec() }
}

fn header(stated: bool) -> TableOptions {
    TableOptions { header: Some(stated), ..TableOptions::default() }
}

fn separated(separator: &str) -> TableOptions {
    TableOptions { separator: separator.parse().ok(), ..TableOptions::default() }
}

fn within(bytes: u64) -> TableOptions {
    TableOptions { memory: Some(Bytes(bytes)), ..TableOptions::default() }
}

const COMMA: Separator = Separator::COMMA;
const SEMICOLON: Separator = Separator::SEMICOLON;
const TAB: Separator = Separator::TAB;
const SPACE: Separator = Separator::Space;

#[test]
fn quotes() {
    check(vec![
        case("unclosed", "1,x\n1,\"y\n2,y\n2,x\n", Fault::UnclosedQuote { at: at(2, 2) }),
        case("unclosed in line 1", "\"1,x\n1,y\n", Fault::UnclosedQuote { at: at(1, 1) }),
        case("unclosed at the end", "1,x\n1,\"", Fault::UnclosedQuote { at: at(2, 2) }),
        case("unclosed, spaces", "1 2\n1 \"3\n", Fault::UnclosedQuote { at: at(2, 2) }),
        case("text after", "1,x\n1,\"y\"z\n", Fault::StrayQuote { at: at(2, 2) }),
        // The second quote closes the first one three lines below it.
        case("closed too late", "1,x\n1,\"y\n1,x\n2,\"x\"\n", Fault::StrayQuote { at: at(4, 2) }),
        case("space before", "1,x\n1, \"y, z\"\n", Fault::StrayQuote { at: at(2, 2) }),
        case("space before, line 1", " \"y\",1\nx,1\n", Fault::StrayQuote { at: at(1, 1) }),
        case("space after", "1,\"x\" \n1,\"x\"\n2,y\n", Read(&["1 1 2", "1 1 2"], COMMA)),
        case("doubled", "1,\"x\"\"\"\n1,x\n2,\"x\"\"\"\n", Read(&["1 1 2", "1 2 1"], COMMA)),
        case("inside", "1,x\"y\n1,x\n2,x\"y\n", Read(&["1 1 2", "1 2 1"], COMMA)),
        case(
            "with separators",
            "1,\"a;b\"\n1,\"a;b,c\"\n2,\"a;b\"\n",
            Read(&["1 1 2", "1 2 1"], COMMA),
        ),
        case("with spaces", "\"a b\" 1\n\"a c\" 2\n\"a d\" 1\n", Read(&["1 2 1"], SPACE)),
    ]);
}

#[test]
fn bytes_that_are_not_text() {
    let utf16 = |text: &str, mark: &[u8]| {
        let bytes = text.encode_utf16().flat_map(u16::to_le_bytes);
        mark.iter().copied().chain(bytes).collect::<Vec<u8>>()
    };
    let big: Vec<u8> = "1,2\n1,2\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(vec![
        case("zero byte", b"1,2\n1,\x002\n2,2\n", Fault::Nul { line: 2 }),
        case("zero byte after CR", b"1,2\r1,2\r2\0,2\r", Fault::Nul { line: 3 }),
        case("UTF-16", utf16("1,2\n1,2\n", b"\xff\xfe"), Fault::Utf16),
        case("UTF-16 without a mark", utf16("1,2\n1,2\n", b""), Fault::Utf16),
        case("UTF-16, big endian", big, Fault::Utf16),
        case("Latin-1", b"1,2\r\n1,\xe4\r\n", Fault::NotUtf8 { line: 2 }),
    ]);
}

#[test]
fn lines() {
    check(vec![
        case("CR", "1,x\r1,y\r2,y\r", Read(&["1 1 2", "1 2 2"], COMMA)),
        case("CR, one column", "1\r1\r2", Read(&["1 1 2"], COMMA)),
        case("mixed ends", "1,x\r1,y\n2,y\r\n", Read(&["1 1 2", "1 2 2"], COMMA)),
        case("CR, spaces", "1 5\r1 6\r2 6", Read(&["1 1 2", "1 2 2"], SPACE)),
        case("ragged, commas", "1,2\n1,2\n1\n", ragged(3, 2, 1, COMMA)),
        case("ragged, semicolons", "1;2\n1;2;3\n1;2\n", ragged(2, 2, 3, SEMICOLON)),
        case("ragged, tabs", "1\t2\n1\t2\n1\n", ragged(3, 2, 1, TAB)),
        case("ragged, spaces", "1 2 3\n1 2\n1 2 3\n", ragged(2, 3, 2, SPACE)),
        case("ragged, spaces and ids", "a 1 2\nb 1\nc 1 2\n", ragged(2, 3, 2, SPACE)),
        case("ragged after the head", "1,2\n".repeat(200) + "1\n", ragged(201, 2, 1, COMMA)),
        case("blank", "1\n2\r\n\r\n1\n", Fault::Blank { line: 3 }),
        case("blank but for spaces", "1,2\n  \n1,2\n", Fault::Blank { line: 2 }),
    ]);
}

#[test]
fn separators() {
    check(vec![
        case("one semicolon in line 1", "a;b,c\n1,2\n1,3\n", Read(&["1 1", "2 3"], COMMA)),
        case("semicolons in cells", "1,a;b\n1,c\n2,a;b\n", Read(&["1 1 2", "1 2 1"], COMMA)),
        case("two that fit", "1;2,3\n1;2,4\n", unclear(&[SEMICOLON, COMMA])),
        case("decimal commas and semicolons", "0,5;1,5\n0,5;2,5\n", unclear(&[SEMICOLON, COMMA])),
        case("decimal commas and spaces", "0,5 1,5\n0,5 2,5\n", unclear(&[COMMA, SPACE])),
        with("stated", "1;2,3\n1;2,4\n", separated("semicolon"), Read(&["1 1", "1 2"], SEMICOLON)),
        with(
            "stated bar",
            "1|2\n1|3\n",
            separated("|"),
            Read(&["1 1", "1 2"], Separator::Byte(b'|')),
        ),
        with("stated, one column", "b c\na\nb c\n", separated("comma"), Read(&["1 2 1"], COMMA)),
        with("stated, wrong", "1,2\n1,2;3\n", separated("semicolon"), ragged(2, 1, 2, SEMICOLON)),
        case("comma and space", "1, 5\n1, 6\n2, 6\n", Read(&["1 1 2", "1 2 2"], COMMA)),
        case("words", "x p\nx q\ny q\n", unclear(&[SPACE])),
        case("words, ragged", "T cell\nB\nT cell\n", unclear(&[SPACE])),
        case("a name of two words", "my labels\n1\n1\n2\n", Read(&["1 1 2"], COMMA)),
    ]);
    let tsv = |text: &str| Pool::from_bytes(text.as_bytes(), Format::Tsv, &PoolOptions::default());
    assert_eq!(tsv("1,2\n1,3\n"), Err(unclear(&[COMMA])), "commas in .tsv");
    assert_eq!(tsv("a b\na b\nc\n").unwrap().ensemble, ensemble(&["1 1 2"]), "words in .tsv");
}

#[test]
fn headers() {
    let numbers = "1,2,x\n1,2,3\n2,2,3\n";
    check(vec![
        case("a word among numbers", numbers, Fault::HeaderUnclear),
        with("stated: no", numbers, header(false), Read(&["1 1 2", "2 2 2", "1 3 3"], COMMA)),
        with("stated: yes", numbers, header(true), Read(&["1 2", "2 2", "3 3"], COMMA)),
        case("text above text", "km,ward\nx,p\nx,q\ny,q\n", Fault::HeaderUnclear),
        case("text that occurs again", "x,p\nx,q\ny,q\n", Read(&["1 1 2", "1 2 2"], COMMA)),
        case("again, but above numbers", "x,p\n1,p\n2,p\n", Fault::HeaderUnclear),
        case("the same word twice", "x,x\n1,2\n1,3\n", Fault::HeaderUnclear),
        case("a missing name", "x,NA\n1,2\n1,3\n", Fault::HeaderUnclear),
        case("names above numbers", "km,ward\n1,5\n1,6\n", Read(&["1 1", "5 6"], COMMA)),
        case("one line of words", "x,y\n", Fault::HeaderUnclear),
        case("one line of numbers", "1,2\n", Read(&["1", "2"], COMMA)),
        case("an index above two lines", ",0\n0,1\n1,1\n", Read(&["1 1"], COMMA)),
        case("an index above one line", ",0\n0,1\n", Fault::HeaderUnclear),
    ]);
    let labels =
        |text: &str| Labels::from_bytes(text.as_bytes(), Format::Csv, &TableOptions::default());
    assert_eq!(labels("y\nn\nn\n"), Err(Fault::HeaderUnclear), "yes and no");
    assert!(Fault::HeaderUnclear.to_string().contains("--header yes|no"));
}

#[test]
fn pairs() {
    let ids = ["a", "b", "c"].map(String::from);
    let pairs = |text: &str, ids: Option<&[String]>| {
        pairs_from_text(text.as_bytes(), Format::Csv, ids, &TableOptions::default())
    };
    let unknown = |text: &str, by_number| {
        Err(Fault::UnknownSample { at: at(1, 1), text: text.into(), by_number })
    };
    assert_eq!(pairs("x,y\n", Some(&ids)), unknown("x", true), "one line of unknown ids");
    assert_eq!(pairs("x,y\n", None), unknown("x", true), "one line of words");
    assert_eq!(pairs("x,y\na,b\n", Some(&ids)), unknown("x", true), "unknown ids above others");
    assert_eq!(pairs("sample_1,sample_2\na,b\n", Some(&ids)), Ok(vec![(0, 1)]), "a header");
    assert_eq!(pairs("a,b\nb,c\n", Some(&ids)), Ok(vec![(0, 1), (1, 2)]), "ids like a header");
}

#[test]
fn missing_values() {
    let marks = [
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
        "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "na", "?",
    ];
    for mark in marks {
        let text = format!("id,km\na,1\nb,{mark}\nc,2\n");
        let expected = || Read(&["1 . 2"], COMMA);
        check(
            vec![
                case("plain", &text, expected()),
                case("quoted", text.replace(mark, &format!("\"{mark}\"")), expected()),
            ]
            .into_iter()
            .take(if mark.is_empty() { 1 } else { 2 })
            .collect(),
        );
        let words = ["x", mark, "y"].map(|word| format!("{word:\0<8}")).concat();
        let array = npy("|S8", false, "(3,)", words.as_bytes());
        let found = Pool::from_bytes(&array, Format::Npy, &PoolOptions::default()).unwrap();
        assert_eq!(found.ensemble, ensemble(&["1 . 2"]), "{mark} in an array");
    }
    let own = || TableOptions { missing: MissingMarks::new(["-", "x"]), ..TableOptions::default() };
    check(vec![
        with("own marks", "a1,x\na1,NA\n-,NA\n", own(), Read(&["1 1 .", ". 1 1"], COMMA)),
        with("empty cells", "a1,b\na1,\na2,b\n", own(), Read(&["1 1 2", "1 . 1"], COMMA)),
    ]);
}

#[test]
fn gaps_in_the_truth() {
    let labels = |text: &str| {
        Labels::from_bytes(text.as_bytes(), Format::Csv, &TableOptions::default()).unwrap()
    };
    let gaps = labels("id,class\nc,x\nb,NA\na,y\nd,\n");
    assert_eq!((gaps.partition.labels(), &gaps.missing[..]), (&[0, 1][..], &[1, 3][..]));
    assert_eq!((gaps.samples(), gaps.known()), (4, vec![0, 2]));
    let pool = || {
        let text = b"id,km\na,1\nb,1\nc,2\n";
        Pool::from_bytes(text, Format::Csv, &PoolOptions::default()).unwrap()
    };
    let aligned = gaps.clone().aligned(&pool()).unwrap();
    assert_eq!((aligned.partition.labels(), &aligned.missing[..]), (&[0, 1][..], &[1][..]));
    assert_eq!(pool().with_truth(gaps), Err(Fault::TruthGaps { missing: 1 }));
}

#[test]
fn the_only_array_of_an_archive() {
    let array = || npy("|u1", false, "(3, 2)", &[1, 5, 1, 6, 2, 6]);
    let ids = || npy("|S1", false, "(3,)", b"abc");
    for name in ["arr_0", "X", "gt", "labels"] {
        let named = format!("{name}.npy");
        let archive = zipped(true, &[(&named, array()), ("ids.npy", ids())]);
        let pool = Pool::from_bytes(&archive, Format::Npz, &PoolOptions::default()).unwrap();
        assert_eq!(pool.ensemble, ensemble(&["1 1 2", "1 2 2"]), "{name}");
        assert_eq!((pool.ids.map(|ids| ids.len()), pool.truth), (Some(3), None), "{name}");
    }
    let two = zipped(true, &[("E.npy", array()), ("F.npy", array())]);
    let found = Pool::from_bytes(&two, Format::Npz, &PoolOptions::default());
    assert!(matches!(found, Err(Fault::NoArray { .. })));
    // Labels are not features.
    let labels = zipped(true, &[("members.npy", array())]);
    let found = Features::from_bytes(&labels, Format::Npz, &TableOptions::default());
    assert!(matches!(found, Err(Fault::NoArray { .. })));
}

const POOL: &[u8] = b"1\t5\n1\t6\n2\t6\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn pool_in(name: &str, bytes: Vec<u8>, table: TableOptions) -> Result<Pool, Fault> {
    let options = PoolOptions { table, ..PoolOptions::default() };
    let read = Source::from_bytes(name, bytes).pool(&options);
    read.map(|(pool, _)| pool).map_err(|error| error.fault)
}

#[test]
fn compressed_files() {
    let expected = ensemble(&["1 1 2", "1 2 2"]);
    let array = npy("|u1", false, "(3, 2)", &[1, 5, 1, 6, 2, 6]);
    for pack in [gzip, zstd] {
        for (name, bytes) in [
            ("pool.tsv.gz", pack(POOL)),
            ("POOL.TSV.ZST", pack(POOL)),
            ("no extension", pack(POOL)),
            ("pool.csv", pack(&array)),
            ("in two parts.gz", [pack(&POOL[..5]), pack(&POOL[5..])].concat()),
        ] {
            let found = pool_in(name, bytes, TableOptions::default());
            assert_eq!(found.unwrap().ensemble, expected, "{name}");
        }
        // The inner extension counts: without it, two columns of commas are a doubt.
        let found = pool_in("a.tsv.gz", pack(b"1,2\n1,3\n"), TableOptions::default());
        assert_eq!(found, Err(unclear(&[COMMA])));
        let whole = pack(&POOL.repeat(100));
        for length in [whole.len() / 2, whole.len() - 1] {
            let cut = pool_in("cut.csv.gz", whole[..length].to_vec(), TableOptions::default());
            assert!(matches!(cut, Err(Fault::Compressed { .. })), "{length}: {cut:?}");
        }
        let bomb = pack(&vec![b'1'; 1 << 20]);
        let found = pool_in("bomb.csv.gz", bomb, within(1 << 19));
        assert!(matches!(found, Err(Fault::TooLong { .. })), "{found:?}");
    }
    let skippable = [&b"\x28\xb5\x2f\xfd"[..], &[]].concat();
    assert!(matches!(
        pool_in("x.zst", skippable, TableOptions::default()),
        Err(Fault::Compressed { .. })
    ));
}

#[test]
fn memory() {
    let commas = ",".repeat(100_000);
    let found = pool_in("commas.csv", commas.into_bytes(), within(1_000_000));
    assert!(matches!(found, Err(Fault::Memory { .. })), "commas: {found:?}");

    let zeros = vec![0.0; 1_000_000];
    let large = compressed(Little, &array(Little, &STORED[1], &[1_000_000, 1], "members", &zeros));
    let packed = file(Little, std::slice::from_ref(&large));
    assert!(packed.len() < 2000);
    let found = pool_in("x.mat", packed, within(4_000_000));
    assert!(matches!(found, Err(Fault::Memory { .. })), ".mat: {found:?}");
    // Variables that are not asked for do not count.
    let other = array(Little, &STORED[1], &[1_000_000, 1], "other", &zeros);
    let small = doubles(&[3, 1], "members", &[1.0, 1.0, 2.0]);
    let both = file(Little, &[compressed(Little, &other), small]);
    assert_eq!(pool_in("x.mat", both, within(100_000)).unwrap().ensemble, ensemble(&["1 1 2"]));

    let array = npy("|u1", false, "(1000000, 1)", &vec![0; 1_000_000]);
    let archive = zipped(true, &[("members.npy", array)]);
    let found = pool_in("x.npz", archive, within(100_000));
    assert!(matches!(found, Err(Fault::Memory { .. })), ".npz: {found:?}");
}

/// The header alone is there; nothing of the 28.8 GB is read or allocated.
#[test]
fn a_similarity_is_refused_from_its_header() {
    let header = npy("<f8", false, "(60000, 60000)", &[]);
    let length = header.len() as u64 + 60_000 * 60_000 * 8;
    let found = similarity_from_npy::<f64>(&header[..], length, Some(Bytes(100_000_000)));
    let Err(Fault::Memory { needed, available }) = found else { panic!("accepted") };
    assert!(needed > Bytes(14_399_000_000) && needed < Bytes(14_500_000_000), "{needed}");
    assert_eq!(available, Bytes(100_000_000));
    let missing = read_similarity_within::<f64>("no such file", None).unwrap_err();
    assert!(matches!(missing.fault, Fault::System { .. }));
}

#[test]
fn large_files_are_refused_before_they_are_read() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("sparse.csv");
    std::fs::File::create(&path).unwrap().set_len(1 << 32).unwrap();
    let error = Source::read(&path, Some(Bytes(1 << 20))).unwrap_err();
    let (needed, available) = (Bytes(1 << 32), Bytes(1 << 20));
    assert_eq!(error.fault, Fault::Memory { needed, available });
    std::fs::remove_file(&path).unwrap();
}
