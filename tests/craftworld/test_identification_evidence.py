"""Log evidences against a second computation: plain value iteration, kinks and crossings of its own, fixed rules.

Nothing of `craftworld.identification` is used but what is tested. Each action value is found as value and slope at
single coefficients; where the lines of two coefficients differ, the point in which they meet is looked at next. Between
all kinks and crossings and c = 0, arctan c has a tanh-sinh rule, log T a composite Gauss rule, and e a Gauss rule that
is exact: the likelihood is a polynomial in e.
"""

import functools
import itertools
import math

import numpy as np
import pytest

from craftworld.identification.action_values import CaringReward, find_choice_values
from craftworld.identification.behaviour import ObservedWorld
from craftworld.identification.likelihood import Choices
from craftworld.identification.posterior import Prior, integrate, integrate_exact, integrate_random
from craftworld.solution.problem import make_problem
from tests.craftworld.random_tables import make_table

FAR = 1e5  # beyond it no action value of these worlds has a kink


class PlainValues:
    """Q_c(s, a) of a reward by value iteration, as (value, slope), and where it has kinks."""

    def __init__(self, reward):
        table = reward.table
        self.table, mask = table, table.action_mask(np.arange(len(table.terminal)))
        self.steps = {}
        fixed, swept = (np.broadcast_to(each, table.reward.shape) for each in (reward.fixed, reward.swept))
        for s, a in zip(*np.nonzero(mask & ~table.terminal[:, None]), strict=True):
            self.steps[int(s), int(a)] = [
                (
                    table.probability[s, a, k],
                    reward.own * table.reward[s, a, k] + fixed[s, a, k],
                    swept[s, a, k],
                    int(table.next_state[s, a, k]),
                )
                for k in range(table.next_state.shape[2])
                if table.probability[s, a, k] > 0.0
            ]
        self.solve = functools.cache(self._solve)

    def _solve(self, care):
        """All (state, action) -> (value, slope) at one coefficient, over policies that end."""
        # under chance a value of 0 at first converges, too, where every policy that never ends costs without end
        unknown = -math.inf if self.table.is_deterministic else 0.0
        value = {s: (0.0 if end else unknown, 0.0) for s, end in enumerate(self.table.terminal.tolist())}
        while True:
            found, change = {}, 0.0
            for at, outcomes in self.steps.items():
                total = slope = 0.0
                for chance, own, swept, after in outcomes:
                    total += chance * (own + care * swept + self.table.discount * value[after][0])
                    slope += chance * (swept + self.table.discount * value[after][1])
                found[at] = (total, slope) if total > -math.inf else (-math.inf, 0.0)
            best = {}
            for (s, _), each in found.items():
                best[s] = max(best.get(s, each), each)
            for s, each in best.items():
                old, value[s] = value[s], each
                if each != old:
                    lost = abs(each[0] - old[0]) / (1.0 + abs(each[0])) + abs(each[1] - old[1])
                    change = max(change, lost if old[0] > -math.inf else 1.0)
            if change < 1e-13:
                return found

    def find_kinks(self, at):
        """Where the maximum of lines of one action value changes its line."""
        kinks, open_parts = set(), [(-FAR, FAR)]
        if self.solve(0.0)[at][0] == -math.inf:
            return kinks
        while open_parts:
            left, right = open_parts.pop()
            (low, flat), (high, steep) = self.solve(left)[at], self.solve(right)[at]
            if steep - flat < 1e-9:
                continue
            meet = ((low - flat * left) - (high - steep * right)) / (steep - flat)
            there = self.solve(meet)[at][0]
            if there - (low + flat * (meet - left)) < 1e-9 * (1.0 + abs(there)):
                kinks.add(meet)
            else:
                open_parts += [(left, meet), (meet, right)]
        return kinks


def tanh_sinh(begin, end, step):
    """Nodes, as the distance from the nearer end, and weights on an interval."""
    t = np.arange(-3.4, 3.4 + step / 2, step)
    grown = 0.5 * math.pi * np.sinh(t)
    place = 0.5 * (end - begin) / (np.exp(np.abs(grown)) * np.cosh(grown))
    weight = 0.5 * (end - begin) * step * 0.5 * math.pi * np.cosh(t) / np.cosh(grown) ** 2
    return np.where(t < 0, begin + place, end - place), weight


