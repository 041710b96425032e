"""Is an environment history-based? Equal agent histories in one slot must give equal laws of copy and observation.

    for all j:  nu(c^ij o^j | everything, actions)  depends only on  h^i a^i, i, j

Everything that can happen to a depth is enumerated: all actions of all agents, all responses. Reference: The
Multi-slot Framework, Definition 9.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, TypeAlias

from engine.limits.effort import ASK_FIRST, Effort
from multislot.validity.situations import JointSituation, joint_situations
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, Label, Slot
from multislot.worlds.protocol import MultiSlotEnvironment, ProtocolResponse

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
    for situation in joint_situations(environment, depth, effort=effort):
        for slot, action in situation.actions.items():
            history = situation.past[-1].histories[slot]
            law = _marginal(situation.responses, slot)
            first, earlier = seen.setdefault((slot, history, action), (situation, law))
            if earlier != law:
                return LocalityViolation(slot, history, action, (first, situation), (earlier, law))
    return None


def _marginal(responses: tuple[ProtocolResponse, ...], slot: Slot) -> Marginal:
    law: Marginal = {}
    for response in responses:
        for copy in response.copies.get(slot, ()):
            key = (copy, response.observations[copy])
            law[key] = law.get(key, Fraction(0)) + response.probability
    return law
