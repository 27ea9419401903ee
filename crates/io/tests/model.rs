//! Models are read as they were written, and new rows are matched with them.

use enclust_core::{Assignment, MISSING, Microclusters, Partition};
use enclust_io::{
    ClusterNames, Fault, Format, Model, NewRows, Noise, Pool, PoolOptions, Source, TableOptions,
    write_cluster_numbers, write_model,
};

const OTHER: u32 = Assignment::OTHER;

fn pool(text: &str, noise: Noise) -> Pool {
    let options = PoolOptions { noise, cluster_names: true, ..PoolOptions::default() };
    Pool::from_bytes(text.as_bytes(), Format::Csv, &options).unwrap()
}

fn model_of(text: &str, noise: Noise) -> Model {
    let pool = pool(text, noise);
    let m = Microclusters::of(&pool.ensemble);
    let weights = vec![0.5; m.clusters().iter().sum()];
    let result = Partition::from_labels((0..pool.ensemble.samples()).map(|i| i % 2));
    Model {
        assignment: Assignment::new(&m, &weights, &result).unwrap(),
        cluster_names: pool.cluster_names.unwrap(),
        columns: pool.columns,
        positions: (0..m.clusterings()).collect(),
        pool_columns: m.clusterings(),
        noise,
        representation: "lwca".into(),
    }
}

fn rows_with(model: &Model, text: &str, options: &TableOptions) -> Result<NewRows, Fault> {
    let read = NewRows::from_bytes(text.as_bytes(), Format::Csv, model, model.noise, options);
    read.map(|(rows, _)| rows)
}

fn rows(model: &Model, text: &str) -> Result<NewRows, Fault> {
    rows_with(model, text, &TableOptions::default())
}

fn labels(rows: &NewRows) -> Vec<&[u32]> {
    rows.rows().collect()
}

const POOL: &str = "id,km,ward\na,7,x\nb,7,01\nc,-1,01\nd,NA,x\n";

#[test]
fn names_are_kept_if_they_are_wanted() {
    let names = |texts: &[Option<&str>]| texts.iter().map(|t| t.map(String::from)).collect();
    let kept = pool(POOL, Noise::Singleton).cluster_names.unwrap();
    let km = ClusterNames { names: names(&[Some("7"), None]), numeric: true };
    let ward = ClusterNames { names: names(&[Some("x"), Some("01")]), numeric: false };
    assert_eq!(kept, [km, ward]);
    let options = PoolOptions { noise: Noise::Missing, ..PoolOptions::default() };
    let plain = Pool::from_bytes(POOL.as_bytes(), Format::Csv, &options).unwrap();
    assert_eq!(plain.cluster_names, None);
}

#[test]
fn a_model_is_read_as_it_was_written_and_bytes_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("a.npz"), folder.path().join("b.npz"));
    let unnamed = Model { columns: None, ..model_of(POOL, Noise::Missing) };
    for model in [model_of(POOL, Noise::Singleton), unnamed] {
        write_model(&one, &model).unwrap();
        write_model(&other, &model).unwrap();
        assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&other).unwrap());
        assert_eq!(Source::read(&one, None).unwrap().model(None).unwrap(), model);
    }
    let wrong = Model { positions: vec![0, 2], ..model_of(POOL, Noise::Missing) };
    assert!(write_model(&one, &wrong).unwrap_err().to_string().contains("positions"));
}

#[test]
fn damaged_models_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    write_model(&path, &model_of(POOL, Noise::Missing)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let read = |bytes: &[u8]| Model::from_bytes(bytes, Format::Npz, None);
    for end in (0..bytes.len()).step_by(7) {
        assert!(read(&bytes[..end]).is_err());
    }
    for at in (0..bytes.len()).step_by(5) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x15;
        // A byte without meaning may change, but nothing may panic.
        let _ = read(&damaged);
    }
    let other = |bytes, format| Model::from_bytes(bytes, format, None).unwrap_err();
    assert!(matches!(other(POOL.as_bytes(), Format::Csv), Fault::NotAModel { .. }));
    write_cluster_numbers(&path, &[1, 0], None).unwrap();
    let labels = std::fs::read(&path).unwrap();
    assert!(matches!(other(&labels, Format::Npz), Fault::NotAModel { .. }));
}

#[test]
fn labels_are_compared_as_in_the_pool() {
    let model = model_of(POOL, Noise::Singleton);
    let read = rows(&model, "id,ward,more,km\ne,01,1,7.0\nf,1,2,-1\ng,x,9,8\nh,NA,1,NA\n").unwrap();
    assert_eq!(labels(&read), [[0, 1], [OTHER, OTHER], [OTHER, 0], [MISSING, MISSING]]);
    assert_eq!((read.unknown_labels, read.rows_with_unknown_labels), (2, 2));
    assert_eq!((read.missing_labels, read.by_name), (2, true));
    assert_eq!(read.ids.unwrap()[3], "h");
}

#[test]
fn columns_without_names_are_matched_by_position() {
    let model = model_of(POOL, Noise::Missing);
    let said = TableOptions { header: Some(false), id_column: Some(false), ..Default::default() };
    let read = rows_with(&model, "7,01\n-1,x\n", &said).unwrap();
    assert_eq!((labels(&read), read.by_name), (vec![&[0, 1][..], &[MISSING, 0]], false));
    let few = rows_with(&model, "7\n7\n", &said).unwrap_err();
    assert!(matches!(few, Fault::ModelColumns { expected: 2, found: 1, .. }), "{few}");
    assert!(few.to_string().contains("the file has no column names"), "{few}");
}

#[test]
fn a_named_column_must_occur_once() {
    let model = model_of(POOL, Noise::Missing);
    let missing = rows(&model, "id,km,w\ne,7,x\n").unwrap_err();
    assert!(matches!(&missing, Fault::ModelColumn { name, found: 0, .. } if name == "ward"));
    let said = TableOptions { header: Some(true), id_column: Some(false), ..Default::default() };
    let twice = rows_with(&model, "km,ward,km\n7,x,7\n", &said).unwrap_err();
    assert!(matches!(&twice, Fault::ModelColumn { name, found: 2, .. } if name == "km"));
}

#[test]
fn other_columns_may_hold_anything() {
    let model = Model { noise: Noise::Error, ..model_of(POOL, Noise::Missing) };
    let read = rows(&model, "id,km,ward,score\ne,7,x,0.5\nf,7,x,-1\n");
    assert_eq!(labels(&read.unwrap()), [[0, 0], [0, 0]]);
    let noise = rows(&model, "id,km,ward\ne,-1,x\nf,7,x\n").unwrap_err();
    assert!(matches!(noise, Fault::Noise { .. }), "{noise}");
}
