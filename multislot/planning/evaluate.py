"""The answer to one question: what is each action worth to an agent with this history, in this world, to this future?

A horizon counts the steps that are looked ahead from the history. Where nobody can have the history, all values are 0
and the action is the first one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine.errors import BadValue
from multislot.future import Future, anywhere, future
from multislot.learning.mixture import Mixture, known
from multislot.planning.arithmetic import Backend, Number, exact
from multislot.planning.belief import belief_after
from multislot.planning.planner import Node, Planner, Policy, SlotValues
from multislot.worlds.environment import History, HistoryEnvironment, Label, Slot


@dataclass(frozen=True)
class Answer:
    """Q: value by action. V: the value of `action`, the first of the `ties`. P: the estimate of one's own slot.

    slot_Q: by slot, the value by action of being on that slot (Q is its average over the estimate).
    """

    Q: Mapping[Label, Number]
    V: Number
    action: Label
    ties: tuple[Label, ...]
    P: Mapping[Slot, Number]
    slot_Q: Mapping[Slot, Mapping[Label, Number]]


def evaluate(
    world: HistoryEnvironment | Mixture,
    value: Future | str,
    horizon: int,
    discount: Fraction,
    history: History = (),
    backend: Backend = exact,
    policy: Policy | None = None,
) -> Answer:
    """Values of all actions at a history; with a policy, of each action followed by that policy. BadValue."""
    check_outlook(horizon, discount)
    mixture = world if isinstance(world, Mixture) else known(world)
    chosen = future(value) if isinstance(value, str) else value
    check_history(mixture, history)
    beliefs = tuple(belief_after(environment, history, chosen.place) for environment in mixture.environments)
    evidence = mixture.evidence(history) if len(beliefs) > 1 else ()
    estimate = {slot: backend.number(share) for slot, share in slot_estimate(mixture, history).items()}
    root = Node(beliefs, evidence, history)
    actions = mixture.actions
    if not horizon or not any(beliefs):
        zero = backend.number(Fraction(0))
        action = policy(history) if policy else actions[0]
        return Answer(dict.fromkeys(actions, zero), zero, action, actions, estimate, {})
    backup, by_slot = Planner(mixture, chosen, discount, backend, policy).plan(root, len(history) + 1, horizon)
    return Answer(
        dict(zip(actions, backup.action_values, strict=True)),
        backup.action_values[backup.chosen],
        actions[backup.chosen],
        tuple(actions[k] for k in backup.ties),
        estimate,
        _slot_values(root, mixture.posterior(history), by_slot, actions, backend),
    )


def _slot_values(
    root: Node, posterior: Sequence[Fraction], by_slot: SlotValues, actions: tuple[Label, ...], backend: Backend
) -> dict[Slot, dict[Label, Number]]:
    """By slot, the values of being there; in a class, averaged over the environments as one's being there is."""
    shares = [belief.estimate() if belief else {} for belief in root.beliefs]
    found: dict[Slot, dict[Label, Number]] = {}
    for slot in sorted({slot for share in shares for slot in share}):
        weights = [weight * share.get(slot, Fraction(0)) for weight, share in zip(posterior, shares, strict=True)]
        there = [(backend.number(w / sum(weights)), m) for m, w in enumerate(weights) if w]
        found[slot] = {
            action: sum((w * by_slot[m][slot][a] for w, m in there), backend.number(Fraction(0)))
            for a, action in enumerate(actions)
        }
    return found


def slot_estimate(mixture: Mixture, history: History) -> dict[Slot, Fraction]:
    """P^i(h): in a class, the average of the environments' estimates under the posterior weights."""
    estimate: dict[Slot, Fraction] = {}
    for environment, weight in zip(mixture.environments, mixture.posterior(history), strict=True):
        belief = belief_after(environment, history, anywhere)
        for slot, share in belief.estimate().items() if belief else ():
            estimate[slot] = estimate.get(slot, Fraction(0)) + weight * share
    return {slot: share for slot, share in sorted(estimate.items()) if share}


def check_outlook(horizon: int, discount: Fraction) -> None:
    """BadValue where nobody can look so far ahead, or discount so."""
    if horizon < 0:
        raise BadValue(f"a horizon of {horizon} steps", remedy="look 0 or more steps ahead")
    if not 0 <= discount <= 1:
        raise BadValue(f"a discount of {discount}", remedy="choose it from 0 to 1")


def check_history(mixture: Mixture, history: History) -> None:
    """BadValue where a history holds an action or observation that the world does not know."""
    for action, observation in history:
        if action not in mixture.actions:
            raise BadValue(f"unknown action {action!r} in the history", remedy=f"choose from {list(mixture.actions)}")
        if observation not in mixture.rewards:
            known_ones = list(mixture.rewards)
            raise BadValue(f"unknown observation {observation!r} in the history", remedy=f"choose from {known_ones}")
