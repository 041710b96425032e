"""Optimal action values as functions of the caring coefficient: each Q_c(s, a) is a maximum of lines in c.

    Q_c(s, a) = sum_s' P(s'|s, a) [ own r_1 + fixed + c swept + gamma V_c(s') ],    V_c(s') = max over lines of s'

V_c is the optimum over policies that end. It is convex and piecewise linear, and so is Q_c. A state from which no
policy ends with probability 1 has no line: V_c = -inf.

Where a deterministic, undiscounted world pays care on entering terminal states alone, a line is an ending: the best own
return with which it can be reached, and what care pays there (`find_ending_lines`). Distances to the endings do not
depend on the formulation. Elsewhere the lines of each successor are those of the exact search for optimal segments
(`engine.planning.trade_off.optimal_segments`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from craftworld.solution.problem import Problem, weigh_own_reward
from engine.errors import NoPlan
from engine.mdp.ending_part import EndingPart, keep_ending_part
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import has_no_positive_step, reward_to_go
from engine.planning.trade_off.envelope import Range
from engine.planning.trade_off.optimal_segments import find_segments

ValueLines = Floats
"""f64[L, 2], a row (own, slope) for each line own + c * slope, by rising slope; no row: minus infinity."""
NO_LINES: ValueLines = np.zeros((0, 2))
ROUNDING = 1e-12


@dataclass(frozen=True)
class CaringReward:
    """What a formulation adds to the own reward: at every care, and per unit of care, f64[S, A, K] each."""

    table: TabularMDP
    own: float
    fixed: Floats
    swept: Floats

    @classmethod
    def of(cls, problem: Problem, start: int) -> CaringReward:
        """Return the reward of a problem by one start's baseline."""
        fixed, swept = problem.compute_caring_rewards(start)
        return cls(problem.mdp, problem.own, fixed, swept)

    @property
    def weighted(self) -> TabularMDP:
        """The table with the reward at care 0."""
        return self.table.with_reward(weigh_own_reward(self.table, self.own, self.fixed))

    @cached_property
    def ending_part(self) -> EndingPart:
        """The part of the table from which policies end; all of it where returns are discounted."""
        if self.table.discount == 1.0:
            return keep_ending_part(self.weighted, self.swept)
        states = len(self.table.terminal)
        return EndingPart(self.weighted, self.swept, np.arange(states), np.ones(states, dtype=np.bool_))

    def find_lines_from(self, entry: int) -> tuple[ValueLines, Range]:
        """Find the lines of the optimum from a state of the ending part, and the coefficients at which it is finite."""
        if entry not in self._lines_from:
            self._lines_from[entry] = _find_lines_from(self.ending_part, entry)
        return self._lines_from[entry]

    @cached_property
    def _lines_from(self) -> dict[int, tuple[ValueLines, Range]]:
        return {}


@dataclass(frozen=True)
class ChoiceValues:
    """The action values of one reward in some states.

    lines: (state, action) -> lines. finite: the coefficients at which all of them are finite or minus infinity.
    """

    lines: dict[tuple[int, int], ValueLines]
    finite: Range = (-math.inf, math.inf)


def find_choice_values(rewards: Sequence[CaringReward], states: Sequence[int]) -> list[ChoiceValues]:
    """Find the action values of each reward in some states, none of them terminal; the rewards share one table.

    Raises NoPlan where no coefficient at all has a finite optimum.
    """
    at_the_end = [n for n, each in enumerate(rewards) if pays_at_the_end(each)]
    found = dict(zip(at_the_end, _find_by_endings([rewards[n] for n in at_the_end], states), strict=True))
    return [found[n] if n in found else _find_by_segments(each, states) for n, each in enumerate(rewards)]


def find_upper_lines(lines: Floats) -> ValueLines:
    """Return the lines of an upper envelope, f64[L, 2], by rising slope; those that touch it in a point are left out.

    Slopes and returns that differ by rounding alone (1e-12, relative to the largest) count as equal.
    """
    if len(lines) < 2:
        return lines
    ordered = lines[np.lexsort((lines[:, 0], lines[:, 1]))]
    own_noise, slope_noise = ROUNDING * np.maximum(1.0, np.abs(ordered).max(axis=0))
    hull: list[tuple[float, float]] = []
    for own, slope in ordered.tolist():
        if hull and slope - hull[-1][1] <= slope_noise:
            if own <= hull[-1][0]:
                continue
            hull.pop()
        while hull and len(hull) > 1:
            (left, flat), (middle, between) = hull[-2:]
            above = (middle - left) * (slope - flat) - (own - left) * (between - flat)
            if above > own_noise * (slope - flat):
                break
            hull.pop()
        hull.append((own, slope))
    return np.array(hull)


def pays_at_the_end(reward: CaringReward) -> bool:
    """Return whether lines are endings: care is paid on entering terminal states alone, of a deterministic world."""
    table = reward.table
    if table.discount != 1.0 or not table.is_deterministic:
        return False
    ends = table.terminal[table.next_state]
    added = (reward.fixed != 0.0) | (reward.swept != 0.0)
    own = table.with_reward(reward.own * table.reward)
    return bool((ends | ~added | table.terminal[:, None, None]).all()) and has_no_positive_step(own)


