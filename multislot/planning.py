"""Exact values by backward induction over what histories tell, instead of over histories.

    Q(h, a) = sum over nu of w_nu(h) Q_nu(h, a),   Q_nu(h, a) = sum_i P^i(h) v_i(h, a),   a* = the first best action

Histories with equal beliefs (`multislot.belief`), and in a class equal posteriors, are one node of a layered graph:
forward to the horizon, then back. The action of a node is chosen once, by the average, and every environment and
slot is evaluated under it. Reference: The Multi-slot Framework, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from multislot.backend import Backend, Number
from multislot.belief import Belief
from multislot.environment import History, Label
from multislot.future import Future
from multislot.likelihood import Evidence
from multislot.mixture import Mixture, normalised
from multislot.steps import Step, Steps

Policy: TypeAlias = Callable[[History], Label]
Edges: TypeAlias = tuple[dict[Label, int], ...]


class Node(NamedTuple):
    """Histories that no plan needs to tell apart; an environment that cannot have produced them has no belief.

    evidence is empty for a class of one; history is kept only where a given policy may need it.
    """

    beliefs: tuple[Belief | None, ...]
    evidence: tuple[Evidence, ...]
    history: History


class Backup(NamedTuple):
    """One node planned: the value of each action, the tying positions, what is kept of each environment's values."""

    action_values: tuple[Number, ...]
    ties: tuple[int, ...]
    chosen: int
    slot_values: tuple[tuple[Sequence[Number], ...], ...]
    kept: tuple[Any, ...]


class Planner:
    """Plans one future in one class of environments. policy: evaluated instead of optimised, where given."""

    def __init__(
        self, mixture: Mixture, future: Future, discount: Fraction, backend: Backend, policy: Policy | None = None
    ) -> None:
        self.mixture, self.future, self.discount, self.backend = mixture, future, discount, backend
        self.policy = policy
        self.scale = backend.number(max((abs(reward) for reward in mixture.rewards.values()), default=Fraction(0)))

    def plan(self, root: Node, time: int, horizon: int) -> Backup:
        """The values at a node from which `horizon` >= 1 steps are left, the first of them being time step `time`."""
        graph: list[tuple[list[Node], list[Edges], list[Steps]]] = []
        nodes = [root]
        for k in range(horizon):
            steps = [
                Steps(environment, self.future, self.discount, self.backend, time + k)
                for environment in self.mixture.environments
            ]
            edges, successors = self._unfold(nodes, steps, last=k == horizon - 1)
            graph.append((nodes, edges, steps))
            nodes = successors
        kept: list[tuple[Any, ...]] = []
        while True:
            nodes, edges, steps = graph.pop()
            if not graph:
                return self._back_up(root, edges[0], steps, kept)
            kept = [self._back_up(node, edge, steps, kept).kept for node, edge in zip(nodes, edges, strict=True)]

    def _unfold(self, nodes: list[Node], steps: list[Steps], last: bool) -> tuple[list[Edges], list[Node]]:
        """The edges out of a layer and the nodes of the next one, equal ones merged."""
        index: dict[Node, int] = {}
        edges: list[Edges] = []
        for node in nodes:
            if last:
                edges.append(tuple({} for _ in self.mixture.actions))
                continue
            edges.append(
                tuple(
                    {
                        observation: index.setdefault(successor, len(index))
                        for observation, successor in self._successors(node, action, steps)
                    }
                    for action in self.mixture.actions
                )
            )
        return edges, list(index)

    def _successors(self, node: Node, action: Label, steps: list[Steps]) -> list[tuple[Label, Node]]:
        """The nodes after an action, by observation."""
        beliefs: dict[Label, list[Belief | None]] = {}
        for m, belief in enumerate(node.beliefs):
            if belief is not None:
                for observation, spread in steps[m](belief.state, belief.slots, action).spreads.items():
                    reached = beliefs.setdefault(observation, [None] * len(steps))
                    reached[m] = spread(belief.masses)
        return [
            (observation, Node(tuple(reached), *self._memory(node, action, observation, reached)))
            for observation, reached in beliefs.items()
        ]

    def _memory(
        self, node: Node, action: Label, observation: Label, reached: list[Belief | None]
    ) -> tuple[tuple[Evidence, ...], History]:
        """The evidence, of those environments that still matter, and the history where a policy needs it."""
        history = (*node.history, (action, observation)) if self.policy else ()
        if not node.evidence:
            return (), history
        evidence = self.mixture.evidence_after(node.evidence, action, observation)
        alive = (
            entry if belief is not None else Evidence(None, ()) for entry, belief in zip(evidence, reached, strict=True)
        )
        return normalised(tuple(alive)), history

    def _back_up(self, node: Node, edges: Edges, steps: list[Steps], kept: list[tuple[Any, ...]]) -> Backup:
        """The values of a node, given what was kept of the next layer."""
        posterior = [self.backend.number(entry.likelihood()) for entry in node.evidence] or [1]
        action_values: list[Number] = [self.backend.number(Fraction(0))] * len(self.mixture.actions)
        slot_values: list[list[Sequence[Number]]] = [[] for _ in self.mixture.actions]
        averages: list[list[Number]] = [[] for _ in self.mixture.actions]
        for m, belief in enumerate(node.beliefs):
            shares = self.backend.shares(belief.masses) if belief else ()
            for a, action in enumerate(self.mixture.actions):
                if belief is None:
                    slot_values[a].append(())
                    averages[a].append(0)
                    continue
                step: Step = steps[m](belief.state, belief.slots, action)
                later = {observation: kept[child][m] for observation, child in edges[a].items()}
                values = step.slot_values(self.future, later)
                average = step.average(shares, values)
                slot_values[a].append(values)
                averages[a].append(average)
                action_values[a] += posterior[m] * average
        ties = self.backend.ties(action_values, self.scale)
        chosen = self.mixture.actions.index(self.policy(node.history)) if self.policy else ties[0]
        keep = self.future.read.keep
        remembered = tuple(map(keep, slot_values[chosen], averages[chosen]))
        return Backup(tuple(action_values), ties, chosen, tuple(map(tuple, slot_values)), remembered)
