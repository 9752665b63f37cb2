"""Text and categories as features: what they may come as, and what they do to an estimator."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import quick
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import threshnet
from threshnet import plots

LEVELS = ["II", "I, early", "IV", "ähnlich"]
NAMES = ["stage", "dose", "site", "noise"]
KNOWN = '"I, early", "II", "IV", "ähnlich"'


@pytest.fixture(scope="module")
def frame():
    """The outcome follows `stage`, whose levels have no order, and `dose`."""
    rng = np.random.default_rng(0)
    stage = np.array(LEVELS, dtype=object)[np.arange(120) % 4]
    site = np.array(["a", "b"], dtype=object)[rng.integers(2, size=120)]
    dose, noise = rng.normal(size=(2, 120))
    return pd.DataFrame({"stage": stage, "dose": dose, "site": site, "noise": noise})


@pytest.fixture(scope="module")
def y(frame):
    effect = dict(zip(LEVELS, [2.0, -2.0, -1.5, 1.5], strict=True))
    rng = np.random.default_rng(1)
    return frame["stage"].map(effect) + frame["dose"] + 0.1 * rng.normal(size=120)


@pytest.fixture(scope="module")
def fitted(frame, y):
    """Fitted once; tests must not change it."""
    return quick().fit(frame, y)


def categories(frame):
    """Categories in no order, one of which no row has."""
    stages = pd.CategoricalDtype(["unused", *LEVELS], ordered=True)
    return frame.astype({"stage": stages, "site": "category"})


def dictionaries(frame):
    found = pa.Table.from_pandas(frame)
    return found.set_column(0, "stage", found.column("stage").dictionary_encode())


TABLES = {
    "pandas objects": lambda frame: frame,
    "pandas categories": categories,
    "pandas strings": lambda frame: frame.astype({"stage": "string", "site": "string"}),
    "pandas strings of arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas,
    "polars categories": lambda frame: pl.from_pandas(frame).with_columns(
        pl.col("stage").cast(pl.Categorical), pl.col("site").cast(pl.Enum(["b", "a", "c"]))
    ),
    "pyarrow": pa.Table.from_pandas,
    "pyarrow dictionaries": dictionaries,
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_table_of_text_gives_the_same_model(kind, frame, y, fitted):
    X = TABLES[kind](frame)
    model = quick().fit(X, y)
    assert model._model.to_json() == fitted._model.to_json()
    np.testing.assert_array_equal(model.predict(X), fitted.predict(frame))
    assert model._model.texts == {0: sorted(LEVELS), 2: ["a", "b"]}


ARRAYS = {
    "objects": lambda frame: frame.to_numpy(dtype=object),
    "lists": lambda frame: frame.to_numpy(dtype=object).tolist(),
    "strings": lambda frame: frame.map(str).to_numpy(dtype="U"),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_an_array_of_objects_goes_by_position(kind, frame, y, fitted):
    X = ARRAYS[kind](frame)
    model = quick().fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model._model.features == ["x0", "x1", "x2", "x3"]
    np.testing.assert_array_equal(model.norms_, fitted.norms_)
    np.testing.assert_array_equal(model.predict(X), fitted.predict(frame))


def test_a_text_is_one_feature(frame, y, fitted):
    assert fitted.n_features_in_ == 4
    assert list(fitted.feature_names_in_) == NAMES
    assert {"stage", "dose"} <= set(fitted.get_feature_names_out())
    for found in (fitted.norms_, fitted.feature_importances_, fitted.get_support()):
        assert found.shape == (4,)
    assert fitted.norms_path_.shape == fitted.support_path_.shape == (4, len(fitted.lambdas_))
    drawn = quick(validation="draws:3").fit(frame, y)
    assert drawn.frequencies_.shape == (4,)
    assert fitted.score(frame, y) > 0.8


def test_a_point_of_the_path_counts_features(frame, y):
    lambdas, norms, estimator = threshnet.threshnet_path(
        frame, y, lambdas="0.01:1:16", random_state=0
    )
    assert norms.shape == (4, 16)
    one = estimator.at(n_features=1)
    assert one.get_support().sum() == 1
    step = int(np.flatnonzero(lambdas == one.best_lambda_)[0])
    np.testing.assert_array_equal(norms[:, step], one.norms_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(estimator)).norms_path_, norms)


def test_a_model_is_kept_whole(frame, fitted, tmp_path):
    fitted.save(tmp_path)
    joblib.dump(fitted, tmp_path / "model.joblib")
    twins = {
        "file": threshnet.load(tmp_path),
        "pickle": pickle.loads(pickle.dumps(fitted)),
        "joblib": joblib.load(tmp_path / "model.joblib"),
    }
    for twin in twins.values():
        np.testing.assert_array_equal(twin.predict(frame), fitted.predict(frame))
        np.testing.assert_array_equal(twin.norms_, fitted.norms_)
        assert list(twin.get_feature_names_out()) == list(fitted.get_feature_names_out())
    again = tmp_path / "again.json"
    twins["file"].save(again)
    assert again.read_bytes() == (tmp_path / "model.json").read_bytes()


def test_a_clone_fits_the_same(frame, y, fitted):
    twin = clone(fitted).fit(frame, y)
    assert twin._model.to_json() == fitted._model.to_json()


def test_a_fit_starts_from_a_model_with_texts(frame, y, fitted, tmp_path):
    fitted.save(tmp_path)
    warm = [
        quick(init=init, first_epochs=1).fit(frame, y)._model.to_json()
        for init in (fitted, FrozenEstimator(fitted), tmp_path)
    ]
    assert warm[0] == warm[1] == warm[2] != quick(first_epochs=1).fit(frame, y)._model.to_json()


def test_a_fit_does_not_start_from_a_model_with_other_levels(frame, y, fitted):
    with pytest.raises(ValueError, match="init"):
        quick(init=fitted).fit(frame.replace({"stage": {"II": "V"}}), y)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_stability_counts_features(n_jobs, frame, y):
    model = quick(stability=5, n_jobs=n_jobs).fit(frame, y)
    assert model.frequencies_.shape == (4,)
    assert {0, 1} <= set(model.selection_["selected"])
    assert {"stage", "dose"} <= set(model.get_feature_names_out())
    assert model.score(frame, y) > 0.8


def test_knockoffs_refuse_texts(frame, y):
    with pytest.raises(ValueError, match='"stage" is a text, and knockoffs are made of numbers'):
        quick(fdr=0.2).fit(frame, y)


def test_knockoffs_take_numbers_that_are_written_as_text(data):
    X = pd.DataFrame(data.X)
    X[1] = X[1].map(repr)
    expected = quick(fdr=0.3).fit(data.X, data.y)
    np.testing.assert_array_equal(quick(fdr=0.3).fit(X, data.y).norms_, expected.norms_)


def test_the_selector_hands_texts_on(frame, fitted):
    support = fitted.get_support()
    handed = fitted.transform(frame)
    np.testing.assert_array_equal(handed, frame.loc[:, support].to_numpy())
    for kind in ("pandas categories", "polars", "pyarrow dictionaries"):
        np.testing.assert_array_equal(fitted.transform(TABLES[kind](frame)), handed)
    as_frames = pickle.loads(pickle.dumps(fitted)).set_output(transform="pandas")
    handed = as_frames.transform(categories(frame))
    assert list(handed.columns) == list(fitted.get_feature_names_out())
    assert handed["stage"].dtype == "category"


def test_it_selects_for_an_estimator_that_encodes_texts(frame, y):
    encoded = ColumnTransformer([("texts", OrdinalEncoder(), ["stage"])], remainder="passthrough")
    selector = quick().set_output(transform="pandas")
    pipeline = make_pipeline(selector, encoded, HistGradientBoostingRegressor(max_iter=20))
    assert cross_val_score(pipeline, frame, y, cv=3, error_score="raise").mean() > 0.6


def test_a_shuffled_text_costs_what_it_is_worth(frame, y, fitted):
    worth = permutation_importance(fitted, frame, y, n_repeats=2, random_state=0)
    assert worth.importances_mean[0] > worth.importances_mean[3]


@pytest.mark.parametrize("kind", TABLES)
def test_an_unknown_level_is_refused_with_its_place(kind, frame, fitted):
    new = frame.head(9).copy()
    new.loc[5, "stage"] = "V"
    X = new.astype({"stage": "category"}) if kind == "pandas categories" else TABLES[kind](new)
    with pytest.raises(ValueError) as refused:
        fitted.predict(X)
    assert str(refused.value) == (
        f"column 'stage', row 5: \"V\" is none of the levels the model knows; write one of "
        f"{KNOWN}, or leave the row out"
    )


def test_a_number_is_no_level(frame, fitted):
    with pytest.raises(ValueError, match="'stage', row 0: \"7\" is none of the levels"):
        fitted.predict(frame.assign(stage=7))
    with pytest.raises(ValueError, match="'stage', row 3: \"0.5\" is none of the levels"):
        fitted.predict(frame.assign(stage=[*frame["stage"][:3], *[0.5] * 117]))


def test_text_is_refused_where_the_model_needs_a_number(frame, fitted):
    with pytest.raises(ValueError, match="'dose', row 0: \"high\" is not a number; the model"):
        fitted.predict(frame.assign(dose="high"))
    np.testing.assert_array_equal(
        fitted.predict(frame.assign(dose=frame["dose"].map(repr))), fitted.predict(frame)
    )


def test_predictions_read_only_what_is_selected(frame, y):
    model = quick(lambdas=[0.03, 0.04]).fit(frame, y)
    assert list(model.get_feature_names_out()) == ["stage", "dose"]
    np.testing.assert_array_equal(
        model.predict(frame.assign(site="elsewhere")), model.predict(frame)
    )
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.drop(columns="site"))
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[NAMES[::-1]])


@pytest.mark.parametrize("where", ["fit", "predict"])
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("kind", ["stage", "site", "category", "string"])
def test_missing_text_is_refused_by_column_and_row(kind, missing, where, frame, y, fitted):
    name = "site" if kind == "site" else "stage"
    bad = frame.copy()
    bad.loc[7, name] = missing
    bad = bad.astype({name: kind} if kind in ("category", "string") else {})
    with pytest.raises(
        ValueError, match=f"a missing value in column '{name}', row 7: missing values"
    ):
        _ = quick().fit(bad, y) if where == "fit" else fitted.predict(bad)


@pytest.mark.parametrize("kind", ["polars categories", "pyarrow", "pyarrow dictionaries"])
def test_a_null_is_refused_by_column_and_row(kind, frame, y):
    bad = frame.copy()
    bad.loc[7, "stage"] = None
    with pytest.raises(ValueError, match="a missing value in column 'stage', row 7"):
        quick().fit(TABLES[kind](bad), y)


@pytest.mark.parametrize("cell", ["", "NA", " NaN ", "null", "."])
def test_text_that_says_it_is_missing_is_refused_as_in_a_file(cell, frame, y, fitted):
    bad = frame.copy()
    bad.loc[7, "stage"] = cell
    for refuses in (lambda: quick().fit(bad, y), lambda: fitted.predict(bad)):
        with pytest.raises(ValueError) as refused:
            refuses()
        said = f"column 'stage', row 7: \"{cell}\" stands for a missing or infinite value"
        assert said in str(refused.value)


def test_blanks_around_text_do_not_count(frame, y, fitted):
    padded = frame.assign(stage=[f" {stage}" if stage == "II" else stage for stage in frame.stage])
    assert quick().fit(padded, y)._model.to_json() == fitted._model.to_json()
    np.testing.assert_array_equal(fitted.predict(padded), fitted.predict(frame))


NUMBERS = {
    "text": lambda values: values.astype(str),
    "objects": lambda values: values.astype(object),
    "text and numbers": lambda values: [str(v) if v > 1 else v for v in values],
    "categories": lambda values: values.astype("category"),
    "categories of text": lambda values: values.astype(str).astype("category"),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_column_whose_cells_are_numbers_is_one_of_numbers(kind, frame, y):
    grade = pd.Series(np.arange(120) % 3)
    expected = quick().fit(frame.assign(noise=grade), y)
    X = frame.assign(noise=NUMBERS[kind](grade))
    model = quick().fit(X, y)
    assert list(model._model.texts) == [0, 2]
    assert model._model.to_json() == expected._model.to_json()
    np.testing.assert_array_equal(model.predict(X), expected.predict(frame.assign(noise=grade)))


BOOLS = {
    "bool": lambda values: values,
    "objects": lambda values: values.astype(object),
    "nullable": lambda values: values.astype("boolean"),
    "categories": lambda values: values.astype("category"),
}


@pytest.mark.parametrize("kind", BOOLS)
@pytest.mark.parametrize("table", [lambda X: X, pl.from_pandas, pa.Table.from_pandas])
def test_a_bool_is_a_number(kind, table, frame, y):
    smokes = pd.Series(np.arange(120) % 3 == 0)
    expected = quick().fit(frame.assign(noise=smokes.astype(float)), y)
    if kind == "categories" and table is pl.from_pandas:
        pytest.skip("polars has no categories of bool")
    model = quick().fit(table(frame.assign(noise=BOOLS[kind](smokes))), y)
    assert list(model._model.texts) == [0, 2]
    assert model._model.to_json() == expected._model.to_json()


def test_numbers_and_text_in_one_column_are_refused(frame, y):
    bad = frame.copy()
    bad["noise"] = bad["noise"].astype(object)
    bad.loc[3, "noise"], bad.loc[0, "noise"] = "high", 2
    with pytest.raises(ValueError, match="'noise', row 3: \"high\" is not a number; row 0 has the"):
        quick().fit(bad, y)


def test_decimal_commas_are_refused(frame, y):
    with pytest.raises(ValueError, match="'noise', row 0: \"1,5\" has a comma.*1\\.5"):
        quick().fit(frame.assign(noise=["1,5", "2,25"] * 60), y)


@pytest.mark.parametrize("cell", [{"a": 1}, b"II", 1j])
def test_what_is_neither_text_nor_number_is_refused(cell, frame, y):
    bad = frame.copy()
    bad.at[7, "stage"] = cell
    with pytest.raises(TypeError, match="'stage', row 7: argument must be a string or a number"):
        quick().fit(bad, y)


def test_dates_are_refused_by_their_column(frame, y):
    days = pd.date_range("2020-01-01", periods=120)
    for when in (days, days.date):
        with pytest.raises(TypeError, match="column 'noise': .*; make it numbers or text"):
            quick().fit(frame.assign(noise=when), y)


def test_a_text_that_differs_in_nearly_every_row_is_refused(frame, y):
    names = [f"patient {row}" for row in range(120)]
    with pytest.raises(
        ValueError, match="'noise': 120 different texts in 120 rows look like ident"
    ):
        quick().fit(frame.assign(noise=names), y)


def test_a_text_with_one_level_is_never_selected(frame, y):
    X = frame.assign(noise="always")
    model = quick(lambdas=[0.0, 0.01, 0.2]).fit(X, y)
    assert model.norms_[3] == 0
    assert model._model.texts[3] == ["always"]
    with pytest.raises(ValueError, match="every feature column is constant"):
        quick().fit(X[["noise"]], y)


def test_texts_alone_are_enough(frame, y):
    X = frame[["stage", "site"]]
    model = quick().fit(X, y)
    assert model.get_support()[0]
    assert model.predict(X).shape == (120,)
    assert model.score(X, y) > 0.5


def test_every_task_takes_texts(frame, y, data):
    late = quick("classification").fit(frame, np.where(y > y.median(), "yes", "no"))
    assert late.predict_proba(frame).shape == (120, 2)
    assert late.score(frame, np.where(y > y.median(), "yes", "no")) > 0.8
    time = np.exp(-y - y.min())
    model = quick("survival").fit(frame, threshnet.survival(time, np.arange(120) % 5 > 0))
    assert len(model.predict_survival_function(frame)) == 120
    assert model.get_support()[0]


def test_a_text_has_a_point_for_each_level(frame, fitted):
    ax = plots.plot_effects(fitted, frame, columns="stage")
    assert [label.get_text() for label in ax.get_xticklabels()] == sorted(LEVELS)
    means = ax.lines[0].get_ydata()
    expected = [fitted.predict(frame.assign(stage=level)).mean() for level in sorted(LEVELS)]
    np.testing.assert_allclose(means, expected)


def test_a_number_beside_texts_has_its_curve(frame, fitted):
    ax = plots.plot_effects(fitted, frame, columns="dose")
    values, means = ax.lines[0].get_data()
    expected = [fitted.predict(frame.assign(dose=value)).mean() for value in values]
    np.testing.assert_allclose(means, expected)
    spelled = frame.assign(dose=frame["dose"].map(repr))
    np.testing.assert_allclose(
        plots.plot_effects(fitted, spelled, columns="dose").lines[0].get_ydata(), means
    )


def test_every_picture_takes_texts(frame, y, fitted):
    many = pd.concat([frame] * 3, ignore_index=True)
    assert len(plots.plot_effects(fitted, many)) == fitted.get_support().sum()
    plots.plot_path(fitted, highlight=["stage"])
    plots.plot_validation(fitted)
    plots.plot_frequencies(quick(validation="draws:3").fit(frame, y))
