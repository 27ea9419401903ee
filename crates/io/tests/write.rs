//! Written files can be read back, and are written completely or not at all.

use std::io::{self, Write};
use std::path::PathBuf;

use enclust_core::{Ensemble, Partition};
use enclust_io::{
    Origin, Pool, read_labels, read_pool, read_similarity, write_atomically, write_labels,
    write_matrix_npy, write_pool,
};
use proptest::prelude::*;

/// A separate folder for each test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn files(folder: &PathBuf) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_file_is_there_whole_or_not_at_all() {
    let folder = folder("atomic");
    let path = folder.join("result.txt");
    let fails = |file: &mut io::BufWriter<std::fs::File>| -> io::Result<()> {
        write!(file, "half")?;
        Err(io::Error::other("no more"))
    };
    let error = write_atomically(&path, fails).unwrap_err();
    assert!(error.to_string().ends_with("result.txt: no more"));
    assert!(files(&folder).is_empty());
    write_atomically(&path, |file| write!(file, "first")).unwrap();
    write_atomically(&path, fails).unwrap_err();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "first");
    write_atomically(&path, |file| write!(file, "second")).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "second");
    assert_eq!(files(&folder), ["result.txt"]);
    assert!(write_atomically(folder.join("no/such/folder"), |_| Ok(())).is_err());
}

#[cfg(unix)]
#[test]
fn devices_are_written_through_and_files_can_be_read_by_others() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    write_atomically("/dev/null", |file| write!(file, "gone")).unwrap();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let folder = folder("mode");
    let (ours, plain) = (folder.join("ours"), folder.join("plain"));
    write_atomically(&ours, |_| Ok(())).unwrap();
    std::fs::write(&plain, "").unwrap();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(ours), mode(plain));
}

fn small_pool() -> Pool {
    let columns = [[Some(0), None, Some(1)], [Some(0), Some(1), Some(2)]];
    let mut pool = Pool::new(Ensemble::from_columns(&columns).unwrap());
    pool.truth = Some(Partition::from_labels([0, 1, 0]));
    pool.ids = Some(["a,b", "ö", "\"c\""].map(String::from).to_vec());
    pool.columns = Some(["km", "ward 2"].map(String::from).to_vec());
    pool
}

#[test]
fn pools_are_read_back() {
    let folder = folder("pools");
    let pool = small_pool();
    let round = |name: &str| {
        write_pool(folder.join(name), &pool).unwrap();
        read_pool(folder.join(name)).unwrap()
    };
    assert_eq!(round("p.npz"), pool);
    let (features, generator) = (vec![0.5, -1e300, 3.0, 4.0], "{\"ö\": 1}".to_string());
    let origin = Some(Origin { features, dimension: 2, generator });
    let made = Pool { origin, ..pool.clone() };
    write_pool(folder.join("made.npz"), &made).unwrap();
    assert_eq!(read_pool(folder.join("made.npz")).unwrap(), made);
    let without_truth = Pool { truth: None, ..pool.clone() };
    for name in ["p.csv", "p.tsv", "p.txt"] {
        assert_eq!(round(name), without_truth, "{name}");
    }
    assert_eq!(round("p.npy"), Pool::new(pool.ensemble.clone()));
    let text = std::fs::read_to_string(folder.join("p.csv")).unwrap();
    assert_eq!(text, "id,km,ward 2\n\"a,b\",0,0\nö,NA,1\n\"\"\"c\"\"\",1,2\n");
    let again = folder.join("again.npz");
    write_pool(&again, &pool).unwrap();
    assert_eq!(std::fs::read(again).unwrap(), std::fs::read(folder.join("p.npz")).unwrap());
}

#[test]
fn what_cannot_be_written_is_refused() {
    let folder = folder("refused");
    let error = write_pool(folder.join("p.mat"), &small_pool()).unwrap_err();
    assert!(error.to_string().contains("cannot be written; use .csv"), "{error}");
    let odd = Pool { ids: Some(vec![]), ..small_pool() };
    assert!(write_pool(folder.join("p.csv"), &odd).is_err());
    let labels = Partition::from_labels([0, 1]);
    assert!(write_labels(folder.join("l.csv"), &labels, Some(&[])).is_err());
    assert!(files(&folder).is_empty());
}

#[test]
fn labels_are_read_back() {
    let folder = folder("labels");
    let partition = Partition::from_labels([0, 1, 1, 2]);
    let ids = ["w", "x", "y", "z"].map(String::from).to_vec();
    for (name, ids, kept) in [
        ("l.csv", None, false),
        ("l.csv", Some(&ids), true),
        ("l.tsv", Some(&ids), true),
        ("l.npy", Some(&ids), false),
        ("l.npz", Some(&ids), true),
        ("l.npz", None, false),
    ] {
        let path = folder.join(name);
        write_labels(&path, &partition, ids.map(Vec::as_slice)).unwrap();
        let found = read_labels(&path).unwrap();
        assert_eq!(found.partition, partition);
        assert_eq!(found.ids, ids.filter(|_| kept).cloned(), "{name}");
    }
    write_labels(folder.join("l.csv"), &partition, None).unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("l.csv")).unwrap(), "label\n0\n1\n1\n2\n");
}

#[test]
fn matrices_are_written_row_by_row() {
    let folder = folder("matrices");
    let value = |i: usize, j: usize| if i == j { 1.0 } else { 1.0 / (2 + i + j) as f64 };
    let (double, single) = (folder.join("d.npy"), folder.join("s.npy"));
    let n = 50;
    write_matrix_npy(&double, n, n, |i, row: &mut [f64]| {
        row.iter_mut().enumerate().for_each(|(j, v)| *v = value(i, j));
    })
    .unwrap();
    write_matrix_npy(&single, n, n, |i, row: &mut [f32]| {
        row.iter_mut().enumerate().for_each(|(j, v)| *v = value(i, j) as f32);
    })
    .unwrap();
    let bytes = std::fs::read(&double).unwrap();
    // Aligned like the files of NumPy.
    assert_eq!((bytes.len() - 8 * n * n) % 64, 0);
    assert_eq!(&bytes[bytes.len() - 8..], 1.0_f64.to_le_bytes());
    let found = read_similarity::<f64>(&double).unwrap();
    assert_eq!(found.between(3, 7), 1.0 / 12.0);
    let narrow = read_similarity::<f32>(&single).unwrap();
    assert_eq!(narrow.between(3, 7), 1.0_f32 / 12.0);
    // Doubles read as singles, and singles as doubles.
    assert_eq!(read_similarity::<f32>(&double).unwrap(), narrow);
    assert_eq!(read_similarity::<f64>(&single).unwrap().between(3, 7), f64::from(1.0_f32 / 12.0));
}

proptest! {
    /// All labels can be read back; a text file gives names to clusterings without names.
    #[test]
    fn every_pool_is_read_back(
        rows in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.8, 0_u8..3), 4), 1..9),
        clusterings in 1_usize..5,
        named in any::<bool>(),
    ) {
        let rows: Vec<_> = rows.iter().map(|row| row[..clusterings].to_vec()).collect();
        let mut pool = Pool::new(Ensemble::from_rows(&rows).unwrap());
        if named {
            pool.ids = Some((0..rows.len()).map(|i| format!("s{i}")).collect());
        }
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        for name in ["every.csv", "every.npy", "every.npz"] {
            let path = folder.join(name);
            write_pool(&path, &pool).unwrap();
            let found = read_pool(&path).unwrap();
            prop_assert_eq!(&found.ensemble, &pool.ensemble);
            prop_assert!(name == "every.npy" || found.ids == pool.ids);
        }
    }
}