def find_ending_lines(rewards: Sequence[CaringReward]) -> tuple[Floats, list[Floats]]:
    """The best own return from each state to each kind of ending, f64[S, G], and the (fixed, swept) of each, f64[G, 2].

    Two steps into terminal states are the same kind of ending where every reward pays the same for both.
    """
    table, own = rewards[0].table, rewards[0].own
    target = table.next_state[:, :, 0]
    usable = table.action_mask(np.arange(len(table.terminal))) & ~table.terminal[:, None]
    origin, action = np.nonzero(usable & table.terminal[target])
    paid = np.stack([each[origin, action, 0] for one in rewards for each in (one.fixed, one.swept)], axis=1)
    noise = ROUNDING * np.maximum(1.0, np.abs(paid).max(axis=0, initial=0.0))
    _, first, kind = np.unique(np.round(paid / noise), axis=0, return_index=True, return_inverse=True)
    reward = own * table.reward[:, :, 0]
    ways = np.where(usable & ~table.terminal[target], target, np.arange(len(target))[:, None]).astype(np.int32)
    no_cycles = np.zeros(len(target), dtype=np.bool_)
    steps = np.where(ways == target, reward, np.minimum(reward, -1.0))
    best = np.full((len(target), len(first)), -np.inf)
    for group in range(len(first)):
        of_group = kind.reshape(-1) == group
        entered, gains = ways.copy(), steps.copy()
        entered[origin[of_group], action[of_group]] = target[origin[of_group], action[of_group]]
        gains[origin[of_group], action[of_group]] = reward[origin[of_group], action[of_group]]
        best[:, group] = reward_to_go(entered, gains, np.zeros_like(gains), table.terminal, no_cycles)[0]
    amounts = paid[first].reshape(len(first), len(rewards), 2)
    return best, [amounts[:, n] for n in range(len(rewards))]


def _find_by_endings(rewards: Sequence[CaringReward], states: Sequence[int]) -> list[ChoiceValues]:
    if not rewards:
        return []
    table, own = rewards[0].table, rewards[0].own
    best, amounts = find_ending_lines(rewards)
    mask = table.action_mask(np.arange(len(table.terminal)))
    result = []
    for reward, amount in zip(rewards, amounts, strict=True):
        known: dict[int, ValueLines] = {}
        lines = {}
        for state in states:
            for action in np.flatnonzero(mask[state]).tolist():
                after = int(table.next_state[state, action, 0])
                step = own * table.reward[state, action, 0]
                if table.terminal[after]:
                    paid = (step + reward.fixed[state, action, 0], reward.swept[state, action, 0])
                    lines[state, action] = np.array([paid])
                    continue
                if after not in known:
                    way = best[after] > -np.inf
                    known[after] = find_upper_lines(
                        np.stack([best[after][way] + amount[way, 0], amount[way, 1]], axis=1)
                    )
                lines[state, action] = known[after] + np.array([step, 0.0])
        result.append(ChoiceValues(lines))
    return result


def _find_by_segments(reward: CaringReward, states: Sequence[int]) -> ChoiceValues:
    table, weighted = reward.table, reward.weighted
    mean_own, mean_swept = weighted.average(weighted.reward), table.average(reward.swept)
    part = reward.ending_part
    mask = table.action_mask(np.arange(len(table.terminal)))
    lines: dict[tuple[int, int], ValueLines] = {}
    low, high = -math.inf, math.inf
    for state in states:
        for action in np.flatnonzero(mask[state]).tolist():
            slots = np.flatnonzero(table.probability[state, action] > 0.0)
            following = table.next_state[state, action, slots]
            if not part.ends[following].all():
                lines[state, action] = NO_LINES
                continue
            total = np.array([[mean_own[state, action], mean_swept[state, action]]])
            chances = table.probability[state, action, slots].tolist()
            for after, chance in zip(part.entry[following].tolist(), chances, strict=True):
                rest, (from_care, to_care) = reward.find_lines_from(after)
                low, high = max(low, from_care), min(high, to_care)
                total = _add_maxima(total, chance * table.discount * rest)
            lines[state, action] = total
    if not low < high:
        raise NoPlan("no coefficient has a finite optimum", place="identify", remedy="choose another formulation")
    return ChoiceValues(lines, (low, high))


def _find_lines_from(part: EndingPart, state: int) -> tuple[ValueLines, Range]:
    """Find the lines of a state's optimum, and between which coefficients it is finite."""
    table = part.table
    if table.terminal[state]:
        return np.zeros((1, 2)), (-math.inf, math.inf)
    start = np.zeros_like(table.start)
    start[state] = 1.0
    segments = find_segments(replace(table, start=start), part.second, state)
    finite = [segment for segment in segments if math.isfinite(segment.line.own)]
    if not finite:
        raise NoPlan("no coefficient has a finite optimum", place="identify", remedy="choose another formulation")
    lines = find_upper_lines(np.array([segment.line for segment in finite]))
    return lines, (finite[0].start, finite[-1].stop)


def _add_maxima(one: ValueLines, other: ValueLines) -> ValueLines:
    """Return the lines of the sum of two maxima of lines: every sum of two lines that are highest together."""
    sums = (one[:, None, :] + other[None, :, :]).reshape(-1, 2)
    return find_upper_lines(sums)
