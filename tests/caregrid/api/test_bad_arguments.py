"""Whatever is given, a function works or says in one line what is wrong with it."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.command_line.operation import check_arguments
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


PROBLEM = caregrid.problem("workshop_auto")
OPTION = re.compile(r"(?<![\w-])--[a-z]")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda out: caregrid.battery("simple,", "repeater"), "agents: an empty name in 'simple,'"),
        (lambda out: caregrid.battery("simple", "repeater", workers=0), "battery: workers is 0"),
        (lambda out: caregrid.run("multislot/threshold", engine="serial", workers=2), "workers: engine 'serial' does"),
        (
            lambda out: caregrid.run("multislot/threshold", unit_timeout=-1.0),
            "unit_timeout is -1.0; give a number from 0.001 to 1e+08",
        ),
        (lambda out: caregrid.run("multislot/threshold", scheduler="a"), "scheduler: engine 'local' has no cluster"),
        (lambda out: caregrid.run("multislot/threshold", set=["x"]), "set: 'x' sets nothing"),
        (lambda out: caregrid.run("multislot/threshold", seeds="1:0"), "seeds: "),
        (lambda out: PROBLEM.sweep(care="1:0"), "care: '1:0' is empty"),
        (lambda out: PROBLEM.sweep(method="guess"), "method: no agent 'guess'; choose from exact, both, dqn"),
        (lambda out: PROBLEM.train(steps=-1), "train: steps is -1"),
        (lambda out: PROBLEM.film(1, "guess"), "overlay: unknown overlay 'guess'"),
        (lambda out: caregrid.rollout("boat_race", actions="x"), "actions, action 1: unknown action 'x'"),
        (lambda out: caregrid.slots("swap"), "no horizon; give horizon"),
        (lambda out: caregrid.simulate_slots("swap", "", 1), "a simulation needs a policy; try policy='cpy'"),
        (lambda out: caregrid.film("slots/swap", horizon=100_000), "ask for fewer steps"),
        (lambda out: caregrid.film("slots/swap", colour=9), "settings: unknown setting 'colour'"),
        (lambda out: caregrid.describe("mine:World"), "kind: no kind is given for 'mine:World'; add kind='scenarios'"),
        (lambda out: caregrid.sample_returns("boat_race", episodes=10**9), "confirm it with yes=True"),
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
    assert PROBLEM.breakpoints(care_max=np.float64(1)).points == PROBLEM.breakpoints(care_max=1).points


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
    "yes": lambda bad: caregrid.locality("swap", yes=bad),
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


@pytest.mark.parametrize(
    ("call", "name", "remedy"),
    [
        (PROBLEM.sweep, "car", "'care'"),
        (PROBLEM.sweep, "worker", "'workers'"),
        (PROBLEM.sweep, "jobs", "'workers'"),
        (PROBLEM.sweep, "progress", "'quiet'"),
        (PROBLEM.train, "confirmed", "'yes'"),
        (PROBLEM.breakpoints, "between", "'care_min' and 'care_max'"),
        (PROBLEM.compare, "policies", "'policy'"),
        (PROBLEM.film, "policies", "'policy'"),
        (caregrid.problem, "options", "'set'"),
        (caregrid.run, "settings", "'set'"),
        (caregrid.bench, "methods", "'method'"),
        (caregrid.slots, "effort", "'yes' and 'quiet'"),
    ],
)
def test_another_word_for_an_argument_has_ours_beside_it(call: Callable[..., Any], name: str, remedy: str) -> None:
    with pytest.raises(TypeError, match=rf"^[\w.]+: .* '{name}'; {re.escape(f'did you mean {remedy}?')}$"):
        call(**{name: 2})
