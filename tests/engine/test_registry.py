"""Registries fill themselves from a package: one file, one entry."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import ContractBroken, UnknownName
from engine.registry import Registry, namesake_class, sole_subclass

FILES = {
    "__init__.py": "class Animal: ...\n",
    "brown_bear.py": "from zoo_for_tests import Animal\nclass BrownBear(Animal): ...\nbrown_bear = 'growls'\n",
    "cat.py": "from zoo_for_tests import Animal\nclass Cat(Animal): ...\nclass _Kitten(Cat): ...\ncat = 'purrs'\n",
    "ghost.py": "somebody_else = 1\n",
    "_hidden.py": "hidden = 'never seen'\n",
    "twins.py": "from zoo_for_tests import Animal\nclass One(Animal): ...\nclass Two(Animal): ...\ntwins = 2\n",
}


@pytest.fixture
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package on disk with a few entries."""
    package = tmp_path / "zoo_for_tests"
    package.mkdir()
    for name, text in FILES.items():
        (package / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "zoo_for_tests"
    for name in [name for name in sys.modules if name.startswith("zoo_for_tests")]:
        del sys.modules[name]


def test_names_are_sorted_and_import_nothing(zoo: str) -> None:
    registry: Registry[str] = Registry(zoo, "animal")
    assert registry.names() == ("brown_bear", "cat", "ghost", "twins")
    assert list(registry) == list(registry.names())
    assert len(registry) == 4
    assert f"{zoo}.cat" not in sys.modules


def test_an_entry_is_the_attribute_named_like_its_file_and_hyphens_are_underscores(zoo: str) -> None:
    registry: Registry[str] = Registry(zoo, "animal")
    assert registry["cat"] == "purrs"
    assert registry["brown-bear"] == registry["brown_bear"] == "growls"
    assert "brown-bear" in registry
    assert "_hidden" not in registry
    assert 3 not in registry


def test_an_unknown_name_is_answered_with_the_nearest(zoo: str) -> None:
    registry: Registry[str] = Registry(zoo, "animal")
    with pytest.raises(UnknownName, match=r"unknown animal 'brown_baer'; did you mean 'brown_bear'\?"):
        registry["brown_baer"]
    assert registry.get("dog") is None
    assert registry.get("dog", "barks") == "barks"


def test_a_file_without_its_entry_breaks_the_contract(zoo: str) -> None:
    registry: Registry[str] = Registry(zoo, "animal")
    with pytest.raises(ContractBroken, match="no 'ghost' in it; define 'ghost' there"):
        registry["ghost"]


def test_classes_by_name_and_by_parent(zoo: str) -> None:
    by_name: Registry[type] = Registry(zoo, "animal", namesake_class)
    assert by_name["brown_bear"].__name__ == "BrownBear"
    with pytest.raises(ContractBroken, match="no class 'Ghost'"):
        by_name["ghost"]
    animal = __import__(zoo).Animal
    by_parent: Registry[type] = Registry(zoo, "animal", sole_subclass(animal))
    assert by_parent["cat"].__name__ == "Cat"
    with pytest.raises(ContractBroken, match="defines 2 classes of kind Animal"):
        by_parent["twins"]


def test_a_registry_is_read_only(zoo: str) -> None:
    registry: Registry[str] = Registry(zoo, "animal")
    with pytest.raises(TypeError):
        registry["dog"] = "barks"  # type: ignore[index]
