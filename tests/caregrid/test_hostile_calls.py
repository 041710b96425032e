"""Whatever is given to a public function: a result, or one of our errors in one line, within seconds."""

import contextlib
import importlib
import inspect
import io
import itertools
import math
import pkgutil
import random
import re
import shutil
import time
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
import xenv
from caregrid.command_line.operation import parameters_of
from caregrid.main import print_result
from caregrid.operations import COMMANDS
from caregrid.programmes.caring.problem_source import SourcedProblem
from caregrid.results import Result
from craftworld.scenario import Newcomer
from craftworld.scenarios import SCENARIOS
from engine.errors import MapError
from renderers.text import draw


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("repr")


class Incomparable:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")


class Unreadable:
    """An object that refuses to be looked at."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class UnreadableType(type):
    """A class of classes that refuse to be looked at."""

    __getattr__ = Unreadable.__getattr__


class UnreadableClass(metaclass=UnreadableType):
    """A class that refuses to be looked at."""


class Indexed:
    def __index__(self) -> int:
        return 3


VALUES: tuple[Any, ...] = (
    True, -1, 0, 2.5, 10**30, 10**400, float("nan"), float("inf"), Fraction(1, 3), 1 + 2j, None, b"x",
    "", "x", "\x1b[2Jnope", "a\nb", "a\0b", "\ud800", "9" * 5000, "1:2:0", "1e999", "a,b",
    "os:system", "../../etc/passwd", [], [None], ["a"], [[1, 2]], (1, "b"), {}, {"a": 1}, {1: 2}, {None: []}, {1, 2},
    set(), range(0), range(2), range(10**12), slice(1), ..., memoryview(b"a"), Path("nowhere/x"), Exception("no"),
    object(), lambda: 0, lambda history: 7, int, np, Unprintable(), [Unprintable()], Incomparable(), Unreadable(),
    Indexed(), np.array(3), np.ones((2, 2)), np.array([None, "x"]), np.array("garden"), np.float32(1), np.bool_(True),
)  # fmt: skip
AN_ARGUMENT = 5
"""So many of them are tried in the place of each argument, other ones for each."""
EVERYTHING = ("suites", "scenarios")
EMPTY = type(None), str, list, dict, set, range
"""Of these arguments none means all: hours of work, or minutes."""
OPTION = re.compile(r"(?<![\w-])--[a-z]")
GARDEN = caregrid.problem("garden")
OWN = caregrid.problem("workshop_auto")
FILM = {"out": "film.txt", "frames": 1}
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "problem": (caregrid.problem, {"scenario": "garden"}),
    "solve": (GARDEN.solve, {"care": 1}),
    "breakpoints": (GARDEN.breakpoints, {"care_min": 0, "care_max": 5}),
    "statements": (OWN.statements, {}),
    "sweep": (GARDEN.sweep, {"care": [0, 1]}),
    "regions": (GARDEN.regions, {"axes": ["agent 2"], "care": 1.0}),
    "infer": (GARDEN.infer, {}),
    "evaluate": (GARDEN.evaluate, {"policy": "optimal"}),
    "occupancy": (GARDEN.occupancy, {"policy": GARDEN.solve(care=1).policies}),
    "best_responses": (caregrid.problem("passing_places").best_responses, {"rounds": 2}),
    "train": (OWN.train, {"steps": 50}),
    "precompute": (OWN.precompute, {}),
    "compare": (OWN.compare, {"care": "0,1"}),
    "film of a problem": (OWN.film, {}),
    "view": (OWN.view, FILM),
    "play a problem": (OWN.play, FILM),
    "save": (GARDEN.breakpoints().save, {"path": "none/points.csv"}),
    "papers": (caregrid.papers, {"document": "multislot"}),
    "penalties": (caregrid.penalties, {"scenario": "conveyor_belt", "utilities": 1}),
    "optima": (caregrid.optima, {"scenario": "boat_race"}),
    "rollout": (caregrid.rollout, {"scenario": "garden"}),
    "sample_returns": (caregrid.sample_returns, {"scenario": "garden", "episodes": 3}),
    "worlds": (caregrid.worlds, {"scenarios": "garden"}),
    "identify": (lambda formulation: caregrid.identify(formulation=formulation), {"formulation": None}),
    "RecordBehaviour": (caregrid.RecordBehaviour, {"env": None, "last": 1}),
    "record_behaviour": (
        caregrid.record_behaviour,
        {"agent": GARDEN.solve(care=1), "world": GARDEN, "episodes": 1, "limit": 9},
    ),
    "battery": (caregrid.battery, {"agents": "simple", "environments": "repeater", "turns": 2, "seeds": 1}),
    "measure": (caregrid.measure, {"agents": "parity", "examples": "deja_vu", "turns": 2}),
    "theory": (caregrid.theory, {"example": "deja_vu", "turns": 2}),
    "slots": (caregrid.slots, {"world": "swap", "value": "cpy", "horizon": 1}),
    "simulate_slots": (caregrid.simulate_slots, {"world": "swap", "policy": "cpy", "steps": 1}),
    "locality": (caregrid.locality, {"world": "swap", "steps": 1}),
    "check_slot_world": (lambda depth: caregrid.check_slot_world("coin_flip", depth, 100), {"depth": 2}),
    "terminal": (caregrid.terminal, {"world": "tamper-grid", "agent": "itc"}),
    "diagram": (caregrid.diagram, {}),
    "tabulate": (lambda discount: caregrid.tabulate(OWN.scenario, discount), {"discount": 1}),
    "Other": (lambda weight: caregrid.Other(weight=weight), {"weight": 1}),
    "run": (caregrid.run, {"target": "multislot/threshold", "quick": True, "set": {"k": 1}, "engine": "serial"}),
    "load": (caregrid.load, {"target": "multislot/threshold", "directory": "none"}),
    "report": (caregrid.report, {"directory": "none"}),
    "bench": (caregrid.bench, {"suites": "none", "quick": True}),
    "entries": (caregrid.entries, {}),
    "describe": (caregrid.describe, {"name": "garden"}),
    "validate": (caregrid.validate, {"kind": "agents", "thing": "constant"}),
    "lesson": (caregrid.lesson, {"name": 1}),
    "course": (caregrid.course, {"lessons": [1]}),
    "film": (caregrid.film, {"name": "slots/swap"}),
}


@pytest.mark.slow_cases("train", "best_responses", "statements", "sweep", "worlds")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_any_argument_works_or_is_refused_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal names no option of the command line, moves no cursor, comes soon and leaves nothing behind."""
    monkeypatch.chdir(tmp_path)
    function, right = CALLS[name]
    draws = random.Random(name)
    for argument in dict.fromkeys([*right, *(one.name for one in parameters_of(function))]):
        if argument in ("self", "problem", "out"):
            continue
        for value in draws.sample(VALUES, AN_ARGUMENT):
            if argument in EVERYTHING and isinstance(value, EMPTY) and not value:
                continue
            begun, said = time.process_time(), ""
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                try:
                    function(**{**right, argument: value})
                except MapError as error:
                    said = str(error).partition("\n")[0]  # the rows of the map may stand below
                except caregrid.CaregridError as error:
                    said = str(error)
            assert time.process_time() - begun < 10, argument
            assert len(said) < 2000, argument
            assert not {"\n", "\x1b"} & {*said}, (argument, said)
            assert not OPTION.search(said), (argument, said)
            for made in tmp_path.iterdir():
                asked = argument == "record" and isinstance(value, str) and made.name == value
                assert asked or made.name == "film.txt"
                shutil.rmtree(made) if made.is_dir() else made.unlink()


