//! Every number of the default protocol that was chosen rather than derived, in one place,
//! each with the record that chose it.
//!
//! Records are in `bench/records/`, named by date and subject; pages are in `docs/`. Where a
//! number has no record, that is said, with the commit that brought it: it is then a sensible
//! guess that the published comparisons (`docs/quality.md`) confirm as part of the whole, and
//! a candidate for an experiment of its own. None of them is a setting: what a user may
//! change is in [`Settings`](crate::settings::Settings).

/// What a last fit keeps of a draw's penalties, as shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeptPenalties {
    /// Of its λ.
    pub lambda: f64,
    /// Of its ridge, which was chosen for many more columns.
    pub ridge: f64,
}

impl KeptPenalties {
    const fn new(lambda: f64, ridge: f64) -> Self {
        KeptPenalties { lambda, ridge }
    }
}

/// The tuned numbers of the default protocol, step by step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constants {
    // Draw.
    /// Draws of a fit. Candidates in `docs/quality.md`: 18 and 36 with fewer ridges are no
    /// better by two standard errors. First set without a record (815f7f7).
    pub draws: usize,
    /// The share of its group's rows that a draw holds out. No record; taken over from the
    /// first default with twelve draws (815f7f7).
    pub held_out_share: f64,
    /// A draw of more rows takes so many of them at random. Record: 2026-11-19-rows.
    pub most_drawn_rows: usize,
    /// The most groups that draws come in, and so the most folds to judge by. No record; one
    /// group per draw of the default (815f7f7).
    pub most_groups: usize,
    /// Ridges of data that are neither wide nor long. No record; the paper has ten (815f7f7).
    pub ridges: usize,
    /// Ridges of wide data, whose paths cost most. No record but its commit: survival at
    /// 500 × 1000 stays within ten fits of the paper's protocol (2c8655d).
    pub wide_ridges: usize,
    /// Ridges of data with many rows, whose epochs cost most. Record: 2026-11-19-rows.
    pub long_ridges: usize,
    /// Data with more rows than this have many. Record: 2026-11-18-cost.
    pub many_rows: usize,
    /// The largest ridge. No record; the paper's is 0.1 (815f7f7).
    pub largest_ridge: f64,
    /// The smallest ridge of a wide regression; other data have the paper's. Record:
    /// 2026-11-16-second-look.
    pub wide_regression_ridge: f64,
    /// Adam ends a λ once its remaining epochs would lower loss and ridge by less than this
    /// share. Record: 2026-11-15-savings.
    pub tolerance: f64,
    /// Adam's learning rate. Candidates in `docs/quality.md` (`rate0.003`): a tenth less
    /// time, no worse on fresh data. First set without a record (815f7f7).
    pub learning_rate: f64,
    /// With more columns than this they are screened … No record (cad8676).
    pub screened_above: usize,
    /// … down to so many, which a path takes in seconds. No record (cad8676).
    pub screened_to: usize,
    /// If ridges may be skipped, one is promising whose lowest validation loss is within so
    /// many standard errors of the best. Record: 2026-11-15-savings.
    pub skipping_margin: f64,

    // Pick.
    /// Networks of a draw that are averaged, each of another ridge and start. No record
    /// (815f7f7).
    pub averaged: usize,

    // Second look.
    /// At most so many columns are looked at again. Record: 2026-11-16-second-look, where ten
    /// join; no other number was tried.
    pub second_look_columns: usize,
    /// At most so many pairs of columns that stand out together join, too. Record: 2026-11-19-pairs.
    pub second_look_pairs: usize,
    /// Selected columns whose products are tried, the strongest. No record (b49d84d).
    pub second_look_partners: usize,

    // Vote.
    /// No draw weighs more than the last of the best quarter, one in so many. No record
    /// (38080f1).
    pub best_one_in: usize,
    /// τ, but for the slope. Record: 2026-11-16-threshold.
    pub threshold: f64,
    /// τ after a second look, likewise: few columns that matter escape that, and noise gets a
    /// second chance. Record: 2026-11-16-second-look.
    pub second_look_threshold: f64,
    /// τ rises by this, times the share of all columns that a draw selects on average: where
    /// draws select many, noise meets itself more often. No record; the threshold's was made
    /// with it (815f7f7).
    pub threshold_slope: f64,
    /// But never beyond this. No record (39eebc3).
    pub largest_threshold: f64,

    // Judge.
    /// What the last fit may keep of the penalties, in the order tried: no λ, all, or no λ
    /// and ever less of the ridge, since heavy tails of an outcome leave a ridge that many
    /// columns need far too large for few. No record but its commit (be0b557).
    pub kept: [KeptPenalties; 5],
    /// So many of these after the first are tried in any case; then each as long as the one
    /// before helped. No record (be0b557).
    pub always_tried: usize,
    /// The share of the folds that cannot all have been lucky. No record; four fifths, so
    /// that one bad row does not undo a model (e5f5a9a).
    pub most_folds: f64,
    /// Where columns do not stand out: what folds of a network gain, as a multiple of what others lose.
    /// Record: 2026-11-20-null.
    pub gained_to_lost: f64,
    /// Corrected standard errors of a gain that nobody doubts. Record: 2026-11-16-noise.
    pub sure: f64,
    /// How often the outcome is shuffled to see what noise looks like. Record:
    /// 2026-11-16-noise.
    pub shuffles: u64,
    /// In how many shuffles a statistic may be as large as it is and stand out still: three in two
    /// hundred, itself included, for each of two statistics. Record: 2026-11-20-null.
    pub as_large: usize,
    /// Values beyond so many standard deviations count as this many in a correlation: no row
    /// decides alone. No record (b49d84d).
    pub winsorised_at: f64,

    // Refit.
    /// Epochs on the selected columns. No record (39eebc3).
    pub refit_epochs: usize,

    // Contest.
    /// λs of a linear path. No record (815f7f7).
    pub linear_lambdas: usize,
    /// The largest, as a multiple of the smallest λ that selects nothing from all rows: some
    /// rows may tell more than all. No record (815f7f7).
    pub linear_above_null: f64,
    /// The smallest, as a part of the largest, with more columns than rows. No record
    /// (815f7f7).
    pub linear_smallest_wide: f64,
    /// The same with more rows than columns. No record (815f7f7).
    pub linear_smallest: f64,
    /// A ridge that keeps correlated columns from growing against each other. No record
    /// (815f7f7).
    pub linear_ridge: f64,
    /// Ridges under which columns compete in a linear model with the LASSO, as multiples of the
    /// largest λ. Record: 2026-11-19-default.
    pub linear_ridges: [f64; 3],
    /// A linear path ends where it has more columns than this, but of several classes: such a model
    /// is not sparse.
    /// Record: 2026-11-19-default.
    pub linear_most_columns: usize,
    /// Values of τ above the usual one that a linear model tries. Record: 2026-11-19-default.
    pub linear_thresholds: [f64; 3],
    /// A linear model has as few columns as are behind the best number by at most so many
    /// standard errors. Record: 2026-11-19-default.
    pub sparser_within: f64,
    /// What the last fit of a linear model may keep of the penalties. Record:
    /// 2026-11-19-default.
    pub linear_kept: [KeptPenalties; 8],
    /// The certificate at which a linear contender of several classes ends: validation sees no more.
    /// No record (815f7f7).
    pub classes_tolerance: f64,
    /// Epochs at each of its λs, at most. No record (815f7f7).
    pub classes_epochs: usize,
    /// For every draw of the network so many of a linear model, which has but one ridge. No
    /// record (0c091f4).
    pub linear_draws: usize,

    /// Draws of a network that are made before it is compared with linear models. Record:
    /// 2026-11-19-default.
    pub pilot_draws: usize,
    /// Of data with more rows than this …
    pub race_rows: usize,
    /// … only the first draw has all ridges: the others of the first few have so many, the best on
    /// that one, and the rest so many, the best on these. Record of both: 2026-11-19-rows.
    pub race_ridges: [usize; 2],
    /// If all of them are behind, and together by more than this share of what the linear model
    /// explains, there are no others. Record: 2026-11-19-default.
    pub hopeless_share: f64,

    // References that use all columns. Record of these: 2026-11-19-default.
    /// Ridges of the dense linear model …
    pub reference_ridges: usize,
    /// … and the folds that choose one.
    pub reference_folds: usize,
    /// Epochs at each ridge, at most: of several classes the last digits take hundreds.
    pub reference_epochs: usize,
    /// With more rows than this both are fewer: …
    pub quick_ridge_rows: usize,
    /// … ridges …
    pub quick_reference_ridges: usize,
    /// … and folds.
    pub quick_reference_folds: usize,
    /// With more cells than this there is no dense linear model, which would take minutes.
    pub largest_ridge_cells: usize,
    /// The largest ridge, as a multiple of the smallest λ that selects nothing.
    pub reference_largest_ridge: f64,
    /// The smallest, as a part of the largest.
    pub reference_smallest_ridge: f64,

    // Grids from the data, for a linear model that was asked for.
    /// λs of a path; glmnet's, like the next two.
    pub data_lambdas: usize,
    /// The smallest, as a part of the largest, with more columns than rows.
    pub data_smallest_wide: f64,
    /// The same with more rows than columns.
    pub data_smallest: f64,
    /// Ridges where λ is 0; few are needed, since a loss changes slowly with them. No record.
    pub data_ridges: usize,
    /// The largest, as a multiple of the largest λ: glmnet's for its `alpha = 0`.
    pub data_ridge_above: f64,
    /// The smallest, as a part of the largest, with more columns than rows.
    pub data_smallest_ridge_wide: f64,
    /// The same with more rows than columns.
    pub data_smallest_ridge: f64,

    // Error control.
    /// Ridges of a run with knockoffs. Record: 2026-11-16-error-control.
    pub knockoff_ridges: usize,
}

