"""The contract of worlds in which actions make the agent another one: which self it is, and what each self is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from counterfactual.checkers.columns import IntegerColumn, require_integers
from counterfactual.columns import state_at, take
from counterfactual.planning_agent import PlanningAgent
from counterfactual.terminal_world import FutureSelf, TerminalWorld
from engine.contracts import called, refuse
from engine.errors import ContractBroken
from engine.user_code import place_of, user_code


def check_future_selves(world: TerminalWorld[Any], x: Any) -> set[int]:
    """Ask which self the agent is in n states given as columns, and what each of them is; ContractBroken.

    Returns the indices of the selves that occur.
    """
    n = len(x[0])
    before = [column.copy() for column in x]
    selves = _selves(world, x, n)
    if any((now != then).any() for now, then in zip(x, before, strict=True)):
        raise ContractBroken("self_of changes its arguments", place=place_of(world), remedy="change copies")
    for row in {0, n - 1}:
        alone = _selves(world, take(x, np.array([row])), 1)
        if alone[0] != selves[row]:
            problem = f"self_of gives {alone[0]} for {state_at(x, row)}, and {selves[row]} among other states"
            raise ContractBroken(problem, place=place_of(world), remedy="write it elementwise on columns")
    found = {int(index) for index in selves}
    for index in sorted(found - {world.self_index}):
        _check_self(world, index)
    return found


def _selves(world: TerminalWorld[Any], x: Any, n: int) -> IntegerColumn:
    given = called(world, "self_of", x)
    selves = require_integers(world, "self_of", given, n, "which self the agent is")
    if (selves < 0).any():
        refuse(world, "self_of", int(selves.min()), "numbers of selves, at least 0")
    if isinstance(given, int) and given != world.self_index:
        refuse(world, "self_of", given, f"int64[{n}] where the agent can become another one")
    return selves


def _check_self(world: TerminalWorld[Any], index: int) -> None:
    """One self: the same world, told apart by its reward functions, its design or its fine."""
    future = called(world, "future_self", index)
    if not isinstance(future, FutureSelf):
        refuse(world, "future_self", future, "a FutureSelf")
    if not isinstance(future.fine, Fraction | int):
        refuse(world, "future_self", future.fine, "a Fraction as fine")
    if future.agent is not None:
        try:
            PlanningAgent.accept(future.agent)
        except ContractBroken:
            refuse(world, "future_self", future.agent, "a PlanningAgent as agent, or None for the same design")
    of_self = future.world
    if not isinstance(of_self, TerminalWorld):
        refuse(world, "future_self", of_self, "a TerminalWorld as its world")
    if of_self.self_index != index:
        refuse(world, "future_self", f"a world of self_index {of_self.self_index}", f"self_index={index} in that world")
    for name in ("actions", "features", "horizon", "discount"):
        if getattr(of_self, name) != getattr(world, name):
            refuse(world, "future_self", f"a world with other {name}", "the same world, with other reward functions")
    if len(of_self.signals) != len(world.signals):
        refuse(world, "future_self", f"{len(of_self.signals)} signals", f"{len(world.signals)}, as the world has")
    start = called(of_self, "start")
    if getattr(start, "_fields", None) != world.start()._fields:
        refuse(world, "future_self", f"a world that starts in {start}", "the same world, with other reward functions")
    with user_code(f"{place_of(world)}, future_self"):
        _ = of_self.reward_table
