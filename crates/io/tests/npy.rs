//! NumPy arrays and archives, valid and damaged.

mod common;

use common::{bytes_of, npy, npy_with, zipped};
use enclust_core::{Ensemble, Partition};
use enclust_io::{
    Fault, Features, Format, Labels, NpyError, Place, Pool, PoolOptions, TableOptions,
    similarity_from_npy,
};

fn pool(bytes: &[u8], format: Format) -> Result<Pool, Fault> {
    Pool::from_bytes(bytes, format, &PoolOptions::default())
}

fn features(bytes: &[u8]) -> Result<Features, Fault> {
    Features::from_bytes(bytes, Format::Npy, &TableOptions::default())
}

fn reversed<const N: usize>(bytes: [u8; N]) -> [u8; N] {
    let mut bytes = bytes;
    bytes.reverse();
    bytes
}

#[test]
fn every_type_and_order() {
    let values = [0.0, 1.0, 2.0, 100.0, 127.0, 3.0];
    let f16 = |x: f64| -> u16 {
        // Exponent and fraction of whole numbers below 2048.
        if x == 0.0 {
            return 0;
        }
        let exponent = x.log2().floor();
        ((exponent as u16 + 15) << 10) | ((x / exponent.exp2() - 1.0) * 1024.0) as u16
    };
    let bits: Vec<u16> = values.iter().map(|&x| f16(x)).collect();
    for (descr, data) in [
        ("|i1", bytes_of(&values, |x| (x as i8).to_le_bytes())),
        ("|u1", bytes_of(&values, |x| (x as u8).to_le_bytes())),
        ("<i2", bytes_of(&values, |x| (x as i16).to_le_bytes())),
        (">i2", bytes_of(&values, |x| (x as i16).to_be_bytes())),
        ("<u2", bytes_of(&values, |x| (x as u16).to_le_bytes())),
        ("<i4", bytes_of(&values, |x| (x as i32).to_le_bytes())),
        (">u4", bytes_of(&values, |x| (x as u32).to_be_bytes())),
        ("<i8", bytes_of(&values, |x| (x as i64).to_le_bytes())),
        (">u8", bytes_of(&values, |x| (x as u64).to_be_bytes())),
        ("<f2", bytes_of(&bits, u16::to_le_bytes)),
        (">f2", bytes_of(&bits, u16::to_be_bytes)),
        ("<f4", bytes_of(&values, |x| (x as f32).to_le_bytes())),
        (">f8", bytes_of(&values, |x| reversed(x.to_le_bytes()))),
    ] {
        let rows = features(&npy(descr, false, "(2, 3)", &data)).unwrap();
        assert_eq!((rows.samples, rows.dimension), (2, 3));
        assert_eq!(rows.values, values, "{descr}");
        let columns = features(&npy(descr, true, "(2, 3)", &data)).unwrap();
        assert_eq!(columns.values, [0.0, 2.0, 127.0, 1.0, 100.0, 3.0], "{descr}");
    }
    let signs = npy("<i4", false, "(2,)", &bytes_of(&[-70_000, i32::MIN], i32::to_le_bytes));
    assert_eq!(features(&signs).unwrap().values, [-70_000.0, -2_147_483_648.0]);
    let truths = npy("|b1", false, "(3,)", &[0, 1, 1]);
    assert_eq!(
        pool(&truths, Format::Npy).unwrap().ensemble,
        Ensemble::from_columns(&[[0, 1, 1]]).unwrap()
    );
    // Half precision: smallest, a fraction, a negative one.
    let halves = npy("<f2", false, "(3,)", &bytes_of(&[1_u16, 0x3555, 0xc100], u16::to_le_bytes));
    assert_eq!(features(&halves).unwrap().values, [2_f64.powi(-24), 0.333251953125, -2.5]);
}

