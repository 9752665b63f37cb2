"""Writes docs/python-reference.md from the docstrings of the package; `make reference` runs it."""

import inspect
from pathlib import Path

import threshnet
from threshnet import plots
from threshnet._base import ThreshNetBase
from threshnet._parameters import ATTRIBUTES, OWN, SETTINGS, described

PAGE = Path(__file__).resolve().parents[1] / "docs" / "python-reference.md"
ESTIMATORS = ("ThreshNetRegressor", "ThreshNetClassifier", "ThreshNetSurvival")
FUNCTIONS = (
    "validate",
    "threshnet_path",
    "survival",
    "load",
    "evaluate",
    "metrics",
    "compare",
    "scorer",
)
HEAD = """# Reference of the Python package

Made by `make reference` from the docstrings; `help(ThreshNetRegressor)` shows the same. The
[guide](python.md) shows them in use.
"""


def page():
    """The text of the page."""
    return "\n".join(
        [
            HEAD,
            "## Estimators\n",
            *(estimator(name) for name in ESTIMATORS),
            "### What all three take and have\n",
            block(described([s for s in SETTINGS if not s["tasks"]] + OWN) + ATTRIBUTES),
            "### Methods of all three\n",
            *methods(ThreshNetBase),
            "## Functions\n",
            *(entry(name, getattr(threshnet, name)) for name in FUNCTIONS),
            entry("StepFunction", threshnet.StepFunction),
            "## Pictures: `threshnet.plots`\n",
            *(entry(name, getattr(plots, name)) for name in plots.__all__),
        ]
    )


def estimator(name):
    """An estimator: what is its own."""
    kind = getattr(threshnet, name)
    text, _, rest = kind.__doc__.partition("\n    Parameters\n")
    examples = rest.partition("    Examples\n")[2]
    own = [entry for entry in kind._parameters if entry not in OWN and entry.get("tasks", True)]
    text += described(own) if own else ""
    text += f"\n    Examples\n{examples}" if examples else ""
    return "\n".join([f"### {name}\n", block(text), *methods(kind)])


def methods(kind):
    """The public methods and properties that a class defines itself."""
    for name, member in vars(kind).items():
        of = member.fget if isinstance(member, property) else member
        if inspect.isfunction(of) and not name.startswith("_"):
            yield entry(name, of)


def entry(name, thing):
    """A function or class: its signature, without types, and what it says."""
    signature = inspect.signature(thing)
    plain = [
        parameter.replace(annotation=parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    shown = signature.replace(parameters=plain, return_annotation=signature.empty)
    text = "" if not plain and "self" in signature.parameters else str(shown)
    return f"#### `{name}{text}`\n\n{block(thing.__doc__)}"


def block(text):
    return f"```text\n{inspect.cleandoc(text)}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
