//! Every figure in every format.
#![cfg(feature = "images")]

use enclust_figures::{
    Columns, Drawing, FigureError, Format, Grid, Line, Lines, Matrices, Matrix, Point, Points,
    Ranks, Score, Scores, Sizes, Time, Times, Tree, convert,
};

fn names(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("method {at}")).collect()
}

fn matrix(title: &str, blur: f64) -> Matrix {
    let side = 60;
    let value = |i: usize, j: usize| {
        let distance = (i as f64 - j as f64).abs() / 30.0;
        if i / 20 == j / 20 { 1.0 - blur * distance } else { blur * (1.0 - distance).max(0.0) }
    };
    let values = (0..side * side).map(|at| value(at / side, at % side)).collect();
    Matrix { title: title.into(), side, values }
}

fn lines(logarithmic: bool, steps: bool) -> Lines {
    let point = |line: usize, at: usize| {
        let x = if logarithmic { 10_f64.powi(at as i32 - 3) } else { at as f64 };
        (x, 0.3 + 0.08 * (at as f64) + 0.02 * line as f64, if steps { 0.0 } else { 0.03 })
    };
    let line = |line| Line::new(format!("pool {line}"), (0..6).map(|at| point(line, at)));
    Lines { x: "λ".into(), y: "ari".into(), logarithmic, steps, lines: (0..9).map(line).collect() }
}

fn figures() -> Vec<(&'static str, Box<dyn Drawing>)> {
    let ranks = vec![1.8, 2.4, 2.6, 3.9, 5.1, 5.2];
    let score = |pool: usize, method: usize| {
        Some(Score { mean: 0.4 + 0.1 * pool as f64 + 0.01 * method as f64, std: 0.03 })
    };
    let scores = (0..3).map(|pool| (0..6).map(|method| score(pool, method)).collect()).collect();
    let cells = (0..3).map(|y| (0..5).map(|x| Some(0.2 * y as f64 + 0.07 * x as f64)).collect());
    let point =
        |at: usize| Point { name: names(6).remove(at), x: 0.01 * 4_f64.powi(at as i32), y: 0.5 };
    let time = |at: usize| Time {
        method: names(6).remove(at),
        dataset: if at < 3 { "Ecoli".into() } else { "LS".into() },
        here: 0.02 * 3_f64.powi(at as i32),
        published: (at != 1).then_some(0.9),
    };
    let merges = vec![
        [0.0, 1.0, 0.1, 2.0],
        [2.0, 3.0, 0.2, 2.0],
        [4.0, 5.0, 0.25, 2.0],
        [6.0, 7.0, 0.7, 4.0],
        [8.0, 9.0, 0.9, 6.0],
    ];
    let title = || "ari over 12 pools, mean of 20 runs each".to_string();
    vec![
        (
            "ranks",
            Box::new(Ranks {
                title: title(),
                names: names(6),
                ranks,
                critical_difference: Some(1.3),
            }),
        ),
        (
            "scores",
            Box::new(Scores {
                title: "ari".into(),
                pools: vec!["Ecoli".into(), "UMIST".into(), "LS".into()],
                methods: names(6),
                scores,
            }),
        ),
        (
            "grid",
            Box::new(Grid {
                title: "ari".into(),
                x: "enhance.lambda".into(),
                y: "confidence.alpha".into(),
                columns: ["0.01", "0.1", "0.4", "1", "4"].map(String::from).to_vec(),
                rows: ["0.7", "0.8", "0.9"].map(String::from).to_vec(),
                cells: cells.collect(),
            }),
        ),
        ("lines", Box::new(lines(true, false))),
        ("steps", Box::new(lines(false, true))),
        (
            "points",
            Box::new(Points {
                x: "seconds".into(),
                y: "ari".into(),
                logarithmic: true,
                points: (0..6).map(point).collect(),
            }),
        ),
        (
            "matrices",
            Box::new(Matrices {
                matrices: vec![matrix("before", 0.8), matrix("after", 0.1)],
                borders: vec![1.0 / 3.0, 2.0 / 3.0, 1.0],
            }),
        ),
        ("tree", Box::new(Tree { merges, k: 3, leaves: 100 })),
        ("sizes", Box::new(Sizes { title: "k = 3".into(), sizes: vec![40, 30, 12] })),
        ("times", Box::new(Times { times: (0..6).map(time).collect() })),
    ]
}

#[test]
fn every_figure_has_every_format() {
    let folder = std::env::var_os("ENCLUST_GALLERY").map(std::path::PathBuf::from);
    for (name, figure) in figures() {
        for columns in [Columns::One, Columns::Two] {
            let svg = figure.svg(columns).unwrap();
            let width = format!("width=\"{}\"", columns.width());
            assert!(svg.starts_with("<svg") && svg.contains(&width), "{name}");
            let pdf = convert(&svg, Format::Pdf).unwrap();
            assert!(
                pdf.starts_with(b"%PDF-") && pdf.windows(9).any(|w| w == b"/FontFile"),
                "{name}"
            );
            let png = convert(&svg, Format::Png).unwrap();
            assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
            // Width in pixels, 300 for an inch of 96.
            let pixels = u32::from_be_bytes(png[16..20].try_into().unwrap());
            assert!(
                (f64::from(pixels) - f64::from(columns.width()) * 3.125).abs() <= 1.0,
                "{name}"
            );
            if let Some(folder) = &folder {
                std::fs::write(folder.join(format!("{name}-{columns:?}.png")), png).unwrap();
            }
        }
    }
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    for (name, figure) in figures() {
        let bytes = |format| convert(&figure.svg(Columns::One).unwrap(), format).unwrap();
        for format in [Format::Svg, Format::Pdf, Format::Png] {
            assert_eq!(bytes(format), bytes(format), "{name} as {format}");
        }
    }
}

#[test]
fn letters_are_those_of_the_embedded_font() {
    // Without a font for the text, the image would be blank.
    let svg = Sizes { title: "ΣλW".into(), sizes: vec![1] }.svg(Columns::One).unwrap();
    let blank = svg.replace("ΣλW", "");
    assert_ne!(convert(&svg, Format::Png).unwrap(), convert(&blank, Format::Png).unwrap());
    assert!(matches!(convert("<svg", Format::Png), Err(FigureError::Conversion(_))));
}
