//! `study`: rows that come once, resume, and can be made again by hand.

use super::real_data::data_folder;
use super::{cells, json, listing, simulated, stdout, threshnet, words};
use std::fs;
use std::path::Path;

/// The quickest fits of all studies.
const QUICK: &str = "study table1 --only regression,oracle-nn,300x20 --quiet --out out";

fn results(home: &Path) -> Vec<Vec<String>> {
    cells(&fs::read_to_string(home.join("out/results.csv")).unwrap())
}

/// The rows without how long they took.
fn timeless(home: &Path) -> Vec<Vec<String>> {
    let mut rows = results(home);
    let seconds = rows[0].iter().position(|name| name == "seconds").unwrap();
    rows.iter_mut().for_each(|row| {
        row.remove(seconds);
    });
    rows[1..].sort();
    rows
}

fn cell<'a>(rows: &'a [Vec<String>], row: usize, name: &str) -> &'a str {
    let at = rows[0].iter().position(|header| header == name).unwrap();
    &rows[row][at]
}

/// What a wrong command says, and its exit code.
fn refused(home: &Path, line: &str) -> (i32, String) {
    let run = threshnet()
        .current_dir(home)
        .env_remove("THRESHNET_DATA")
        .args(words(line))
        .assert()
        .failure();
    let output = run.get_output();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    (output.status.code().unwrap(), text)
}

