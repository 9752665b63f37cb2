//! The data sets themselves. docs/battery.md says where the files come from.

use super::{Half, Known, Logged};
use threshnet::dataset::Task;

/// Two classes in a column of this name, and all other columns as they are.
const CLASSES: Known = Known {
    name: "",
    file: "",
    task: Task::Binary,
    half: Half::Confirmation,
    looked_at: false,
    outcome: &["class"],
    outcome_file: None,
    features: &[],
    drop: &[],
    logged: None,
    logged_outcome: false,
    missing: &[],
    clinical: &[],
    animal: None,
};

const NUMBERS: Known = Known {
    task: Task::Regression,
    outcome: &["y"],
    ..CLASSES
};

/// Time and event under these names.
const TIMES: Known = Known {
    task: Task::Cox,
    outcome: &["time", "event"],
    ..CLASSES
};

/// All columns are what a clinician has.
const CLINICAL: Known = Known {
    clinical: &["*"],
    ..TIMES
};

/// Intensities, of which none is below 1.
const POSITIVE: Option<Logged> = Some(Logged {
    columns: "*",
    floor: 1.0,
    ceiling: f64::INFINITY,
});

/// Intensities within what the scanner can tell (Dudoit, Fridlyand and Speed 2002, JASA
/// 97:77–87).
const AFFYMETRIX: Option<Logged> = Some(Logged {
    columns: "*",
    floor: 100.0,
    ceiling: 16_000.0,
});

/// Heterogeneous-stock mice, genotypes as dosages.
const MOUSE: Known = Known {
    file: "mouse_hs1940.bed",
    outcome_file: Some("mouse_hs1940.pheno.txt"),
    ..NUMBERS
};

