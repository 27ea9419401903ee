//! MATLAB files assembled byte by byte, valid and damaged.

mod common;

use std::path::PathBuf;

use common::mat::{
    Big, DOUBLE, Little, STORED, array, compressed, doubles, element, file, raw_variable,
    small_pool, word,
};

use enclust_core::{Ensemble, Partition};
use enclust_io::{Fault, MatError, MatFile, Place, Pool, Variable, read_mat, read_pool};
use proptest::prelude::*;

fn pool(variables: &[Vec<u8>]) -> Result<Pool, Fault> {
    Pool::from_mat(&MatFile::parse(&file(Little, variables)).unwrap())
}

#[test]
fn every_type_in_both_byte_orders_compressed_or_not() {
    let values = [0.0, 1.0, 2.0, 100.0, 127.0, 3.0];
    for order in [Little, Big] {
        for stored in &STORED {
            let variable = array(order, stored, &[2, 3], "x", &values);
            for bytes in [variable.clone(), compressed(order, &variable)] {
                let file = MatFile::parse(&file(order, &[bytes])).unwrap();
                let array = file.array("x").unwrap();
                assert_eq!(array.shape(), &[2, 3]);
                assert_eq!(array.values(), &values, "{order:?}, type {}", stored.kind);
            }
        }
    }
}

#[test]
fn signs_and_fractions_survive() {
    for (stored, values) in [
        (&STORED[0], vec![-1.0, -128.0]),
        (&STORED[4], vec![-1.0, -70_000.0]),
        (&STORED[8], vec![-1.0, 9_007_199_254_740_991.0]),
        (&STORED[6], vec![-0.5, f64::INFINITY]),
        (DOUBLE, vec![0.1, -1e300]),
    ] {
        let file = MatFile::parse(&file(Little, &[array(Little, stored, &[1, 2], "x", &values)]));
        assert_eq!(file.unwrap().array("x").unwrap().values(), &values);
    }
}

