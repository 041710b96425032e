"""Gaps are searched in the part of a table where they are open, and nothing is lost by that."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning import chain_kernels
from engine.planning.lexicographic import PairIteration
from engine.planning.trade_off import open_part, supporting_lines
from engine.planning.trade_off.envelope import Line
from engine.planning.trade_off.open_part import End, find_open_part, find_visits
from engine.planning.trade_off.supporting_lines import find_segments_by_supporting_lines


def make_grid(side: int, slip: float, discount: float, seed: int) -> tuple[TabularMDP, Floats]:
    """A grid with slips to both sides and a few ends that are worth something to another agent; 0 in the first half."""
    generator = np.random.default_rng(seed)
    cells = np.arange(side * side)
    row, column = np.divmod(cells, side)
    moves = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    to = [np.clip(row + i, 0, side - 1) * side + np.clip(column + j, 0, side - 1) for i, j in moves]
    next_state = np.array([[to[a], to[(a + 1) % 4], to[a - 1]] for a in range(4)]).transpose(2, 0, 1).astype(np.int32)
    probability = np.broadcast_to([1.0 - slip, slip / 2, slip / 2], next_state.shape).copy()
    terminal = np.zeros(side * side, dtype=np.bool_)
    terminal[generator.choice(cells[1:], 4, replace=False)] = True
    worth = np.where(terminal, 10.0 * generator.normal(size=side * side), 0.0)
    next_state[terminal] = cells[terminal, None, None]
    reward, extra = np.full(next_state.shape, -1.0), worth[next_state]
    reward[terminal] = extra[terminal] = 0.0
    start = np.zeros(side * side)
    start[0] = 1.0
    names = ("right", "down", "left", "up")
    return TabularMDP(list(cells), {}, names, next_state, probability, reward, terminal, start, discount), extra


def solve(mdp: TabularMDP, policy: Policy, reward: Floats) -> Floats:
    """What a policy earns, f64[S], by a dense solver."""
    states = np.arange(len(policy))
    matrix, right = np.eye(len(policy)), np.zeros(len(policy))
    for state in states[~mdp.terminal]:
        chance = mdp.probability[state, policy[state]]
        np.subtract.at(matrix[state], mdp.next_state[state, policy[state]], mdp.discount * chance)
        right[state] = chance @ reward[state, policy[state]]
    return np.linalg.solve(matrix, right)


def find_optimum(mdp: TabularMDP, reward: Floats, policy: Policy) -> Floats:
    """The optimum, f64[S], by policy iteration with a dense solver from a policy that ends."""
    while True:
        value = solve(mdp, policy, reward)
        worth = (mdp.probability * (reward + mdp.discount * value[mdp.next_state])).sum(axis=2)
        best = worth.max(axis=1) > worth[np.arange(len(policy)), policy] + 1e-9 * np.abs(value).max()
        if not (best & ~mdp.terminal).any():
            return value
        policy = np.where(best, worth.argmax(axis=1), policy).astype(np.int32)


@pytest.fixture
def narrows_everywhere(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Parts are searched in tables of any size; of which, and how many states they have."""
    restrict, sizes = PairIteration.restrict, list[tuple[int, int]]()

    def record(self: PairIteration, states: Any, inside: int, begin: Any) -> PairIteration:
        sizes.append((len(self.table.terminal), len(states)))
        return restrict(self, states, inside, begin)

    monkeypatch.setattr(PairIteration, "restrict", record)
    monkeypatch.setattr(supporting_lines.LineSearch, "can_narrow", True)
    monkeypatch.setattr(supporting_lines, "MUCH_NARROWER", 1.0)
    monkeypatch.setattr(open_part, "MOST", 0.999)
    return sizes


CASES = [(9, 0.05, 0.9, 11), (10, 0.5, 0.99, 14), (8, 0.2, 1.0, 3), (12, 0.1, 1.0, 5), (7, 0.3, 0.95, 8)]


