"""From a command's arguments to the problems it shows: one a formulation, all on the same scenario."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.errors import BadValue

if TYPE_CHECKING:
    from craftworld.solution.solution import Problem


def problem_maker(arguments: argparse.Namespace) -> tuple[Callable[[str], Problem], list[str]]:
    """A function from a formulation's name to its problem, and the names that fit: the one asked for first.

    Raises what `problem_of` raises for the formulation asked for, and BadValue for a care that is not finite.
    """
    from caregrid.arguments import problem_of
    from craftworld.others.applicability import applicable_formulations

    finite(arguments.care)
    first = problem_of(arguments)
    known = {first.formulation: first}

    def problem_named(name: str) -> Problem:
        if name not in known:
            known[name] = problem_of(argparse.Namespace(**{**vars(arguments), "formulation": name}))
        return known[name]

    rest = [name for name in applicable_formulations(first.scenario) if name != first.formulation]
    return problem_named, [first.formulation, *rest]


def problems(arguments: argparse.Namespace, formulations: str | None) -> list[Problem]:
    """One problem for each of several formulations, separated by commas; by default the scenario's own."""
    from caregrid.arguments import problem_of

    names = [name.strip() or None for name in formulations.split(",")] if formulations else [None]
    return [problem_of(argparse.Namespace(**{**vars(arguments), "formulation": name})) for name in names]


def finite(care: float) -> float:
    """The care itself; BadValue where it is not finite."""
    if not math.isfinite(care):
        raise BadValue(f"care {care}", place="--care", remedy="choose a finite number")
    return care
