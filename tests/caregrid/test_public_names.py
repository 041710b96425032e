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


def test_every_public_name_is_there_and_documented() -> None:
    assert set(caregrid.__all__) <= set(dir(caregrid))
    found = {name: getattr(caregrid, name) for name in caregrid.__all__ if not name.isupper()}
    assert not [name for name, each in found.items() if not each.__doc__]
    assert {name: each.__module__ for name, each in found.items()}.items() <= caregrid._PLACES.items()


def test_the_lists_of_names_agree() -> None:
    assert sorted(caregrid._PLACES) == sorted(caregrid.__all__)
    assert caregrid.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'world_list'"):
        caregrid.world_list  # noqa: B018
