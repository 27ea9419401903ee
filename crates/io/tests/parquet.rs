//! Parquet tables.
#![cfg(feature = "parquet")]

mod common;

use common::parquet::{Column, written};
use enclust_core::{Ensemble, Partition};
use enclust_io::{Fault, Features, Format, Labels, Place, Pool, PoolOptions, TableOptions};
use parquet::basic::Compression;

fn pool(columns: &[Column]) -> Result<Pool, Fault> {
    let bytes = written(Compression::SNAPPY, true, columns);
    Pool::from_bytes(&bytes, Format::Parquet, &PoolOptions::default())
}

fn names(names: &[&str]) -> Vec<Option<String>> {
    names.iter().map(|name| Some(name.to_string())).collect()
}

#[test]
fn every_codec_and_encoding() {
    let columns = || {
        [
            Column::Text("optional binary id (UTF8);", names(&["a", "b", "c"])),
            Column::Int32("optional int32 km;", vec![Some(1), Some(1), Some(-7)]),
            Column::Int64("optional int64 big (UINT_64);", vec![Some(-1), None, Some(-2)]),
            Column::Double("optional double real;", vec![Some(2.0), Some(f64::NAN), Some(2.0)]),
            Column::Text("optional binary text (UTF8);", names(&["x", "x", "y"])),
        ]
    };
    let labels: [[Option<u32>; 3]; 4] = [
        [Some(0), Some(0), Some(1)],
        [Some(0), None, Some(1)],
        [Some(0), None, Some(0)],
        [Some(0), Some(0), Some(1)],
    ];
    let expected = Ensemble::from_columns(&labels).unwrap();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
    ] {
        for dictionary in [false, true] {
            let bytes = written(compression, dictionary, &columns());
            assert_eq!(Format::of("x".as_ref(), &bytes), Format::Parquet);
            let pool = Pool::from_bytes(&bytes, Format::Parquet, &PoolOptions::default()).unwrap();
            assert_eq!(pool.ensemble, expected, "{compression}");
            assert_eq!(pool.ids.unwrap(), ["a", "b", "c"]);
            assert_eq!(pool.columns.unwrap(), ["km", "big", "real", "text"]);
        }
    }
}

#[test]
fn many_rows() {
    let rows = 5000;
    let column =
        |k: i32| (0..rows).map(|i| (i % 7 != 0).then_some(i % (k + 2))).collect::<Vec<_>>();
    let (a, b) = (column(1), column(2));
    let expected = Ensemble::from_columns(&[a.clone(), b.clone()]).unwrap();
    let found =
        pool(&[Column::Int32("optional int32 c1;", a), Column::Int32("optional int32 c2;", b)]);
    assert_eq!(found.unwrap().ensemble, expected);
}

#[test]
fn an_index_of_pandas_names_the_samples() {
    let found = pool(&[
        Column::Int32("optional int32 km;", vec![Some(1), Some(1)]),
        Column::Int64("optional int64 __index_level_0__;", vec![Some(10), Some(20)]),
    ])
    .unwrap();
    assert_eq!(found.ids.unwrap(), ["10", "20"]);
    assert_eq!(found.columns.unwrap(), ["km"]);
}

#[test]
fn labels_and_features() {
    let bytes = written(
        Compression::SNAPPY,
        true,
        &[
            Column::Int32("optional int32 id;", vec![Some(3), Some(1)]),
            Column::Double("optional double x;", vec![Some(0.5), Some(-2.0)]),
        ],
    );
    let found = Features::from_bytes(&bytes, Format::Parquet, &TableOptions::default()).unwrap();
    assert_eq!(found.values, [0.5, -2.0]);
    assert_eq!(found.ids.unwrap(), ["3", "1"]);
    let bytes = written(
        Compression::SNAPPY,
        true,
        &[Column::Text("optional binary class (UTF8);", names(&["u", "v", "u"]))],
    );
    let found = Labels::from_bytes(&bytes, Format::Parquet, &TableOptions::default()).unwrap();
    assert_eq!(found.partition, Partition::from_labels([0, 1, 0]));
}

#[test]
fn what_is_no_table_of_labels_is_refused() {
    let fraction = pool(&[Column::Double("optional double x;", vec![Some(1.0), Some(1.5)])]);
    let at = Place::Cell { array: Some("x".into()), row: 2, column: 1 };
    assert_eq!(fraction, Err(Fault::Label { at, value: "1.5".into() }));
    let date = pool(&[Column::Int32("optional int32 day (DATE);", vec![Some(1)])]);
    assert!(matches!(date, Err(Fault::Unread { name, .. }) if name == "day"));
    assert_eq!(pool(&[Column::Int32("optional int32 x;", vec![])]), Err(Fault::Empty));
    let nested = written(
        Compression::SNAPPY,
        true,
        &[Column::Int32("optional group g { required int32 x; }", vec![Some(1)])],
    );
    let found = Pool::from_bytes(&nested, Format::Parquet, &PoolOptions::default());
    assert!(matches!(found, Err(Fault::Parquet { what }) if what.contains("flat")));
}
