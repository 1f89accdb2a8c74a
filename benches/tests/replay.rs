//! The whole benchmark, once, over a history that is tiny: that each way makes the same view, and what comes out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::process::Command;

use serde_json::Value;

const TINY: [&str; 11] =
    ["--events", "2000", "--instances", "100", "--repeat", "1", "--sample", "50", "--forget", "--json", "--plot"];

/// The last line of its output; the plot.
fn run(name: &str, flags: &[&str]) -> (Value, String) {
    let plot = std::env::temp_dir().join(format!("bench-replay-{name}-{}.svg", std::process::id()));
    // Several runs of the tests may share a server.
    let mut command = Command::new(env!("CARGO_BIN_EXE_replay"));
    let output = command
        .args(TINY)
        .arg(&plot)
        .args(flags)
        .args(["--seed", &std::process::id().to_string()])
        .output()
        .unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // So small a history says nothing of speed: that the run is void is no failure.
    let last = text.lines().last().unwrap_or_else(|| panic!("it printed nothing: {errors}"));
    let json = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {last}\n{errors}"));
    let svg = std::fs::read_to_string(&plot).unwrap();
    std::fs::remove_file(&plot).unwrap();
    (json, svg)
}

fn check(json: &Value, svg: &str) {
    let case = &json["cases"][0];
    assert_eq!((&case["events"], &case["instances"]), (&2000.into(), &100.into()));
    for ratio in ["vs_per_event", "vs_plain_batch", "vs_floor"] {
        assert!(json[ratio].as_f64().is_some_and(|ratio| ratio > 0.0), "{ratio}: {json}");
    }
    assert!(case["ways"]["ours_rebuild"]["peak_bytes"].as_f64().is_some_and(|peak| peak > 1e6));
    assert_eq!(case["kill"]["events"], 2000);
    assert!(svg.contains("ours, rebuild"));
}

#[test]
fn every_way_makes_the_same_view_in_mongodb() {
    let uri = acceptance::server::uri();
    for target in ["empty", "filled"] {
        let (json, svg) = run(target, &["--mongo", &uri, "--target", target]);
        check(&json, &svg);
        let ours = &json["cases"][0]["ways"]["ours_default"];
        assert!(ours["round_trips_per_event"].as_f64().is_some_and(|trips| trips > 0.0 && trips < 0.1), "{ours}");
    }
}

#[test]
fn every_way_makes_the_same_view_in_sqlite() {
    let cache = std::env::temp_dir().join(format!("bench-replay-sqlite-{}", std::process::id()));
    let (json, svg) = run("sqlite", &["--store", "sqlite", "--cache", &cache.to_string_lossy()]);
    std::fs::remove_dir_all(&cache).unwrap();
    check(&json, &svg);
}
