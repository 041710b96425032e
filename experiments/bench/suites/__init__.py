"""The suites of the benchmark: the registry `SUITES`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.contracts import Contract, Method, call_method, refuse
from engine.errors import ContractBroken
from engine.printable import show_value
from engine.registry import Registry
from engine.user_code import describe_place, user_code
from experiments.bench.suite import SEPARATOR, BenchCase, Suite, require_measured


def _require_worlds(suite: Suite) -> None:
    names = [*suite.worlds, *suite.quick]
    if not suite.worlds or not all(isinstance(name, str) and name and SEPARATOR not in name for name in names):
        problem = f"worlds are {show_value(suite.worlds)} and {show_value(suite.quick)}"
        raise ContractBroken(problem, place="suite", remedy=f"give tuples of names without '{SEPARATOR}'")


SUITE = Contract[Suite](
    "suite",
    instance_of=Suite,
    methods=(
        Method("methods(world, quick)"),
        Method("measure(case)"),
        Method("takes(world, sort)"),
        Method("random_maps(world)"),
    ),
    require=_require_worlds,
)
SUITES: Registry[Suite] = Registry("experiments.bench.suites", "suite", accept=SUITE.accept)


def _is_method(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], int | None)


def check_suite(suite: Suite) -> None:
    """ContractBroken where a suite lists no methods for its first quick world, or measures one otherwise than said."""
    world = (suite.quick or suite.worlds)[0]
    with user_code(describe_place(suite.methods)):
        methods = call_method(suite.methods, "__call__", world, True)
        if not isinstance(methods, Sequence) or not methods or not all(map(_is_method, methods)):
            refuse(
                suite.methods,
                f"it, of '{world}',",
                methods,
                "a list of (method, seed), the seed a number or None",
            )
    with user_code(describe_place(suite.measure)):
        require_measured(suite.measure(BenchCase("suite", world, *methods[0])))
