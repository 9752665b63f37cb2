"""studies/draw.py: every figure from small made-up results, its numbers, and its complaints."""

import csv
import io
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import draw
from drawing import (
    battery,
    boxes,
    candidates,
    curves,
    mnist,
    paths,
    quality,
    ranks,
    scale,
    scores,
    sensitivity,
    style,
    survival,
    together,
)
from drawing.figures import FIGURES, named
from drawing.output import with_palette
from drawing.results import COLUMNS, Malformed, Results, read_rows
from drawing.statistics import mean_and_error
from matplotlib import colors, pyplot
from PIL import Image

# A layout that does not fit its figure is only a warning of matplotlib's.
pytestmark = pytest.mark.filterwarnings("error")
SELECTING = [name for name, method in style.METHODS.items() if method.selects]
PNG_LIMIT = 250_000
FIGURES_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "figures"


def result(method, replicate, score, selected=(), **fields):
    """A line of results.csv as a dictionary."""
    line = dict.fromkeys(COLUMNS, "")
    line |= {"method": method, "replicate": replicate, "seed": replicate, "score": score}
    line |= {"n": 500, "d": 20, "lambda": 0.1, "ridge": 0.01, "seconds": 1.5}
    if method in SELECTING:
        line |= {"size": len(selected), "selected": " ".join(map(str, selected))}
    return line | fields


def simulated(model, methods, runs=4, **fields):
    """Runs with rates, as of a simulated model."""
    chance = random.Random(7)
    for method in methods:
        for replicate in range(runs):
            rates = {"fpr": chance.random(), "fnr": chance.random()}
            own = rates if method in SELECTING else {}
            yield result(method, replicate, chance.random(), (0, 3), model=model, **own, **fields)