@pytest.mark.parametrize(("side", "slip", "discount", "seed"), CASES)
def test_segments_are_the_optimum_and_their_policies_earn_it(
    side: int, slip: float, discount: float, seed: int, narrows_everywhere: list[tuple[int, int]]
) -> None:
    mdp, extra = make_grid(side, slip, discount, seed)
    segments = find_segments_by_supporting_lines(mdp, extra, 0)
    for segment in segments:
        assert segment.policy is not None
        earned = [solve(mdp, segment.policy, reward)[0] for reward in (mdp.reward, extra)]
        assert np.allclose(earned, segment.line, rtol=1e-11, atol=1e-11)
    ends = [each.start for each in segments[1:]]
    for left, right in itertools.pairwise(segments[1:]):
        ends += [(left.start + left.stop) / 2] if math.isfinite(right.stop) else []
    for coefficient in ends[:: max(1, len(ends) // 40)]:
        first = segments[len(segments) // 2].policy
        assert first is not None
        optimum = find_optimum(mdp, mdp.reward + coefficient * extra, first)[0]
        highest = max(segment.line.at(coefficient) for segment in segments)
        assert highest == pytest.approx(optimum, rel=1e-10, abs=1e-10)
    assert any(part < whole / 2 for whole, part in narrows_everywhere)


@pytest.mark.parametrize(("side", "seed"), [(12, 29), (11, 132)])
def test_a_policy_put_together_of_parts_does_not_go_round_for_long(
    side: int, seed: int, narrows_everywhere: list[tuple[int, int]]
) -> None:
    """Where steps slip once in a hundred times, two policies that rely on one another can stay for 10^10 steps."""
    mdp, extra = make_grid(side, 0.01, 1.0, seed)
    segments = find_segments_by_supporting_lines(mdp, extra, 0)
    for segment in segments:
        if math.isfinite(segment.line.own):
            assert segment.policy is not None
            earned = [solve(mdp, segment.policy, reward)[0] for reward in (mdp.reward, extra)]
            assert np.allclose(earned, segment.line, rtol=1e-7, atol=1e-7)
    assert narrows_everywhere


@pytest.mark.parametrize(("side", "slip", "discount", "seed"), CASES)
def test_what_is_left_out_of_a_part_is_worth_no_more_than_its_bound(
    side: int, slip: float, discount: float, seed: int
) -> None:
    mdp, extra = make_grid(side, slip, discount, seed)
    search = PairIteration(mdp, extra)
    first = search.best((1.0, 0.0), (0.0, 0.0)).policy
    ends = []
    for coefficient in (-0.4, 0.7):
        values = search.best((1.0, coefficient), (0.0, 0.0))
        line = Line(*map(float, values.columns[0, :2]))
        ends.append(End(line, coefficient, values, find_visits(mdp, values.policy, 0)[0]))
    for likely in (False, True):
        part = find_open_part(search, 0, *ends, likely)
        if part is None:
            continue
        edge = part.states[part.inside :]
        own, auxiliary = part.begin.columns[part.inside :, :2].T
        for coefficient in (-0.4, -0.1, 0.2, 0.7):
            optimum = find_optimum(mdp, mdp.reward + coefficient * extra, first)[edge]
            bound = own + coefficient * auxiliary
            assert (optimum <= bound + 1e-9).all()
            settled = ~part.rough[part.inside :].any(axis=1)
            assert np.allclose(optimum[settled], bound[settled], rtol=1e-10, atol=1e-9)


def test_worth_of_terminal_states_is_kept() -> None:
    value = np.array([[0.5, 0.5, 1.0, 1.0, 0.1, 0.1], [3.0, 0.0, 3.0, 0.0, 0.0, 0.0]])
    target, chance = np.array([[1]], dtype=np.int32).repeat(2, axis=0), np.ones((2, 1))
    cleared = np.zeros(1, dtype=np.bool_)
    chain_kernels.clear_unearned(target, chance, np.array([False, True]), np.zeros((2, 2)), value, cleared)
    assert value.tolist() == [[0.5, 0.0, 1.0, 0.0, 0.1, 0.0], [3.0, 0.0, 3.0, 0.0, 0.0, 0.0]]
    assert cleared[0]