#[test]
fn a_stopped_study_goes_on_where_it_was() {
    let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [parts, whole] = homes.each_ref().map(|home| home.path());
    stdout(parts, &words(&format!("{QUICK} --reps 2")));
    let before = fs::read_to_string(parts.join("out/results.csv")).unwrap();
    // as a killed run leaves it
    let torn = format!("{before}table1,regression,oracle-nn,,300,20,,3,3,,,,0.8");
    fs::write(parts.join("out/results.csv"), torn).unwrap();
    stdout(parts, &words(&format!("{QUICK} --reps 4")));
    let after = fs::read_to_string(parts.join("out/results.csv")).unwrap();
    assert!(after.starts_with(&before), "{after}");
    stdout(whole, &words(&format!("{QUICK} --reps 4 --jobs 1")));
    assert_eq!(timeless(parts).len(), 5);
    assert_eq!(timeless(parts), timeless(whole));
    // nothing is left to do
    stdout(parts, &words(&format!("{QUICK} --reps 3")));
    let again = fs::read_to_string(parts.join("out/results.csv")).unwrap();
    assert_eq!(again, after);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_rows() {
    use super::interrupt::{end, start};
    use std::thread::sleep;
    use std::time::Duration;

    let home = tempfile::tempdir().unwrap();
    let child = start(home.path(), &words(&format!("{QUICK} --reps 100000")));
    let file = home.path().join("out/results.csv");
    let rows = || fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    for _ in 0..1200 {
        if rows() >= 3 {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    let output = end(child, "-INT");
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("out/results.csv"), "{text}");
    let kept = results(home.path());
    assert!(kept.len() >= 3 && kept.iter().all(|row| row.len() == 17));
    assert!(home.path().join("out/table.md").exists());
    stdout(home.path(), &words(&format!("{QUICK} --reps 1")));
    assert_eq!(results(home.path()), kept);
}

#[test]
fn a_row_can_be_made_by_hand() {
    let home = tempfile::tempdir().unwrap();
    let line = "study table1 --only survival,c0.2,gmcp,300x20,r2 --seed 3 --quiet --out out";
    let table = stdout(home.path(), &words(line));
    assert!(table.contains("[1.9, 0.4]"), "the paper's figures: {table}");
    let rows = results(home.path());
    let (seed, replicate) = (cell(&rows, 1, "seed"), cell(&rows, 1, "replicate"));
    assert_eq!((rows.len(), replicate, seed), (2, "2", "3000002"));
    let more = ["--seed", seed, "--censoring", "0.2"];
    let data = simulated("survival", 300, 20, &more);
    let flags = "fit data.csv --time time --event event --protocol paper --no-standardize --json";
    let flags = [&words(flags)[..], &["--seed", seed]].concat();
    let fit: serde_json::Value = serde_json::from_str(&stdout(data.path(), &flags)).unwrap();
    let mut selected: Vec<u64> = (fit["selected"].as_array().unwrap().iter())
        .map(|column| column["index"].as_u64().unwrap())
        .collect();
    selected.sort_unstable();
    let listed: Vec<String> = selected.iter().map(u64::to_string).collect();
    assert_eq!(cell(&rows, 1, "selected"), listed.join(" "));
    assert_eq!(cell(&rows, 1, "size"), listed.len().to_string());
    for name in ["lambda", "ridge"] {
        let ours: f64 = cell(&rows, 1, name).parse().unwrap();
        assert_eq!(ours, fit[name].as_f64().unwrap());
    }
}

#[test]
fn methods_see_the_same_data_and_only_selectors_have_rates() {
    let home = tempfile::tempdir().unwrap();
    for method in ["nn", "gscad"] {
        let line = format!("study table1 --only regression,{method},300x20,r5 --quiet --out out");
        stdout(home.path(), &words(&line));
    }
    let rows = results(home.path());
    assert_eq!(cell(&rows, 1, "seed"), cell(&rows, 2, "seed"));
    assert_eq!((cell(&rows, 1, "size"), cell(&rows, 1, "fpr")), ("", ""));
    let fnr: f64 = cell(&rows, 2, "fnr").parse().unwrap();
    assert!((0.0..=1.0).contains(&fnr));
    let table = fs::read_to_string(home.path().join("out/table.md")).unwrap();
    assert!(table.contains("| regression | NN | 300 × 20 | 1 | – | – | – |"));
}

/// Rows that were added, by us or by an outside package, are in the tables that documents show.
#[test]
fn committed_tables_are_those_of_the_committed_rows() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/results");
    let mut studies = 0;
    // (version 0.1.0 was the last to run the candidates: studies/candidates.py makes their table)
    let folders = fs::read_dir(committed).unwrap().map(|entry| entry.unwrap());
    for folder in folders.filter(|folder| folder.file_name() != "candidates") {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("out")).unwrap();
        for file in fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap()) {
            fs::copy(file.path(), home.path().join("out").join(file.file_name())).unwrap();
        }
        let study = folder.file_name().into_string().unwrap();
        // Splits of another seed were looked at when the default was made.
        let seed = if study == "battery" { 161118 } else { 0 };
        let line = format!("study {study} --table --seed {seed} --out out");
        let table = || fs::read_to_string(home.path().join("out/table.md")).unwrap();
        let before = table();
        stdout(home.path(), &words(&line));
        assert_eq!(before, table(), "threshnet {line}, then make figures");
        studies += 1;
    }
    assert_eq!(studies, 12);
}

#[test]
fn the_path_study_has_six_panels() {
    let home = tempfile::tempdir().unwrap();
    let table = stdout(home.path(), &words("study path --quiet --out out"));
    assert!(table.contains("| gmcp, cold |"), "{table}");
    assert_eq!(results(home.path()).len(), 7);
    let norms = fs::read_to_string(home.path().join("out/norms.csv")).unwrap();
    // six panels of 50 λ and 20 columns
    assert_eq!(norms.lines().count(), 1 + 6 * 50 * 20);
    let again = stdout(home.path(), &words("study path --table --out out"));
    assert!(table.starts_with(&again), "{again}");
    let (_, text) = refused(home.path(), "study path --seed 1 --out out");
    assert!(text.contains("another --seed"), "{text}");
    let (_, text) = refused(home.path(), "study xor --out out");
    assert!(text.contains("of the study path"), "{text}");
    fs::remove_file(home.path().join("out/norms.csv")).unwrap();
    let (_, text) = refused(home.path(), "study path --out out");
    assert!(text.contains("delete results.csv"), "{text}");
}

