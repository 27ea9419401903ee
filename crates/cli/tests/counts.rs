//! `--counts`: rows that stand for several samples.

mod common;

use common::{Folder, last_column};
use enclust_io::{Pool, read_labels, write_pool};

/// The distinct rows of a small pool with their counts, and all of its samples.
fn folder() -> Folder {
    let folder = Folder::new();
    let rows = ["a,x,1", "a,x,2", "a,y,1", "b,y,3", "b,z,3", "b,z,4"];
    let counts = [30, 12, 5, 25, 9, 14];
    let mut few = String::from("k1,n,k2,k3\n");
    let (mut many, mut truth, mut classes) =
        (String::from("k1,k2,k3\n"), String::from("class\n"), String::from("class\n"));
    for (at, (row, count)) in rows.iter().zip(counts).enumerate() {
        let (first, rest) = row.split_once(',').unwrap();
        few += &format!("{first},{count},{rest}\n");
        classes += if at < 3 { "one\n" } else { "two\n" };
        for _ in 0..count {
            many += &format!("{row}\n");
            truth += if at < 3 { "one\n" } else { "two\n" };
        }
    }
    folder.write("few.csv", &few);
    folder.write("many.csv", &many);
    folder.write("few-truth.csv", &classes);
    folder.write("many-truth.csv", &truth);
    folder
}

#[test]
fn a_row_of_count_c_is_c_samples() {
    let folder = folder();
    let few = "cluster few.csv --truth few-truth.csv --k 2,3 --json --counts";
    let many = folder.run("cluster many.csv --truth many-truth.csv --k 2,3 --json");
    let many = many.succeeded().json();
    for counts in ["n", "2"] {
        let found = folder.run(&format!("{few} {counts}")).succeeded().json();
        assert_eq!(
            (found["samples"].as_u64(), found["ensemble"]["rows"].as_u64()),
            (Some(95), Some(6))
        );
        assert_eq!((&found["groups"], &found["truth"]), (&many["groups"], &many["truth"]));
        for at in 0..2 {
            let (one, other) = (&found["results"][at], &many["results"][at]);
            assert_eq!((&one["sizes"], &one["scores"]), (&other["sizes"], &other["scores"]));
            assert_eq!(one["labels"].as_array().unwrap().len(), 6);
        }
    }
    folder.run("cluster few.csv --k 2 --counts n --out l.csv").succeeded();
    assert_eq!(read_labels(folder.path("l.csv")).unwrap().partition.labels(), [0, 0, 0, 1, 1, 1]);
    let shown = folder.run("cluster few.csv --k 2 --counts n --out m.csv").succeeded();
    assert!(shown.stdout.contains("95 samples in 6 rows, 3 clusterings"), "{shown:?}");
}

#[test]
fn stability_counts_samples() {
    let folder = folder();
    let run =
        |line: &str| folder.run(&format!("stability {line} --k 2..4 --json")).succeeded().json();
    let (few, many) = (run("few.csv --counts n"), run("many.csv"));
    assert_eq!((&few["samples"], &few["levels"]), (&many["samples"], &many["levels"]));
}

#[test]
fn an_archive_holds_its_counts() {
    let folder = folder();
    let ensemble = enclust::core::Ensemble::from_columns(&[[0, 0, 1, 1], [0, 1, 1, 1]]).unwrap();
    let pool = Pool::new(ensemble.with_counts(&[10, 1, 3, 5]).unwrap());
    write_pool(folder.path("p.npz"), &pool).unwrap();
    let read = enclust_io::read_pool(folder.path("p.npz")).unwrap();
    assert_eq!(read, pool);
    assert!(write_pool(folder.path("p.csv"), &pool).unwrap_err().to_string().contains(".npz"));
    let found = folder.run("cluster p.npz --k 2 --json").succeeded().json();
    assert_eq!(found["samples"].as_u64(), Some(19));
}

#[test]
fn counts_that_cannot_be_used_are_refused() {
    let folder = folder();
    let refused = |line: &str, words: &str| {
        let told = folder.run(line);
        assert!(told.code != Some(0) && told.stdout.is_empty(), "{told:?}");
        assert!(told.stderr.contains(words), "{line}: {told:?}");
    };
    refused("cluster few.csv --k 2 --counts m", "0 columns are called \"m\"");
    refused("cluster few.csv --k 2 --counts 9", "k1, n, k2, k3");
    refused("cluster few.csv --k 2 --counts k1", "the count is a, but a row occurs");
    folder.write("zero.csv", "c1,c2,n\n1,1,0\n2,1,4\n");
    refused("cluster zero.csv --k 2 --counts n", "the count is 0");
    folder.write("half.csv", "c1,c2,n\n1,1,1.5\n2,1,4\n");
    refused("cluster half.csv --k 2 --counts n", "the count is 1.5");
    folder.write("noise.csv", "c1,c2,n\n1,-1,5\n2,1,4\n2,2,1\n");
    refused("cluster noise.csv --k 2 --counts n --noise singleton", "this row occurs 5 times");
    let found = folder.run("cluster noise.csv --k 2 --counts n --noise missing").succeeded();
    assert_eq!(last_column(&found.stdout).len(), 3);
    folder.write("f.csv", "1.5,2\n2,2.5\n0.5,1\n4,1\n3,1\n2,2\n");
    refused("cluster few.csv --k auto --counts n --features f.csv --header no", "counts");
    refused("cluster few.csv --k 9 --counts n", "6");
}
