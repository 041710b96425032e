"""The action values of an agent with a given history, in an environment or class, for a given future.

A horizon counts the steps that are looked ahead from the history. Where nobody can have the history in a known
environment, P^i(h) is 0 (section 4.1): all values are 0 and the action is the first one. A history that no environment
of a class can produce is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from engine.errors import BadValue
from engine.limits.effort import ASK_FIRST, Effort
from multislot.future import Future
from multislot.futures import named_future
from multislot.learning.mixture import Mixture, single_environment
from multislot.planning.arithmetic import Arithmetic, ExactOrFloat, exact_arithmetic
from multislot.planning.planner import Planner
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, HistoryPolicy, Label, Slot


@dataclass(frozen=True)
class SlotEvaluation:
    """Q: value by action. V: the value of `action`, the first of the `ties`. P: the estimate of one's own slot.

    slot_Q: by slot, the value by action of being on that slot (Q is its average over the estimate).
    """

    Q: Mapping[Label, ExactOrFloat]
    V: ExactOrFloat
    action: Label
    ties: tuple[Label, ...]
    P: Mapping[Slot, ExactOrFloat]
    slot_Q: Mapping[Slot, Mapping[Label, ExactOrFloat]]


def evaluate(
    world: HistoryBasedEnvironment | Mixture,
    future: Future | str,
    horizon: int,
    discount: Fraction,
    history: AgentHistory = (),
    arithmetic: Arithmetic = exact_arithmetic,
    policy: HistoryPolicy | None = None,
    effort: Effort = ASK_FIRST,
) -> SlotEvaluation:
    """Values of all actions at a history.

    world: an environment, or a class of them. future: a `Future` or its name. horizon: steps looked ahead, >= 0.
    discount: gamma, from 0 to 1. history: (action, observation) pairs. policy: where given, each action is followed by
    it, and its action is the one chosen; otherwise by the best actions. effort: how much work is done without asking.
    Raises BadValue, with an estimate of the work where that is more, UnknownName, and what a broken environment does.
    """
    check_horizon_and_discount(horizon, discount)
    mixture = world if isinstance(world, Mixture) else single_environment(world)
    chosen = named_future(future) if isinstance(future, str) else future
    history = mixture.spelled(history)
    mixture.require_protocol(len(history) + horizon)
    if len(mixture.members) > 1:
        mixture.require_possible(history)
    plan = Planner(mixture, chosen, discount, arithmetic, policy, effort).plan(history, horizon)
    actions = mixture.actions
    return SlotEvaluation(
        dict(zip(actions, plan.action_values, strict=True)),
        plan.action_values[plan.chosen],
        actions[plan.chosen],
        tuple(actions[k] for k in plan.ties),
        plan.estimate,
        {slot: dict(zip(actions, values, strict=True)) for slot, values in plan.slot_values.items()},
    )


def check_horizon_and_discount(horizon: int, discount: Fraction) -> None:
    """BadValue for a horizon below 0 or a discount outside 0 to 1."""
    if horizon < 0:
        raise BadValue(f"a horizon of {horizon} steps", remedy="look 0 or more steps ahead")
    if not 0 <= discount <= 1:
        raise BadValue(f"a discount of {discount}", remedy="choose it from 0 to 1")