#[test]
fn arrays_for_other_programs() {
    let home = tempfile::tempdir().unwrap();
    let only = "--only survival,c0.4,300x20 --reps 2";
    let list = stdout(home.path(), &words(&format!("study table1 {only} --list")));
    assert_eq!(
        list,
        "model,n,d,task,censoring,replicate,seed,metric,clinical\n\
         survival,300,20,cox,0.4,1,1,,0\nsurvival,300,20,cox,0.4,2,2,,0\n"
    );
    stdout(
        home.path(),
        &words(&format!("study table1 {only} --export arrays")),
    );
    let folder = home.path().join("arrays/survival-300x20-c0.4/r2");
    let names = [
        "info.json",
        "test_x.npy",
        "test_y.npy",
        "train_x.npy",
        "train_y.npy",
    ];
    assert_eq!(listing(&folder), names.map(std::path::PathBuf::from));
    let info = json(&folder, "info.json");
    assert_eq!(info["support"], serde_json::json!([0, 1, 2, 3]));
    assert_eq!(
        (&info["task"], &info["score"]),
        (&"cox".into(), &"c_index".into())
    );
    let size = fs::metadata(folder.join("train_x.npy")).unwrap().len();
    assert_eq!(size, 128 + 300 * 20 * 8);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let home = tempfile::tempdir().unwrap();
    for (line, code, says) in [
        ("study table1", 2, "--out"),
        ("study tabel1 --out out", 2, "table1"),
        ("study table1 --only gmpc --out out", 2, "gmcp"),
        ("study table1 --only regression,c0.2 --out out", 2, "c0.2"),
        ("study table1 --ridges 5 --out out", 2, "--ridges"),
        ("study table1 --reps 0 --out out", 2, "--reps"),
        ("study path --reps 2 --out out", 2, "--reps"),
        ("study table1 --table", 2, "--out"),
        ("study table1 --time t --event e --out out", 2, "--time"),
        ("study mnist --out out", 2, "--data"),
        ("study survival-real --time t --out out", 2, "--event"),
        ("study mnist --data nowhere --out out", 1, "nowhere"),
        ("study mnist --data . --out out", 1, "train-images"),
        ("study survival-real --data . --out out", 1, "metabric"),
        ("study battery --out out", 2, "--data"),
        ("study battery --data . --out out", 1, "arcene.csv.gz"),
        ("study table1 --folds f.csv --out out", 2, "--folds"),
        (
            "study battery --data . --folds f.csv --out out",
            1,
            "arcene",
        ),
        // only the file that is asked for must be there
        (
            "study battery --data . --only glioma --out out",
            1,
            "Brain_Integ",
        ),
        (
            "study battery --data . --time t --event e --out out",
            2,
            "--time",
        ),
    ] {
        let (found, text) = refused(home.path(), line);
        assert_eq!(found, code, "{line}: {text}");
        assert!(text.contains(says), "{line}: {text}");
    }
    assert!(listing(home.path()).is_empty());
}

#[test]
fn a_folder_with_another_results_file_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("out")).unwrap();
    fs::write(home.path().join("out/results.csv"), "mine,alone").unwrap();
    let (code, text) = refused(home.path(), &format!("{QUICK} --reps 1"));
    assert_eq!(code, 1);
    assert!(text.contains("out/results.csv: line 1"), "{text}");
    let kept = fs::read_to_string(home.path().join("out/results.csv")).unwrap();
    assert_eq!(kept, "mine,alone");
}

#[test]
fn broken_digit_files_are_named() {
    let home = tempfile::tempdir().unwrap();
    for name in ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"] {
        fs::write(home.path().join(name), [0, 0, 8, 3, 0, 0]).unwrap();
    }
    let (code, text) = refused(home.path(), "study mnist --data . --out out");
    assert_eq!(code, 1);
    assert!(
        text.contains("train-images-idx3-ubyte: not an IDX file"),
        "{text}"
    );
    // 2 images are promised, none is there
    let short = [
        &[0, 0, 8, 3][..],
        &[0, 0, 0, 2],
        &[0, 0, 0, 28],
        &[0, 0, 0, 28],
    ]
    .concat();
    fs::write(home.path().join("train-images-idx3-ubyte"), short).unwrap();
    let (_, text) = refused(home.path(), "study mnist --data . --out out");
    assert!(text.contains("[2, 28, 28]"), "{text}");
}