POINTS = GARDEN.breakpoints()
REFUSED: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "policy": (lambda value: GARDEN.evaluate(value), [range(10**12), Unreadable(), [[]], [[[0]]], 1j, {1: 2}]),
    "occupancy": (lambda value: GARDEN.occupancy(value), [range(10**12), Unreadable(), None, b"x"]),
    "learned": (lambda value: GARDEN.learned(value), [Unreadable(), None, [None], [[Unreadable()]]]),
    "axes": (lambda value: GARDEN.view(axes=value), [np.array([1.0, 2.0]), [None], {1: 2}, 0, Unreadable()]),
    "overlay": (lambda value: GARDEN.solve().scene(value), [[], np.array([1.0, 2.0]), Unreadable(), None]),
    "errors": (POINTS.errors, [None, 1, "x", [None], [math.nan], [-1], [10**400], range(10**12), [1j], Unreadable()]),
    "find_uncertified": (POINTS.find_uncertified, [None, [[]], [math.inf], itertools.repeat(1.0)]),
    "tabulate": (caregrid.tabulate, [Unreadable()]),
    "environment": (xenv.check_environment, [Unreadable(), UnreadableClass]),
    "agent": (lambda value: xenv.run_environment("repeater", value, turns=1), [Unreadable(), UnreadableClass]),
    "save": (lambda value: GARDEN.solve().save(value), [None, "", 1, "x\0.csv", "a" * 10**6, [], "\ud800.csv"]),
    "place": (lambda value: GARDEN.solve().check_place(value), [None, True, "x\0.csv", b"x.csv"]),
    "table": (lambda value: caregrid.read_table(value), [None, True, "", "x\0.npz", Unreadable(), [], "a" * 10**6]),
    "own": (lambda value: caregrid.read_table("a.npz", own=value), [np.array([1.0, 2.0]), [], Unreadable(), 1]),
    "others": (lambda value: caregrid.read_table("a.npz", others=value), [[None], 1, Unreadable(), {1: 2}]),
    "wrap": (lambda value: caregrid.wrap(value), [Unreadable(), None, 1, [], "banana"]),
    "agents": (
        lambda value: caregrid.battery(value, "ignore_rewards", turns=1),
        ["a" * 10**6, "(" * 10**4, "opposite(" * 500, [None]],
    ),
    "report": (lambda value: caregrid.report(".", out=value), ["x\0", "\ud800", 1, []]),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_hostile_value_is_refused_in_one_line(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, values = REFUSED[name]
    for value in values:
        began = time.process_time()
        with pytest.raises(caregrid.CaregridError) as raised:
            call(value)
        assert "\n" not in str(raised.value)
        assert len(str(raised.value)) < 3000
        assert time.process_time() - began < 15
    assert list(tmp_path.iterdir()) == []


def test_every_public_method_of_a_result_checks_its_arguments() -> None:
    for module in pkgutil.walk_packages(caregrid.__path__, "caregrid."):
        if ".gym" not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)

    def find_below(base: type) -> list[type]:
        return [base, *(one for derived in base.__subclasses__() for one in find_below(derived))]

    methods = [
        method
        for base in (Result, SourcedProblem)
        for derived in find_below(base)
        for name, method in inspect.getmembers(derived, inspect.isfunction)
        if not name.startswith("_") and len(inspect.signature(method).parameters) > 1
    ]
    assert len(methods) > 50
    assert [method.__qualname__ for method in methods if not hasattr(method, "__wrapped__")] == []