def composite(begin, end, parts, nodes):
    points, weights = np.polynomial.legendre.leggauss(nodes)
    edges = np.linspace(begin, end, parts + 1)
    half = 0.5 * np.diff(edges)[:, None]
    return ((edges[:-1, None] + half) + half * points).ravel(), (half * weights).ravel()


def plain_log_evidence(values, counts, *, exact=False, care=True, step=0.1, parts=10, finite=(-math.inf, math.inf)):
    """The log evidence of counted choices, (state, action) -> how often; at c = 0 alone where care is not open."""
    states = sorted({s for s, _ in counts})
    actions = {s: [a for origin, a in values.steps if origin == s] for s in states}
    cut = {0.0}
    if care:
        kinks = set().union(*(values.find_kinks((s, a)) for s in states for a in actions[s]))
        near = sorted({-FAR, FAR, *(k for k in kinks if abs(k) < FAR)})
        cut |= set(near[1:-1])
        for left, right in itertools.pairwise(near):
            # a piece has no kink: two coefficients tell its lines
            middle = 0.5 * (max(left, -1e3) + min(right, 1e3)) if left < 1e3 and right > -1e3 else 0.5 * (left + right)
            found = values.solve(middle)
            for s in states:
                for a, b in itertools.combinations(actions[s], 2):
                    (one, flat), (other, steep) = found[s, a], found[s, b]
                    if min(one, other) > -math.inf and abs(steep - flat) > 1e-12:
                        meet = middle - (other - one) / (steep - flat)
                        if left < meet < right:
                            cut.add(meet)
    edges = [math.atan(each) for each in (finite[0], *sorted(c for c in cut if finite[0] < c < finite[1]), finite[1])]
    t, t_weight = (np.zeros(1), np.ones(1)) if exact else composite(math.log(0.05), math.log(20.0), parts, 12)
    t_weight = t_weight / t_weight.sum()
    e, e_weight = composite(0.0, 1.0, 1, 40)  # exact for at most 71 steps
    assert sum(counts.values()) <= 71
    e_weight = e_weight * 9.0 * (1.0 - e) ** 8
    total = 0.0
    for begin, end in itertools.pairwise(edges) if care else [(0.0, 0.0)]:
        if end - begin < 1e-13 and care:
            continue
        u, weight = tanh_sinh(begin, end, step) if care else (np.zeros(1), np.ones(1))
        inside = math.tan(0.5 * (begin + end))
        here = values.solve(inside)
        likelihood = np.ones((len(u), len(t), len(e)))
        for s in states:
            line = np.array([here[s, a] for a in actions[s]])
            value = line[:, :1] + line[:, 1:] * (np.tan(u) - inside)
            best = value.max(axis=0)
            if best[0] == -math.inf:
                share = np.ones((len(line), 1, 1))
            elif exact:
                share = (value >= best - 1e-9)[:, :, None].astype(float)
            else:
                share = np.exp((value - best)[:, :, None] / np.exp(t))
            share = share / share.sum(axis=0)
            for n, a in enumerate(actions[s]):
                if (s, a) in counts:
                    likelihood *= ((1 - e) * share[n][..., None] + e / len(line)) ** counts[s, a]
        total += np.einsum("ijk,i,j,k", likelihood, weight, t_weight, e_weight)
    return math.log(total / (edges[-1] - edges[0] if care else 1.0))


def draw_counts(values, state, care, temperature, slip, steps, seed):
    """Counts of what an agent of the model does in so many steps, from a start state again after each end."""
    random = np.random.default_rng(seed)
    begin, counts = state, {}
    found = values.solve(care)
    for _ in range(steps):
        actions = [a for s, a in values.steps if s == state]
        value = np.array([found[state, a][0] for a in actions])
        share = np.exp((value - value.max()) / temperature)
        action = actions[random.choice(len(actions), p=(1 - slip) * share / share.sum() + slip / len(actions))]
        counts[state, action] = counts.get((state, action), 0) + 1
        outcomes = values.steps[state, action]
        state = outcomes[random.choice(len(outcomes), p=[each[0] for each in outcomes])][3]
        state = begin if values.table.terminal[state] else state
    return counts


