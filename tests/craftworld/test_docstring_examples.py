"""The examples in craftworld's docstrings run as they are printed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import craftworld


def test_every_example_runs() -> None:
    names = [each.name for each in pkgutil.walk_packages(craftworld.__path__, "craftworld.")]
    results = {name: doctest.testmod(importlib.import_module(name)) for name in names}
    assert sum(result.attempted for result in results.values()) >= 8
    assert not {name: result.failed for name, result in results.items() if result.failed}
