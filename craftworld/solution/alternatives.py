"""What an optimum leaves open: where other policies are as good for the acting agent, what others get from them.

An action is optimal where Q(s, a) = V(s) of the augmented reward. Following optimal actions only, an agent may end in
several states, and whoever comes next may like some of them better. Between these states a formulation does not choose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from craftworld.solution.outcome import CaringOutcome, followed, outcome_of
from craftworld.solution.problem import Problem
from engine.mdp.mdp import Booleans, TabularMDP
from engine.planning.dynamic_programming import plan
from engine.planning.trade_off.segment import Line, Segment

ROUNDING = 1e-9


def alternative_outcomes(problem: Problem, care: float, start: int) -> tuple[CaringOutcome, ...]:
    """Outcomes of optimal policies from a start state that differ in what others get, the solution's own first.

    One policy for each; among equal ones the shortest. Only where nothing depends on chance and the optimum ends;
    the solution's own outcome alone elsewhere. care: a finite coefficient.
    """
    chosen = problem.segment(care, start)
    own = outcome_of(problem, chosen, start)
    if not problem.mdp.is_deterministic or not math.isfinite(chosen.line.own):
        return (own,)
    table = problem.augmented(care, start)
    before = _optimal_steps(problem.begun_in(start, table), start)  # elsewhere nothing need be finite
    different = [own]
    for end in np.flatnonzero(table.terminal & (before >= 0).any(axis=1)):
        states, actions = _path_to(before, start, int(end))
        path = Segment(-math.inf, math.inf, Line(math.nan, math.nan), states, actions)
        outcome = followed(problem, path)
        if not any(_same(outcome.others, known.others) for known in different):
            different.append(outcome)
    return tuple(different)


def _optimal_steps(table: TabularMDP, start: int) -> NDArray[np.int64]:
    """int64[S, 2]: the state and the action before each state that optimal actions reach from a start; -1 elsewhere."""
    solution = plan(table)
    scale = np.maximum(1.0, np.abs(solution.value))
    with np.errstate(invalid="ignore"):  # -inf where nothing ends
        optimal: Booleans = solution.value[:, None] - solution.action_value <= ROUNDING * scale[:, None]
    before = np.full((len(table.terminal), 2), -1, dtype=np.int64)
    before[start] = start, -1
    reached = np.array([start])
    while len(reached):
        state, action = np.nonzero(optimal[reached] & ~table.terminal[reached, None])
        origin = reached[state]
        target = table.next_state[origin, action, 0].astype(np.int64)
        fresh = before[target, 0] < 0
        reached, first = np.unique(target[fresh], return_index=True)
        before[reached] = np.stack([origin[fresh][first], action[fresh][first]], axis=1)
    before[start] = -1
    return before


def _path_to(before: NDArray[np.int64], start: int, end: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The states from the start to an end, and the actions between them."""
    states, actions = [end], list[int]()
    while states[-1] != start:
        state, action = map(int, before[states[-1]])
        states.append(state)
        actions.append(action)
    return tuple(reversed(states)), tuple(reversed(actions))


def _same(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    return all(abs(one[name] - other[name]) <= ROUNDING * max(1.0, abs(one[name])) for name in one)
