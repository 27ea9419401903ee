//! Help, listing, completions and manual pages.

mod common;

use common::Folder;

const COMMANDS: [&str; 7] =
    ["assign", "cluster", "stability", "generate", "list", "completions", "man"];

#[test]
fn every_help_has_an_example() {
    let folder = Folder::new();
    for command in COMMANDS {
        let help = folder.run(&format!("{command} --help")).succeeded().stdout;
        assert!(help.contains("Example") && help.contains(&format!("enclust {command}")), "{help}");
    }
    let help = folder.run("--help").succeeded().stdout;
    COMMANDS.iter().for_each(|command| assert!(help.contains(command), "{command}"));
    assert!(folder.run("--version").succeeded().stdout.contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_listing_has_every_component_with_defaults_and_ranges() {
    let folder = Folder::new();
    let text = folder.run("list").succeeded().stdout;
    let listing = folder.run("list --json").succeeded().json();
    let components = listing["components"].as_array().unwrap();
    assert!(components.len() > 20);
    for component in components {
        assert!(text.contains(component["name"].as_str().unwrap()));
        for parameter in component["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            let stage = component["stage"].as_str().unwrap();
            assert!(name.starts_with(&format!("{stage}.")) && text.contains(name), "{name}");
            assert!(!parameter["default"].is_null() && parameter["doc"].is_string());
        }
    }
    let alpha = components.iter().find(|c| c["name"] == "threshold").unwrap();
    let range = &alpha["parameters"][0]["range"];
    assert_eq!((&range["minimum"], &range["maximum"]), (&0.0.into(), &1.0.into()));
    assert_eq!(alpha["parameters"][0]["tried"], serde_json::json!([0.7, 0.75, 0.8]));
    assert!(text.contains("; tried 0.7, 0.75, 0.8)"), "{text}");
    let methods = listing["methods"].as_array().unwrap();
    let named = |name: &str| methods.iter().find(|m| m["name"] == name).unwrap();
    assert_eq!(named("ec-cms")["parts"]["enhance"], "exact");
    assert_eq!(named("pta-al")["parts"]["consensus"], "average(weighting=groups)");
}

#[test]
fn the_options_listed_for_a_method_make_that_method() {
    let folder = Folder::with_pool();
    let listing = folder.run("list method").succeeded().stdout;
    let lines: Vec<&str> = listing.lines().skip(1).map(str::trim).collect();
    assert!(lines.len() > 45);
    // Name and summary, advice, options.
    for method in lines.chunks(3) {
        let name = method[0].split_whitespace().next().unwrap();
        let record = |options: &str| {
            let line = format!("cluster pool.csv --k 3 --threads 1 --json {options}");
            let record = folder.run(&line).succeeded().json();
            (record["method"]["parts"].clone(), record["results"][0]["labels"].clone())
        };
        let (parts, labels) = record(&format!("--method {name}"));
        let (mut made, same) = record(method[2]);
        // Confident pairs are not used without an enhancer.
        if made["enhance"]["name"] == "none" {
            made["confidence"] = parts["confidence"].clone();
        }
        assert_eq!((made, same), (parts, labels), "{name}");
    }
}

#[test]
fn one_stage_can_be_listed() {
    let folder = Folder::new();
    let stop = folder.run("list stop --json").succeeded().json();
    assert!(stop["components"].as_array().unwrap().iter().all(|c| c["stage"] == "stop"));
    assert_eq!(stop["methods"], serde_json::json!([]));
    let methods = folder.run("list method").succeeded().stdout;
    assert!(methods.contains("ec-cms-admm") && !methods.contains("enhance.lambda"), "{methods}");
    folder.run("list everything").failed(2, &["stage", "everything", "ca", "method"]);
}

#[test]
fn completions_know_the_commands_and_options() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&format!("completions {shell}")).succeeded().stdout;
        assert!(script.contains("cluster") && script.contains("similarity-in"), "{shell}");
    }
    folder.run("completions tcsh").failed_usage();
}

#[test]
fn manual_pages_are_printed_and_written() {
    let folder = Folder::new();
    let page = folder.run("man cluster").succeeded().stdout;
    assert!(page.contains(".TH enclust-cluster 1") && page.contains("similarity\\-in"), "{page}");
    assert!(folder.run("man").succeeded().stdout.contains(".TH enclust 1"));
    folder.run("man --dir .").succeeded();
    let expected: Vec<String> =
        COMMANDS.iter().map(|c| format!("enclust-{c}.1")).chain(["enclust.1".into()]).collect();
    let files = folder.files();
    assert!(expected.iter().all(|page| files.contains(page)), "{files:?}");
    folder.run("man nothing").failed(2, &["command", "nothing", "cluster"]);
}

#[test]
fn alone_it_compares_the_methods() {
    let folder = Folder::new();
    let table = folder.run("--clusterings 6 --threads 1").succeeded().stdout;
    for method in ["base average", "EAC", "LWEA", "PTA", "EC-CMS", "EC-CMS, ADMM"] {
        assert!(table.lines().any(|line| line.starts_with(method)), "{method}: {table}");
    }
}
