"""Whatever is given, a function works or says in one line what is wrong with it."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.input_checks import check_arguments
from engine.errors import BadValue, CaregridError, ContractBroken


class Unreadable:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("no such thing")


class Hollow:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("nothing at all")


class Incomparable(str):
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("like nothing else")


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


def filled(bad: Any) -> Any:
    """What is given, but a word for what is empty and would mean everything."""
    return "x" if bad is None or (isinstance(bad, str | list | dict | range) and not bad) else bad


PROBLEM = caregrid.problem("workshop_auto")
BAD: list[Any] = [
    None, "x", "", b"1", [], {}, object(), float("nan"), float("inf"), -1, 0, 10**400, True, 3.7, [None], ["a"],
    (1, "b"), "1:2:0", "1e999", complex(1, 2), "a,b", range(0), range(2),
    np.eye(2), np.array("garden"), np.bool_(True), Unprintable(), [Unprintable()], "a\0b", {1: 2}, lambda history: 7,
]  # fmt: skip
CALLS: dict[str, Callable[[Any], Any]] = {
    "own": lambda bad: caregrid.problem("workshop_auto", own=bad),
    "discount": lambda bad: caregrid.problem("workshop_auto", discount=bad).exact,
    "scenario": lambda bad: caregrid.problem(bad),
    "formulation": lambda bad: caregrid.problem("workshop_auto", bad),
    "map": lambda bad: caregrid.problem("workshop_auto", map=bad),
    "options": lambda bad: caregrid.problem("workshop_auto", options=bad),
    "values": lambda bad: caregrid.problem("workshop_auto", values=bad),
    "care": lambda bad: PROBLEM.solve(bad),
    "between": lambda bad: PROBLEM.breakpoints(bad),
    "end": lambda bad: PROBLEM.breakpoints((0, bad)),
    "epsilon": lambda bad: PROBLEM.breakpoints(epsilon=bad),
    "cares": lambda bad: PROBLEM.compare(bad),
    "formulations": lambda bad: PROBLEM.compare(1, bad),
    "overlay": lambda bad: PROBLEM.film(1, bad),
    "axes": lambda bad: caregrid.problem("toll_road").regions(bad, epsilon=-1),
    "agents": lambda bad: caregrid.battery([bad], "repeater", turns=2, seeds=[1]),
    "turns": lambda bad: caregrid.battery("simple", "repeater", turns=bad, seeds=[1]),
    "seeds": lambda bad: caregrid.battery("simple", "repeater", turns=2, seeds=bad),
    "slots": lambda bad: caregrid.slots(bad, horizon=1),
    "slot horizon": lambda bad: caregrid.slots("swap", horizon=bad),
    "history": lambda bad: caregrid.slots("swap", horizon=1, history=bad),
    "future": lambda bad: caregrid.slots("swap", horizon=1, value=bad),
    "policy": lambda bad: caregrid.slots("swap", horizon=1, policy=bad),
    "agent to simulate": lambda bad: caregrid.simulate_slots("swap", bad, 1),
    "locality": lambda bad: caregrid.locality(bad, 1),
    "depth": lambda bad: caregrid.check_slot_world("coin_flip", bad, 100),
    "slot discount": lambda bad: caregrid.slots("swap", horizon=1, discount=bad),
    "terminal": lambda bad: caregrid.terminal(bad),
    "planning agent": lambda bad: caregrid.terminal("tamper-grid", bad),
    "diagram": lambda bad: caregrid.diagram(bad),
    "diagram's horizon": lambda bad: caregrid.diagram("itc", bad),
    "run": lambda bad: caregrid.run(bad),
    "settings": lambda bad: caregrid.run("multislot/threshold", quick=True, settings=filled(bad)),
    "table's discount": lambda bad: caregrid.tabulate(PROBLEM.scenario, bad),
    "starts": lambda bad: caregrid.tabulate(PROBLEM.scenario, 1.0, bad),
    "stored": lambda bad: caregrid.load("multislot/threshold", filled(bad)),
    "report": lambda bad: caregrid.report(filled(bad)),
    "weight": lambda bad: caregrid.Other(weight=bad),
    "suites": lambda bad: caregrid.bench(filled(bad), quick=True),
    "worlds": lambda bad: caregrid.worlds(filled(bad)),
    "kind": lambda bad: caregrid.entries(filled(bad)),
    "describe": lambda bad: caregrid.describe(bad),
    "validate": lambda bad: caregrid.validate("agents", bad),
    "lesson": lambda bad: caregrid.lesson(bad),
    "film": lambda bad: caregrid.film(bad),
    "save": lambda bad: PROBLEM.breakpoints().save(bad),
}  # fmt: skip


OPTION = re.compile(r"(?<![\w-])--[a-z]")


def refusal(call: Callable[[Any], Any], bad: Any) -> str:
    """What is said of an argument, without the row of a map that an error may show; "" where nothing is wrong."""
    try:
        call(bad)
    except caregrid.CaregridError as error:
        return str(error).partition("\n#")[0]
    return ""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("what", CALLS)
def test_it_works_or_says_what_is_wrong(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for bad in BAD:
        message = refusal(CALLS[what], bad)
        assert "\n" not in message
        assert not OPTION.search(message), message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda out: caregrid.battery("simple,", "repeater"), "agents: an empty name in 'simple,'"),
        (lambda out: caregrid.battery("simple", "repeater", workers=0), "battery: workers is 0"),
        (lambda out: caregrid.run("multislot/threshold", engine="serial", workers=2), "workers: engine 'serial' does"),
        (lambda out: caregrid.run("multislot/threshold", unit_timeout=-1.0), "unit_timeout: a time of -1.0"),
        (lambda out: caregrid.run("multislot/threshold", scheduler="a"), "scheduler: engine 'local' has no cluster"),
        (lambda out: caregrid.run("multislot/threshold", settings=["x"]), "settings: 'x' sets nothing"),
        (lambda out: caregrid.run("multislot/threshold", seeds="1:0"), "seeds: "),
        (lambda out: PROBLEM.sweep(care="1:0"), "care: '1:0' is empty"),
        (lambda out: PROBLEM.sweep(method="guess"), "sweep: method is 'guess'; give one of exact, q_learning, both"),
        (lambda out: PROBLEM.train(steps=-1), "train: steps is -1"),
        (lambda out: PROBLEM.film(1, "guess"), "overlay: unknown overlay 'guess'"),
        (lambda out: caregrid.rollout("boat_race", actions="x"), "actions, action 1: unknown action 'x'"),
        (lambda out: caregrid.slots("swap"), "no horizon; give horizon"),
        (lambda out: caregrid.simulate_slots("swap", "", 1), "a simulation needs a policy; try policy='cpy'"),
        (lambda out: caregrid.film("slots/swap", horizon=99), "horizon: 99 steps"),
        (lambda out: caregrid.film("slots/swap", colour=9), "settings: unknown setting 'colour'"),
        (lambda out: caregrid.describe("mine:World"), "kind: no kind is given for 'mine:World'; add kind='scenarios'"),
        (lambda out: caregrid.sample_returns("boat_race", episodes=10**9), "confirm it with confirmed=True"),
        (lambda out: PROBLEM.breakpoints().save(out, kind="csv"), "choose another path"),
    ],
    ids=lambda given: given if isinstance(given, str) else "call",
)
def test_a_message_names_the_argument_as_python_does(call: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(CaregridError) as refused:
        call(tmp_path)
    assert message in str(refused.value)
    assert not OPTION.search(str(refused.value))


def test_numbers_of_numpy_are_numbers() -> None:
    assert PROBLEM.solve(np.float32(2)).own == PROBLEM.solve(np.int64(2)).own == PROBLEM.solve(2).own
    assert PROBLEM.breakpoints([0, np.float64(1)]).points == PROBLEM.breakpoints((0, 1)).points


def test_numbers_of_numpy_are_stored_as_pythons_own() -> None:
    result = caregrid.battery("random", "crying_baby", turns=np.int64(3), seeds=np.array([1, 2]))
    assert result.as_dict()["rows"]


@pytest.mark.parametrize(
    "call",
    [
        lambda endless: caregrid.battery(endless, turns=1),
        lambda endless: caregrid.bench(endless),
        lambda endless: PROBLEM.compare(endless),
        lambda endless: PROBLEM.compare(1, endless),
        lambda endless: caregrid.run("multislot/threshold", seeds=endless),
    ],
)
def test_what_never_ends_is_refused(call: Callable[[Any], Any]) -> None:
    with pytest.raises(BadValue, match="more than"):
        call(itertools.repeat(1))


def test_a_function_that_gives_no_action_is_named_with_what_it_gave() -> None:
    with pytest.raises(ContractBroken, match=r"test_bad_arguments.py, function .* gave 7; expected one of \[0, 1\]"):
        caregrid.slots("swap", horizon=1, policy=lambda history: 7)


OF_ANY_KIND: dict[str, Callable[[Any], Any]] = {
    "agents": lambda bad: caregrid.battery([bad], "repeater", turns=2, seeds=[1]),
    "environments": lambda bad: caregrid.battery("simple", bad, turns=2, seeds=[1]),
    "device": lambda bad: caregrid.battery("simple", "repeater", turns=2, seeds=[1], device=bad),
    "example": lambda bad: caregrid.theory(bad),
    "discount": lambda bad: caregrid.theory("chat", discount=bad),
    "kind": lambda bad: caregrid.validate(bad, "itc"),
    "effort": lambda bad: caregrid.locality("swap", effort=bad),
}


@pytest.mark.parametrize("kind", [Unreadable, Hollow, Incomparable])
@pytest.mark.parametrize("name", OF_ANY_KIND)
def test_what_cannot_be_looked_at_is_named(name: str, kind: type) -> None:
    with pytest.raises(CaregridError) as refused:
        OF_ANY_KIND[name](kind("nothing") if kind is Incomparable else kind())
    message = str(refused.value)
    assert name.rstrip("s") in message or kind.__name__ in message
    assert "\n" not in message


def test_an_error_that_is_nobodys_object_stays_as_it_is() -> None:
    @check_arguments
    def fails(thing: Any) -> None:
        raise RuntimeError("in our own code")

    with pytest.raises(RuntimeError, match="in our own code"):
        fails([np.eye(2), {"a": object()}, Unprintable()])


def test_an_argument_is_named_with_what_it_should_be() -> None:
    @check_arguments
    def answer(count: "int", place: "str | Path | None" = None, *, weight: "float" = 1.0) -> float:
        return count * weight

    assert answer(2, weight=3) == 6
    for call, message in (
        (lambda: answer("2"), "answer: count is '2'; give a whole number from -2^63 to 2^64 - 1"),
        (lambda: answer(2, 3), "answer: place is 3; give a text or a path or None"),
        (lambda: answer(2, weight=True), "answer: weight is True; give a number"),
    ):
        with pytest.raises(BadValue) as caught:
            call()
        assert str(caught.value) == message
    with pytest.raises(TypeError, match="answer: missing a required argument: 'count'"):
        answer()


@pytest.mark.parametrize(("name", "remedy"), [("car", "did you mean 'care'?"), ("worker", "did you mean 'workers'?")])
def test_a_misspelt_name_of_an_argument_has_the_nearest_beside_it(name: str, remedy: str) -> None:
    with pytest.raises(TypeError, match=rf"^sweep: .* '{name}'; {re.escape(remedy)}"):
        caregrid.problem("garden").sweep(**{name: 2})
