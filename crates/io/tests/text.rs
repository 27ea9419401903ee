//! Text files: separators, headers, ids, labels and errors.

use enclust_core::{Ensemble, Partition};
use enclust_io::{
    Fault, Features, Format, Labels, Noise, Place, Pool, PoolOptions, Separator, TableOptions,
    pairs_from_text,
};
use proptest::prelude::*;

fn pool_with(text: &str, options: PoolOptions) -> Result<Pool, Fault> {
    Pool::from_bytes(text.as_bytes(), Format::Csv, &options)
}

fn pool(text: &str) -> Result<Pool, Fault> {
    pool_with(text, PoolOptions::default())
}

fn labels(text: &str) -> Result<Labels, Fault> {
    Labels::from_bytes(text.as_bytes(), Format::Csv, &TableOptions::default())
}

fn features(text: &str) -> Result<Features, Fault> {
    Features::from_bytes(text.as_bytes(), Format::Csv, &TableOptions::default())
}

fn ragged(line: usize, expected: usize, found: usize, separator: Separator) -> Fault {
    Fault::Ragged { line, expected, found, separator }
}

fn ensemble(columns: &[&[u32]]) -> Ensemble {
    Ensemble::from_columns(columns).unwrap()
}

fn names(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|name| name.to_string()).collect())
}

/// The pool of most tests in this file: three samples, two clusterings.
fn expected() -> Ensemble {
    ensemble(&[&[1, 1, 2], &[5, 6, 6]])
}

#[test]
fn separators_line_ends_and_marks_do_not_matter() {
    for text in [
        "1,5\n1,6\n2,6\n",
        "1;5\n1;6\n2;6",
        "1\t5\r\n1\t6\r\n2\t6\r\n",
        "1 5\n1 6\n2 6\n\n\n",
        "  1   5\n 1 \t 6\n2   6",
        "\u{feff}1,5\n1,6\n2,6\n",
        "1,5\r1,6\r2,6\r",
        " 1 , 5 \n\"1\",\" 6\"\n2,6\n",
        "1.0,5e0\n1.0,+6\n2,6.0\n",
    ] {
        let found = pool(text).unwrap();
        assert_eq!((&found.ensemble, &found.ids, &found.columns), (&expected(), &None, &None));
    }
    let tsv = Pool::from_bytes(b"a b\tx\na b\ty\nc\ty\n", Format::Tsv, &PoolOptions::default());
    assert_eq!(tsv.unwrap().ensemble, expected());
}

#[test]
fn headers_and_ids_that_are_recognised() {
    for (text, ids, columns) in [
        // Text above numbers.
        ("km,ward\n1,5\n1,6\n2,6", None, names(&["km", "ward"])),
        ("id,km,ward\na,1,5\nb,1,6\nc,2,6", names(&["a", "b", "c"]), names(&["km", "ward"])),
        ("Sample_ID;km;ward\n7;1;5\n8;1;6\n9;2;6", names(&["7", "8", "9"]), names(&["km", "ward"])),
        // Sample names in a column whose name does not say so.
        ("gene,km,ward\na,1,5\nb,1,6\nc,2,6", names(&["a", "b", "c"]), names(&["km", "ward"])),
        ("a,1,5\nb,1,6\nc,2,6", names(&["a", "b", "c"]), None),
        // As pandas and R write them.
        (",0,1\n0,1,5\n1,1,6\n2,2,6", names(&["0", "1", "2"]), names(&["0", "1"])),
        (
            "\"\",\"V1\",\"V2\"\n\"1\",1,5\n\"2\",1,6\n\"3\",2,6",
            names(&["1", "2", "3"]),
            names(&["V1", "V2"]),
        ),
        // Text above text.
        ("id,km,ward\na,x,p\nb,x,q\nc,y,q", names(&["a", "b", "c"]), names(&["km", "ward"])),
        ("class,ward\nx,p\nx,q\ny,q", None, names(&["class", "ward"])),
        ("x,p\nx,q\ny,q", None, None),
        ("a,x,5\nb,x,6\nc,y,6", None, None),
    ] {
        let found = pool(text);
        // The last one is unclear: ids next to text, without a header.
        if text.starts_with("a,x") {
            assert_eq!(found, Err(Fault::IdsUnclear));
            let options = PoolOptions {
                table: TableOptions { id_column: Some(true), ..TableOptions::default() },
                ..PoolOptions::default()
            };
            assert_eq!(pool_with(text, options).unwrap().ids, names(&["a", "b", "c"]));
            continue;
        }
        let found = found.unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(found.ensemble, expected(), "{text:?}");
        assert_eq!((found.ids, found.columns), (ids, columns), "{text:?}");
    }
}