/// Written by SciPy 1.17.1: savemat with do_compression=True of `members` (int32),
/// `gt` (a row of doubles) and `note` (text); the header is made here.
#[test]
fn a_file_of_scipy() {
    const VARIABLES: &str = "\
        0f0000003b000000789ce36360600800623620e600621e06086085f299819809881981981d8873537393528b\
        8ac1f212507198dcbfffffff3f98ccc200c200d6730a8d0f0000002f000000789ce3636060f000623620e680\
        d220c00ae533023133986662482f6160e004b2251860e0833d2acde00000663e04190f0000002b000000789c\
        e36360603000623620e600621606086085f2198198094cb330e4e597a40a007919990c0c00279902ff";
    let bytes: Vec<u8> = (0..VARIABLES.len() / 2)
        .map(|i| u8::from_str_radix(&VARIABLES[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    let file = MatFile::parse(&file(Little, &[bytes])).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["members", "gt", "note"]);
    let members = file.array("members").unwrap();
    assert_eq!(members.shape(), &[3, 2]);
    assert_eq!(members.values(), &[1.0, 1.0, 7.0, -2.0, 300_000.0, 300_000.0]);
    assert_eq!(file.get("note"), Some(&Variable::Unread("text")));
    let pool = Pool::from_mat(&file).unwrap();
    assert_eq!(pool.truth, Some(Partition::from_labels([1, 1, 2])));
}

#[test]
fn what_is_not_a_full_real_array_is_passed_over() {
    let complex = raw_variable(Little, 6 | 0x0800, &[1, 1], "c", &element(Little, 9, &[0; 8]));
    let huge = array(Little, &STORED[9], &[1, 1], "h", &[1e16]);
    let opaque = {
        let parts = [
            element(Little, 6, &[word(Little, 17), word(Little, 0)].concat()),
            element(Little, 1, b"o"),
        ]
        .concat();
        [word(Little, 14), word(Little, parts.len() as u32), parts].concat()
    };
    let unknown = element(Little, 99, &[0; 16]);
    let cell = raw_variable(Little, 1, &[1, 1], "k", &[0; 40]);
    let last = doubles(&[1, 1], "x", &[5.0]);
    let file =
        MatFile::parse(&file(Little, &[complex, huge, opaque, unknown, cell, last])).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["c", "h", "o", "k", "x"]);
    assert_eq!(file.get("c"), Some(&Variable::Unread("complex numbers")));
    assert_eq!(file.get("h"), Some(&Variable::Unread("integers of 2^53 or more")));
    assert_eq!(file.get("o"), Some(&Variable::Unread("an object")));
    assert_eq!(file.get("k"), Some(&Variable::Unread("a cell array")));
    assert_eq!(file.array("x").unwrap().values(), &[5.0]);
    assert_eq!(file.get("y"), None);
}

#[test]
fn of_two_variables_of_one_name_the_last_counts() {
    let file = file(Little, &[doubles(&[1, 1], "x", &[1.0]), doubles(&[1, 1], "x", &[2.0])]);
    assert_eq!(MatFile::parse(&file).unwrap().array("x").unwrap().values(), &[2.0]);
}

#[test]
fn other_formats_are_named() {
    let mut v73 = file(Little, &[]);
    v73[125] = 2;
    for bytes in [v73, b"\x89HDF\r\n\x1a\n and so on".to_vec()] {
        let error = MatFile::parse(&bytes).unwrap_err();
        assert_eq!(error, MatError::Hdf5);
        assert!(error.to_string().contains("-v7"));
    }
    assert_eq!(MatFile::parse(b""), Err(MatError::NotMat));
    assert_eq!(MatFile::parse(&[b' '; 500]), Err(MatError::NotMat));
}

#[test]
fn every_truncation_is_an_error() {
    for order in [Little, Big] {
        for packed in [false, true] {
            let bytes = small_pool(order, packed);
            let whole = MatFile::parse(&bytes).unwrap();
            for length in 0..bytes.len() {
                // A file cut between two variables is valid.
                if let Ok(part) = MatFile::parse(&bytes[..length]) {
                    assert!(part.names().count() < whole.names().count());
                    assert!(length == 128 || part.names().eq(["members"]));
                }
            }
        }
    }
}

#[test]
fn promises_do_not_allocate() {
    // Dimensions of 2³¹ − 1, and a size of nearly 4 GB, over a few bytes.
    let wide = raw_variable(Little, 6, &[i32::MAX as u32; 2], "x", &element(Little, 9, &[0; 8]));
    assert!(matches!(
        MatFile::parse(&file(Little, &[wide])),
        Err(MatError::TooLarge { at: 136, .. })
    ));
    let long = [word(Little, 14), word(Little, u32::MAX - 7)].concat();
    assert_eq!(
        MatFile::parse(&file(Little, &[long])),
        Err(MatError::Truncated { at: 136, needed: u32::MAX as usize - 7, left: 0 })
    );
    let negative = raw_variable(Little, 6, &[u32::MAX, 1], "x", &[]);
    assert!(matches!(MatFile::parse(&file(Little, &[negative])), Err(MatError::Damaged { .. })));
}

#[test]
fn compressed_data_are_checked_to_the_end() {
    let good = compressed(Little, &doubles(&[1, 2], "x", &[1.0, 2.0]));
    let damaged = |bytes: Vec<u8>| match MatFile::parse(&file(Little, &[bytes])) {
        Err(MatError::Damaged { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let mut checksum = good.clone();
    *checksum.last_mut().unwrap() ^= 1;
    assert_eq!(damaged(checksum), "the compressed data are corrupt");

    let resized = |data: &[u8]| [word(Little, 15), word(Little, data.len() as u32), data.to_vec()];
    assert_eq!(
        damaged(resized(&good[8..good.len() - 1]).concat()),
        "the compressed data are incomplete"
    );
    assert_eq!(
        damaged(resized(&[&good[8..], b"more"].concat()).concat()),
        "bytes follow the compressed data"
    );
    let nested = compressed(Little, &good);
    assert!(matches!(
        MatFile::parse(&file(Little, &[nested])),
        Err(MatError::Compressed { at: 128, .. })
    ));
}

#[test]
fn a_pool_with_truth() {
    let ensemble = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]]).unwrap();
    let truth = Some(Partition::from_labels([0, 0, 1]));
    let expected = Pool { truth, ..Pool::new(ensemble) };
    for order in [Little, Big] {
        for packed in [false, true] {
            let file = MatFile::parse(&small_pool(order, packed)).unwrap();
            assert_eq!(Pool::from_mat(&file).unwrap(), expected);
        }
    }
}

#[test]
fn a_pool_without_truth_and_with_gaps() {
    let members = doubles(&[2, 2], "members", &[f64::NAN, 3.0, 0.0, -0.0]);
    let expected = Ensemble::from_columns(&[[None, Some(3)], [Some(0), Some(0)]]).unwrap();
    assert_eq!(pool(&[members]), Ok(Pool::new(expected)));
}

#[test]
fn arrays_that_are_no_pool_are_refused() {
    let members = || doubles(&[2, 2], "members", &[1.0, 2.0, 1.0, 1.0]);
    let gt = |shape: &[u32], values: &[f64]| doubles(shape, "gt", values);

    let cell = |array: &str, row, column| Place::Cell { array: Some(array.into()), row, column };
    assert_eq!(
        pool(&[gt(&[1, 1], &[1.0])]),
        Err(Fault::NoArray { wanted: vec!["members"], found: vec!["gt".into()] })
    );
    let fraction = doubles(&[2, 2], "members", &[1.0, 2.0, 1.0, 1.5]);
    assert_eq!(
        pool(&[fraction]).unwrap_err().to_string(),
        "\"members\", row 2, column 2: the label 1.5 is not a whole number"
    );
    for (value, text) in [(f64::INFINITY, "inf"), (1e17, "100000000000000000")] {
        let error = pool(&[members(), gt(&[1, 2], &[1.0, value])]).unwrap_err();
        assert_eq!(error, Fault::Label { at: cell("gt", 1, 2), value: text.into() });
    }
    assert_eq!(
        pool(&[members(), gt(&[3, 1], &[1.0; 3])]),
        Err(Fault::Samples { samples: 2, truth: 3, transposed: false })
    );
    assert_eq!(
        pool(&[members(), gt(&[2, 1], &[1.0, f64::NAN])]),
        Err(Fault::NoTruth { at: cell("gt", 2, 1) })
    );
    assert!(matches!(
        pool(&[members(), gt(&[2, 2], &[1.0; 4])]),
        Err(Fault::Columns { found: 2, .. })
    ));
    assert!(matches!(
        pool(&[doubles(&[1, 2, 2], "members", &[1.0; 4])]),
        Err(Fault::Shape { array: Some(name), .. }) if name == "members"
    ));
    for empty in [[0, 0], [0, 3], [3, 0]] {
        assert_eq!(pool(&[doubles(&empty, "members", &[])]), Err(Fault::Empty));
    }
    assert_eq!(
        pool(&[members(), raw_variable(Little, 1, &[1, 1], "gt", &[])]),
        Err(Fault::Unread { name: "gt".into(), holds: "a cell array".into() })
    );
}

#[test]
fn a_transposed_pool_is_refused_with_a_hint() {
    let members = doubles(&[2, 3], "members", &[1.0; 6]);
    let error = pool(&[members, doubles(&[3, 1], "gt", &[1.0; 3])]).unwrap_err();
    assert_eq!(error, Fault::Samples { samples: 2, truth: 3, transposed: true });
    assert_eq!(
        error.to_string(),
        "3 truth labels for 2 samples (rows); there are 3 columns: is the pool transposed?"
    );
}

#[test]
fn the_only_array_is_meant_whatever_its_name() {
    let text = raw_variable(Little, 4, &[1, 2], "note", &element(Little, 16, b"hi"));
    let found = pool(&[text.clone(), doubles(&[2, 1], "E", &[1.0, 2.0])]).unwrap();
    assert_eq!(found.ensemble.samples(), 2);
    let two = pool(&[doubles(&[2, 1], "E", &[1.0, 2.0]), doubles(&[2, 1], "F", &[1.0, 2.0])]);
    assert!(matches!(two, Err(Fault::NoArray { .. })));
    // Features are not used as a pool even if they are the only array.
    assert!(matches!(pool(&[doubles(&[1, 1], "X", &[1.0])]), Err(Fault::NoArray { .. })));
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn files_are_read_and_errors_name_them() {
    let path = scratch("small_pool.mat");
    std::fs::write(&path, small_pool(Little, true)).unwrap();
    assert_eq!(read_mat(&path).unwrap().names().collect::<Vec<_>>(), ["members", "gt"]);
    assert_eq!(read_pool(&path).unwrap().ensemble.clusterings(), 2);

    let path = scratch("not_a_pool.mat");
    std::fs::write(&path, file(Little, &[])).unwrap();
    let error = read_pool(&path).unwrap_err();
    assert!(matches!(error.fault, Fault::NoArray { .. }));
    assert!(error.to_string().contains("not_a_pool.mat: there is no array \"members\""));

    let path = scratch("not_a_mat.mat");
    std::fs::write(&path, "a,b\n1,2\n").unwrap();
    assert_eq!(read_pool(&path).unwrap_err().fault, Fault::Mat(MatError::NotMat));
    let lost = read_mat(scratch("no such file")).unwrap_err();
    assert!(matches!(lost.fault, Fault::System { kind: std::io::ErrorKind::NotFound, .. }));
    assert_eq!(read_mat(env!("CARGO_TARGET_TMPDIR")).unwrap_err().fault, Fault::NotAFile);
}

proptest! {
    /// Every change of the bytes leads to a result or an error.
    #[test]
    fn damage_never_panics(
        big in any::<bool>(),
        packed in any::<bool>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = small_pool(if big { Big } else { Little }, packed);
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(file) = MatFile::parse(&bytes) {
            let _ = Pool::from_mat(&file);
        }
    }

    #[test]
    fn any_bytes_after_the_header_never_panic(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = MatFile::parse(&file(Little, &[noise]));
    }

    /// The checksum of a compressed variable covers all its values.
    #[test]
    fn a_flip_in_compressed_data_is_found(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let values: Vec<f64> = (0..50).map(f64::from).collect();
        let good = file(Little, &[compressed(Little, &doubles(&[50, 1], "x", &values))]);
        let mut bad = good.clone();
        let at = 136 + at.index(bad.len() - 136);
        bad[at] ^= 1 << bit;
        match MatFile::parse(&bad) {
            Err(_) => {}
            Ok(file) => prop_assert_eq!(file, MatFile::parse(&good).unwrap()),
        }
    }
}