#[test]
fn survival_data_of_ones_own() {
    let data = simulated("survival", 150, 6, &["--censoring", "0.3", "--seed", "4"]);
    let text = fs::read_to_string(data.path().join("data.csv")).unwrap();
    // a row that cannot be at risk, and a name that occurs twice
    let text = text.replacen("x2,", "x1,", 1) + "0,0,0,0,0,0,-1,1\n";
    fs::write(data.path().join("data.csv"), text).unwrap();
    let line = "study survival-real --data data.csv --time time --event event --ridges 1 \
                --only gscad --reps 2 --quiet --out out";
    stdout(data.path(), &words(line));
    let rows = results(data.path());
    assert_eq!(rows.len(), 3);
    let row = ["model", "n", "d", "variant", "fpr"].map(|name| cell(&rows, 1, name));
    assert_eq!(row, ["data", "150", "6", "1-ridges", ""]);
    let score: f64 = cell(&rows, 1, "score").parse().unwrap();
    assert!((0.6..1.0).contains(&score), "{score}");
    let names = fs::read_to_string(data.path().join("out/columns-data.csv")).unwrap();
    assert_eq!(names.lines().nth(2), Some("1,x1 (2)"));
    // rows of other columns do not go into the same folder
    let (code, text) = refused(data.path(), &format!("{line} --drop x3"));
    assert_eq!(code, 1);
    assert!(text.contains("columns-data.csv"), "{text}");
}

#[test]
fn a_split_without_events_is_a_row_without_a_score() {
    let home = tempfile::tempdir().unwrap();
    let mut text = String::from("x1,x2,t,e\n");
    for i in 0..60 {
        text += &format!("{},{},{},{}\n", i % 7, i % 5, i + 1, u8::from(i < 2));
    }
    fs::write(home.path().join("few.csv"), text).unwrap();
    let line = "study survival-real --data few.csv --time t --event e --ridges 1 --only nn \
                --reps 3 --quiet --out out";
    let run = threshnet()
        .current_dir(home.path())
        .args(words(line))
        .assert()
        .success();
    let notes = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(notes.contains("few-60x2 nn r"), "{notes}");
    let rows = results(home.path());
    assert_eq!(rows.len(), 4);
    assert!((1..4).any(|row| cell(&rows, row, "score").is_empty()));
    let table = fs::read_to_string(home.path().join("out/table.md")).unwrap();
    assert!(table.contains("without a score"), "{table}");
}

/// A folder with two data sets of the battery under their own names, small.
fn two_sets() -> tempfile::TempDir {
    let home = simulated("classification", 60, 4, &[]);
    let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let text = text.replacen(",y\n", ",class\n", 1);
    fs::write(home.path().join("alon.csv"), text).unwrap();
    // gaps, a text with a gap, a level of one row, a row without a time
    let mut text = String::from("time,event,num_age,fac_rx\n0,1,50,Obs\n");
    for i in 0..60 {
        let age = if i % 9 == 0 {
            String::new()
        } else {
            (40 + (i * 7) % 31).to_string()
        };
        let arm = ["Obs", "Lev", "Lev+5FU", ""][i % 4];
        text += &format!(
            "{},{},{age},{arm}\n",
            1 + (i * 13) % 47,
            u8::from(i % 3 > 0)
        );
    }
    fs::write(home.path().join("colon.csv"), text + "5,1,60,Other\n").unwrap();
    home
}

