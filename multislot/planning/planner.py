"""Exact values by backward induction over classes of histories with equal futures.

    Q(h, a) = sum over nu of  w_nu(h) Q_nu(h, a),   a* = the first best action

The graph of histories (`multislot.planning.history_graph`) is walked forward to the horizon, then back with the
backups of each environment (`multislot.planning.backup`). The action of a node is chosen once, by the average, and
every environment and slot is evaluated under it. An arithmetic that counts in columns backs up many nodes at once
(`multislot.planning.batches`), and fractions are spent on actions that may be optimal alone
(`multislot.planning.candidate_actions`). Reference: The Multi-slot Framework, section 4.

`evaluate` is the public function: the values of all actions at a history. A horizon counts the steps that are looked
ahead from the history. Where nobody can have the history in a known environment, P^i(h) is 0 (section 4.1): all
values are 0 and the action is the first one. A history that no environment of a class can produce is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from engine.effort import ASK_FIRST, Effort, SteppedWork
from engine.value_types import Discount, Horizon, require
from multislot.futures import Future, find_future
from multislot.learning import Mixture, make_single_environment
from multislot.planning.backup import Arithmetic, ExactOrFloat, Retained, SlotBackup, exact_arithmetic, float_arithmetic
from multislot.planning.belief import SlotBelief
from multislot.planning.history_graph import (
    AllActions,
    Edges,
    FollowedActions,
    HistoryGraph,
    HistoryNode,
    PolicyActions,
)
from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, HistoryPolicy, Label, Slot

if TYPE_CHECKING:
    from multislot.planning.batches import Batches

UNITS_PER_COPY = 5
UNIT_OF_WORK = "values of actions on slots"
RetainedByEnvironment: TypeAlias = tuple[Retained, ...]
Layers: TypeAlias = list[tuple[list[HistoryNode], list[Edges]]]
PLANNED_AT_ONCE, NODES_OF_A_CLASS = 300, 10
"""As many nodes are planned without a filter, a filter takes as long; and what a node of a class counts for."""


class BackedUpNode(NamedTuple):
    """The value of each action that is followed from a node.

    ties, chosen: the positions of the best ones and of the chosen one. retained: what earlier backups need.
    """

    action_values: tuple[ExactOrFloat, ...]
    ties: tuple[int, ...]
    chosen: int
    retained: RetainedByEnvironment


class PlannedStep(NamedTuple):
    """One step of a plan. edges: by node, where actions lead. chosen: by node, the position of the action taken."""

    edges: list[Edges]
    chosen: list[int]


class SlotPlan(NamedTuple):
    """The values at a history. All sequences are by action.

    action_values: Q(h, a). ties: positions of the best actions. chosen: the position of the action taken. estimate:
    P^i(h). slot_values: by slot, the values of being there; empty where nobody can have the history. steps: what is
    done later, as far as it was planned one node after another.
    """

    action_values: tuple[ExactOrFloat, ...]
    ties: tuple[int, ...]
    chosen: int
    estimate: Mapping[Slot, ExactOrFloat]
    slot_values: Mapping[Slot, Sequence[ExactOrFloat]]
    steps: Sequence[PlannedStep] = ()

    def find_action(self, later: AgentHistory, actions: Sequence[Label]) -> Label | None:
        """Find the action taken after more actions and observations; None where the plan does not say."""
        node = 0
        for (action, observation), step in zip(later, self.steps, strict=False):
            successor = step.edges[node].get(actions.index(action), {}).get(observation)
            if successor is None:
                return None
            node = successor
        return actions[self.steps[len(later)].chosen[node]] if len(later) < len(self.steps) else None


class Planner:
    """Plans for one future in one class of environments. policy: if there is one, it is evaluated; None optimises."""

    def __init__(
        self,
        mixture: Mixture,
        future: Future,
        discount: Fraction,
        arithmetic: Arithmetic,
        policy: HistoryPolicy | None = None,
        effort: Effort = ASK_FIRST,
    ) -> None:
        self.mixture = mixture
        self.future = future
        self.discount = discount
        self.arithmetic = arithmetic
        self.policy = policy
        self.actions = mixture.actions
        self.rewards = mixture.rewards
        self.effort = effort
        self.graph = HistoryGraph(mixture, future, with_history=policy is not None)
        self._steps: list[PlannedStep] = []
        self._copies = 0
        self.largest_reward = arithmetic.number(
            max((abs(reward) for reward in self.rewards.values()), default=Fraction(0))
        )

    def plan(self, history: AgentHistory, horizon: int) -> SlotPlan:
        """Return the values at a history with `horizon` >= 0 steps left; 0 where nobody can have it."""
        estimate = {
            slot: self.arithmetic.number(probability)
            for slot, probability in self.graph.compute_estimate(history).items()
        }
        root = self.graph.make_root(history)
        if not horizon or not any(root.beliefs):
            zeros = (self.arithmetic.number(Fraction(0)),) * len(self.actions)
            chosen = self.actions.index(self.policy(history)) if self.policy else 0
            slots = {slot for slots in self.graph.list_slot_estimates(root) for slot in slots}
            nothing = dict.fromkeys(sorted(slots), zeros)
            return SlotPlan(zeros, tuple(range(len(self.actions))), chosen, estimate, nothing)
        work = self.effort.in_steps(horizon, UNIT_OF_WORK, f"horizon {horizon}")
        work.step(self._measure_layer([root]))
        first = self._make_backups(len(history) + 1)
        edges, nodes = self._unfold_layer([root], [range(len(self.actions))], last=horizon == 1)
        retained = self._look_ahead(nodes, len(history) + 2, horizon - 1, work) if nodes else []
        best = self._back_up(root, edges[0], first, retained)
        slot_values = self._average_slot_values(root, self.mixture.posterior(history), edges[0], first, retained)
        steps = (PlannedStep(edges, [best.chosen]), *reversed(self._steps))
        return SlotPlan(best.action_values, best.ties, best.chosen, estimate, slot_values, steps)

    def _measure_layer(self, nodes: list[HistoryNode]) -> int:
        """Count the values of an action on a slot in a layer, and the work of the laws behind them."""
        copies = sum(transitions.copies for transitions in self.graph.transitions)
        new, self._copies = copies - self._copies, copies
        slots = sum(len(belief.slots) for node in nodes for belief in node.beliefs if belief)
        return len(self.actions) * slots + UNITS_PER_COPY * new

    def _make_backups(self, time: int, arithmetic: Arithmetic | None = None) -> list[SlotBackup]:
        """Return the backups of a time step, one an environment."""
        return [
            SlotBackup(self.future, member.rewards, self.discount, arithmetic or self.arithmetic, time)
            for member in self.mixture.members
        ]

    def _look_ahead(
        self, nodes: list[HistoryNode], time: int, steps: int, work: SteppedWork
    ) -> list[RetainedByEnvironment]:
        """Compute what is retained of a layer of nodes `steps` >= 1 steps before the end, in batches where possible."""
        if self.policy is not None:
            return self._solve(
                self._unfold_layers(nodes, steps, PolicyActions(self.policy, self.actions), work), time, work
            )
        if self.arithmetic.columns:
            return self._make_batches().look_ahead(nodes, lambda k: self._make_backups(time + k), steps, work)
        every = AllActions(len(self.actions))
        if self.arithmetic.tolerance:
            return self._solve(self._unfold_layers(nodes, steps, every, work), time, work)
        trial = self.effort.in_steps(steps, UNIT_OF_WORK, work.place)
        most = PLANNED_AT_ONCE / (NODES_OF_A_CLASS if len(self.mixture.environments) > 1 else 1)
        layers = self._unfold_layers(nodes, steps, every, trial, most)
        if layers is None:
            layers = self._unfold_layers(nodes, steps, self._find_candidates(nodes, time, steps, work), trial)
        return self._solve(layers, time, trial)

    def _make_batches(self) -> Batches:
        from multislot.planning.batches import Batches

        return Batches(self.mixture, self.largest_reward, self.graph.transitions)

    def _find_candidates(self, nodes: list[HistoryNode], time: int, steps: int, work: SteppedWork) -> FollowedActions:
        """Return the actions that may be optimal; all of them where fractions do not fit into floats."""
        from multislot.planning.candidate_actions import NearOptimalActions, OptimalCandidates

        backups = cache(lambda k: self._make_backups(time + k, float_arithmetic))
        try:
            filtered = NearOptimalActions(self._make_batches(), nodes, backups, steps, work)
        except OverflowError:
            return AllActions(len(self.actions))
        return OptimalCandidates(filtered, self.actions)

    def _unfold_layers(
        self,
        nodes: list[HistoryNode],
        steps: int,
        followed: FollowedActions,
        work: SteppedWork,
        most: float = math.inf,
    ) -> Layers | None:
        """Return the layers of nodes to the horizon with their edges; None where there are more than `most` nodes."""
        layers: Layers = []
        while nodes and len(layers) < steps:
            most -= len(nodes)
            if most < 0:
                return None
            work.step(self._measure_layer(nodes))
            positions = followed.list_positions(len(layers), nodes)
            edges, after = self._unfold_layer(nodes, positions, last=len(layers) + 1 == steps)
            followed.advance(len(layers), nodes, edges, after)
            layers.append((nodes, edges))
            nodes = after
        return layers

    def _solve(self, layers: Layers | None, time: int, work: SteppedWork) -> list[RetainedByEnvironment]:
        """Back layers up from the last one, and return what is retained of the first."""
        retained: list[RetainedByEnvironment] = []
        self._steps = []
        while layers:
            nodes, edges = layers.pop()
            step = self._make_backups(time + len(layers))
            work.finish_step(self._measure_layer(nodes))
            backed_up = [self._back_up(node, edge, step, retained) for node, edge in zip(nodes, edges, strict=True)]
            retained = [node.retained for node in backed_up]
            self._steps.append(PlannedStep(edges, [node.chosen for node in backed_up]))
        return retained

    def _unfold_layer(
        self, nodes: list[HistoryNode], positions: list[Sequence[int]], last: bool
    ) -> tuple[list[Edges], list[HistoryNode]]:
        """Return the edges and nodes after a layer; none after the last one."""
        if last:
            return [{position: {} for position in followed} for followed in positions], []
        return self.graph.unfold(nodes, positions)

    def _back_up(
        self, node: HistoryNode, edges: Edges, backups: list[SlotBackup], retained: list[RetainedByEnvironment]
    ) -> BackedUpNode:
        """Back up a node from what was retained of the next layer."""
        tables = [
            self._back_up_actions(m, belief, edges, backups[m], retained) for m, belief in enumerate(node.beliefs)
        ]
        action_values: Sequence[ExactOrFloat] = [average for average, _ in tables[0]]
        if node.evidence:
            posterior = [self.arithmetic.number(entry.likelihood()) for entry in node.evidence]
            action_values = [
                sum(w * average for w, (average, _) in zip(posterior, column, strict=True))
                for column in zip(*tables, strict=True)
            ]
        positions = tuple(edges)
        ties = tuple([positions[k] for k in self.arithmetic.find_ties(action_values, self.largest_reward)])
        chosen = self.actions.index(self.policy(node.history)) if self.policy else ties[0]
        place = positions.index(chosen)
        return BackedUpNode(tuple(action_values), ties, chosen, tuple([table[place][1] for table in tables]))

    def _back_up_actions(
        self, m: int, belief: SlotBelief | None, edges: Edges, backup: SlotBackup, retained: list[RetainedByEnvironment]
    ) -> list[tuple[ExactOrFloat, Retained]]:
        """In one environment, by action followed: Q_nu(h, a), and what would be retained of the node."""
        if belief is None:
            return [(0, None)] * len(edges)
        estimates = self.arithmetic.estimates(belief.masses)
        return [
            backup.action_value(
                backup.weights(self.graph.find_transition(m, belief, self.actions[position])),
                estimates,
                _select_retained(m, successors, retained),
            )
            for position, successors in edges.items()
        ]

    def _average_slot_values(
        self,
        node: HistoryNode,
        posterior: Sequence[Fraction],
        edges: Edges,
        backups: list[SlotBackup],
        retained: list[RetainedByEnvironment],
    ) -> dict[Slot, list[ExactOrFloat]]:
        """By slot, the values of being there; in a class, averaged over the environments as one's being there is."""
        estimates = self.graph.list_slot_estimates(node)
        values = [
            self._back_up_slots(m, belief, edges, backups[m], retained) if belief else {}
            for m, belief in enumerate(node.beliefs)
        ]
        averages: dict[Slot, list[ExactOrFloat]] = {}
        for slot in sorted({slot for slots in estimates for slot in slots}):
            weights = [
                weight * slots.get(slot, Fraction(0)) for weight, slots in zip(posterior, estimates, strict=True)
            ]
            there = [(self.arithmetic.number(w / sum(weights)), m) for m, w in enumerate(weights) if w]
            averages[slot] = [
                sum((w * values[m][slot][a] for w, m in there), self.arithmetic.number(Fraction(0)))
                for a in range(len(self.actions))
            ]
        return averages

    def _back_up_slots(
        self, m: int, belief: SlotBelief, edges: Edges, backup: SlotBackup, retained: list[RetainedByEnvironment]
    ) -> dict[Slot, Sequence[ExactOrFloat]]:
        """In one environment, by slot and action: v_i(h, a)."""
        columns = [
            backup.slot_values(
                backup.weights(self.graph.find_transition(m, belief, self.actions[position])),
                _select_retained(m, successors, retained),
            )
            for position, successors in edges.items()
        ]
        return dict(zip(belief.slots, zip(*columns, strict=True), strict=True))