#[test]
fn text_is_a_label() {
    let utf32 = |words: &[&str]| -> Vec<u8> {
        words
            .iter()
            .flat_map(|w| {
                w.chars().chain(['\0'; 4]).take(4).flat_map(|c| u32::from(c).to_le_bytes())
            })
            .collect()
    };
    let unicode = npy("<U4", false, "(4, 1)", &utf32(&["ä", "nan", "ä", "bb"]));
    let expected = Ensemble::from_columns(&[[Some(0), None, Some(0), Some(1)]]).unwrap();
    assert_eq!(pool(&unicode, Format::Npy).unwrap().ensemble, expected);
    let bytes = npy("|S2", false, "(4,)", b"a\0\0\0a\0bb");
    assert_eq!(pool(&bytes, Format::Npy).unwrap().ensemble, expected);
    let surrogate = npy("<U1", false, "(1, 2)", &bytes_of(&[97, 0xd800], u32::to_le_bytes));
    assert_eq!(
        pool(&surrogate, Format::Npy),
        Err(Fault::Npy(NpyError::NotText { row: 1, column: 2 }))
    );
}

#[test]
fn vectors_and_missing_labels() {
    let data = bytes_of(&[1.0, f64::NAN, 1.0], f64::to_le_bytes);
    let found = pool(&npy("<f8", false, "(3,)", &data), Format::Npy).unwrap();
    assert_eq!(found.ensemble, Ensemble::from_columns(&[[Some(0), None, Some(0)]]).unwrap());
    for shape in ["(3,)", "(3, 1)", "(1, 3)", "(3L,)"] {
        let truth = npy("<i2", false, shape, &bytes_of(&[7_i16, 7, -1], i16::to_le_bytes));
        let found = Labels::from_bytes(&truth, Format::Npy, &TableOptions::default()).unwrap();
        assert_eq!(found.partition, Partition::from_labels([0, 0, 1]), "{shape}");
    }
    let noise = npy("|i1", false, "(2, 2)", &bytes_of(&[0_i8, 0, 1, -1], i8::to_le_bytes));
    let at = Place::Cell { array: None, row: 2, column: 2 };
    assert_eq!(pool(&noise, Format::Npy), Err(Fault::Noise { at }));
}

#[test]
fn headers_that_are_not_sound_are_refused() {
    let fault = |bytes: &[u8]| match pool(bytes, Format::Npy) {
        Err(Fault::Npy(error)) => error,
        other => panic!("{other:?}"),
    };
    let sound = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }";
    assert!(pool(&npy_with(sound, &[0; 4]), Format::Npy).is_ok());
    assert_eq!(fault(b"PK"), NpyError::NotNpy);
    assert_eq!(fault(b"\x93NUMPY\x09\x00\x00\x00"), NpyError::Version { major: 9, minor: 0 });
    assert!(matches!(fault(b"\x93NUMPY\x02\x00\xff\xff\xff\xff"), NpyError::Header { .. }));
    for (old, new) in [
        ("{", ""),
        ("}", ""),
        ("(1,)", "1"),
        ("(1,)", "(-1,)"),
        ("(1,)", "(1"),
        ("'shape'", "'sharp'"),
        ("False", "0"),
        ("'descr'", "descr"),
        ("(1,)", "(99999999999999999999,)"),
        ("}", "} x"),
    ] {
        let bytes = npy_with(&sound.replace(old, new), &[0; 4]);
        assert!(matches!(fault(&bytes), NpyError::Header { .. }), "{old} {new}");
    }
    for descr in ["|O", "<c8", "<M8[ns]", "|V4", "<f16", "<U0", "<i3", "", "<é4"] {
        assert!(
            matches!(fault(&npy(descr, false, "(1,)", &[0; 4])), NpyError::Dtype { .. }),
            "{descr}"
        );
    }
    let records = "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }";
    assert!(matches!(fault(&npy_with(records, &[0; 4])), NpyError::Dtype { .. }));
}

