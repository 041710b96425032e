"""Registries fill themselves from a package: each file offers what its `__all__` names."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import BadValue, ContractBroken, UnknownName
from engine.registry import Registry, find_namesake_class, find_sole_subclass

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


PACK = '''"""Dogs and their like."""

__all__ = ["wolf", "GreyWolf2",
           "howl"]

wolf = 4
"""A wolf, as written below it."""


class GreyWolf2:
    """A grey wolf."""


def howl():
    """Howls."""


def not_listed():
    """No entry."""
'''


def test_a_file_offers_several_entries(zoo: str, tmp_path: Path) -> None:
    (tmp_path / zoo / "dogs.py").write_text(PACK)
    registry: Registry[object] = Registry(zoo, "animal")
    assert registry.names() == ("brown_bear", "cat", "ghost", "grey_wolf_2", "howl", "twins", "wolf")
    texts = [registry.summary(name) for name in ("wolf", "grey_wolf_2", "howl")]
    assert texts == ["A wolf, as written below it", "A grey wolf", "Howls"]
    assert {registry.file(name).name for name in ("wolf", "howl")} == {"dogs.py"}
    assert f"{zoo}.dogs" not in sys.modules
    assert registry["wolf"] == 4
    assert getattr(registry["grey-wolf-2"], "__name__", "") == "GreyWolf2"
    with pytest.raises(UnknownName, match="unknown animal 'not_listed'"):
        registry["not_listed"]


def test_a_name_that_a_file_lists_and_does_not_define_breaks_the_contract(zoo: str, tmp_path: Path) -> None:
    (tmp_path / zoo / "dogs.py").write_text('__all__ = ["wolf", "fox"]\nwolf = 1\n')
    registry: Registry[object] = Registry(zoo, "animal")
    assert registry["wolf"] == 1
    with pytest.raises(ContractBroken, match=r"dogs\.py: no 'fox' in it; define it there, or take it out of __all__"):
        registry["fox"]


def test_a_file_without_its_entry_breaks_the_contract(zoo: str) -> None:
    registry: Registry[str] = Registry(zoo, "animal")
    with pytest.raises(ContractBroken, match="no 'ghost' in it; define 'ghost' there"):
        registry["ghost"]


def test_classes_by_name_and_by_parent(zoo: str) -> None:
    by_name: Registry[type] = Registry(zoo, "animal", find_namesake_class)
    assert by_name["brown_bear"].__name__ == "BrownBear"
    with pytest.raises(ContractBroken, match="no class 'Ghost'"):
        by_name["ghost"]
    animal = __import__(zoo).Animal
    by_parent: Registry[type] = Registry(zoo, "animal", find_sole_subclass(animal))
    assert by_parent["cat"].__name__ == "Cat"
    with pytest.raises(ContractBroken, match="defines 2 classes of kind Animal"):
        by_parent["twins"]


def test_a_registry_is_read_only(zoo: str) -> None:
    registry: Registry[str] = Registry(zoo, "animal")
    with pytest.raises(TypeError):
        registry["dog"] = "barks"  # type: ignore[index]


def test_documentation_is_read_without_importing(zoo: str) -> None:
    registry: Registry[str] = Registry(zoo, "animal")
    Path(sys.path[0], zoo, "newt.py").write_text('"""A newt.\n\nIt swims."""\nraise RuntimeError\n')
    assert registry.summary("newt") == "A newt"
    assert registry.documentation("newt").endswith("It swims.")


def test_a_file_that_cannot_be_imported_is_named_with_its_line(zoo: str) -> None:
    Path(sys.path[0], zoo, "newt.py").write_text("animal = 1\nraise RuntimeError('dry')\n")
    registry: Registry[str] = Registry(zoo, "animal")
    with pytest.raises(ContractBroken, match=r"animal 'newt': newt.py, line 2: RuntimeError: dry; mend it there"):
        registry["newt"]
    assert registry["cat"] == "purrs"  # and breaks nothing else


def test_what_is_registered_is_accepted_first(zoo: str) -> None:
    def purring(entry: object) -> str:
        if entry != "purrs":
            raise ContractBroken(f"{entry!r} does not purr", place="test")
        return str(entry)

    registry: Registry[str] = Registry(zoo, "animal", accept=purring)
    assert registry["cat"] == "purrs"
    with pytest.raises(ContractBroken, match="'growls' does not purr"):
        registry["brown_bear"]


def test_objects_of_the_users_own_files(zoo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_animals_for_tests.py").write_text("dog = 'barks'\n")
    monkeypatch.chdir(tmp_path)
    registry: Registry[str] = Registry(zoo, "animal")
    assert registry["own_animals_for_tests:dog"] == "barks"
    with pytest.raises(BadValue, match=r"no 'dig' in it; did you mean 'dog'\?"):
        registry["own_animals_for_tests:dig"]
    with pytest.raises(BadValue, match="no module 'nowhere_for_tests' here"):
        registry["nowhere_for_tests:dog"]


def test_installed_packages_add_entries(zoo: str, tmp_path: Path) -> None:
    text = '"""Animals of another package."""\ndog = "barks"\nwolf = "howls"\n"""A wolf."""\n'
    Path(sys.path[0], "plugin_for_tests.py").write_text(text)
    record = tmp_path / "plugin_for_tests-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin-for-tests\nVersion: 1.0\n")
    (record / "entry_points.txt").write_text(
        f"[caregrid.{zoo}]\nbig-dog = plugin_for_tests:dog\ncat = plugin_for_tests:dog\nbad = plugin_for_tests:no\n"
        "wolf = plugin_for_tests:wolf\n"
    )
    registry: Registry[str] = Registry(zoo, "animal")
    assert registry.names() == ("bad", "big_dog", "brown_bear", "cat", "ghost", "twins", "wolf")
    assert registry["big-dog"] == "barks"
    assert registry.summary("big-dog") == "Animals of another package"  # not the first line of what a text is
    assert registry.summary("wolf") == "A wolf"
    assert registry["cat"] == "purrs"  # our own entries are not replaced
    with pytest.raises(ContractBroken, match="animal 'bad' of plugin-for-tests: "):
        registry["bad"]


def test_a_registry_may_be_filled_from_several_packages(
    zoo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "farm_for_tests").mkdir()
    for name, text in {"__init__": "", "cow": "cow = 'moos'\n", "cat": "cat = 'hunts mice'\n"}.items():
        (tmp_path / "farm_for_tests" / f"{name}.py").write_text(text)
    registry: Registry[str] = Registry(zoo, "animal", also=("farm_for_tests",))
    assert registry.names() == ("brown_bear", "cat", "cow", "ghost", "twins")
    assert registry["cow"] == "moos"
    assert registry["cat"] == "purrs"
    for name in ("farm_for_tests.cow", "farm_for_tests"):
        monkeypatch.delitem(sys.modules, name)


def test_an_old_name_is_understood_with_one_notice_and_not_listed(zoo: str, capsys: pytest.CaptureFixture[str]) -> None:
    registry: Registry[str] = Registry(zoo, "animal", renamed={"tom_cat": "cat"})
    assert "tom-cat" in registry
    assert "tom_cat" not in registry.names()
    assert registry["tom-cat"] == registry["tom_cat"] == "purrs"
    error = capsys.readouterr().err
    assert error.startswith("caregrid: the animal 'tom_cat' is called 'cat' now;")
    assert error.count("\n") == 1