#[test]
fn a_row_of_counts_is_a_header_where_the_columns_say_so() {
    let wide = "0,1,2,3,4,5,6,7\n0,0,0,0,0,0,0,0\n0,1,0,1,0,1,0,1\n";
    assert_eq!(pool(wide).unwrap().columns, names(&["0", "1", "2", "3", "4", "5", "6", "7"]));
    // With few columns, it may be the labels of a sample.
    let labels = "1,2,3\n1,2,3\n2,2,3\n3,3,3\n";
    assert_eq!(pool(labels), Err(Fault::HeaderUnclear));
    let said = |header| PoolOptions {
        table: TableOptions { header: Some(header), ..TableOptions::default() },
        ..PoolOptions::default()
    };
    assert_eq!(pool_with(labels, said(true)).unwrap().ensemble.samples(), 3);
    assert_eq!(pool_with(labels, said(false)).unwrap().ensemble.samples(), 4);
    assert_eq!(pool("0,1\n0,0\n1,1\n0,1\n").unwrap().ensemble.samples(), 4);
    assert_eq!(features("1,2,3\n0.5,0.5,0.5\n"), Err(Fault::HeaderUnclear));
}

#[test]
fn what_is_unclear_is_asked_for() {
    // Either a rare label or the name of the column.
    assert_eq!(labels("alpha\nbeta\nbeta\n"), Err(Fault::HeaderUnclear));
    assert_eq!(labels("class\nbeta\nbeta\n").unwrap().partition.len(), 2);
    assert_eq!(labels("beta\nalpha\nbeta\n").unwrap().partition.len(), 3);
    // Either a clustering into singletons or the numbers of the samples.
    assert_eq!(pool("1,1\n2,1\n3,2\n"), Err(Fault::IdsUnclear));
    assert_eq!(pool("run,km\n4,1\n2,1\n3,2\n"), Err(Fault::IdsUnclear));
    // Names that form a series are names of clusterings.
    let series = pool("c1,c2\n0,1\n1,1\n2,2\n").unwrap();
    assert_eq!((series.ids, series.columns), (None, names(&["c1", "c2"])));
    for (said, clusterings) in [(true, 1), (false, 2)] {
        let options = PoolOptions {
            table: TableOptions { id_column: Some(said), ..TableOptions::default() },
            ..PoolOptions::default()
        };
        let found = pool_with("1,1\n2,1\n3,2\n", options).unwrap();
        assert_eq!(found.ensemble.clusterings(), clusterings);
        assert_eq!(found.ids.is_some(), said);
    }
    assert!(Fault::IdsUnclear.to_string().contains("--id-column yes|no"));
}

#[test]
fn a_header_of_r_lacks_a_cell() {
    let text = "\"km\" \"ward\"\n\"a\" 1 5\n\"b\" 1 6\n\"c\" 2 6\n";
    assert_eq!(pool(text), Err(ragged(2, 2, 3, Separator::Space)));
    let table =
        TableOptions { header: Some(true), id_column: Some(true), ..TableOptions::default() };
    let options = PoolOptions { table, ..PoolOptions::default() };
    let found = pool_with(text, options).unwrap();
    assert_eq!(found.ensemble, expected());
    assert_eq!((found.ids, found.columns), (names(&["a", "b", "c"]), names(&["km", "ward"])));
}

