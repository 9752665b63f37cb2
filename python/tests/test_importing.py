"""`import threshnet` is quick: what takes long to import comes once it is asked for."""

import subprocess
import sys

import pytest

import threshnet


def test_the_package_alone_imports_neither_scikit_learn_nor_matplotlib():
    script = "import sys, threshnet; print(*{'sklearn', 'matplotlib'} & sys.modules.keys())"
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == ""


def test_everything_public_is_there():
    for name in threshnet.__all__:
        assert getattr(threshnet, name).__doc__ or name == "__version__"
    assert set(threshnet.__all__) <= set(dir(threshnet))
    names = {}
    exec("from threshnet import *", names)
    assert set(threshnet.__all__) <= names.keys()
    with pytest.raises(AttributeError, match="'threshnet' has no attribute 'nothing'"):
        _ = threshnet.nothing
