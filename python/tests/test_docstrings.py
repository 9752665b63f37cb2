"""The examples in docstrings run and say what they say."""

import doctest

import pytest

from threshnet import _classifier, _metrics, _regressor, _validate


@pytest.mark.parametrize("module", [_classifier, _metrics, _regressor, _validate])
def test_examples_of_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0
