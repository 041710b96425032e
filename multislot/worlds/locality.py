"""Is an environment history-based? Equal agent histories in one slot must give equal laws of copy and observation.

    for all j:  nu(c^ij o^j | everything, actions)  depends only on  h^i a^i, i, j

Everything that can happen to a depth is enumerated, step by step: all actions of all agents, all responses.
Reference: The Multi-slot Framework, Definition 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import NamedTuple, TypeAlias

from engine.effort import ANY_EFFORT, ASK_FIRST, Effort
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, Label, Slot
from multislot.worlds.protocol import (
    Independent,
    MultiSlotEnvironment,
    ProtocolResponse,
    Trace,
    check_response,
    get_checked_responses,
    make_initial_step,
    make_next_step,
)

UNITS_PER_AGENT = 50


class JointSituation(NamedTuple):
    """The past of all slots, the actions of all agents now, and the possible responses to them, checked."""

    past: Trace
    actions: Mapping[Slot, Label]
    responses: tuple[ProtocolResponse, ...]


def enumerate_joint_situations(
    environment: MultiSlotEnvironment | HistoryBasedEnvironment,
    depth: int,
    most: int | None = None,
    effort: Effort = ANY_EFFORT,
) -> Iterator[JointSituation]:
    """The situations of the first `depth` steps, earlier ones first; none after `most` responses, None for no limit.

    Raises the errors of the protocol where the environment breaks it on the way, BadValue, with an estimate, where
    there are more situations than `effort` allows.
    """
    world = environment if isinstance(environment, MultiSlotEnvironment) else Independent(environment)
    pasts: list[Trace] = [(make_initial_step(world),)]
    seen = 0
    work = effort.in_steps(depth, "situations", f"{world.name}, {depth} steps")
    for _ in range(depth):
        work.step(
            UNITS_PER_AGENT * sum(_count_joint_actions(world, past) * (len(past[-1].agent_set) + 1) for past in pasts)
        )
        later: list[Trace] = []
        for past in pasts:
            slots = past[-1].agent_set
            for joint_action in product(world.actions, repeat=len(slots)):
                if most is not None and seen >= most:
                    return
                actions = dict(zip(slots, joint_action, strict=True))
                responses = _list_possible_responses(world, past, actions)
                seen += len(responses)
                yield JointSituation(past, actions, responses)
                later += [(*past, make_next_step(past[-1], actions, response)) for response in responses]
        pasts = later


def _count_joint_actions(world: MultiSlotEnvironment, past: Trace) -> int:
    """Return how many joint actions the agents have."""
    joint: int = len(world.actions) ** len(past[-1].agent_set)
    return joint


def _list_possible_responses(
    world: MultiSlotEnvironment, past: Trace, actions: Mapping[Slot, Label]
) -> tuple[ProtocolResponse, ...]:
    responses = get_checked_responses(world, past, actions)
    for response in responses:
        check_response(world, past[-1].agent_set, response, f"{world.where()}, t = {len(past)}")
    return tuple(response for response in responses if response.probability)


Marginal: TypeAlias = dict[tuple[Slot, Label], Fraction]


class LocalityViolation(NamedTuple):
    """Two situations that the agent on a slot cannot distinguish, with the different laws {(copy, observation): p}."""

    slot: Slot
    history: AgentHistory
    action: Label
    situations: tuple[JointSituation, JointSituation]
    laws: tuple[Marginal, Marginal]


def find_violation(
    environment: MultiSlotEnvironment | HistoryBasedEnvironment, depth: int, effort: Effort = ASK_FIRST
) -> LocalityViolation | None:
    """None where the environment is history-based in its first `depth` steps, else a violation.

    Raises the errors of the protocol where the environment breaks it on the way, BadValue, with an estimate, where
    there are more situations than `effort` allows.
    """
    seen: dict[tuple[Slot, AgentHistory, Label], tuple[JointSituation, Marginal]] = {}
    for situation in enumerate_joint_situations(environment, depth, effort=effort):
        for slot, action in situation.actions.items():
            history = situation.past[-1].histories[slot]
            law = _compute_marginal(situation.responses, slot)
            first, earlier = seen.setdefault((slot, history, action), (situation, law))
            if earlier != law:
                return LocalityViolation(slot, history, action, (first, situation), (earlier, law))
    return None


def _compute_marginal(responses: tuple[ProtocolResponse, ...], slot: Slot) -> Marginal:
    law: Marginal = {}
    for response in responses:
        for copy in response.copies.get(slot, ()):
            key = (copy, response.observations[copy])
            law[key] = law.get(key, Fraction(0)) + response.probability
    return law