#[test]
fn promises_do_not_allocate() {
    for (shape, needed) in [
        ("(1000000000000,)", 4_000_000_000_000),
        ("(4294967296, 4294967296)", u64::MAX),
        ("(1, 1)", 4),
        ("(2, 2)", 16),
    ] {
        for found in [0, 15, 17] {
            let error = pool(&npy("<i4", false, shape, &vec![0; found]), Format::Npy).unwrap_err();
            let Fault::Npy(NpyError::Size { needed: said, found: there, .. }) = error else {
                panic!("{error}")
            };
            assert_eq!((said, there), (needed, found as u64));
        }
    }
    for shape in ["(0,)", "(0, 1000000000000)", "(1000000000000, 0)"] {
        assert_eq!(pool(&npy("<i4", false, shape, &[]), Format::Npy), Err(Fault::Empty));
        assert_eq!(features(&npy("<f8", true, shape, &[])), Err(Fault::Empty));
    }
    for shape in ["()", "(1, 1, 1)"] {
        let error = pool(&npy("<i4", false, shape, &[0; 4]), Format::Npy).unwrap_err();
        assert!(matches!(error, Fault::Shape { .. }));
    }
}

/// A pool of three samples, with truth.
fn arrays() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("members.npy", npy("|u1", false, "(3, 2)", &[1, 5, 1, 6, 2, 6])),
        ("gt.npy", npy("|u1", false, "(3,)", &[1, 1, 0])),
    ]
}

#[test]
fn archives() {
    for deflated in [false, true] {
        let found = pool(&zipped(deflated, &arrays()), Format::Npz).unwrap();
        assert_eq!(found.ensemble, Ensemble::from_columns(&[[1, 1, 2], [5, 6, 6]]).unwrap());
        assert_eq!(found.truth, Some(Partition::from_labels([1, 1, 0])));
    }
    let alone = zipped(true, &[("arr_0.npy", arrays()[0].1.clone()), ("notes.txt", vec![])]);
    assert_eq!(pool(&alone, Format::Npz).unwrap().ensemble.clusterings(), 2);
    let labels =
        Labels::from_bytes(&zipped(true, &arrays()), Format::Npz, &TableOptions::default());
    assert_eq!(labels.unwrap().partition, Partition::from_labels([1, 1, 0]));
}

#[test]
fn archives_that_are_no_pool_are_refused() {
    let alone = pool(&zipped(false, &arrays()[1..]), Format::Npz).unwrap();
    assert_eq!((alone.ensemble.clusterings(), alone.truth), (1, None));
    let mut short = arrays();
    short[1].1 = npy("|u1", false, "(2,)", &[1, 1]);
    let fault = Fault::Samples { samples: 3, truth: 2, transposed: true };
    assert_eq!(pool(&zipped(true, &short), Format::Npz), Err(fault));
    let mut named = arrays();
    named.push(("ids.npy", npy("|S1", false, "(3,)", b"aba")));
    let at = Place::Cell { array: Some("ids".into()), row: 3, column: 1 };
    let fault = Fault::DuplicateId { at, id: "a".into() };
    assert_eq!(pool(&zipped(true, &named), Format::Npz), Err(fault));
    named[2].1 = npy("|S1", false, "(2,)", b"ab");
    let fault = Fault::Names { array: "ids", expected: 3, found: 2 };
    assert_eq!(pool(&zipped(true, &named), Format::Npz), Err(fault));
    let mut damaged = zipped(false, &arrays());
    let values = damaged.windows(6).position(|w| w == [1, 5, 1, 6, 2, 6]).unwrap();
    damaged[values] = 3;
    assert!(matches!(pool(&damaged, Format::Npz), Err(Fault::Npz { .. })));
    assert!(matches!(pool(b"PK\x03\x04", Format::Npz), Err(Fault::Npz { .. })));
}

