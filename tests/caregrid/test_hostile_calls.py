"""Whatever is given to a public function: a result, or one of our errors, within seconds."""

import contextlib
import io
import random
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.command_line.printing import print_result
from caregrid.operations import COMMANDS
from craftworld.scenario import Newcomer
from craftworld.scenarios import SCENARIOS
from renderers.text import draw


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("repr")


class Incomparable:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")


class Unaccountable:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class Indexed:
    def __index__(self) -> int:
        return 3


VALUES: tuple[Any, ...] = (
    *(True, -1, 0, 10**30, 2.5, float("nan"), float("inf"), "", "x", "\x1b[2Jnope", "a\nb", "\ud800", "9" * 5000, b"x"),
    *([], [None], [[1, 2]], {}, {"a": 1}, {None: []}, object(), lambda: 0, int, Unprintable(), Incomparable()),
    *(Unaccountable(), Indexed(), np.array(3), np.ones((2, 2)), np.array([None, "x"]), np.float32(1), {1, 2}, 1 + 2j),
    *(
        Path("nowhere/x"),
        range(10**12),
        Exception("no"),
        "os:system",
        "../../etc/passwd",
        slice(1),
        ...,
        memoryview(b"a"),
    ),
)


def calls(folder: Path) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Functions with arguments that are right, of which one at a time is replaced."""
    garden, meadow = caregrid.problem("garden"), caregrid.problem("common_meadow")
    optimum = garden.solve(care=1)
    return {
        "problem": (caregrid.problem, {"scenario": "garden", "formulation": None, "own": 1, "map": None, "set": None}),
        "solve": (garden.solve, {"care": 1}),
        "breakpoints": (garden.breakpoints, {"care_min": 0, "care_max": 5, "epsilon": None}),
        "sweep": (garden.sweep, {"care": [0, 1], "method": "exact", "seed": 0, "steps": None}),
        "regions": (garden.regions, {"axes": ["agent 2"], "care": 1.0, "beliefs": None}),
        "evaluate": (garden.evaluate, {"policy": "optimal", "care": 1}),
        "occupancy": (garden.occupancy, {"policy": optimum.policies}),
        "best_responses": (meadow.best_responses, {"care": 0.5, "order": "in turn", "damping": 0.0}),
        "battery": (caregrid.battery, {"agents": "constant", "environments": "repeater", "turns": 10, "seeds": 1}),
        "course": (caregrid.course, {"lessons": [1], "trust": False}),
        "describe": (caregrid.describe, {"name": "garden", "kind": None}),
        "diagram": (caregrid.diagram, {"agent": "itc", "horizon": 3}),
        "identify": (caregrid.identify, {"formulation": None}),
        "load": (caregrid.load, {"target": "fence"}),
        "locality": (caregrid.locality, {"world": "swap", "steps": 2}),
        "measure": (caregrid.measure, {"agents": "parity", "examples": "newcomb", "turns": 5}),
        "optima": (caregrid.optima, {"scenario": "boat_race", "map": None}),
        "penalties": (caregrid.penalties, {"scenario": "conveyor_belt", "actions": "up,up", "seed": 0}),
        "RecordBehaviour": (caregrid.RecordBehaviour, {"env": None, "last": 1}),
        "record_behaviour": (caregrid.record_behaviour, {"agent": optimum, "world": garden, "episodes": 1, "limit": 9}),
        "rollout": (caregrid.rollout, {"scenario": "boat_race", "actions": "right", "chance": None}),
        "sample_returns": (
            caregrid.sample_returns,
            {"scenario": "boat_race", "episodes": 10, "epsilon": 0.0, "seed": 0},
        ),
        "save": (garden.breakpoints().save, {"path": folder / "points.csv", "kind": None}),
        "simulate_slots": (caregrid.simulate_slots, {"world": "swap", "policy": "cpy", "steps": 2}),
        "slots": (caregrid.slots, {"world": "swap", "value": "cpy", "horizon": 2, "discount": 1, "history": ""}),
        "terminal": (caregrid.terminal, {"world": "off-switch", "agent": "itc"}),
        "theory": (caregrid.theory, {"example": "newcomb", "agent": "parity", "turns": 3, "discount": 1}),
        "validate": (caregrid.validate, {"kind": "agents", "thing": "constant"}),
    }


def test_hostile_calls_are_answered_in_words_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A twelfth of some 2,900 calls, drawn; each that is refused is refused in one line or shows its map below."""
    monkeypatch.chdir(tmp_path)
    every = [
        (name, function, {**right, argument: value})
        for name, (function, right) in calls(tmp_path).items()
        for argument in right
        for value in VALUES
    ]
    answers = []
    for name, function, arguments in random.Random(20).sample(every, len(every) // 12):
        begun, said = time.process_time(), ""
        try:
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                function(**arguments)
        except caregrid.CaregridError as error:
            said = str(error)
        except Exception as error:
            said = f"\x1b{type(error).__name__} of somebody else"
        lines = 1 if "glyph" in said else len(said.splitlines())  # the map stands below its glyph
        answers.append((name, "\x1b" in said, len(said) > 2000, lines > 1, time.process_time() - begun > 10))
    assert [answer for answer in answers if any(answer[1:])] == []


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