impl Constants {
    /// Those of the default protocol.
    pub const DEFAULT: Constants = Constants {
        draws: 12,
        held_out_share: 0.15,
        most_drawn_rows: 5000,
        most_groups: 12,
        ridges: 9,
        wide_ridges: 8,
        long_ridges: 4,
        many_rows: 2000,
        largest_ridge: 0.06,
        wide_regression_ridge: 1e-3,
        tolerance: 0.01,
        learning_rate: 0.003,
        screened_above: 200_000,
        screened_to: 50_000,
        skipping_margin: 0.5,

        averaged: 3,

        second_look_columns: 10,
        second_look_pairs: 3,
        second_look_partners: 10,

        best_one_in: 4,
        threshold: 0.25,
        second_look_threshold: 0.4,
        threshold_slope: 1.2,
        largest_threshold: 0.8,

        kept: [
            KeptPenalties::new(0.0, 1.0),
            KeptPenalties::new(1.0, 1.0),
            KeptPenalties::new(0.0, 0.2),
            KeptPenalties::new(0.0, 0.03),
            KeptPenalties::new(0.0, 0.005),
        ],
        always_tried: 2,
        most_folds: 0.8,
        gained_to_lost: 5.0,
        sure: 2.0,
        shuffles: 199,
        as_large: 2,
        winsorised_at: 3.0,

        refit_epochs: 1000,

        linear_lambdas: 30,
        linear_above_null: 1.25,
        linear_smallest_wide: 0.05,
        linear_smallest: 0.005,
        linear_ridge: 1e-3,
        linear_ridges: [2e-3, 0.1, 0.5],
        linear_most_columns: 50,
        linear_thresholds: [0.5, 0.7, 0.9],
        sparser_within: 0.25,
        linear_kept: [
            KeptPenalties::new(1.0, 1.0),
            KeptPenalties::new(0.3, 1.0),
            KeptPenalties::new(0.0, 1.0),
            KeptPenalties::new(0.3, 5.0),
            KeptPenalties::new(0.0, 5.0),
            KeptPenalties::new(0.3, 25.0),
            KeptPenalties::new(0.0, 25.0),
            KeptPenalties::new(0.0, 125.0),
        ],
        classes_tolerance: 1e-3,
        classes_epochs: 50,
        linear_draws: 3,

        pilot_draws: 3,
        race_rows: 1000,
        race_ridges: [2, 1],
        hopeless_share: 0.25,

        reference_ridges: 12,
        reference_folds: 5,
        reference_epochs: 100,
        quick_ridge_rows: 800,
        quick_reference_ridges: 6,
        quick_reference_folds: 3,
        largest_ridge_cells: 20_000_000,
        reference_largest_ridge: 500.0,
        reference_smallest_ridge: 1e-4,

        data_lambdas: 100,
        data_smallest_wide: 1e-2,
        data_smallest: 1e-4,
        data_ridges: 30,
        data_ridge_above: 500.0,
        data_smallest_ridge_wide: 1e-4,
        data_smallest_ridge: 1e-6,

        knockoff_ridges: 3,
    };
}