def _select_retained(
    m: int, successors: Mapping[str | int, int], retained: list[RetainedByEnvironment]
) -> dict[str | int, Retained]:
    """What was retained of the next histories, by observation; without those that environment m cannot produce."""
    return {o: value for o, child in successors.items() if (value := retained[child][m]) is not None}


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
    """Compute the values of all actions at a history.

    world: an environment, or a class of them. future: a `Future` or its name. horizon: steps looked ahead, >= 0.
    discount: gamma, from 0 to 1. history: (action, observation) pairs. policy: each action is followed by
    it, and `action` is its own; None follows the best actions. effort: how much work is done without asking.
    Raises BadValue, with an estimate of the work where that is more, UnknownName, and what a broken environment does.
    """
    mixture = world if isinstance(world, Mixture) else make_single_environment(world)
    plan = make_plan(mixture, future, horizon, discount, history, arithmetic, policy, effort)
    actions = mixture.actions
    return SlotEvaluation(
        dict(zip(actions, plan.action_values, strict=True)),
        plan.action_values[plan.chosen],
        actions[plan.chosen],
        tuple(actions[k] for k in plan.ties),
        plan.estimate,
        {slot: dict(zip(actions, values, strict=True)) for slot, values in plan.slot_values.items()},
    )


def make_plan(
    mixture: Mixture,
    future: Future | str,
    horizon: int,
    discount: Fraction,
    history: AgentHistory = (),
    arithmetic: Arithmetic = exact_arithmetic,
    policy: HistoryPolicy | None = None,
    effort: Effort = ASK_FIRST,
) -> SlotPlan:
    """Plan from a history on, with the arguments of `evaluate`, and raise what it raises."""
    check_horizon_and_discount(horizon, discount)
    chosen = find_future(future) if isinstance(future, str) else future
    history = mixture.spell(history)
    mixture.require_protocol(len(history) + horizon)
    if len(mixture.members) > 1:
        mixture.require_possible(history)
    return Planner(mixture, chosen, discount, arithmetic, policy, effort).plan(history, horizon)


def check_horizon_and_discount(horizon: int, discount: Fraction) -> None:
    """BadValue for a horizon below 0 or a discount outside 0 to 1."""
    require("horizon", horizon, Horizon)
    require("discount", discount, Discount)