/// An archive that declares more than its compressed bytes can contain is refused without
/// unpacking.
#[test]
fn an_archive_that_promises_too_much_is_refused() {
    let array = npy("|u1", false, "(5000,)", &[1; 5000]);
    let good = zipped(true, &[("members.npy", array.clone())]);
    assert!(pool(&good, Format::Npz).is_ok());
    let size = (array.len() as u32).to_le_bytes();
    let lied: Vec<u8> = {
        let mut bytes = good.clone();
        let places: Vec<_> = (0..bytes.len() - 4).filter(|&at| bytes[at..at + 4] == size).collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at..at + 4].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
        }
        bytes
    };
    let error = pool(&lied, Format::Npz).unwrap_err().to_string();
    assert!(error.contains("declares 2147483647 bytes"), "{error}");
}

#[test]
fn formats_are_told_by_their_first_bytes() {
    let of = |name: &str, bytes: &[u8]| Format::of(name.as_ref(), bytes);
    assert_eq!(of("x.csv", &zipped(false, &arrays())), Format::Npz);
    assert_eq!(of("x.mat", &npy("|u1", false, "(0,)", &[])), Format::Npy);
    assert_eq!(of("x", &common::mat::small_pool(common::mat::Little, true)), Format::Mat);
    assert_eq!(of("x.csv", b"\x89HDF\r\n\x1a\n"), Format::Mat);
    assert_eq!(of("x.txt", b"PAR1....PAR1"), Format::Parquet);
    assert_eq!(of("x.TSV", b"1"), Format::Tsv);
    assert_eq!(of("x.npy", b"1"), Format::Npy);
    assert_eq!(of("x.data", b"1"), Format::Csv);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_is_named() {
    assert_eq!(pool(b"PAR1....PAR1", Format::Parquet), Err(Fault::NoParquet));
}

#[test]
fn similarities() {
    let read = |bytes: &[u8]| similarity_from_npy::<f64>(bytes, bytes.len() as u64, None);
    let square =
        |values: [f64; 9]| npy("<f8", false, "(3, 3)", &bytes_of(&values, f64::to_le_bytes));
    let good = [1.0, 0.25, 0.5, 0.25, 0.75, 0.0, 0.5, 0.0, 1.0];
    let found = read(&square(good)).unwrap();
    assert_eq!(found.to_matrix(), good);
    assert_eq!(found.within(), [1.0, 0.75, 1.0]);
    let single = npy("<f4", true, "(3, 3)", &bytes_of(&good, |x| (x as f32).to_le_bytes()));
    assert_eq!(read(&single).unwrap(), found);
    let narrow = similarity_from_npy::<f32>(&single[..], single.len() as u64, None).unwrap();
    assert_eq!(narrow.to_matrix(), good.map(|x| x as f32));

    let with = |at: usize, value: f64| {
        let mut values = good;
        values[at] = value;
        read(&square(values))
    };
    assert_eq!(with(0, 1.0 + 4e-16).unwrap().own(), [1.0, 0.75, 1.0]);
    assert_eq!(with(3, 0.25 + 1e-13).unwrap().condensed(), [0.25, 0.5, 0.0]);
    let at = |row, column| Place::Cell { array: None, row, column };
    for value in [1.1, -0.1, f64::INFINITY] {
        assert_eq!(with(5, value), Err(Fault::Similarity { at: at(2, 3), value }));
    }
    assert!(matches!(with(5, f64::NAN), Err(Fault::Similarity { .. })));
    let fault = Fault::Asymmetric { at: at(3, 1), value: 0.75, mirrored: 0.5 };
    assert_eq!(with(6, 0.75), Err(fault));
    let oblong = npy("<f8", false, "(1, 2)", &[0; 16]);
    assert!(matches!(read(&oblong), Err(Fault::Shape { .. })));
    assert_eq!(read(&npy("<i8", false, "(1, 1)", &[0; 8])), Err(Fault::NotFloats));
    assert!(matches!(read(&square(good)[..100]), Err(Fault::Npy(NpyError::Size { .. }))));
    // The declared size exceeds the actual size.
    let huge = npy("<f8", false, "(4000000, 4000000)", &[]);
    assert!(matches!(read(&huge), Err(Fault::Npy(NpyError::Size { .. }))));
}
