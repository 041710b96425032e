"""Whose code made these rows: every change that may change rows is noticed, and no other one is."""

import ast
import functools
import importlib
import json
import os
import secrets
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caregrid.main import main
from engine.errors import BadFile, ContractBroken
from experiments.experiment import Experiment, Rows
from experiments.runs.bytecode import list_changed
from experiments.runs.code_identity import CodeIdentity, identify_code, require_same_code, seal_code
from experiments.runs.engines import ENGINES
from experiments.runs.run_directory import RunDirectory
from experiments.runs.runner import run_experiment
from experiments.runs.unit import UnitTask, run_chunk
from tests.experiments.processes import ROOT

PAPER = '''"""An experiment."""
import functools
import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path

import numpy as np

import other_helpers
import own_tools as tools
import own_package.deep
from own_constants import *
from own_package import sizes
from own_worlds import World, size, unused
from experiments.experiment import Claim, Experiment

FACTOR = 2
PAIR = (1, 2.5)
WORDS = {"north", "south"}
SHARE = Fraction(1, 3)
TABLE = {"a": 1, "deep": {"c": [2, 3]}}
TABLE["k"] = 3
RULES = {"plain": lambda n: n, "twice": lambda n: 2 * n}
WEIGHTS = np.array([1.0, 2.0])
HALF = functools.partial(tools.scaled, factor=0.5)
NUMBERS = Path(__file__).parent / "numbers.txt"
CACHE = {}
CALLS = 0
UNUSED = 5
REGISTRY = {}


def register(function):
    REGISTRY[function.__name__] = function
    return function


@register
def first_rule(n):
    return n + 20


@register
def second_rule(n):
    return n + 30


class Speed(Enum):
    SLOW = 1
    FAST = 2


@dataclass(frozen=True)
class Options:
    """What can be chosen."""

    depth: int = 2
    speed: Speed = Speed.SLOW


OPTIONS = Options(speed=Speed.FAST)


def make_adder(step):
    ratio = 1

    def add(n):
        return n * ratio + step

    return add


ADD = make_adder(4)


def logged(function):
    @functools.wraps(function)
    def call(n):
        return function(n) + 0

    return call


@logged
def helper(n, offset=0, *, sign=1):
    """Twice."""
    product = FACTOR * n
    return sign * product + offset


@functools.lru_cache
def remembered(n):
    return n + 1


def count():
    global CALLS
    CALLS += 1
    return CALLS


def look_up(n):
    if n not in CACHE:
        CACHE[n] = 10 * n
    return CACHE[n]


def read():
    return len(NUMBERS.read_text())


def choose(n: int) -> int:
    total = 0
    for step in range(n):
        try:
            total += [3, 1][step]
        except IndexError:
            total -= 7
    return total + sum(k * k for k in range(n) if k != 1)


def run(n, key):
    # a comment
    from own_lazy import late

    count()
    mode = "fast"
    world = World(n)
    values = [helper(n), size(n), math.floor(0.5), tools.shifted(n), OFFSET, look_up(n), read(), ADD(n)]
    values += [RULES["twice"](n), HALF(n), sizes.area(n), own_package.deep.depth(), late(n), remembered(n), choose(n)]
    values += [TABLE["a"], PAIR[0], len(WORDS), float(SHARE), float(WEIGHTS.sum()), OPTIONS.depth, world.value(n)]
    values += [REGISTRY["first_rule"](n), other_helpers.helped(n)]
    values += [world.double, World.fixed(), World.named(), len(mode), OPTIONS.speed.value]
    return [{"value": float(sum(values))}]


def holds(rows):
    return True


def table(rows):
    return [{"size": 1}]


experiment = Experiment(
    "own",
    {"n": (1, 2, 3)},
    run,
    claims=(Claim("so it is", holds), Claim("all are", lambda rows: all(n for key, n in enumerate(rows, 1)))),
    table=table,
)
'''
FILES = {
    "own_paper.py": PAPER,
    "own_worlds.py": '''"""A world."""
BASE = (1, 2)


class Base:
    gravity = 9.5

    def pull(self, n):
        return self.gravity * n


class Tilted(Base):
    def pull(self, n):
        return -n


class World(Base):
    """A world of one number."""

    bonus = 1.0
    asked = 0

    def __init__(self, n):
        self.n = n

    def value(self, n):
        """Its value."""
        World.asked += 2 if n > 1 else 1
        return self.pull(n) + self.bonus

    @property
    def double(self):
        return 2 * self.n

    @staticmethod
    def fixed():
        return 5

    @classmethod
    def named(cls):
        return 6

    def unused(self):
        return self.n


def size(n):
    return sum(BASE) * n


def unused(n):
    return n
''',
    "own_constants.py": "OFFSET = 0\nOTHER = 1\n",
    "own_tools.py": '''"""Tools, imported as a whole."""
STEP = 1


def shifted(n):
    return n + STEP


def scaled(n, factor):
    return n * factor


def bins(rows):
    return len(rows)
''',
    "own_lazy.py": "LATE = 8\n\n\ndef late(n):\n    return LATE + n\n",
    "own_package/__init__.py": "",
    "own_package/sizes.py": "from own_package.units import METRE\n\n\ndef area(n):\n    return METRE * n * n\n",
    "own_package/units.py": "METRE = 1.0\nFOOT = 0.3\n",
    "own_package/deep.py": "def depth():\n    return 3\n",
    "numbers.txt": "1 2 3\n",
    "elsewhere/other_helpers.py": "HELP = 1\n\n\ndef helped(n):\n    return n + HELP\n",
}