#[test]
fn numbers_and_text_as_labels() {
    // 1 and 1.0 are the same number, but different texts.
    assert_eq!(pool("1\n1.0\n2\n").unwrap().ensemble, ensemble(&[&[1, 1, 2]]));
    let text = labels("label\n1\n1.0\n1a\n").unwrap();
    assert_eq!(text.partition, Partition::from_labels([0, 1, 2]));
    // Different numbers that doubles cannot distinguish.
    let large = pool("18446744073709551615\n18446744073709551614\n9007199254740993\n").unwrap();
    assert_eq!(large.ensemble.clusters(), [3]);
    for (text, value) in [("1\n1.5\n", "1.5"), ("1\n1e99\n", "1e99")] {
        let at = Place::Line { line: 2, column: 1 };
        assert_eq!(pool(text), Err(Fault::Label { at, value: value.into() }));
    }
}

#[test]
fn missing_labels() {
    let found = pool("a,b\n1,NA\nNaN,5\n,null\n1,nan\n2,5\n").unwrap().ensemble;
    let columns: [[Option<u32>; 5]; 2] =
        [[Some(1), None, None, Some(1), Some(2)], [None, Some(5), None, None, Some(5)]];
    assert_eq!(found, Ensemble::from_columns(&columns).unwrap());
    assert_eq!(pool("c1\nNA\nNA\n").unwrap().ensemble.clusters(), [0]);
    assert_eq!(labels("label\n1\nNA\n").unwrap().missing, [1]);
    let at = Place::Line { line: 2, column: 1 };
    assert_eq!(labels("label\nNA\nNA\n"), Err(Fault::NoTruth { at }));
}

#[test]
fn noise_is_what_it_is_said_to_be() {
    let text = "id,km,db\na,1,-1\nb,1,x\nc,2,-1.0\nd,-1,x\n";
    let with = |noise| pool_with(text, PoolOptions { noise, ..PoolOptions::default() });
    let at = Place::Line { line: 5, column: 2 };
    assert_eq!(with(Noise::Error), Err(Fault::Noise { at }));
    let message = with(Noise::Error).unwrap_err().to_string();
    assert!(message.contains("line 5, column 2") && message.contains("singleton|missing"));
    assert_eq!(with(Noise::Singleton).unwrap().ensemble, ensemble(&[&[1, 1, 2, 3], &[0, 1, 2, 1]]));
    let columns = [[Some(1), Some(1), Some(2), None], [None, Some(1), None, Some(1)]];
    assert_eq!(with(Noise::Missing).unwrap().ensemble, Ensemble::from_columns(&columns).unwrap());
    for noise in [Noise::Singleton, Noise::Missing, Noise::Error] {
        assert_eq!(noise.to_string().parse(), Ok(noise));
    }
    assert!("none".parse::<Noise>().unwrap_err().to_string().contains("singleton, missing, error"));
    // In true classes, −1 is an ordinary class.
    assert_eq!(labels("-1\n1\n-1\n").unwrap().partition.clusters(), 2);
}

#[test]
fn lines_that_are_wrong_are_named() {
    assert_eq!(pool("1,2\n1,2\n1\n"), Err(ragged(3, 2, 1, Separator::COMMA)));
    assert_eq!(pool("a,\"x\ny\"\r\n1,2\r\n1,2,3\r\n"), Err(ragged(4, 2, 3, Separator::COMMA)));
    assert_eq!(pool("1\n2\n\n1\n"), Err(Fault::Blank { line: 3 }));
    assert_eq!(pool("1,2\r\n\r\n1,2\r\n"), Err(Fault::Blank { line: 2 }));
    assert_eq!(pool("\n1,2\n"), Err(Fault::Blank { line: 1 }));
    assert_eq!(
        Pool::from_bytes(b"1,2\n1,\xff\n", Format::Csv, &PoolOptions::default()),
        Err(Fault::NotUtf8 { line: 2 })
    );
    for empty in ["", "\n", "\u{feff}", "\r\n\r\n"] {
        assert_eq!(pool(empty), Err(Fault::Empty), "{empty:?}");
        assert_eq!(features(empty), Err(Fault::Empty), "{empty:?}");
        assert_eq!(labels(empty), Err(Fault::Empty), "{empty:?}");
    }
    let only_header = PoolOptions {
        table: TableOptions { header: Some(true), ..TableOptions::default() },
        ..PoolOptions::default()
    };
    assert_eq!(pool_with("a,b\n", only_header), Err(Fault::Empty));
}