#[test]
fn the_battery_needs_only_the_files_asked_for() {
    let home = two_sets();
    let study = "study battery --data . --only colon --reps 1";
    let line = format!("{study} --quiet --out out");
    let table = stdout(home.path(), &words(&line));
    for variant in ["network", "paper"] {
        stdout(
            home.path(),
            &words(&line.replace("colon", &format!("colon,{variant}"))),
        );
    }
    // the others run only if they are asked for
    assert!(
        table.contains("| colon | AUC | GMCPNet, default | 1 |"),
        "{table}"
    );
    assert!(!table.contains("paper"), "{table}");
    let rows = results(home.path());
    // (the default has a row for its ensemble, too)
    assert_eq!(rows.len(), 5);
    for row in 1..5 {
        assert_eq!(cell(&rows, row, "metric"), "auc");
        let score: f64 = cell(&rows, row, "score").parse().unwrap();
        let loss: f64 = cell(&rows, row, "second").parse().unwrap();
        assert!((0.0..=1.0).contains(&score) && loss > 0.0, "{score} {loss}");
    }
    // what is left out need not be there either
    let others = "!binary,!multiclass,!regression,!tuning";
    let (_, text) = refused(
        home.path(),
        &format!("study battery --data . --only {others} --list"),
    );
    assert!(text.contains("brca_multiomic"), "{text}");
    // other programs score as we do, and know of which kind the outcome is
    stdout(home.path(), &words(&format!("{study} --export arrays")));
    let info = json(&home.path().join("arrays/colon-60x4/r1"), "info.json");
    let said = ["task", "score", "second"].map(|name| &info[name]);
    assert_eq!(said, ["binary", "auc", "log_loss"]);
    assert_eq!(info["classes"], 2);
    // and without --only the first file that is not there is named
    let (code, text) = refused(home.path(), "study battery --data . --out out");
    assert_eq!(code, 1);
    assert!(
        text.contains("arcene.csv.gz or arcene.csv is not there"),
        "{text}"
    );
}

#[test]
fn gaps_and_texts_of_the_battery_are_learned_on_training_rows() {
    let home = two_sets();
    let study = "study battery --data . --only colon-trial";
    let list = stdout(home.path(), &words(&format!("{study} --reps 1 --list")));
    // age, and a column for each of four levels; one row had no time
    assert_eq!(
        list,
        "model,n,d,task,censoring,replicate,seed,metric,clinical\n\
         colon-trial,61,5,cox,,1,1,c_index,5\n"
    );
    stdout(
        home.path(),
        &words(&format!("{study} --reps 2 --quiet --out out")),
    );
    let rows = results(home.path());
    for row in 1..3 {
        let brier: f64 = cell(&rows, row, "second").parse().unwrap();
        assert!((0.0..0.6).contains(&brier), "{brier}");
    }
    let names = fs::read_to_string(home.path().join("out/columns-colon-trial.csv")).unwrap();
    assert!(names.ends_with("\n4,fac_rx=Other\n"), "{names}");
    let sets = fs::read_to_string(home.path().join("out/sets.csv")).unwrap();
    assert!(
        sets.contains("\ncolon-trial,confirmation,false,cox,c_index\n"),
        "{sets}"
    );
}

