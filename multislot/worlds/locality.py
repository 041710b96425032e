"""Is an environment history-based? Equal agent histories in one slot must give equal laws of copy and observation.

    for all j:  nu(c^ij o^j | everything, actions)  depends only on  h^i a^i, i, j

Everything that can happen to a depth is enumerated: all actions of all agents, all responses. Reference: The
Multi-slot Framework, Definition 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import NamedTuple, TypeAlias

from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, Label, Slot
from multislot.worlds.independent import Independent
from multislot.worlds.protocol import (
    MultiSlotEnvironment,
    ProtocolResponse,
    Trace,
    check_distribution,
    check_response,
    initial_step,
    next_step,
)

Marginal: TypeAlias = dict[tuple[Slot, Label], Fraction]


class JointSituation(NamedTuple):
    """A past of the whole environment and the actions of all agents now."""

    past: Trace
    actions: Mapping[Slot, Label]


class LocalityViolation(NamedTuple):
    """Two situations that the agent on a slot cannot tell apart, with the different laws {(copy, observation): p}."""

    slot: Slot
    history: AgentHistory
    action: Label
    situations: tuple[JointSituation, JointSituation]
    laws: tuple[Marginal, Marginal]


def find_violation(environment: MultiSlotEnvironment | HistoryBasedEnvironment, depth: int) -> LocalityViolation | None:
    """None where the environment is history-based in its first `depth` steps, else a witness against it.

    Raises the errors of the protocol where the environment breaks it on the way.
    """
    world = environment if isinstance(environment, MultiSlotEnvironment) else Independent(environment)
    seen: dict[tuple[Slot, AgentHistory, Label], tuple[JointSituation, Marginal]] = {}
    pasts: list[Trace] = [(initial_step(world),)]
    for _ in range(depth):
        later: list[Trace] = []
        for situation in _situations(world, pasts):
            responses = _responses(world, situation)
            for slot, action in situation.actions.items():
                history = situation.past[-1].histories[slot]
                law = _marginal(responses, slot)
                first, known = seen.setdefault((slot, history, action), (situation, law))
                if known != law:
                    return LocalityViolation(slot, history, action, (first, situation), (known, law))
            later += [(*situation.past, next_step(situation.past[-1], situation.actions, r)) for r in responses]
        pasts = later
    return None


def _situations(world: MultiSlotEnvironment, pasts: list[Trace]) -> Iterator[JointSituation]:
    for past in pasts:
        slots = past[-1].agent_set
        for actions in product(world.actions, repeat=len(slots)):
            yield JointSituation(past, dict(zip(slots, actions, strict=True)))


def _responses(world: MultiSlotEnvironment, situation: JointSituation) -> tuple[ProtocolResponse, ...]:
    """The possible responses, checked."""
    place = f"{world.name}, t = {len(situation.past)}"
    responses = check_distribution(world.responses(situation.past, situation.actions), place)
    for response in responses:
        check_response(world, situation.past[-1].agent_set, response, place)
    return tuple(response for response in responses if response.probability)


def _marginal(responses: tuple[ProtocolResponse, ...], slot: Slot) -> Marginal:
    law: Marginal = {}
    for response in responses:
        for copy in response.copies.get(slot, ()):
            key = (copy, response.observations[copy])
            law[key] = law.get(key, Fraction(0)) + response.probability
    return law