#[test]
fn ids_must_be_there_and_differ() {
    let at = Place::Line { line: 4, column: 1 };
    let twice = "id,km\na,1\nb,1\na,2\n";
    assert_eq!(pool(twice), Err(Fault::DuplicateId { at: at.clone(), id: "a".into() }));
    assert_eq!(pool("id,km\na,1\nb,1\n,2\n"), Err(Fault::MissingId { at }));
    let options = PoolOptions {
        table: TableOptions { id_column: Some(false), ..TableOptions::default() },
        ..PoolOptions::default()
    };
    assert_eq!(pool_with(twice, options).unwrap().ensemble.clusterings(), 2);
}

#[test]
fn true_classes() {
    let plain = labels("1\n1\n2\n").unwrap();
    assert_eq!((plain.partition.labels(), plain.ids), (&[0, 0, 1][..], None));
    let named = labels("name,species\na,setosa\nb,setosa\nc,other\n").unwrap();
    assert_eq!((named.partition.labels(), named.ids), (&[0, 0, 1][..], names(&["a", "b", "c"])));
    // Two columns are ids and classes, so the first must not contain repetitions.
    assert!(matches!(labels("1,1\n1,2\n"), Err(Fault::DuplicateId { .. })));
    assert!(matches!(labels("id,x,y\n1,1,2\n2,1,1\n"), Err(Fault::Columns { found: 2, .. })));
    // A row is a vector only if it has no header and no id.
    assert_eq!(labels("1,1,2\n").unwrap().partition.len(), 3);
    for options in [(Some(true), None), (Some(false), Some(true))] {
        let options =
            TableOptions { header: options.0, id_column: options.1, ..TableOptions::default() };
        let found = Labels::from_bytes(b"a,b,c\n1,1,2\n", Format::Csv, &options);
        assert!(matches!(found, Err(Fault::Columns { .. })), "{options:?}");
    }
}

#[test]
fn truth_is_matched_by_name_or_by_position() {
    let with_ids = || pool("id,km\na,1\nb,1\nc,2\n").unwrap();
    let truth = labels("id,class\nc,x\nd,y\nb,x\na,z\n").unwrap();
    let found = with_ids().with_truth(truth).unwrap();
    assert_eq!(found.truth, Some(Partition::from_labels(["z", "x", "x"])));
    let short = labels("id,class\nc,x\na,z\n").unwrap();
    assert_eq!(with_ids().with_truth(short), Err(Fault::UnknownId { id: "b".into() }));
    let long = labels("1\n2\n3\n4\n").unwrap();
    let fault = with_ids().with_truth(long).unwrap_err();
    assert_eq!(fault, Fault::Samples { samples: 3, truth: 4, transposed: false });
    let two = labels("1\n2\n").unwrap();
    let fault = pool("1,5\n1,6\n2,6\n").unwrap().with_truth(two).unwrap_err();
    assert_eq!(fault, Fault::Samples { samples: 3, truth: 2, transposed: true });
}