#[test]
fn given_folds_are_the_replicates_of_a_data_set() {
    let home = two_sets();
    let folds: String = (0..60).map(|row| format!("{}\n", 1 + row % 4)).collect();
    fs::write(home.path().join("folds.csv"), format!("fold\n{folds}")).unwrap();
    let study = "study battery --data . --only colon,paper --folds folds.csv";
    let list = stdout(home.path(), &words(&format!("{study} --list")));
    assert_eq!(list.lines().count(), 5, "{list}");
    stdout(home.path(), &words(&format!("{study} --quiet --out out")));
    stdout(
        home.path(),
        &words(&format!("{study} --reps 2 --export arrays")),
    );
    let rows = results(home.path());
    assert_eq!(rows.len(), 5);
    assert!((1..5).all(|row| cell(&rows, row, "variant") == "paper folds"));
    // the second fold's rows are the second, the sixth, …
    let column = fs::read(home.path().join("arrays/colon-60x4/r2/test_x.npy")).unwrap();
    let data = fs::read_to_string(home.path().join("alon.csv")).unwrap();
    // (intensities of colon are logged, what is below 1 as 1)
    let intensity = |cell: &String| cell.parse::<f64>().unwrap().max(1.0).log2();
    let x: Vec<f64> = (cells(&data)[1..].iter())
        .map(|row| intensity(&row[0]))
        .collect();
    let tested: Vec<f64> = (column[column.len() - 15 * 4 * 8..][..15 * 8].chunks_exact(8))
        .map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    assert_eq!(
        tested,
        x.iter().skip(1).step_by(4).copied().collect::<Vec<_>>()
    );
    for (line, code, says) in [
        (
            "study battery --data . --only tuning --folds folds.csv --out o",
            1,
            "is not there",
        ),
        (
            "study battery --data . --only colon-trial --folds folds.csv --out o",
            1,
            "60 folds for the 62 rows",
        ),
        (
            "study battery --data . --only colon --folds none.csv --out o",
            1,
            "none.csv",
        ),
        (
            "study battery --data . --only colon --folds alon.csv --out o",
            1,
            "5 columns",
        ),
    ] {
        let (found, text) = refused(home.path(), line);
        assert_eq!(found, code, "{line}: {text}");
        assert!(text.contains(says), "{line}: {text}");
    }
}

#[test]
fn real_files_are_read_as_the_study_says() {
    let Some(folder) = data_folder("the real studies") else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let data = ["--data", folder.to_str().unwrap()];
    let list = |study: &str| {
        let line = format!("study {study} --reps 1 --list");
        stdout(home.path(), &[&words(&line)[..], &data].concat())
    };
    assert!(list("mnist").ends_with("\nmnist,500,784,binary,,1,1,,0\n"));
    let battery = list("battery");
    assert_eq!(battery.lines().count(), 41);
    for cell in [
        "colon,62,2000,binary,,1,1,auc,0",
        "leukemia,72,7129,binary,,1,1,auc,0",
        "madelon,2600,500,binary,,1,1,auc,0",
        "digits,600,784,binary,,1,1,auc,0",
        "mice,1080,77,multiclass,,1,1,log_loss,0",
        "riboflavin,71,4088,regression,,1,1,r2,0",
        // as many as have the phenotype
        "mouse-cd8,1410,12226,regression,,1,1,r2,0",
        "mouse-mch,1580,12226,regression,,1,1,r2,0",
        "metabric,1558,478,cox,,1,1,c_index,5",
        "glioma,557,399,cox,,1,1,c_index,9",
        "hnscc,451,107,cox,,1,1,c_index,0",
        // 16 rows have time 0; three texts have 4, 4 and 7 levels
        "prostate,486,26,cox,,1,1,c_index,26",
    ] {
        assert!(battery.contains(&format!("\n{cell}\n")), "{battery}");
    }
    let cohorts = list("survival-real");
    // 5 clinical, 173 mutation and 300 expression columns; 560 less 3 rows
    assert!(
        cohorts.contains("\nmetabric,1558,478,cox,,1,1,,5\n"),
        "{cohorts}"
    );
    assert!(
        cohorts.contains("\nglioma,557,399,cox,,1,1,,9\n"),
        "{cohorts}"
    );

    let line = "study mnist --only gmcp --reps 1 --quiet --out out";
    stdout(home.path(), &[&words(line)[..], &data].concat());
    let rows = results(home.path());
    assert_eq!(cell(&rows, 1, "variant"), "noisy");
    assert_eq!(cell(&rows, 2, "variant"), "clean");
    assert_eq!(cell(&rows, 1, "selected"), cell(&rows, 2, "selected"));
    let accuracy: f64 = cell(&rows, 2, "score").parse().unwrap();
    assert!(accuracy > 0.85, "{accuracy}");
    let image = fs::read_to_string(home.path().join("out/mean_image.csv")).unwrap();
    assert_eq!(cells(&image).len(), 28);
}