def test_what_counts_like_a_number_is_one() -> None:
    assert caregrid.locality("swap", steps=Indexed()).history_based == caregrid.locality("swap", steps=3).history_based
    garden = caregrid.problem("garden")
    rows = [garden.sweep(care=[0], method="q_learning", steps=each, seed=each).rows() for each in (Indexed(), 3)]
    assert rows[0] == rows[1]


def test_what_is_no_environment_is_refused_by_us() -> None:
    with pytest.raises(
        caregrid.CaregridError, match="RecordBehaviour, env: it is 'x'; give an environment of Gymnasium"
    ):
        caregrid.RecordBehaviour("x")  # type: ignore[arg-type]


def test_a_long_text_of_numbers_is_no_long_work() -> None:
    begun = time.process_time()
    with pytest.raises(caregrid.CaregridError, match="two lessons are called"):
        caregrid.course("9" * 5000)
    assert time.process_time() - begun < 2


def test_names_that_users_bring_move_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    """In text, films and what Python shows, also where a name of another agent would clear the screen."""

    class Loud(SCENARIOS["garden"]):  # type: ignore[misc]
        def newcomers(self) -> tuple[Newcomer, ...]:
            return tuple(each._replace(name=f"{each.name}\x1b[2J\x07\x9b2J") for each in super().newcomers())

    world = caregrid.problem(Loud)
    solution = world.solve(care=1)
    assert print_result(COMMANDS["solve"], solution, as_json=False) == 0
    assert print_result(COMMANDS["breakpoints"], world.breakpoints(), as_json=False) == 0
    print(solution, world.regions(["own"]), *map(draw, solution.film().scenes))
    printed = capsys.readouterr().out
    assert "agent 2\\x1b[2J\\x07\\x9b2J" in printed
    assert not {letter for letter in printed if unicodedata.category(letter) == "Cc"} - {"\n"}