#[test]
fn features_are_finite_numbers() {
    let found = features("id,x,y\na,1,0.5\nb,-2e3,7\n").unwrap();
    assert_eq!(found.values, [1.0, 0.5, -2000.0, 7.0]);
    assert_eq!((found.ids, found.names), (names(&["a", "b"]), names(&["x", "y"])));
    assert_eq!(features("0.1 0.2\n0.3 0.4\n").unwrap().dimension, 2);
    // The values of a feature are often distinct, so the first column is a feature.
    assert_eq!(features("0.1,2\n0.3,2\n0.5,2\n").unwrap().dimension, 2);
    assert_eq!(features("1,2\n2,2\n3,2\n"), Err(Fault::IdsUnclear));
    for bad in ["NA", "inf", "-inf", "1e999", "", "x"] {
        let fault = features(&format!("x,y\n1,2\n3,{bad}\n4,5\n")).unwrap_err();
        let Fault::Feature { at, .. } = fault else { panic!("{bad}: {fault}") };
        assert_eq!(at, Place::Line { line: 3, column: 2 }, "{bad}");
    }
}

#[test]
fn pairs_by_number_or_by_name() {
    let pairs = |text: &str, ids: Option<&[String]>| {
        pairs_from_text(text.as_bytes(), Format::Csv, ids, &TableOptions::default())
    };
    assert_eq!(pairs("1,2\n3,1\n", None), Ok(vec![(0, 1), (2, 0)]));
    assert_eq!(pairs("one other\n1 2\n", None), Ok(vec![(0, 1)]));
    assert_eq!(pairs("", None), Ok(vec![]));
    let named = names(&["a", "b", "c"]);
    assert_eq!(pairs("from,to\na,3\nc,b\n", named.as_deref()), Ok(vec![(0, 2), (2, 1)]));
    let unknown = |line, column, text: &str, by_number| {
        let at = Place::Line { line, column };
        Err(Fault::UnknownSample { at, text: text.into(), by_number })
    };
    assert_eq!(pairs("1,2\n0,1\n", None), unknown(2, 1, "0", true));
    assert_eq!(pairs("1,2\n1,4\n", named.as_deref()), unknown(2, 2, "4", true));
    // If ids are numbers, numbers are ids.
    let numbers = names(&["0", "1", "2"]);
    assert_eq!(pairs("0,1\n", numbers.as_deref()), Ok(vec![(0, 1)]));
    assert_eq!(pairs("1,3\n", numbers.as_deref()), unknown(1, 2, "3", false));
    assert_eq!(pairs("1,2\n2,2\n", None), Err(Fault::SelfPair { line: 2 }));
    assert!(matches!(pairs("1,2,3\n", None), Err(Fault::Columns { found: 3, .. })));
    assert_eq!(
        pairs_from_text(b"", Format::Npy, None, &TableOptions::default()),
        Err(Fault::NotText)
    );
}

#[test]
fn messages_stay_on_one_line() {
    let long = format!("x\n1\n\"1.{}\n\"", "5".repeat(1000));
    let message = pool(&long).unwrap_err().to_string();
    assert!(message.len() < 120 && message.contains("..."), "{message}");
}

proptest! {
    /// A file of numbers without a header is read as these numbers, unless it is unclear.
    #[test]
    fn numbers_are_read_as_they_stand(
        rows in prop::collection::vec(prop::collection::vec(0_u32..4, 3), 2..12),
        separator in prop::sample::select(vec![",", ";", "\t", " "]),
    ) {
        let line = |row: &Vec<u32>| {
            row.iter().map(u32::to_string).collect::<Vec<_>>().join(separator)
        };
        let text: Vec<_> = rows.iter().map(line).collect();
        match pool(&text.join("\n")) {
            Ok(found) => prop_assert_eq!(found.ensemble, Ensemble::from_rows(&rows).unwrap()),
            Err(Fault::HeaderUnclear) => prop_assert!([vec![0, 1, 2], vec![1, 2, 3]].contains(&rows[0])),
            Err(Fault::IdsUnclear) => {
                let first: std::collections::HashSet<_> = rows.iter().map(|row| row[0]).collect();
                prop_assert_eq!(first.len(), rows.len());
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
