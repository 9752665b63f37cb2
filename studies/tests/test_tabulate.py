"""studies/tabulate.py: the tables of docs/reproduction.md come from the results."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import candidates
import tabulate
from drawing.results import COLUMNS, read_rows
from drawing.style import METHODS

PAGE = """# Results

<!-- rows -->
old
<!-- end -->

Words stay.

<!-- table xor -->
<!-- end -->
"""


def written(folder):
    """Results of a study: two methods, one of them in two cells."""
    study = folder / "xor"
    study.mkdir()
    lines = [",".join(COLUMNS)]
    for method, d, replicates in [("gmcp", 20, 3), ("gmcp", 50, 2), ("nn", 20, 1)]:
        for replicate in range(1, replicates + 1):
            fields = dict.fromkeys(COLUMNS, "")
            fields |= {"study": "xor", "model": "xor", "method": method, "n": 500, "d": d}
            fields |= {"replicate": replicate, "seed": replicate, "score": 0.5}
            lines.append(",".join(str(fields[column]) for column in COLUMNS))
    (study / "results.csv").write_text("\n".join(lines) + "\n")
    (study / "table.md").write_text("Words.\n\n| a |\n| --- |\n| 1 |\n\n| b |\n| --- |\n")
    return folder


def test_tables_replace_what_stands_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    results = tmp_path / "results"
    results.mkdir()
    tabulate.main(["--results", str(written(results)), "--page", str(page)])
    text = page.read_text()
    assert "old" not in text
    assert "| xor | gmcp 2 to 3 in 2 cells; nn 1 |" in text
    assert "<!-- table xor -->\n| a |\n| --- |\n| 1 |\n<!-- end -->\n" in text
    assert "Words stay." in text
    assert tabulate.filled(text, results) == text


def test_the_second_table_of_a_study_can_be_shown(tmp_path):
    page = "<!-- table xor 2 -->\n<!-- end -->"
    shown = tabulate.filled(page, written(tmp_path))
    assert shown == "<!-- table xor 2 -->\n| b |\n| --- |\n<!-- end -->"


def test_the_pages_show_the_committed_results():
    blocks = 0
    for page in tabulate.PAGES:
        shown = page.read_text()
        blocks += len(tabulate.BLOCK.findall(shown))
        assert tabulate.filled(shown, tabulate.ROOT / "studies" / "results") == shown, (
            "make figures"
        )
    assert blocks >= 7


def test_the_table_of_the_candidates_is_that_of_the_committed_rows():
    rows = read_rows(candidates.FOLDER / "results.csv", METHODS)
    assert candidates.markdown(rows) == (candidates.FOLDER / "table.md").read_text()


def test_candidates_are_compared_seed_by_seed_on_the_same_data(tmp_path):
    lines = [",".join(COLUMNS)]
    for variant, seed, fpr, fnr in [
        ("", 77_000_001, 0.125, 0.25),
        ("", 77_000_002, 0.125, 0.25),
        ("cv5", 77_000_002, 0, 0),
        # no paper fit to the same data: not compared
        ("cv5", 77_000_003, 0.5, 0.5),
        ("", 8_000_001, 0, 0),
    ]:
        score, seconds = (0.9, 8) if variant else (0.8, 1)
        fields = dict.fromkeys(COLUMNS, "") | {"study": tmp_path.name, "model": "regression"}
        fields |= {"method": "gmcp", "variant": variant, "n": 300, "d": 20, "fpr": fpr, "fnr": fnr}
        fields |= {"replicate": 1, "seed": seed, "score": score, "seconds": seconds}
        lines.append(",".join(str(fields[column]) for column in COLUMNS))
    (tmp_path / "results.csv").write_text("\n".join(lines) + "\n")
    candidates.main([str(tmp_path)])
    first, second = (tmp_path / "table.md").read_text().split("Seed 77.")
    assert first.startswith("Seed 8.")
    assert "| gmcp (paper) | 1 | 1 | 1.000 | 0.00 | 0.00 | +0.000 | 1.0 |" in first
    assert "| gmcp (paper) | 1 | 2 | 0.667 | 2.00 | 1.00 | +0.000 | 1.0 |" in second
    assert "| gmcp cv5 | 1 | 1 | 1.000 | 0.00 | 0.00 | +0.100 | 8.0 |" in second