NOTICED = [
    ("a constant", "own_paper.py", "FACTOR = 2", "FACTOR = 3"),
    ("a constant's kind", "own_paper.py", "FACTOR = 2", "FACTOR = 2.0"),
    ("an expression", "own_paper.py", "product = FACTOR * n", "product = FACTOR * n + 1"),
    ("a number in an expression", "own_paper.py", "floor(0.5)", "floor(1.5)"),
    ("a word in an expression", "own_paper.py", 'mode = "fast"', 'mode = "slower"'),
    ("another function under a name", "own_paper.py", "import World, size,", "import World, unused as size,"),
    ("another function called", "own_paper.py", "tools.shifted(n)", "tools.bins([n])"),
    ("a tuple", "own_paper.py", "PAIR = (1, 2.5)", "PAIR = (2, 2.5)"),
    ("a set", "own_paper.py", '{"north", "south"}', '{"north", "south", "east"}'),
    ("a fraction", "own_paper.py", "Fraction(1, 3)", "Fraction(2, 3)"),
    ("a dictionary's item", "own_paper.py", '"a": 1,', '"a": 2,'),
    (
        "the order of items",
        "own_paper.py",
        'TABLE = {"a": 1, "deep": {"c": [2, 3]}}',
        'TABLE = {"deep": {"c": [2, 3]}, "a": 1}',
    ),
    ("a nested item", "own_paper.py", "[2, 3]", "[2, 4]"),
    ("an item assigned later", "own_paper.py", 'TABLE["k"] = 3', 'TABLE["k"] = 4'),
    ("an item that is gone", "own_paper.py", 'TABLE["k"] = 3\n', ""),
    ("a lambda in a table", "own_paper.py", "lambda n: 2 * n", "lambda n: 3 * n"),
    ("an array", "own_paper.py", "[1.0, 2.0]", "[1.0, 3.0]"),
    ("a partial's value", "own_paper.py", "factor=0.5", "factor=0.25"),
    ("a partial's function", "own_paper.py", "partial(tools.scaled, ", "partial(lambda n, factor: n, "),
    ("a closure's value", "own_paper.py", "make_adder(4)", "make_adder(5)"),
    ("a closure's local", "own_paper.py", "ratio = 1", "ratio = 2"),
    ("a function in a closure", "own_paper.py", "n * ratio + step", "n * ratio - step"),
    ("which variable a closure uses", "own_paper.py", "n * ratio + step", "n * step + ratio"),
    ("a default", "own_paper.py", "offset=0", "offset=1"),
    ("a keyword's default", "own_paper.py", "sign=1", "sign=-1"),
    ("a decorator", "own_paper.py", "function(n) + 0", "function(n) + 1"),
    ("a decorator that is gone", "own_paper.py", "@logged\n", ""),
    ("an enum's value", "own_paper.py", "FAST = 2", "FAST = 3"),
    ("an object's field", "own_paper.py", "Options(speed=Speed.FAST)", "Options(speed=Speed.SLOW)"),
    ("a field's default", "own_paper.py", "depth: int = 2", "depth: int = 3"),
    ("a cached function", "own_paper.py", "return n + 1", "return n + 2"),
    ("what is put into a cache", "own_paper.py", "10 * n", "11 * n"),
    ("what a cache begins with", "own_paper.py", "CACHE = {}", "CACHE = {1: 5}"),
    ("a counter's beginning", "own_paper.py", "CALLS = 0", "CALLS = 1"),
    ("a class's counter's beginning", "own_worlds.py", "asked = 0", "asked = 1"),
    ("a list in a loop", "own_paper.py", "[3, 1]", "[3, 2]"),
    ("what a handler does", "own_paper.py", "total -= 7", "total -= 8"),
    ("which exception is handled", "own_paper.py", "except IndexError", "except LookupError"),
    (
        "what is in a try block",
        "own_paper.py",
        "        try:\n            total",
        "        total += 1\n        try:\n            total",
    ),
    ("a generator", "own_paper.py", "k * k for k", "k + k for k"),
    ("a generator's condition", "own_paper.py", "if k != 1", "if k != 2"),
    ("a parameter's name", "own_tools.py", "def scaled(n, factor)", "def scaled(n, factor=1, weight=1)"),
    ("a tuple of another module", "own_worlds.py", "BASE = (1, 2)", "BASE = (1, 3)"),
    ("a function of another module", "own_worlds.py", "sum(BASE) * n", "sum(BASE) + n"),
    ("a world's constant", "own_worlds.py", "bonus = 1.0", "bonus = 2.0"),
    ("a base's constant", "own_worlds.py", "gravity = 9.5", "gravity = 9.75"),
    ("a base's method", "own_worlds.py", "self.gravity * n", "self.gravity + n"),
    ("another base", "own_worlds.py", "class World(Base)", "class World(Tilted)"),
    ("a method", "own_worlds.py", "self.pull(n) + self.bonus", "self.pull(n) - self.bonus"),
    ("how an object begins", "own_worlds.py", "self.n = n", "self.n = -n"),
    ("a property", "own_worlds.py", "2 * self.n", "3 * self.n"),
    ("a static method", "own_worlds.py", "return 5", "return 4"),
    ("a class method", "own_worlds.py", "return 6", "return 4"),
    ("a name taken by a star", "own_constants.py", "OFFSET = 0", "OFFSET = 4"),
    ("a function of a module", "own_tools.py", "n + STEP", "n - STEP"),
    ("a constant of a module", "own_tools.py", "STEP = 1", "STEP = 2"),
    ("a function imported late", "own_lazy.py", "LATE + n", "LATE - n"),
    ("a constant of a module imported late", "own_lazy.py", "LATE = 8", "LATE = 9"),
    ("a helper of a package", "own_package/sizes.py", "METRE * n * n", "METRE * n"),
    ("a constant two packages away", "own_package/units.py", "METRE = 1.0", "METRE = 2.0"),
    ("a module of a package, named in full", "own_package/deep.py", "return 3", "return 4"),
    ("a registered function", "own_paper.py", "return n + 20", "return n + 21"),
    ("a decorator that registers", "own_paper.py", "[function.__name__] = function", "['first_rule'] = function"),
    ("a helper in another folder", "elsewhere/other_helpers.py", "n + HELP", "n - HELP"),
    ("a constant in another folder", "elsewhere/other_helpers.py", "HELP = 1", "HELP = 2"),
    ("a file of data", "numbers.txt", "1 2 3", "1 2 4"),
]
IGNORED = [
    ("a comment", "own_paper.py", "    # a comment\n", "    # another comment\n    # of two lines\n"),
    ("a comment that is gone", "own_paper.py", "    # a comment\n", ""),
    ("a docstring", "own_paper.py", '"""Twice."""', '"""Two times."""'),
    ("a docstring that is gone", "own_paper.py", '    """Twice."""\n', ""),
    ("a new docstring", "own_paper.py", "    total = 0\n", '    """Choose."""\n    total = 0\n'),
    ("a class's docstring", "own_worlds.py", '"""A world of one number."""', '"""A world."""'),
    ("a method's docstring", "own_worlds.py", '        """Its value."""\n', ""),
    ("a module's docstring", "own_paper.py", '"""An experiment."""', '"""Another text."""'),
    ("a local's name", "own_paper.py", "product", "doubled"),
    ("a captured local's name", "own_paper.py", "ratio", "zeta"),
    ("a loop's variable", "own_paper.py", "k * k for k in range(n) if k != 1", "z * z for z in range(n) if z != 1"),
    ("a lambda's variable", "own_paper.py", "for key, n in enumerate", "for key, m in enumerate"),
    ("an annotation", "own_paper.py", "def choose(n: int) -> int", "def choose(n: float) -> float"),
    ("layout", "own_paper.py", "FACTOR * n\n", "(FACTOR\n            * n)\n"),
    ("an empty line", "own_paper.py", "    world = World(n)\n", "\n    world = World(n)\n\n"),
    ("another import beside", "own_paper.py", "import math", "import math, string"),
    ("a claim's words", "own_paper.py", "so it is", "so it may be"),
    ("a claim's code", "own_paper.py", "    return True", "    return bool(rows)"),
    ("a table", "own_paper.py", '{"size": 1}', '{"size": 2}'),
    ("a constant that nothing uses", "own_paper.py", "UNUSED = 5", "UNUSED = 6"),
    ("a function that nothing uses", "own_worlds.py", "    return n\n", "    return -n\n"),
    ("a constant of a module that nothing uses", "own_constants.py", "OTHER = 1", "OTHER = 2"),
    ("a function of a module that nothing uses", "own_tools.py", "len(rows)", "len(rows) + 1"),
    ("a constant of a package that nothing uses", "own_package/units.py", "FOOT = 0.3", "FOOT = 0.4"),
    ("a new function", "own_tools.py", "def bins", "def more(n):\n    return n\n\n\ndef bins"),
    ("the grid", "own_paper.py", '{"n": (1, 2, 3)}', '{"n": (1, 2, 3, 4)}'),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user's folder with the files, importable here and forgotten afterwards."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.startswith(("own_", "other_"))]:
        del sys.modules[name]
    importlib.invalidate_caches()


def _load() -> Any:
    _forget()
    return importlib.import_module("own_paper")


def _identify() -> CodeIdentity:
    return identify_code(_load().run)


def _change(folder: Path, file: str, before: str, after: str) -> None:
    text = (folder / file).read_text()
    assert before in text
    (folder / file).write_text(text.replace(before, after))


def test_the_experiment_of_these_tests_runs(folder: Path) -> None:
    assert _load().run(n=2, key=0) == [{"value": pytest.approx(149 + 1 / 3)}]
    assert len(NOTICED) >= 60


@pytest.mark.slow_cases(beyond=16)
@pytest.mark.parametrize(("file", "before", "after"), [row[1:] for row in NOTICED], ids=[row[0] for row in NOTICED])
def test_a_change_that_may_change_rows_is_noticed(folder: Path, file: str, before: str, after: str) -> None:
    first = _identify()
    assert not first.unknown
    assert _identify() == first
    _change(folder, file, before, after)
    assert _identify().differences(first)


@pytest.mark.slow_cases(beyond=12)
@pytest.mark.parametrize(("file", "before", "after"), [row[1:] for row in IGNORED], ids=[row[0] for row in IGNORED])
def test_a_change_that_changes_no_row_is_ignored(folder: Path, file: str, before: str, after: str) -> None:
    first = _identify()
    _change(folder, file, before, after)
    assert _identify() == first


def test_another_layout_another_folder_and_what_has_run_before_change_nothing(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _identify()
    module = _load()
    module.run(n=3, key=0)
    assert identify_code(module.run) == first, "a cache that has filled"
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name, text in FILES.items():
        (elsewhere / name).parent.mkdir(exist_ok=True)
        if name.endswith(".py"):
            text = "\n\n# another layout\n" + ast.unparse(ast.parse(text)).replace("    ", "  ")
        (elsewhere / name).write_text(text)
    monkeypatch.setattr(
        sys,
        "path",
        [str(elsewhere), str(elsewhere / "elsewhere"), *(place for place in sys.path if str(folder) not in place)],
    )
    assert _identify() == first


IDENTIFY = """
import json, sys
from experiments.catalogue import CATALOGUE
from experiments.runs.code_identity import identify_code
named = [CATALOGUE[name] for name in sys.argv[1:]]
print(json.dumps([identify_code(each.run, each.together) for each in named]))
"""


@pytest.mark.slow
def test_another_process_finds_the_same(folder: Path) -> None:
    names = ["own_paper:experiment", "counterfactual/car_factory", "be_considerate/figure_2b"]
    found = set()
    for seed in "12":
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder), str(folder / "elsewhere")]),
            "PYTHONHASHSEED": seed,
        }
        done = subprocess.run([sys.executable, "-c", IDENTIFY, *names], env=env, capture_output=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1
    assert json.loads(found.pop())[0] == list(_identify())


def test_what_differs_is_named_and_the_authors_own_comes_first(folder: Path) -> None:
    first = _identify()
    _change(folder, "own_worlds.py", "gravity = 9.5", "gravity = 9.75")
    _change(folder, "own_paper.py", "FACTOR = 2", "FACTOR = 3")
    assert _identify().differences(first) == ["own_paper.FACTOR", "own_worlds.Base"]
    other = first._replace(versions={**first.versions, "numpy": "1.0"})
    assert first.differences(other) == [f"numpy was 1.0, is {first.versions['numpy']}"]
    of_another_python = first._replace(versions={"python": "3.1"}, parts=dict.fromkeys(first.parts, ""))
    assert first.differences(of_another_python) == [f"python was 3.1, is {first.versions['python']}"]


def run_with(n: int, key: int, what: Any) -> Rows:
    return [{"value": n}]


class Holder:
    """What a `run` may be a method of."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def run(self, n: int, key: int) -> Rows:
        return [{"value": self.weight * n}]


def test_values_inside_partials_methods_and_objects_count(tmp_path: Path) -> None:
    plain = [1, 2.0, "word", (1,), [1, [2]], {"a": {1}}, {"a": {2}}, None, b"b", Holder(1), Holder(2), tmp_path]
    identities = [identify_code(functools.partial(run_with, what=what)) for what in plain]
    assert len({json.dumps(one.as_dict()) for one in identities}) == len(plain)
    assert identify_code(Holder(1).run).differences(identify_code(Holder(2).run))
    assert not identify_code(Holder(1).run).differences(identify_code(Holder(1).run))
    around: list[Any] = [1]
    around.append(around)
    assert not identify_code(functools.partial(run_with, what=around)).unknown


def run_on_engines(key: int) -> Rows:
    return [{"engine": name} for name in ENGINES if name in ("dask", "local")]


def test_engines_decide_where_something_is_computed_and_never_what_it_gives() -> None:
    code = identify_code(run_on_engines)
    assert "test_code_identity.run_on_engines" in " ".join(code.parts)
    assert not any("DaskEngine" in name or name.startswith("engine ") for name in code.parts)


def test_the_generator_of_the_system_holds_nothing() -> None:
    assert not identify_code(functools.partial(run_with, what=secrets.choice)).unknown


def test_what_nobody_can_know_is_noted(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as stream:
        for what in ((n for n in range(3)), stream, sys._getframe()):
            assert list(identify_code(functools.partial(run_with, what=what)).unknown) == ["what runs a unit"]


def test_entries_count_where_the_settings_or_the_code_name_them() -> None:
    from experiments.caring_problem import NamedProblem
    from experiments.requests.sweep import CareSweepRequest

    swept = {name: CareSweepRequest(NamedProblem(name)).experiment().run for name in ("playroom", "workshop")}
    parts = {name: identify_code(run).parts for name, run in swept.items()}
    for name in swept:
        assert f"scenario '{name}'" in parts[name]
    assert "scenario 'workshop'" not in parts["playroom"]
    shared = {name for name in parts["playroom"] if name in parts["workshop"]}
    assert "engine.randomness.counter_based.split" in shared | set(parts["playroom"])


def test_a_change_of_a_scenario_of_ours_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from craftworld.scenarios import SCENARIOS
    from experiments.caring_problem import NamedProblem
    from experiments.requests.sweep import CareSweepRequest

    run = CareSweepRequest(NamedProblem("playroom")).experiment().run
    first = identify_code(run)
    monkeypatch.setattr(SCENARIOS["playroom"], "discount", 0.5)
    assert identify_code(run).differences(first)


def test_what_an_experiment_did_before_is_not_its_code() -> None:
    """Compiling fills caches of ours, solving moves a wrapped environment and its generators."""
    import caregrid
    from engine.compiling import numba_objects
    from tests.caregrid.wrapping.own_worlds import Corridor

    scenario = caregrid.wrap(Corridor)
    run = functools.partial(run_with, what=(scenario, numba_objects.ObjectType))
    first = identify_code(run)
    caregrid.problem(scenario).solve(care=1)
    numba_objects._classes["tests.of_a_user[0]"] = Corridor
    try:
        assert identify_code(run) == first
    finally:
        del numba_objects._classes["tests.of_a_user[0]"]
    longer = caregrid.wrap(lambda: Corridor(5))
    assert identify_code(functools.partial(run_with, what=(longer, numba_objects.ObjectType))).differences(first)


def _experiment_of(run: Any, **more: Any) -> Experiment:
    return Experiment("own", {"n": (1, 2)}, run, name="tests/own", **more)


def test_a_class_edited_in_a_notebook_is_not_mixed_with_its_rows(tmp_path: Path) -> None:
    """Cells define functions in a module without a file."""
    notebook = types.ModuleType("notebook_cells")
    cells = ["class Agent:\n    bonus = {}\n", "def run(n, key):\n    return [{{'value': n + Agent.bonus}}]\n"]
    exec(cells[0].format(1) + cells[1].format(), vars(notebook))
    assert run_experiment(_experiment_of(notebook.run), tmp_path).complete
    assert run_experiment(_experiment_of(notebook.run), tmp_path).complete
    exec(cells[0].format(2), vars(notebook))
    with pytest.raises(BadFile, match=r"2 of 2 stored units were made by other code: notebook_cells.Agent"):
        run_experiment(_experiment_of(notebook.run), tmp_path)


def test_units_of_what_nobody_can_know_are_not_used_again_without_a_word(tmp_path: Path) -> None:
    run = functools.partial(run_with, what=(n for n in range(3)))
    experiment = _experiment_of(run)
    assert run_experiment(experiment, tmp_path, {"n": (1,)}).complete
    with pytest.raises(BadFile, match=r"nobody can know .* made the 1 stored units .what runs a unit: a generator"):
        run_experiment(experiment, tmp_path)
    assert run_experiment(experiment, tmp_path, keep_old=True).done == 1


def test_a_declared_file_counts_by_its_content(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("1,2")
    run = functools.partial(run_with, what=1)
    declared = _experiment_of(run, files=(str(data),))
    assert run_experiment(declared, tmp_path / "run", {"n": (1,)}).complete
    data.write_text("1,3")
    with pytest.raises(BadFile, match=r"1 of 1 stored units were made by other code: file data.csv; keep_old"):
        run_experiment(declared, tmp_path / "run")
    data.unlink()
    with pytest.raises(BadFile, match="a declared file cannot be read"):
        run_experiment(declared, tmp_path / "run")


def test_units_of_other_code_are_refused_kept_or_made_anew(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", "own_paper:experiment", "--engine", "serial", "--quiet"]
    place = folder / "results" / "own_paper-experiment"
    assert main([*run, "--set", "n=1"]) == 0
    _change(folder, "own_paper.py", "FACTOR = 2", "FACTOR = 3")
    _load()
    capsys.readouterr()
    assert main(run) == 2
    assert capsys.readouterr().err == (
        "caregrid: results/own_paper-experiment: 1 of 1 stored units were made by other code: own_paper.FACTOR; "
        "--keep-old keeps them, --force runs them again, or choose another place with --out\n"
    )
    assert main([*run, "--keep-old"]) == 0
    kept = (place / "rows.csv").read_text()
    assert main(run) == 2, "a mixture is never taken for one"
    assert main(["compact", str(place)]) == 0
    assert len(list((place / "units").iterdir())) == 2, "one segment for each code"
    assert main(run) == 2
    assert main([*run, "--force"]) == 0
    assert (place / "rows.csv").read_text() != kept
    assert main(run) == 0
    assert main(["compact", str(place)]) == 0
    assert len(list((place / "units").iterdir())) == 1
    assert main(run) == 0
    versioned = (folder / "own_paper.py").read_text().replace("table=table", "table=table, version=2")
    (folder / "own_paper.py").write_text(versioned)
    _load()
    assert main(run) == 0
    assert (folder / "results" / "own_paper-experiment-version-2" / "rows.csv").is_file()


def test_a_worker_with_other_code_loaded_refuses_to_run_it(folder: Path) -> None:
    """As where a cluster's worker has another checkout of the same version, or was started before a change."""
    module = _load()
    letter = seal_code(identify_code(module.run), (), ())
    assert run_chunk(module.run, [UnitTask({"n": 2}, 0)], None, letter)[0].rows
    _change(folder, "own_package/units.py", "METRE = 1.0", "METRE = 2.0")
    module = _load()
    of_a_session = letter._replace(words=("not compared here before",))
    with pytest.raises(ContractBroken, match=r"has loaded other code than this session: own_package.sizes.METRE; "):
        run_chunk(module.run, [UnitTask({"n": 2}, 0)], None, of_a_session)
    with pytest.raises(ContractBroken):
        require_same_code(of_a_session, module.run)


def test_a_directory_whose_code_was_not_recorded_is_not_used_silently(tmp_path: Path) -> None:
    experiment = _experiment_of(functools.partial(run_with, what=1))
    store = RunDirectory(tmp_path, experiment)
    store.prepare({})
    store.close()
    from experiments.runs.segments import SegmentWriter

    segment = SegmentWriter(tmp_path / "units", store.identity, {})
    segment.append([({"n": 1}, [{"value": 1}])])
    segment.close()
    with pytest.raises(BadFile, match="1 of 1 stored units were made by other code: it was not recorded"):
        run_experiment(experiment, tmp_path)


def test_code_behind_a_name_with_arguments_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    source = tmp_path / "own_called.py"
    found = []
    for rate in (0.1, 0.2):
        source.write_text(f"class Learner:\n    rate = {rate}\n")
        sys.modules.pop("own_called", None)
        found.append(identify_code(words=["executed_action(own_called:Learner(epsilon=0.3))"]))
    assert found[0].differences(found[1]) == ["'own_called:Learner'"]


COUNTING = """
class Count:
    chosen = either = added = summed = picked = 0

    def note(self, x, y, which):
        Count.chosen += x * 2 if which else y
        Count.either += x or y
        Count.added = Count.added + (x if which else (y if x else which))
        Count.summed += sum(each for each in (x if which else y))
        Count.picked = [x if which else y, 1 if y else 2][0]

kept = {}

def keep(key, value, which):
    kept[key if which else value] = value if which else key
"""


def test_what_a_conditional_expression_changes_is_data_and_no_code() -> None:
    """A process that has counted and one that has not hold the same code."""
    module = types.ModuleType("counting")
    exec(COUNTING, module.__dict__)
    names = ("added", "chosen", "either", "picked", "summed")
    assert list_changed(module) == {*(f"Count.{name}" for name in names), "kept"}
