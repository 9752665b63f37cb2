//! The targets on their seeds and on changed ones: what fuzzing would run first, in some seconds.

use std::fs;
use std::thread;
use threshnet_fuzz::mutate::{Random, mutated};
use threshnet_fuzz::{TARGETS, Target, corpus};

/// How many changed seeds a target gets, unless `FUZZ_CHANGES` says another number; `FUZZ_SEED` makes
/// them others.
const CHANGED: u64 = 3000;

/// What the environment says, or this.
fn said(name: &str, usual: u64) -> u64 {
    let said = std::env::var(name).ok();
    said.map_or(usual, |text| text.parse().expect("a whole number"))
}

/// The seeds of a target, by name.
fn seeds(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = corpus().join(target.name);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut seeds: Vec<(String, Vec<u8>)> = files
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    seeds.sort();
    assert!(seeds.len() > 1, "{folder:?} has seeds");
    seeds
}

/// Runs a target; a panic names what it was given.
fn run(target: &Target, of: &str, bytes: &[u8]) {
    let name = target.name;
    let run = std::panic::catch_unwind(|| (target.run)(bytes));
    assert!(
        run.is_ok(),
        "{name} on {of}: {:?}",
        String::from_utf8_lossy(bytes)
    );
}

fn smoke(target: &Target) {
    let seeds = seeds(target);
    for (name, seed) in &seeds {
        run(target, name, seed);
    }
    let mut random = Random::new(said("FUZZ_SEED", 27));
    for number in 0..said("FUZZ_CHANGES", CHANGED) {
        let (name, seed) = &seeds[random.below(seeds.len())];
        let (_, other) = &seeds[random.below(seeds.len())];
        let bytes = mutated(seed, other, &mut random);
        run(target, &format!("change {number} of {name}"), &bytes);
    }
}

#[test]
fn every_target_takes_its_seeds_and_changed_ones() {
    thread::scope(|scope| {
        for target in &TARGETS {
            let runs = move || smoke(target);
            let thread = thread::Builder::new().name(target.name.into());
            thread.spawn_scoped(scope, runs).unwrap();
        }
    });
}

/// Every target has a program for libFuzzer, which runs it by its name, and a line in `Cargo.toml`.
#[test]
fn every_target_has_its_program() {
    let fuzz = corpus().join("..");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    let mut programs: Vec<String> = fs::read_dir(fuzz.join("fuzz_targets"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    programs.sort();
    let mut names: Vec<String> = TARGETS.iter().map(|of| format!("{}.rs", of.name)).collect();
    names.sort();
    assert_eq!(programs, names);
    for target in &TARGETS {
        let name = target.name;
        let path = format!("fuzz_targets/{name}.rs");
        assert!(manifest.contains(&path), "{name}");
        let program = fs::read_to_string(fuzz.join(&path)).unwrap();
        assert!(
            program.contains(&format!("run(\"{name}\", bytes)")),
            "{name}"
        );
    }
}
