"""Values that no caller should give: each is refused by an error of ours, and soon."""

import importlib
import inspect
import itertools
import math
import pkgutil
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import caregrid
import xenv
from caregrid.programmes.caring.problem_source import SourcedProblem
from caregrid.results import Result
from engine.errors import CaregridError
from engine.mdp.tabulate import tabulate


class Evil:
    """An object that refuses to be looked at."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("evil")


class EvilType(type):
    """A class of classes that refuse to be looked at."""

    __getattr__ = Evil.__getattr__


class EvilClass(metaclass=EvilType):
    """A class that refuses to be looked at."""


PROBLEM = caregrid.problem("garden")
POINTS = PROBLEM.breakpoints()
CALLS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "policy": (lambda value: PROBLEM.evaluate(value), [range(10**12), Evil(), [[]], [[[0]]], 1j, {1: 2}]),
    "occupancy": (lambda value: PROBLEM.occupancy(value), [range(10**12), Evil(), None, b"x"]),
    "learned": (lambda value: PROBLEM.learned(value), [Evil(), None, [None], [[Evil()]]]),
    "axes": (lambda value: PROBLEM.view(axes=value), [np.array([1.0, 2.0]), [None], {1: 2}, 0, Evil()]),
    "overlay": (lambda value: PROBLEM.solve().scene(value), [[], np.array([1.0, 2.0]), Evil(), None]),
    "errors": (POINTS.errors, [None, 1, "x", [None], [math.nan], [-1], [10**400], range(10**12), [1j], Evil()]),
    "find_uncertified": (POINTS.find_uncertified, [None, [[]], [math.inf], itertools.repeat(1.0)]),
    "tabulate": (tabulate, [Evil()]),
    "environment": (xenv.check_environment, [Evil(), EvilClass]),
    "agent": (lambda value: xenv.run_environment("repeater", value, turns=1), [Evil(), EvilClass]),
    "save": (lambda value: PROBLEM.solve().save(value), [None, "", 1, "x\0.csv", "a" * 10**6, [], "\ud800.csv"]),
    "place": (lambda value: PROBLEM.solve().check_place(value), [None, True, "x\0.csv", b"x.csv"]),
    "table": (lambda value: caregrid.read_table(value), [None, True, "", "x\0.npz", Evil(), [], "a" * 10**6]),
    "own": (lambda value: caregrid.read_table("a.npz", own=value), [np.array([1.0, 2.0]), [], Evil(), 1]),
    "others": (lambda value: caregrid.read_table("a.npz", others=value), [[None], 1, Evil(), {1: 2}]),
    "wrap": (lambda value: caregrid.wrap(value), [Evil(), None, 1, [], "banana"]),
    "agents": (
        lambda value: caregrid.battery(value, "ignore_rewards", turns=1),
        ["a" * 10**6, "(" * 10**4, "opposite(" * 500, [None]],
    ),
    "report": (lambda value: caregrid.report(".", out=value), ["x\0", "\ud800", 1, []]),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_a_hostile_value_is_refused_in_one_line(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, values = CALLS[name]
    for value in values:
        began = time.process_time()
        with pytest.raises(CaregridError) as raised:
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
