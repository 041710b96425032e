"""Everything that can happen in a multi-slot environment, step by step: all actions of all agents, all responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from engine.limits.effort import ANY_EFFORT, Effort
from multislot.worlds.environment import HistoryBasedEnvironment, Label, Slot
from multislot.worlds.independent import Independent
from multislot.worlds.protocol import (
    MultiSlotEnvironment,
    ProtocolResponse,
    Trace,
    check_response,
    checked_responses,
    initial_step,
    next_step,
)

UNITS_PER_AGENT = 50


class JointSituation(NamedTuple):
    """The past of all slots, the actions of all agents now, and the possible responses to them, checked."""

    past: Trace
    actions: Mapping[Slot, Label]
    responses: tuple[ProtocolResponse, ...]


def joint_situations(
    environment: MultiSlotEnvironment | HistoryBasedEnvironment,
    depth: int,
    most: int | None = None,
    effort: Effort = ANY_EFFORT,
) -> Iterator[JointSituation]:
    """The situations of the first `depth` steps, earlier ones first; none after `most` responses, where it is given.

    Raises the errors of the protocol where the environment breaks it on the way, BadValue, with an estimate, where
    there are more situations than `effort` allows.
    """
    world = environment if isinstance(environment, MultiSlotEnvironment) else Independent(environment)
    pasts: list[Trace] = [(initial_step(world),)]
    seen = 0
    work = effort.in_steps(depth, "situations", f"{world.name}, {depth} steps")
    for _ in range(depth):
        work.step(UNITS_PER_AGENT * sum(_situations(world, past) * (len(past[-1].agent_set) + 1) for past in pasts))
        later: list[Trace] = []
        for past in pasts:
            slots = past[-1].agent_set
            for joint_action in product(world.actions, repeat=len(slots)):
                if most is not None and seen >= most:
                    return
                actions = dict(zip(slots, joint_action, strict=True))
                responses = _possible_responses(world, past, actions)
                seen += len(responses)
                yield JointSituation(past, actions, responses)
                later += [(*past, next_step(past[-1], actions, response)) for response in responses]
        pasts = later


def _situations(world: MultiSlotEnvironment, past: Trace) -> int:
    """How many joint actions the agents have."""
    joint: int = len(world.actions) ** len(past[-1].agent_set)
    return joint


def _possible_responses(
    world: MultiSlotEnvironment, past: Trace, actions: Mapping[Slot, Label]
) -> tuple[ProtocolResponse, ...]:
    responses = checked_responses(world, past, actions)
    for response in responses:
        check_response(world, past[-1].agent_set, response, f"{world.where()}, t = {len(past)}")
    return tuple(response for response in responses if response.probability)