def reward_of_world(name, formulation="expected"):
    world = ObservedWorld.make(name)
    return CaringReward.of(make_problem(world.scenario, formulation, mdp=world.table), world.table.start_states()[0])


def reward_of_table(number):
    """Care at the end of a deterministic world, or at every step of a discounted one under chance."""
    random = np.random.default_rng(20_000 + number)
    at_the_end = number % 2 == 0
    table = make_table(number, chance=not at_the_end, discount=1.0 if at_the_end else 0.9)
    swept = -random.integers(0, 4, table.reward.shape).astype(float)
    if at_the_end:
        ends = table.terminal[table.next_state] & ~table.terminal[:, None, None]
        swept = np.where(ends, random.integers(-9, 9, table.terminal.shape)[table.next_state], 0.0)
    swept[:, 0] = swept[:, 0, :1]
    swept[table.terminal] = 0.0
    return CaringReward(table, 1.0, np.zeros(table.reward.shape), swept)


def check(reward, care, temperature, slip, steps, seed):
    values = PlainValues(reward)
    start = int(np.flatnonzero(reward.table.start)[0])
    counts = draw_counts(values, start, care, temperature, slip, steps, seed)
    states = sorted({s for s, _ in counts})
    (found,) = find_choice_values([reward], states)
    taken = {s: {a: float(n) for (origin, a), n in counts.items() if origin == s} for s in states}
    choices = Choices.of((found, s, taken[s]) for s in states)
    assert found.finite == (-math.inf, math.inf)
    own, prior = choices.without_care(), Prior()
    mine = (
        integrate(choices, prior).log_evidence,
        integrate_exact(choices, prior).log_evidence,
        integrate(own, prior).log_evidence,
        integrate_exact(own, prior).log_evidence,
        integrate_random(choices),
    )
    size = {s: sum(origin == s for origin, _ in values.steps) for s in states}
    want = (
        plain_log_evidence(values, counts),
        plain_log_evidence(values, counts, exact=True),
        plain_log_evidence(values, counts, care=False),
        plain_log_evidence(values, counts, care=False, exact=True),
        -sum(n * math.log(size[s]) for (s, _), n in counts.items()),
    )
    return mine, want


AGENTS = ((0.7, 0.4), (-2.0, 0.1), (9.0, 5.0), (0.1, 1.0), (1.5, 0.05), (-0.3, 20.0), (3.0, 2.0))
KINDS = ("care", "care, exact", "own", "own, exact", "random")


@pytest.mark.parametrize("number", [1, 2, 4, 6, 8, 10, 12, 13])
def test_log_evidence_in_random_worlds_is_that_of_the_second_computation(number):
    care, temperature = AGENTS[number % len(AGENTS)]
    mine, want = check(reward_of_table(number), care, temperature, 0.1, 30, number)
    for kind, ours, theirs in zip(KINDS, mine, want, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-6), kind


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    ("name", "formulation"), [("garden", "no_worse_off"), ("garden", "expected"), ("kitchen_peanut", "expected")]
)
def test_log_evidence_in_shipped_worlds_is_that_of_the_second_computation(name, formulation):
    mine, want = check(reward_of_world(name, formulation), 1.0, 0.5, 0.1, 40, 3)
    for kind, ours, theirs in zip(KINDS, mine, want, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-6), kind


@pytest.mark.slow
def test_the_second_computation_has_converged():
    """Twice as many nodes in care and temperature change its logarithm by less than 2e-7."""
    for number in (1, 2, 6, 12):
        reward = reward_of_table(number)
        values = PlainValues(reward)
        care, temperature = AGENTS[number % len(AGENTS)]
        counts = draw_counts(values, 0, care, temperature, 0.1, 30, number)
        coarse, fine = (plain_log_evidence(values, counts, step=0.1 / n, parts=10 * n) for n in (1, 2))
        assert coarse == pytest.approx(fine, abs=2e-7)