/// The data sets by the kind of their outcome.
pub const KNOWN: [Known; 40] = [
    // Two classes.
    Known {
        name: "arcene",
        file: "arcene.csv",
        ..CLASSES
    },
    Known {
        name: "cns",
        file: "pomeroy.csv",
        ..CLASSES
    },
    Known {
        name: "colon",
        file: "alon.csv",
        half: Half::Tuning,
        looked_at: true,
        // (no intensity is below 5)
        logged: POSITIVE,
        ..CLASSES
    },
    Known {
        name: "leukemia",
        file: "golub.csv",
        half: Half::Tuning,
        looked_at: true,
        logged: AFFYMETRIX,
        ..CLASSES
    },
    Known {
        name: "lung",
        file: "gordon.csv",
        logged: AFFYMETRIX,
        ..CLASSES
    },
    Known {
        name: "madelon",
        file: "madelon.csv",
        half: Half::Tuning,
        looked_at: true,
        ..CLASSES
    },
    // The first 600 of the training images that are a 7 or an 8, without noise.
    Known {
        name: "digits",
        file: "train-images-idx3-ubyte",
        half: Half::Tuning,
        outcome_file: Some("train-labels-idx1-ubyte"),
        ..CLASSES
    },
    Known {
        name: "pcmac",
        file: "pcmac.csv",
        ..CLASSES
    },
    Known {
        name: "shipp",
        file: "shipp.csv",
        logged: AFFYMETRIX,
        ..CLASSES
    },
    // Several classes.
    Known {
        name: "faces",
        file: "warpPIE10P.csv",
        half: Half::Tuning,
        task: Task::Multiclass,
        ..CLASSES
    },
    Known {
        name: "lymphoma",
        file: "lymphoma.csv",
        task: Task::Multiclass,
        ..CLASSES
    },
    Known {
        name: "methylation",
        file: "christensen.csv",
        task: Task::Multiclass,
        ..CLASSES
    },
    Known {
        name: "mice",
        file: "Data_Cortex_Nuclear.csv",
        half: Half::Tuning,
        task: Task::Multiclass,
        // these three make the class
        drop: &["Genotype", "Treatment", "Behavior"],
        animal: Some("MouseID"),
        ..CLASSES
    },
    Known {
        name: "srbct",
        file: "khan.csv",
        task: Task::Multiclass,
        ..CLASSES
    },
    // A number.
    Known {
        name: "chemprocess",
        file: "chemprocess.csv",
        half: Half::Tuning,
        ..NUMBERS
    },
    Known {
        name: "mouse-cd8",
        outcome: &["1"],
        ..MOUSE
    },
    Known {
        name: "mouse-mch",
        outcome: &["6"],
        ..MOUSE
    },
    Known {
        name: "permeability",
        file: "permeability.csv",
        logged_outcome: true,
        ..NUMBERS
    },
    Known {
        name: "riboflavin",
        file: "riboflavin.csv",
        half: Half::Tuning,
        looked_at: true,
        outcome: &["log2_riboflavin_rate"],
        ..NUMBERS
    },
    // A time to event.
    Known {
        name: "alliance",
        file: "amltrain.csv",
        half: Half::Tuning,
        ..TIMES
    },
    Known {
        name: "brca",
        file: "brca_multiomic.csv",
        // (normalised counts; the proteins are on their scale)
        logged: Some(Logged {
            columns: "mirna_*",
            floor: 1.0,
            ceiling: f64::INFINITY,
        }),
        ..TIMES
    },
    Known {
        name: "bullinger",
        file: "AML_Bull.csv",
        half: Half::Tuning,
        looked_at: true,
        ..TIMES
    },
    Known {
        name: "cats",
        file: "cat_adoption.csv",
        ..CLINICAL
    },
    Known {
        name: "colon-trial",
        file: "colon.csv",
        ..CLINICAL
    },
    Known {
        name: "dlbcl",
        file: "DLBCL.csv",
        ..TIMES
    },
    Known {
        name: "gbsg2",
        file: "GBSG2.csv",
        half: Half::Tuning,
        looked_at: true,
        ..CLINICAL
    },
    Known {
        name: "glioma",
        file: "Brain_Integ_raw.csv",
        half: Half::Tuning,
        looked_at: true,
        outcome: &["time_days", "event"],
        drop: &["patient", "subtype"],
        clinical: &["*_Clinical"],
        ..TIMES
    },
    Known {
        name: "gse1992",
        file: "gse1992.csv",
        clinical: &["fac_*", "num_age", "num_size"],
        ..TIMES
    },
    Known {
        name: "gse7390",
        file: "gse7390.csv",
        half: Half::Tuning,
        looked_at: true,
        outcome: &["t.tdm", "e.tdm"],
        missing: &["unkown"],
        clinical: &["age", "size", "grade", "er"],
        ..TIMES
    },
    Known {
        name: "hnscc",
        file: "hnscc_x.csv",
        half: Half::Tuning,
        looked_at: true,
        outcome: &["Overall survival_duration", "OS4Y"],
        outcome_file: Some("hnscc_y.csv"),
        ..TIMES
    },
    // The clinical columns that are numbers, and death of the disease.
    Known {
        name: "metabric",
        file: "metabric1558_clin_mut_expr.csv",
        half: Half::Tuning,
        looked_at: true,
        outcome: &["time_days", "event_dss"],
        features: &[
            "clin_AGE_AT_DIAGNOSIS",
            "clin_LYMPH_NODES_EXAMINED_POSITIVE",
            "clin_NPI",
            "clin_GRADE",
            "clin_TUMOR_SIZE",
            "mut_*",
            "expr_*",
        ],
        clinical: &["clin_*"],
        ..TIMES
    },
    // All clinical columns, and death of any cause.
    Known {
        name: "metabric-os",
        file: "metabric1558_clin_mut_expr.csv",
        half: Half::Tuning,
        looked_at: true,
        outcome: &["time_days", "event_os"],
        drop: &["patientId", "event_dss"],
        clinical: &["clin_*"],
        ..TIMES
    },
    Known {
        name: "nki70",
        file: "nki70.csv",
        half: Half::Tuning,
        clinical: &["fac_*", "num_Age"],
        ..TIMES
    },
    Known {
        name: "prostate",
        file: "prostate.csv",
        // (the date of the study)
        drop: &["num_sdate"],
        ..CLINICAL
    },
    Known {
        name: "rotterdam",
        file: "rott2.csv",
        ..CLINICAL
    },
    Known {
        name: "stagec",
        file: "stagec.csv",
        half: Half::Tuning,
        missing: &["missing"],
        ..CLINICAL
    },
    Known {
        name: "std",
        file: "std.csv",
        ..CLINICAL
    },
    Known {
        name: "veteran",
        file: "veteran.csv",
        ..CLINICAL
    },
    Known {
        name: "vlbw",
        file: "vlbw.csv",
        ..CLINICAL
    },
    Known {
        name: "whas500",
        file: "whas500.csv",
        ..CLINICAL
    },
];
