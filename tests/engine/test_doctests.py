"""The examples in docstrings of the engine run and print what they show."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["agent", "agents.q_learning", "effort", "errors", "value_types"])
def test_examples_in_docstrings_print_what_they_show(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"engine.{module}"))
    assert outcome.attempted
    assert not outcome.failed
