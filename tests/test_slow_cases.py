"""The mark `slow_cases`: which cases of a parametrised test the default suite leaves to CI."""

from __future__ import annotations

import pytest

from tests.conftest import pytest_collection_modifyitems

pytest_plugins = ("pytester",)
SUITE = """
import pytest

@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("n", [10, 20, 30])
@pytest.mark.parametrize("of", ["a", "b"])
def test_many(of, n): ...

@pytest.mark.slow_cases("two", "deep/")
@pytest.mark.parametrize("name", ["one", "two", "deep/one", "deep/two"])
def test_named(name): ...

def test_other(): ...
"""


def test_named_cases_and_those_beyond_the_first_are_slow(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmarkers =\n    slow: long\n    slow_cases: long cases")
    items = pytester.getitems(SUITE)
    pytest_collection_modifyitems(items)
    kept = [item.name for item in items if item.get_closest_marker("slow") is None]
    assert kept == ["test_many[a-10]", "test_many[a-20]", "test_named[one]", "test_other"]
