"""The answer to one question: what is each action worth to an agent with this history, in this world, to this future?

A horizon counts the steps that are looked ahead from the history. Where nobody can have the history, all values are 0
and the action is the first one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine.errors import BadValue
from multislot.future import Future, any_slot, named_future
from multislot.learning.mixture import Mixture, single_environment
from multislot.planning.arithmetic import Arithmetic, Scalar, exact_arithmetic
from multislot.planning.belief import belief_after
from multislot.planning.planner import HistoryPolicy, Planner, PlanNode, SlotValues
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, Label, Slot


@dataclass(frozen=True)
class SlotEvaluation:
    """Q: value by action. V: the value of `action`, the first of the `ties`. P: the estimate of one's own slot.

    slot_Q: by slot, the value by action of being on that slot (Q is its average over the estimate).
    """

    Q: Mapping[Label, Scalar]
    V: Scalar
    action: Label
    ties: tuple[Label, ...]
    P: Mapping[Slot, Scalar]
    slot_Q: Mapping[Slot, Mapping[Label, Scalar]]


def evaluate(
    world: HistoryBasedEnvironment | Mixture,
    value: Future | str,
    horizon: int,
    discount: Fraction,
    history: AgentHistory = (),
    arithmetic: Arithmetic = exact_arithmetic,
    policy: HistoryPolicy | None = None,
) -> SlotEvaluation:
    """Values of all actions at a history; with a policy, of each action followed by that policy. BadValue."""
    check_horizon_and_discount(horizon, discount)
    mixture = world if isinstance(world, Mixture) else single_environment(world)
    chosen = named_future(value) if isinstance(value, str) else value
    check_history(mixture, history)
    beliefs = tuple(belief_after(environment, history, chosen.admissible) for environment in mixture.environments)
    evidence = mixture.evidence(history) if len(beliefs) > 1 else ()
    estimate = {slot: arithmetic.number(share) for slot, share in slot_estimate(mixture, history).items()}
    root = PlanNode(beliefs, evidence, history)
    actions = mixture.actions
    if not horizon or not any(beliefs):
        zero = arithmetic.number(Fraction(0))
        action = policy(history) if policy else actions[0]
        return SlotEvaluation(dict.fromkeys(actions, zero), zero, action, actions, estimate, {})
    backup, by_slot = Planner(mixture, chosen, discount, arithmetic, policy).plan(root, len(history) + 1, horizon)
    return SlotEvaluation(
        dict(zip(actions, backup.action_values, strict=True)),
        backup.action_values[backup.chosen],
        actions[backup.chosen],
        tuple(actions[k] for k in backup.ties),
        estimate,
        _slot_values(root, mixture.posterior(history), by_slot, actions, arithmetic),
    )


def _slot_values(
    root: PlanNode,
    posterior: Sequence[Fraction],
    by_slot: SlotValues,
    actions: tuple[Label, ...],
    arithmetic: Arithmetic,
) -> dict[Slot, dict[Label, Scalar]]:
    """By slot, the values of being there; in a class, averaged over the environments as one's being there is."""
    shares = [belief.estimate() if belief else {} for belief in root.beliefs]
    found: dict[Slot, dict[Label, Scalar]] = {}
    for slot in sorted({slot for share in shares for slot in share}):
        weights = [weight * share.get(slot, Fraction(0)) for weight, share in zip(posterior, shares, strict=True)]
        there = [(arithmetic.number(w / sum(weights)), m) for m, w in enumerate(weights) if w]
        found[slot] = {
            action: sum((w * by_slot[m][slot][a] for w, m in there), arithmetic.number(Fraction(0)))
            for a, action in enumerate(actions)
        }
    return found


def slot_estimate(mixture: Mixture, history: AgentHistory) -> dict[Slot, Fraction]:
    """P^i(h): in a class, the average of the environments' estimates under the posterior weights."""
    estimate: dict[Slot, Fraction] = {}
    for environment, weight in zip(mixture.environments, mixture.posterior(history), strict=True):
        belief = belief_after(environment, history, any_slot)
        for slot, share in belief.estimate().items() if belief else ():
            estimate[slot] = estimate.get(slot, Fraction(0)) + weight * share
    return {slot: share for slot, share in sorted(estimate.items()) if share}


def check_horizon_and_discount(horizon: int, discount: Fraction) -> None:
    """BadValue where nobody can look so far ahead, or discount so."""
    if horizon < 0:
        raise BadValue(f"a horizon of {horizon} steps", remedy="look 0 or more steps ahead")
    if not 0 <= discount <= 1:
        raise BadValue(f"a discount of {discount}", remedy="choose it from 0 to 1")


def check_history(mixture: Mixture, history: AgentHistory) -> None:
    """BadValue where a history holds an action or observation that the world does not know."""
    for action, observation in history:
        if action not in mixture.actions:
            raise BadValue(f"unknown action {action!r} in the history", remedy=f"choose from {list(mixture.actions)}")
        if observation not in mixture.rewards:
            known_ones = list(mixture.rewards)
            raise BadValue(f"unknown observation {observation!r} in the history", remedy=f"choose from {known_ones}")