def write_csv(path, header, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(records)


def write_study(folder, study, lines):
    path = folder / study / "results.csv"
    lines = [line | {"study": study} for line in lines]
    columns = [*COLUMNS, "metric"] if any("metric" in line for line in lines) else COLUMNS
    records = [[line[column] for column in columns] for line in lines]
    write_csv(path, columns, records)
    return path


def table_lines(sizes):
    networks = ["glasso", "gmcp", "gscad", "stg", "lassonet", "nn", "oracle-nn"]
    for n, d in sizes:
        for model in ("regression", "classification"):
            yield from simulated(model, [*networks, "rf", "oracle-rf"], n=n, d=d)
        for rate in (0, 0.2, 0.4):
            methods = [*networks, "rsf", "oracle-rsf"]
            yield from simulated("survival", methods, n=n, d=d, censoring=rate)


def sensitivity_lines():
    variants = ["", "gamma=0.01", "gamma=10", "rate=0.01", "hidden=5", "hidden=10-10-5"]
    for variant in variants:
        yield from simulated("regression", ["gscad"], variant=variant)


def mnist_lines():
    for method in ("glasso", "gscad", "stg", "rf"):
        for replicate in range(3):
            for condition in ("noisy", "clean"):
                variant = f"{condition} trials=50" if method == "stg" else condition
                pixels = (14, 14 + 28 * replicate) if replicate else (14,)
                yield result(method, replicate, 0.9, pixels, variant=variant, model="mnist", d=784)


def survival_lines():
    for model in ("metabric", "glioma"):
        for method in ("glasso", "gscad", "nn", "rsf"):
            for replicate in range(3):
                yield result(method, replicate, 0.6, (0, replicate), model=model)


SETS = [
    ["colon", "tuning", "true", "binary", "auc"],
    ["lung", "confirmation", "false", "binary", "auc"],
    ["faces", "tuning", "false", "multiclass", "log_loss"],
    ["glioma", "tuning", "true", "cox", "c_index"],
]


def of_battery(method, replicate, score, model, **fields):
    metric = {name: metric for name, *_, metric in SETS}[model]
    fields = {"model": model, "metric": metric} | fields
    return result(method, replicate, score, **fields)


def battery_lines():
    for model, *_ in SETS:
        for replicate in range(3):
            yield of_battery("gmcp", replicate, 0.6, model, variant="default")
            others = ["lasso", "ridge", "enet", "boosting", "lassonet"]
            others += ["rsf", "clinical"] if model == "glioma" else ["rf"]
            for place, method in enumerate(others):
                score = 0.5 + 0.03 * place + 0.01 * replicate
                yield of_battery(method, replicate, score, model)


def quality_lines():
    for model, censoring in [("regression", ""), ("survival", 0.2), ("correlated-regression", "")]:
        for method, variant in [*quality.PAPER, quality.DEFAULT]:
            fields = {"variant": variant, "censoring": censoring}
            yield from simulated(model, [method], **fields)
    for d in (500, 1000):
        for method, variant in [*quality.PAPER, quality.DEFAULT]:
            yield from simulated("xor", [method], variant=variant, d=d)


def candidates_lines():
    for seed in (candidates.TUNING, 8):
        for variant in ("", "cv5", "default"):
            for line in simulated("regression", ["gmcp"], variant=variant):
                yield line | {"seed": seed * candidates.STRIDE + line["replicate"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_study(folder, "table1", table_lines([(300, 20), (500, 20), (500, 1000)]))
    write_study(folder, "table2", table_lines([(500, 1000)]))
    for model in ("xor", "hierarchical"):
        methods = ["glasso", "gmcp", "gscad", "nn", "rf"]
        write_study(folder, model, [r for d in (20, 100) for r in simulated(model, methods, d=d)])
    write_study(
        folder, "relaxed", [r for d in (20, 100) for r in simulated("xor", ["relaxed"], d=d)]
    )
    write_study(folder, "sensitivity", sensitivity_lines())
    write_study(folder, "mnist", mnist_lines())
    image = [[row * column for column in range(28)] for row in range(28)]
    write_csv(folder / "mnist" / "mean_image.csv", image[0], image[1:])
    write_study(folder, "survival-real", survival_lines())
    write_study(folder, "battery", battery_lines())
    write_csv(folder / "battery" / "sets.csv", ranks.SETS, SETS)
    write_study(folder, "quality", quality_lines())
    write_study(folder, "candidates", candidates_lines())
    write_csv(
        folder / "survival-real" / "columns-metabric.csv",
        ["index", "name"],
        [[0, "age"], [1, "ER"]],
    )
    write_csv(
        folder / "path" / "norms.csv",
        paths.COLUMNS,
        [
            [method, direction, penalty, column, column / penalty]
            for row in paths.PANELS
            for method, direction in row
            for penalty in (0.1, 0.2, 0.4)
            for column in range(20)
        ],
    )
    return folder


def run(*arguments):
    return draw.main([str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def drawn(results, tmp_path_factory):
    out = tmp_path_factory.mktemp("figures")
    assert run("--results", results, "--out", out) == 0
    return out


@pytest.mark.parametrize("name", [figure.name for figure in FIGURES])
def test_every_figure_is_written(drawn, name):
    png = (drawn / f"{name}.png").read_bytes()
    assert png.startswith(b"\x89PNG") and len(png) < PNG_LIMIT


def test_the_same_results_give_the_same_bytes(results, drawn, tmp_path):
    names = ["mnist", "relaxed"]
    assert run(*names, "--results", results, "--out", tmp_path) == 0
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == [f"{name}.png" for name in names]
    for name in written:
        assert (tmp_path / name).read_bytes() == (drawn / name).read_bytes()


def test_every_committed_figure_is_shown():
    docs = FIGURES_FOLDER.parent
    pages = [*docs.glob("*.md"), docs.parent / "README.md"]
    shown = "\n".join(page.read_text() for page in pages)
    figures = [path.relative_to(docs) for path in FIGURES_FOLDER.glob("*.*")]
    assert [figure for figure in figures if str(figure) not in shown] == []


def test_a_picture_of_few_colours_still_has_those_of_its_methods():
    # The committed one: its heat maps have colours enough to crowd out those of the boxes.
    with Image.open(FIGURES_FOLDER / "mnist.png") as picture:
        shown = {colour for _, colour in picture.convert("RGB").getcolors(1 << 16)}
    for method in ("gmcp", "rf"):
        colour = [round(255 * part) for part in colors.to_rgb(style.METHODS[method].colour)]
        nearest = min(
            max(abs(a - b) for a, b in zip(colour, other, strict=True)) for other in shown
        )
        assert nearest < 8, method


def test_no_two_methods_of_a_panel_look_the_same():
    looks = {(m.colour, m.hollow) for n, m in style.METHODS.items() if "rsf" not in n}
    assert len(looks) == len(style.METHODS) - 2


def test_a_study_stands_for_all_figures_that_show_it():
    assert [figure.name for figure in named(["table1"])] == ["boxplots", "boxplots-survival"]
    assert [figure.name for figure in named(["xor"])] == ["signals", "relaxed"]
    assert named([]) == FIGURES


def test_a_study_without_results_is_skipped_in_one_line(tmp_path):
    write_study(tmp_path, "table2", [])
    command = [sys.executable, draw.__file__, "table1", "table2", "--results", tmp_path]
    command += ["--out", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == [
        f"skipped {study}: no results in {tmp_path / study / 'results.csv'}"
        for study in ("table1", "table2")
    ]
    assert not (tmp_path / "out").exists()


def test_what_is_missing_is_absent(tmp_path, capsys):
    write_study(tmp_path, "table1", simulated("regression", ["nn"], n=300))
    assert run("table1", "--results", tmp_path, "--out", tmp_path) == 0
    assert capsys.readouterr().err == "skipped boxplots-survival: table1 has no rows for it\n"
    figure = scores.draw_table1(Results(tmp_path, style.METHODS))
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    pyplot.close(figure)
    assert (len(figure.axes), labels) == (3, ["NN"])


def test_correlated_columns_are_those_of_the_papers_package(tmp_path):
    lines = [*simulated("regression", ["gmcp"], n=500, d=1000)]
    lines += [line | {"variant": "as-printed", "score": -9} for line in lines]
    write_study(tmp_path, "table2", lines)
    figure = scores.draw_correlated(Results(tmp_path, style.METHODS))
    (axes,) = figure.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    pyplot.close(figure)
    assert labels == ["GMCPNet"] and axes.get_xlim()[0] > -1


def test_an_unknown_name_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as stopped:
        run("table3")
    assert stopped.value.code == 2
    assert "no figure or study 'table3'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"score": "high"}, "score is 'high', which is not a number"),
        ({"score": "NaN"}, "score is 'NaN', which is not a number"),
        ({"fpr": "12"}, "fpr is 12, outside 0 to 1"),
        ({"method": "gcrnet"}, "method 'gcrnet' is not one of glasso, gmcp"),
        ({"selected": "0 x"}, "selected must be column numbers"),
        ({"selected": "0 1 2"}, "selected lists 3 columns but size is 2"),
        ({"replicate": ""}, "replicate is empty"),
        ({"replicate": "0", "seed": "0"}, "repeats line 2; delete one of them"),
    ],
)
def test_a_bad_line_is_named_with_its_fix(tmp_path, capsys, change, complaint):
    first, second = simulated("regression", ["gmcp"], runs=2)
    path = write_study(tmp_path, "table1", [first, second | change])
    assert run("table1", "--results", tmp_path, "--out", tmp_path / "out") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {path}:3: ")
    assert complaint in line and "delete" in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("study,model\n", "1: no column method, variant"),
        (",".join(COLUMNS) + "\na,b\n", "2: 2 fields where the header has 17"),
        (
            b",".join(c.encode() for c in COLUMNS) + b"\n\xff\n",
            "2: not UTF-8 text; delete the line",
        ),
    ],
)
def test_a_bad_file_is_one_line(tmp_path, capsys, text, complaint):
    path = tmp_path / "xor" / "results.csv"
    path.parent.mkdir()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert run("signals", "--results", tmp_path, "--out", tmp_path) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {path}:") and complaint in line


@pytest.mark.parametrize(
    ("study", "line", "complaint"),
    [
        ("sensitivity", result("gscad", 0, 0.5, variant="gamma=big"), "'gamma=big' has no proper"),
        ("sensitivity", result("gscad", 0, 0.5, variant="rate=0"), "'rate=0' has no proper"),
        ("mnist", result("gscad", 0, 0.5, variant="dark"), "neither noisy nor clean"),
        ("mnist", result("gscad", 0, 0.5, (784,), variant="noisy"), "column 784 is beyond 28 × 28"),
    ],
)
def test_a_bad_variant_or_pixel_is_named(tmp_path, capsys, study, line, complaint):
    path = write_study(tmp_path, study, [line])
    assert run(study, "--results", tmp_path, "--out", tmp_path) == 1
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith(f"error: {path}:2: ") and complaint in error


def test_smoothness_is_the_sum_of_all_changes(tmp_path):
    # Column 0: |1 − 2| + |2 − 0.5| = 2.5; column 1: |0 − 0.25| + |0.25 − 0| = 0.5. The file may
    # list λ in any order: neighbours are neighbours in λ.
    norms = {0.1: (1, 0), 0.4: (0.5, 0), 0.2: (2, 0.25)}
    path = tmp_path / "norms.csv"
    records = [
        ["gmcp", "cold", penalty, column, norm]
        for penalty, row in norms.items()
        for column, norm in enumerate(row)
    ]
    write_csv(path, paths.COLUMNS, records)
    penalties, matrix = paths.read_norms(path)["gmcp", "cold"]
    assert penalties == [0.1, 0.2, 0.4]
    assert paths.smoothness(matrix) == 3.0


def test_smoothness_stands_in_the_title(results):
    figure = paths.draw(Results(results, style.METHODS))
    # Norm j/λ for columns 0 to 19 falls from 10j to 2.5j: 7.5 · 190.
    assert figure.axes[0].get_title() == "GMCPNet, cold starts\nsum of jumps 1.42e+03"
    pyplot.close(figure)


def test_a_norm_that_is_missing_is_named(tmp_path):
    path = tmp_path / "norms.csv"
    write_csv(path, paths.COLUMNS, [["gmcp", "cold", 0.1, 0, 1], ["gmcp", "cold", 0.2, 1, 1]])
    with pytest.raises(Malformed, match=r"norms.csv:3: .*lambda 0.1 lacks column 1; delete it and"):
        paths.read_norms(path)


def test_runs_beyond_the_axis_are_counted():
    values = [0.7, 0.75, 0.8, 0.85, 0.9] * 8 + [-40.0, -3.0, -2.0]
    limits = scale.box_limits([values, [0.6, 0.7, 0.8]])
    assert 0.4 < limits[0] < 0.6 and 0.9 < limits[1] < 1
    assert scale.outside(values, limits) == (3, 0)
    figure, axes = pyplot.subplots()
    series = style.Series(style.ORDER.index("gmcp"), "")
    boxes.draw_boxes(axes, [boxes.Box(series, values)], [series], limits)
    texts = [text.get_text() for text in axes.texts]
    pyplot.close(figure)
    assert "◂ 3" in texts and "43" in texts


def test_an_axis_shows_all_boxes_but_no_depths():
    wide = [-3.0, -2.0, -1.0, 0.0, 0.5]
    low, high = scale.box_limits([wide])
    assert scale.R2_FLOOR - 0.1 < low <= scale.R2_FLOOR
    assert high > 0.5
    # All of it below the floor: there is nothing else to show.
    low, high = scale.box_limits([[-9.0, -8.0, -7.0]])
    assert low < -9 and high > -7
    # One value only.
    low, high = scale.box_limits([[0.5]])
    assert low < 0.5 < high


def rows_of(folder, lines):
    return read_rows(write_study(folder, "made-up", lines), style.METHODS)


def test_means_below_the_axis_are_marked(tmp_path):
    points = [(20, 0.5), (20, 0.6), (50, -9), (50, -8)]
    lines = [result("nn", replicate, score, d=d) for replicate, (d, score) in enumerate(points)]
    figure, axes = pyplot.subplots()
    curves.draw_metric(axes, style.by_series(rows_of(tmp_path, lines)), curves.METRICS[0])
    marks = [line for line in axes.lines if line.get_label() == curves.BELOW]
    pyplot.close(figure)
    assert [list(mark.get_xdata()) for mark in marks] == [[50]]


def test_a_curve_has_means_and_standard_deviations_in_percent(tmp_path):
    points = [(100, 0.5), (20, 0.1), (20, 0.3)]
    lines = [result("gmcp", i, 0.5, fpr=fpr, d=d) for i, (d, fpr) in enumerate(points)]
    columns, means, deviations = curves.summary(rows_of(tmp_path, lines), curves.METRICS[1])
    assert columns == [20, 100]
    assert means == pytest.approx([20, 50])
    assert deviations == pytest.approx([200**0.5, 0])


def test_settings_of_a_method_are_not_pooled(tmp_path):
    lines = [result("stg", 0, 0.5, variant=variant) for variant in ("trials=50", "trials=500")]
    lines.append(result("gmcp", 0, 0.5))
    labels = [series.label for series in style.by_series(rows_of(tmp_path, lines))]
    assert labels == ["GMCPNet", "STG (trials=50)", "STG (trials=500)"]


def test_the_reference_is_a_value_of_every_setting(tmp_path):
    rows = rows_of(tmp_path, sensitivity_lines())
    values = [list(sensitivity.by_value(rows, setting)) for setting in sensitivity.SETTINGS]
    assert values == [[0.01, 1, 10], [0.001, 0.01], [(1, 5), (2, 10, 5), (3, 10, 10, 5)]]
    assert mean_and_error([1, None, 3]) == pytest.approx((2, 1))


def test_a_fit_counts_once_in_the_map_of_pixels(tmp_path):
    maps = mnist.selection_maps(rows_of(tmp_path, mnist_lines()))
    assert [series.label for series in maps] == ["GLASSONet", "GSCADNet", "STG (trials=50)"]
    for frequency, fits in maps.values():
        assert fits == 3
        assert frequency[0, 14] == 100 and frequency[1, 14] == pytest.approx(100 / 3)
        assert frequency.sum() == pytest.approx(500 / 3)


def test_a_mean_image_of_another_size_is_named(tmp_path):
    path = tmp_path / "mean_image.csv"
    path.write_text("1,2,3\n")
    with pytest.raises(Malformed, match="mean_image.csv:1: 3 numbers; write 28 lines of 28"):
        mnist.read_image(path)


def test_bars_are_the_columns_in_a_tenth_of_the_splits(tmp_path):
    selections = [(3, 5)] * 10 + [(3, 7)] * 9 + [(8,)]
    lines = [result("gscad", i, 0.6, selected) for i, selected in enumerate(selections)]
    often = survival.often_selected(rows_of(tmp_path, lines))
    assert often == [(3, 0.95), (5, 0.5), (7, 0.45)]


def test_a_selection_too_long_to_list_is_not_an_empty_one(tmp_path):
    lines = [result("gscad", 0, 0.6, (1,)), result("gscad", 1, 0.6, size=5000)]
    rows = rows_of(tmp_path, lines)
    assert [row.selected for row in rows] == [(1,), None]
    assert survival.often_selected(rows) == [(1, 1.0)]


def test_other_variants_of_real_data_are_left_out(tmp_path):
    lines = [result("gscad", 0, 0.6, model="glioma", variant="default")]
    write_study(tmp_path, "survival-real", lines)
    assert survival.draw(Results(tmp_path, style.METHODS), "glioma") is None


COLON = ranks.Known("colon", "tuning", True, "binary", "auc")
FACES = ranks.Known("faces", "tuning", False, "multiclass", "log_loss")


def test_methods_are_compared_with_the_default_on_the_same_splits(tmp_path):
    lines = [of_battery("lasso", i, score, "colon") for i, score in enumerate((0.5, 0.75, 1))]
    # the third split has no default to be compared with, and another score is another score
    lines += [of_battery("gmcp", i, 0.5, "colon", variant="default") for i in range(2)]
    lines += [of_battery("gmcp", 0, 1, "colon", variant="paper")]
    lines += [of_battery("lasso", 0, 0, "colon", metric="time_auc")]
    lines += [of_battery("rf", 0, "", "colon"), of_battery("ridge", 0, "", "colon")]
    lines += [of_battery("ridge", 1, 0.25, "colon")]
    found = ranks.gains(rows_of(tmp_path, lines), COLON)
    assert found == {
        "gmcp": [0, 0],
        "lasso": [0, 0.25],
        # ended on every split it was tried on
        "rf": [-np.inf],
        "ridge": [-0.25],
    }


def test_a_loss_is_better_when_it_is_less_and_forests_are_one_method(tmp_path):
    lines = [of_battery("gmcp", 0, 1, "faces", variant="default")]
    lines += [of_battery("rf", 0, 0.25, "faces"), of_battery("lasso", 0, 2, "faces")]
    lines += [of_battery("gmcp", 0, 0.5, "glioma", variant="default")]
    lines += [of_battery("rsf", 0, 0.25, "glioma"), of_battery("lasso", 0, 0.25, "glioma")]
    rows = rows_of(tmp_path, lines)
    survival_set = ranks.Known("glioma", "tuning", True, "cox", "c_index")
    methods = ("gmcp", "lasso", "rf")
    ranked = ranks.ranking(rows, [FACES, survival_set, COLON], methods)
    # equals share their ranks, and a set that lacks a method is left out
    assert ranked.ranks.tolist() == [[2, 3, 1], [1, 2.5, 2.5]]
    assert ranked.means.tolist() == [1.5, 2.75, 1.75]
    # Demsar's example: q(0.05) of 5 classifiers and 30 data sets is 2.728, CD 1.11
    example = ranks.Ranking(tuple("abcde"), np.ones((30, 5)))
    assert example.critical_difference == pytest.approx(1.11, abs=0.005)
    assert ranks.ranking(rows, [COLON], methods) is None


def test_the_ensemble_ranks_by_itself_and_methods_only_where_they_are_on_most_sets(tmp_path):
    lines = []
    for at, known in enumerate(("colon", "faces")):
        lines += [of_battery("gmcp", 0, 0.5, known, variant="default")]
        lines += [of_battery("gmcp", 0, 0.75, known, variant="ensemble default")]
        lines += [of_battery("lasso", 0, 0.25, known)]
        lines += [of_battery("ridge", 0, 0.25, known)] if at == 0 else []
    rows = rows_of(tmp_path, lines)
    assert ranks.gains(rows, COLON)["ensemble"] == [0.25]
    methods = ("gmcp", "ensemble", "lasso", "ridge")
    assert ranks.far_enough(rows, [COLON, FACES], methods) == ("gmcp", "ensemble", "lasso")
    assert ranks.far_enough(rows, [COLON], methods) == methods
    # it is no other package
    assert battery.lead(rows, COLON)[2] in ("lasso", "ridge")


def test_columns_are_counted_where_all_that_select_were_run(tmp_path):
    lines = [of_battery("gmcp", i, 0.5, "colon", variant="default", size=2 + i) for i in (0, 2)]
    lines += [
        of_battery("lasso", 0, 0.5, "colon", size=9),
        of_battery("ridge", 0, 0.5, "colon", size=""),
    ]
    lines += [of_battery("gmcp", 0, 0.5, "faces", variant="default", size=100)]
    rows = rows_of(tmp_path, lines)
    sizes = ranks.median_sizes(rows, [COLON, FACES], ("gmcp", "lasso", "ridge"))
    assert sizes == [3.0, 9.0, None]


def test_methods_that_are_not_told_apart_share_a_bar():
    assert battery.cliques(np.array([3.0, 1, 2, 5]), 1) == [(1, 2), (2, 3)]
    assert battery.cliques(np.array([3.0, 1, 2, 5]), 2) == [(1, 3), (3, 5)]
    assert battery.cliques(np.array([1.0, 4, 8]), 1) == []


def test_the_lead_on_the_best_other_has_an_error_that_knows_of_overlap(tmp_path):
    lines = [of_battery("gmcp", i, 0.5, "colon", variant="default") for i in range(2)]
    lines += [of_battery("lasso", i, 0.25 * i, "colon") for i in range(2)]
    lines += [of_battery("rf", i, 0.5 + 0.25 * i, "colon") for i in range(2)]
    mean, error, best = battery.lead(rows_of(tmp_path, lines), COLON)
    assert (mean, best) == (-0.125, "rf")
    assert error == pytest.approx(0.25 / np.sqrt(2) * np.sqrt(1 / 2 + 1 / 5))


def test_without_the_default_there_is_nothing_to_draw(tmp_path):
    write_study(tmp_path, "battery", [of_battery("lasso", 0, 0.5, "colon")])
    write_csv(tmp_path / "battery" / "sets.csv", ranks.SETS, SETS)
    for draw_it in (battery.draw, battery.draw_leads):
        assert draw_it(Results(tmp_path, style.METHODS)) is None


def test_a_picture_has_a_panel_where_there_is_something_to_rank(results):
    figure = battery.draw(Results(results, style.METHODS))
    titles = [axes.texts[at].get_text() for at, axes in zip((6, 7, 7), figure.axes, strict=True)]
    texts = [text.get_text() for text in figure.axes[0].texts]
    pyplot.close(figure)
    assert titles == [
        "All data sets (4)",
        "Survival, with the clinical columns alone (1)",
        "Where LassoNet was run (4)",
    ]
    assert any(text.startswith("threshnet  ") for text in texts)


def test_pale_bands_keep_their_colours_in_a_small_picture():
    figure, axes = pyplot.subplots()
    columns = np.arange(20)
    for number, method in enumerate(style.METHODS.values()):
        middle, colour = np.sin(columns * (1 + number)), method.colour
        axes.fill_between(columns, middle - 1, middle + 1, color=colour, alpha=0.11, linewidth=0)
        axes.plot(columns, middle, color=colour)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    pyplot.close(figure)
    whole, small = (
        np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)
        for png in (buffer.getvalue(), with_palette(buffer.getvalue()))
    )
    off = np.abs(whole - small).max(axis=2)
    assert np.mean(off > 12) < 0.04


def test_long_names_keep_their_ends():
    assert survival.shortened("IDH1_Mut") == "IDH1_Mut"
    name = survival.shortened("age_at_initial_pathologic_diagnosis_Clinical")
    assert len(name) <= survival.LONGEST_NAME
    assert name.startswith("age_at_initial") and name.endswith("_Clinical")


def test_the_default_is_compared_with_the_better_on_the_same_replicates(tmp_path):
    rates = {
        # 1 of 16 others selected and 1 of 4 missed; then 2 missed, then nothing wrong
        ("gmcp", ""): [(1 / 16, 0.25, 0.7), (1 / 16, 0.25, 0.7)],
        ("gscad", ""): [(0, 0.5, 0.9), (0, 0, 0.8)],
        quality.DEFAULT: [(0, 0, 0.8), (0, 0.25, 0.9), (1, 1, 0.1)],
    }
    lines = [
        result(method, i, score, (0,), model="regression", variant=variant, fpr=fpr, fnr=fnr)
        for (method, variant), fits in rates.items()
        for i, (fpr, fnr, score) in enumerate(fits)
    ]
    ((cell, fits),) = quality.by_cell(rows_of(tmp_path, lines)).items()
    assert cell.label == "regression, 500 × 20"
    # GSCAD errs less; the third replicate has nobody to be compared with
    assert quality.paired(fits, quality.errors, -1) == [[2, 0], [0, 1]]
    assert quality.paired(fits, lambda row: row.score, 1) == [[0.9, 0.8], [0.8, 0.9]]


def test_candidates_are_judged_beside_the_paper_on_the_same_data(tmp_path):
    rates = {"": (1 / 16, 0.25, 0.7, 2), "cv5": (0, 0, 0.8, 8)}
    lines = [
        result(
            "gmcp",
            replicate,
            score,
            (0,),
            model="regression",
            variant=variant,
            fpr=fpr,
            fnr=fnr,
            seconds=seconds,
        )
        for variant, (fpr, fnr, score, seconds) in rates.items()
        # the paper's protocol has no second replicate
        for replicate in range(1 if variant == "" else 2)
    ]
    found = candidates.by_candidate(rows_of(tmp_path, lines))
    assert [candidates.label(candidate) for candidate in found] == [
        "GMCPNet, as in the paper",
        "GMCPNet, cv5",
    ]
    (paper,), (cv5,) = (cells.values() for cells in found.values())
    # 3 of 4 found and 1 other: 2 · 3 / (2 · 3 + 1 + 1)
    assert paper == [candidates.Judged(0.75, 0, 1)]
    assert len(cv5) == 1 and (cv5[0].f1, cv5[0].cost) == (1, 4)
    assert cv5[0].gain == pytest.approx(0.1)


def test_a_share_lies_within_its_interval():
    # scipy.stats.binomtest(7, 20).proportion_ci(method="wilson")
    assert together.interval(7, 20) == pytest.approx((0.18119, 0.56714), abs=1e-4)
    assert together.interval(20, 20) == pytest.approx((0.83887, 1), abs=1e-4)
