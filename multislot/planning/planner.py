"""Exact values by backward induction over what histories tell, instead of over histories.

    Q(h, a) = sum over nu of w_nu(h) Q_nu(h, a),   Q_nu(h, a) = sum_i P^i(h) v_i(h, a),   a* = the first best action

Histories with equal beliefs (`multislot.planning.belief`), and in a class equal posteriors, are one node of a layered
graph: forward to the horizon, then back. The action of a node is chosen once, by the average, and every environment
and slot is evaluated under it. In one known world an arithmetic that counts in columns does so for many nodes at once
(`multislot.planning.batches`). Reference: The Multi-slot Framework, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from multislot.future import Future
from multislot.learning.likelihood import Evidence
from multislot.learning.mixture import Mixture, normalised
from multislot.planning.arithmetic import Arithmetic, Scalar
from multislot.planning.batches import Batches
from multislot.planning.belief import Belief
from multislot.planning.steps import Steps
from multislot.worlds.environment import AgentHistory, Label, Slot

HistoryPolicy: TypeAlias = Callable[[AgentHistory], Label]
Edges: TypeAlias = tuple[dict[Label, int], ...]
SlotValues: TypeAlias = list[dict[Slot, list[Scalar]]]


class PlanNode(NamedTuple):
    """Histories that no plan needs to tell apart; an environment that cannot have produced them has no belief.

    evidence is empty for a class of one; history is kept only where a given policy may need it.
    """

    beliefs: tuple[Belief | None, ...]
    evidence: tuple[Evidence, ...]
    history: AgentHistory


class Backup(NamedTuple):
    """One node planned: the value of each action, the tying positions and the chosen one.

    kept: by environment, what earlier steps need of the node.
    """

    action_values: tuple[Scalar, ...]
    ties: tuple[int, ...]
    chosen: int
    kept: tuple[Any, ...]


class Planner:
    """Plans one future in one class of environments. policy: evaluated instead of optimised, where given."""

    def __init__(
        self,
        mixture: Mixture,
        future: Future,
        discount: Fraction,
        arithmetic: Arithmetic,
        policy: HistoryPolicy | None = None,
    ) -> None:
        self.mixture, self.future, self.discount, self.arithmetic = mixture, future, discount, arithmetic
        self.policy, self.actions = policy, mixture.actions
        self.scale = arithmetic.number(max((abs(reward) for reward in mixture.rewards.values()), default=Fraction(0)))

    def plan(self, root: PlanNode, time: int, horizon: int) -> tuple[Backup, SlotValues]:
        """The values, also by slot, at a node with `horizon` >= 1 steps left, the first of them at the given time."""
        steps = [
            [
                Steps(environment, self.future, self.discount, self.arithmetic, time + k)
                for environment in self.mixture.environments
            ]
            for k in range(horizon)
        ]
        edges, nodes = self._unfold([root], steps[0], last=horizon == 1)
        kept = self._look_ahead(nodes, steps[1:]) if nodes else []
        return self._back_up(root, edges[0], steps[0], kept), self._slot_values(root, edges[0], steps[0], kept)

    def _look_ahead(self, nodes: list[PlanNode], steps: list[list[Steps]]) -> list[tuple[Any, ...]]:
        """What is kept of the nodes of a layer; in batches where there is one environment and the arithmetic can."""
        if self.arithmetic.columns and self.policy is None and len(self.mixture.environments) == 1:
            beliefs = [node.beliefs[0] for node in nodes if node.beliefs[0]]
            alone = [step for (step,) in steps]
            return [(kept,) for kept in Batches(self.actions, self.scale).look_ahead(beliefs, alone)]
        graph: list[tuple[list[PlanNode], list[Edges]]] = []
        for step in steps:
            edges, successors = self._unfold(nodes, step, last=step is steps[-1])
            graph.append((nodes, edges))
            nodes = successors
        kept: list[tuple[Any, ...]] = []
        for step in reversed(steps):
            nodes, edges = graph.pop()
            kept = [self._back_up(node, edge, step, kept).kept for node, edge in zip(nodes, edges, strict=True)]
        return kept

    def _unfold(self, nodes: list[PlanNode], steps: list[Steps], last: bool) -> tuple[list[Edges], list[PlanNode]]:
        """The edges out of a layer and the nodes of the next one, equal ones merged."""
        if last:
            return [({},) * len(self.actions)] * len(nodes), []
        index: dict[PlanNode, int] = {}
        edges: list[Edges] = []
        for node in nodes:
            forks: list[dict[Label, int]] = []
            for action in self.actions:
                fork: dict[Label, int] = {}
                for observation, reached in self._reached(node, action, steps).items():
                    successor = PlanNode(tuple(reached), *self._memory(node, action, observation, reached))
                    fork[observation] = index.setdefault(successor, len(index))
                forks.append(fork)
            edges.append(tuple(forks))
        return edges, list(index)

    def _reached(self, node: PlanNode, action: Label, steps: list[Steps]) -> dict[Label, list[Belief | None]]:
        """The beliefs after an action, by observation and environment."""
        reached: dict[Label, list[Belief | None]] = {}
        for m, belief in enumerate(node.beliefs):
            if belief is not None:
                state, slots, masses = belief
                for observation, spread in steps[m](state, slots, action).spreads.items():
                    if observation not in reached:
                        reached[observation] = [None] * len(steps)
                    reached[observation][m] = spread(masses)
        return reached

    def _memory(
        self, node: PlanNode, action: Label, observation: Label, reached: list[Belief | None]
    ) -> tuple[tuple[Evidence, ...], AgentHistory]:
        """The evidence, of those environments that still matter, and the history where a policy needs it."""
        history = (*node.history, (action, observation)) if self.policy else ()
        if not node.evidence:
            return (), history
        evidence = self.mixture.evidence_after(node.evidence, action, observation)
        alive = (
            entry if belief is not None else Evidence(None, ()) for entry, belief in zip(evidence, reached, strict=True)
        )
        return normalised(tuple(alive)), history

    def _back_up(self, node: PlanNode, edges: Edges, steps: list[Steps], kept: list[tuple[Any, ...]]) -> Backup:
        """The values of a node, given what was kept of the next layer."""
        tables = [self._by_action(m, belief, edges, steps[m], kept) for m, belief in enumerate(node.beliefs)]
        action_values: Sequence[Scalar] = [average for average, _ in tables[0]]
        if node.evidence:
            posterior = [self.arithmetic.number(entry.likelihood()) for entry in node.evidence]
            columns = zip(*tables, strict=True)
            action_values = [
                sum(w * average for w, (average, _) in zip(posterior, column, strict=True)) for column in columns
            ]
        ties = self.arithmetic.ties(action_values, self.scale)
        chosen = self.actions.index(self.policy(node.history)) if self.policy else ties[0]
        return Backup(tuple(action_values), ties, chosen, tuple([table[chosen][1] for table in tables]))

    def _by_action(
        self, m: int, belief: Belief | None, edges: Edges, steps: Steps, kept: list[tuple[Any, ...]]
    ) -> list[tuple[Scalar, Any]]:
        """In one environment, by action: the average over the slots, and what would be kept of the node."""
        if belief is None:
            return [(0, None)] * len(self.actions)
        shares = self.arithmetic.shares(belief.masses)
        state, slots, _ = belief
        return [
            self.future.continuation.back_up(
                steps(state, slots, action).worth, shares, self._later(m, successors, kept), self.arithmetic
            )
            for action, successors in zip(self.actions, edges, strict=True)
        ]

    def _later(self, m: int, successors: Mapping[Label, int], kept: list[tuple[Any, ...]]) -> dict[Label, Any]:
        """What was kept of the next histories, by observation; without those that this environment cannot produce."""
        return {o: known for o, child in successors.items() if (known := kept[child][m]) is not None}

    def _slot_values(self, node: PlanNode, edges: Edges, steps: list[Steps], kept: list[tuple[Any, ...]]) -> SlotValues:
        """By environment, slot and action, what being there is worth."""
        return [
            self._by_slot(m, belief, edges, steps[m], kept) if belief else {} for m, belief in enumerate(node.beliefs)
        ]

    def _by_slot(
        self, m: int, belief: Belief, edges: Edges, steps: Steps, kept: list[tuple[Any, ...]]
    ) -> dict[Slot, list[Scalar]]:
        columns = [
            self.future.continuation.slot_values(
                steps(belief.state, belief.slots, action).worth, self._later(m, successors, kept), self.arithmetic
            )
            for action, successors in zip(self.actions, edges, strict=True)
        ]
        return {slot: list(values) for slot, values in zip(belief.slots, zip(*columns, strict=True), strict=True)}
