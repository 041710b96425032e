"""Multi-slot worlds as a user gives them: a file, a name, an object, or a class of environments; and its settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue, argument
from engine.limits.effort import ASK_FIRST, Effort
from engine.limits.exact_numbers import parse_rational
from engine.printable import shown_value

if TYPE_CHECKING:
    from multislot.learning.mixture import Mixture
    from multislot.policy import PolicyContext, SlotPolicy
    from multislot.worlds.environment import AgentHistory
    from multislot.worlds.table_json import AskedInFile


def slot_mixture(
    world: Any, members: str | Path | None, likelihood: str, effort: Effort = ASK_FIRST, trust: bool = False
) -> Mixture:
    """The class of environments: that of a file of `members`, or of one environment; BadValue for both or neither.

    effort: how large a scenario is made without asking. trust: whether code that the file names may be imported.
    """
    from multislot.learning.classes_json import load_environment, load_mixture
    from multislot.learning.mixture import Mixture, single_environment
    from multislot.scenario import SlotScenario
    from multislot.scenarios import accept_slot_scenario

    if (world is None) == (members is None):
        problem = "both an environment and a class" if members is not None else "neither an environment nor a class"
        raise BadValue(problem, remedy="leave one out" if members is not None else "name one")
    if members is not None:
        return load_mixture(members, likelihood, effort, trust)
    if isinstance(world, str | Path):
        return single_environment(load_environment(str(world), effort=effort), likelihood)
    if isinstance(world, Mixture):
        return world
    scenario = accept_slot_scenario(world)
    if not isinstance(scenario, SlotScenario):
        raise BadValue("a family of scenarios", remedy="name one of its scenarios")
    return single_environment(scenario.environment, likelihood)


def written(source: Any) -> AskedInFile:
    """What a file itself asks for, if it is one; BadTable where it asks for what cannot be."""
    from multislot.worlds.json_values import read_json
    from multislot.worlds.table_json import AskedInFile, asked_in

    if not isinstance(source, str | Path) or not os.path.isfile(source):
        return AskedInFile()
    return asked_in(read_json(source), str(source))


def slot_discount(discount: Any, source: Any) -> Fraction:
    """The discount that is given, else the file's, else 1/2."""
    if discount is not None:
        return parse_rational(discount, "discount")
    asked = written(source).discount
    return Fraction(1, 2) if asked is None else asked


def slot_horizon(horizon: int | None, source: Any) -> int:
    """The horizon that is given, else the file's; BadValue where neither says one."""
    chosen = horizon if horizon is not None else written(source).horizon
    if not isinstance(chosen, int) or isinstance(chosen, bool):
        remedy = f"give {argument('horizon')}"
        raise BadValue("no horizon" if chosen is None else f"horizon {shown_value(chosen)}", remedy=remedy)
    return chosen


def given_policy(policy: Any, context: PolicyContext) -> SlotPolicy:
    """A policy by its name, or of a function of the history; BadValue for anything else."""
    from multislot.policies import slot_policy
    from multislot.policy import HistoryFunction
    from multislot.policy import SlotPolicy as Policy

    if isinstance(policy, str):
        return slot_policy(policy, context)
    if not callable(policy):
        remedy = "give a name, or a function of the history"
        raise BadValue(f"policy is {shown_value(policy)}", place="slots", remedy=remedy)
    return policy if isinstance(policy, Policy) else HistoryFunction(context, policy)


def slot_history(history: str | Sequence[tuple[Any, Any]], mixture: Mixture) -> AgentHistory:
    """A history from a text "action,observation;action,observation", or from pairs."""
    from multislot.simulation.traces import parse_history

    if not isinstance(history, str) and not _is_pairs(history):
        raise BadValue(f"history is {shown_value(history)}", place="history", remedy="give pairs (action, observation)")
    return parse_history(history, mixture) if isinstance(history, str) else tuple((a, o) for a, o in history)


def _is_pairs(history: Any) -> bool:
    return isinstance(history, Sequence) and all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in history)
