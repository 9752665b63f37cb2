"""studies/tabulate.py: the tables of docs/reproduction.md come from the results."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import tabulate
from drawing.results import COLUMNS

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
