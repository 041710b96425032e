"""Actions that make the agent another one: its successor chooses from then on, and the present function scores.

    V_t(s) = min over a in A*_t(s) of Q_t(s, a)        A*_t(s): the actions that are optimal for the self of s

A trajectory through states of a future self is chosen by that self's own plan; where several are optimal for it, the
one with the least score by the present function counts. Reference: K. Holtman, "Corrigibility with Utility
Preservation" (2019), on agents that can choose their own future self.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterfactual.columns import Column, as_column, take
from counterfactual.planning.layers import IndexColumn, Layer
from counterfactual.planning_world import (
    Bonus,
    PlannedOutcome,
    PlanningState,
    PlanningWorld,
    add_bonuses,
    make_exact_bonus,
)
from counterfactual.worlds import TerminalWorld, limit_effort


class SuccessorPlan(Protocol):
    """What choices need of a future self's plan."""

    def find(self, step: int, states: PlanningState) -> IndexColumn:
        """Return the indices of planning states, -1 for those that the plan never visits."""

    def list_optimal(self, step: int, state: int) -> list[int]:
        """Return all actions that are optimal for it."""


class FutureSelves:
    """The choices of the future selves of one planning world.

    world: the planning world of the present self. make_plan: (planning world, step, states) -> the plan from there on.
    """

    def __init__(
        self, world: PlanningWorld, make_plan: Callable[[PlanningWorld, int, PlanningState], SuccessorPlan]
    ) -> None:
        self._world = world
        self._make_plan = make_plan
        self._plans: dict[tuple[int, int | None], list[SuccessorPlan]] = {}

    def mark_choices(self, step: int, layer: Layer) -> NDArray[np.bool_] | None:
        """bool[S, A]: the actions that each state's future self may take, no action where it is the present self.

        None where no state of the layer is a future self's, or future selves do not choose.
        """
        if not self._world.successors_choose:
            return None
        present = self._world.learned.self_index
        n = len(layer)
        selves = as_column(self._world.learned.self_of(layer.states.x), n)
        if (selves == present).all():
            return None
        chosen = np.zeros((n, len(self._world.learned.actions)), dtype=bool)
        for index in sorted(set(selves.tolist()) - {present}):
            successor = find_successor_world(self._world, index, step)
            if successor is not None:
                rows = np.flatnonzero(selves == index)
                self._choose(chosen, index, successor, step, layer.states, rows)
        return chosen if chosen.any() else None

    def _choose(
        self,
        chosen: NDArray[np.bool_],
        index: int,
        successor: PlanningWorld,
        step: int,
        states: PlanningState,
        rows: IndexColumn,
    ) -> None:
        """Fill in the rows of one future self: from a plan that visits them, or from a new one."""
        plans = self._plans.setdefault((index, successor.present), [])
        signal = None if states.signal is None else states.signal[rows]
        wanted = PlanningState(take(states.x, rows), signal if successor.tracks_signal else None)
        while True:
            missing = np.ones(len(rows), dtype=bool)
            for plan in plans:
                places = plan.find(step, wanted)
                for row in np.flatnonzero(missing & (places >= 0)):
                    chosen[rows[row], plan.list_optimal(step, int(places[row]))] = True
                missing &= places < 0
            if not missing.any():
                return
            signals = None if wanted.signal is None else wanted.signal[missing]
            plans.append(self._make_plan(successor, step, PlanningState(take(wanted.x, missing), signals)))


def find_successor_world(world: PlanningWorld, index: int, step: int) -> PlanningWorld | None:
    """The planning world in which the future self of that index chooses at a step; None where it is no other agent."""
    assert world.successor is not None, "a planning world knows its successors where there are future selves"
    future = world.learned.future_self(index)
    return world.successor(future._replace(world=limit_effort(future.world, world.learned.effort)), step)


def add_fines(world: PlanningWorld) -> PlanningWorld:
    """Book the fine of a future self in the step that makes it."""
    learned = world.learned
    if not learned.has_future_selves:
        return world

    def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
        before = _is_another(world, step, as_column(learned.self_of(now.x), len(action)))
        for outcome in world.outcomes(step, now, action):
            after = as_column(learned.self_of(outcome.next_state.x), len(action))
            changed = ~before & _is_another(world, step + 1, after)
            if changed.any():
                outcome = outcome._replace(bonus=add_bonuses(outcome.bonus, _compute_fines(learned, after, changed)))
            yield outcome

    return replace(world, outcomes=outcomes)


def _is_another(world: PlanningWorld, step: int, selves: Column) -> NDArray[np.bool_]:
    """bool[n]: whether the self of each index is another agent than the present one."""
    own = world.learned.self_index
    others = [index for index in set(selves.tolist()) - {own} if find_successor_world(world, index, step) is not None]
    return np.isin(selves, others)


def _compute_fines(learned: TerminalWorld[Any], after: Column, changed: NDArray[np.bool_]) -> Bonus:
    """Return what n states' selves are fined; nothing where none has changed."""
    fines = {index: Fraction(learned.future_self(index).fine) for index in set(after[changed].tolist())}
    exact = [-fines[index] if new else Fraction(0) for index, new in zip(after.tolist(), changed.tolist(), strict=True)]
    return make_exact_bonus(exact)
