"""Which histories follow a history, layer by layer, those with equal futures as one node.

Histories with equal beliefs (`multislot.planning.belief`), and in a class equal posteriors, need not be
distinguished: the number of nodes grows with what can be believed, not with what can have happened. A plan follows all
actions, those of a policy, or those that may be optimal (`multislot.planning.candidate_actions`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from multislot.futures import Future
from multislot.learning import NO_EVIDENCE, Evidence, Mixture, normalise_evidence
from multislot.planning.belief import (
    BeliefTransition,
    BeliefTransitions,
    SlotBelief,
    compute_belief,
    compute_slot_estimate,
)
from multislot.worlds.environment import AgentHistory, HistoryPolicy, Label, Slot
from multislot.worlds.interchangeable import Representatives

Edges: TypeAlias = dict[int, dict[Label, int]]
"""By the position of an action, in their order: the place of the successor in the next layer, by observation."""


class HistoryNode(NamedTuple):
    """Histories that no plan needs to distinguish; an environment that cannot have produced them has no belief.

    evidence: empty for a class of one. history: kept only where a policy may need it.
    """

    beliefs: tuple[SlotBelief | None, ...]
    evidence: tuple[Evidence, ...]
    history: AgentHistory


class HistoryGraph:
    """The nodes after a history in a class of environments.

    future: for the slots that may belong to one's past, and whether interchangeable ones are planned as one.
    with_history: nodes of different histories stay apart.
    """

    def __init__(self, mixture: Mixture, future: Future, with_history: bool) -> None:
        self.mixture = mixture
        self.future = future
        self.with_history = with_history
        self.transitions = [
            BeliefTransitions(
                member, future.admissible, Representatives(member) if future.ignores_slot_numbers else None
            )
            for member in mixture.members
        ]

    def make_root(self, history: AgentHistory) -> HistoryNode:
        """Return the node of a history, with every slot by itself."""
        beliefs = tuple(compute_belief(member, history, self.future.admissible) for member in self.mixture.members)
        return HistoryNode(beliefs, self.mixture.compute_evidence(history) if len(beliefs) > 1 else (), history)

    def compute_estimate(self, history: AgentHistory) -> dict[Slot, Fraction]:
        """P^i(h) by slot, all slots admitted; in a class, averaged over the posterior."""
        return compute_slot_estimate(self.mixture.members, self.mixture.posterior(history), history)

    def list_slot_estimates(self, node: HistoryNode) -> list[dict[Slot, Fraction]]:
        """By environment, the estimates of the admissible slots."""
        return [belief.estimate() if belief else {} for belief in node.beliefs]

    def find_transition(self, m: int, belief: SlotBelief, action: Label) -> BeliefTransition:
        """Return what an action does to a belief in environment m."""
        return self.transitions[m](belief.state, belief.slots, action)

    def unfold(
        self, nodes: list[HistoryNode], positions: Sequence[Sequence[int]]
    ) -> tuple[list[Edges], list[HistoryNode]]:
        """Return the edges out of a layer, node by node, and the nodes of the next layer, equal ones merged.

        positions: by node, of the actions that are followed.
        """
        index: dict[HistoryNode, int] = {}
        edges: list[Edges] = []
        for node, followed in zip(nodes, positions, strict=True):
            edges.append({})
            for position in followed:
                by_observation = edges[-1][position] = {}
                action = self.mixture.actions[position]
                for observation, beliefs in self._update_beliefs(node, action).items():
                    successor = self._make_successor(node, action, observation, beliefs)
                    by_observation[observation] = index.setdefault(successor, len(index))
        return edges, list(index)

    def _update_beliefs(self, node: HistoryNode, action: Label) -> dict[Label, list[SlotBelief | None]]:
        """Return the beliefs after an action, by observation and environment."""
        after: dict[Label, list[SlotBelief | None]] = {}
        for m, belief in enumerate(node.beliefs):
            if belief is not None:
                for observation, update in self.find_transition(m, belief, action).updates.items():
                    if observation not in after:
                        after[observation] = [None] * len(node.beliefs)
                    after[observation][m] = update(belief.masses)
        return after

    def _make_successor(
        self, node: HistoryNode, action: Label, observation: Label, beliefs: list[SlotBelief | None]
    ) -> HistoryNode:
        """Return the node after an observation, with the evidence of those environments that still matter."""
        history = (*node.history, (action, observation)) if self.with_history else ()
        if not node.evidence:
            return HistoryNode(tuple(beliefs), (), history)
        evidence = self.mixture.update_evidence(node.evidence, action, observation)
        alive = (entry if belief is not None else NO_EVIDENCE for entry, belief in zip(evidence, beliefs, strict=True))
        return HistoryNode(tuple(beliefs), normalise_evidence(tuple(alive)), history)


class FollowedActions(ABC):
    """The positions of the actions to follow, layer by layer."""

    @abstractmethod
    def list_positions(self, step: int, nodes: Sequence[HistoryNode]) -> list[Sequence[int]]:
        """Return the positions of the actions to follow, by node of a layer."""

    @abstractmethod
    def advance(self, step: int, nodes: list[HistoryNode], edges: list[Edges], later: list[HistoryNode]) -> None:
        """Take note that a layer has been unfolded into the next one."""


class AllActions(FollowedActions):
    """Every action at every history."""

    def __init__(self, count: int) -> None:
        self.count = count

    def list_positions(self, step: int, nodes: Sequence[HistoryNode]) -> list[Sequence[int]]:
        """Return all of them."""
        return [range(self.count)] * len(nodes)

    def advance(self, step: int, nodes: list[HistoryNode], edges: list[Edges], later: list[HistoryNode]) -> None:
        """Nothing to remember."""


class PolicyActions(FollowedActions):
    """The actions of a policy."""

    def __init__(self, policy: HistoryPolicy, actions: Sequence[Label]) -> None:
        self.policy = policy
        self.actions = list(actions)

    def list_positions(self, step: int, nodes: Sequence[HistoryNode]) -> list[Sequence[int]]:
        """Return the policy's action."""
        return [(self.actions.index(self.policy(node.history)),) for node in nodes]

    def advance(self, step: int, nodes: list[HistoryNode], edges: list[Edges], later: list[HistoryNode]) -> None:
        """Nothing to remember."""
