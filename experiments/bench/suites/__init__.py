"""The suites of the benchmark: the registry `SUITES`."""

from __future__ import annotations

from typing import Any

from engine.errors import ContractBroken
from engine.printable import show_value
from engine.registry import Registry
from engine.user_code import describe_place, user_code
from experiments.bench.suite import SEPARATOR, BenchCase, Suite, require_measured


def _accept(thing: Any) -> Suite:
    if not isinstance(thing, Suite):
        raise ContractBroken(
            "it is not a suite", place=describe_place(thing), remedy="make it by experiments.bench.suite.Suite"
        )
    names = [*thing.worlds, *thing.quick]
    if not thing.worlds or not all(isinstance(name, str) and name and SEPARATOR not in name for name in names):
        problem = f"worlds are {show_value(thing.worlds)} and {show_value(thing.quick)}"
        raise ContractBroken(problem, place="suite", remedy=f"give tuples of names without '{SEPARATOR}'")
    return thing


SUITES: Registry[Suite] = Registry("experiments.bench.suites", "suite", accept=_accept)


def check_suite(suite: Suite) -> None:
    """ContractBroken where a suite lists no methods for its first quick world, or measures one otherwise than said."""
    world = (suite.quick or suite.worlds)[0]
    with user_code("suite"):
        methods = list(suite.methods(world, True))
        if not methods:
            raise ContractBroken(f"no methods in {world}", place="suite", remedy="give (method, seed) pairs")
        require_measured(suite.measure(BenchCase("suite", world, *methods[0])))
