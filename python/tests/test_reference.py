"""The reference on the page is that of the docstrings."""

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "reference.py"


def test_the_page_is_what_the_docstrings_say():
    spec = importlib.util.spec_from_file_location("reference", SCRIPT)
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    page = reference.PAGE.read_text(encoding="utf-8")
    assert page == reference.page(), "docs/python-reference.md is behind: run `make reference`"
    for name in ("ThreshNetSurvival", "threshnet_path", "plot_path", "at(", "norms_path_"):
        assert name in page
