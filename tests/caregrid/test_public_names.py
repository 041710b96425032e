"""`import caregrid` is quick and holds what its docstring offers."""

import subprocess
import sys
from pathlib import Path

import pytest

import caregrid

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numpy", "numba", "torch", "pandas", "matplotlib", "pygame", "networkx", "gymnasium", "craftworld", "xenv")


def test_importing_it_imports_nothing_else() -> None:
    script = f"import sys, caregrid; found = {{*{HEAVY!r}}} & set(sys.modules); assert not found, found"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", caregrid.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(caregrid, name)
    assert found.__doc__ or name.isupper()
    assert name in dir(caregrid)
    assert name.isupper() or found.__module__ == caregrid._PLACES[name]


def test_the_lists_of_names_agree() -> None:
    assert sorted(caregrid._PLACES) == sorted(caregrid.__all__)
    assert caregrid.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'world_list'"):
        caregrid.world_list  # noqa: B018
