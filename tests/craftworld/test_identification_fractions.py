"""Action values against brute force in fractions: every stationary policy of a small world, line by line.

Nothing of the planners is used. A world has three states that are not terminal, and two that are. Of each policy that
ends with probability 1 the returns are solved exactly, so that Q_c(s, a) is a maximum of lines with rational
coefficients. A coefficient has no finite optimum where a policy that can be left again gains on average for ever.
"""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from craftworld.identification.action_values import CaringReward, find_choice_values
from craftworld.identification.likelihood import Choices, compute_chances
from craftworld.identification.posterior import Prior, integrate, integrate_exact
from engine.errors import NoPlan
from engine.mdp.mdp import TabularMDP
from tests.craftworld.test_identification_evidence import plain_log_evidence

LIVE, STATES, ACTIONS = 3, 5, 2
INFINITE = math.inf


@functools.cache
def make_world(number):
    """Free steps, gains, losses, dead ends and cycles; under chance in every other world, discounted in every fifth."""
    random = np.random.default_rng(number)
    width = 1 + number % 2
    discount = 0.75 if number % 5 == 0 else 1.0
    following = random.integers(0, STATES, (STATES, ACTIONS, width)).astype(np.int32)
    probability = np.full(following.shape, 1.0 / width)
    if width == 2:
        probability[random.random((STATES, ACTIONS)) < 0.5] = (0.75, 0.25)
    reward = random.choice([0.0, 0.0, -1.0, -1.0, -2.0, 1.0], following.shape, p=[0.2, 0.2, 0.25, 0.2, 0.1, 0.05])
    swept = random.choice([0.0, 1.0, -1.0, 2.0], following.shape, p=[0.7, 0.1, 0.1, 0.1])
    terminal = np.arange(STATES) >= LIVE
    for array, rest in ((following, np.arange(STATES)[:, None, None]), (reward, 0.0), (swept, 0.0)):
        array[terminal] = np.broadcast_to(rest, array.shape)[terminal]
    words = [(n,) for n in range(STATES)]
    start = np.eye(STATES)[0]
    index = {word: n for n, word in enumerate(words)}
    names = tuple("ab")
    table = TabularMDP(words, index, names, following, probability, reward, terminal, start, discount)
    return CaringReward(table, 1.0, np.zeros(reward.shape), swept)


def solve(matrix, right):
    """The solution of a small linear system in fractions, None where it is singular. right: two columns."""
    rows = [[*row, *b] for row, b in zip(matrix, right, strict=True)]
    size = len(rows)
    for n in range(size):
        pivot = next((m for m in range(n, size) if rows[m][n] != 0), None)
        if pivot is None:
            return None
        rows[n], rows[pivot] = rows[pivot], rows[n]
        rows[n] = [each / rows[n][n] for each in rows[n]]
        for m in range(size):
            if m != n and rows[m][n]:
                rows[m] = [x - rows[m][n] * y for x, y in zip(rows[m], rows[n], strict=True)]
    return [row[size:] for row in rows]


class Plain:
    """A world as dictionaries of fractions: (state, action) -> [(probability, own, swept, next state)]."""

    def __init__(self, reward):
        table = reward.table
        self.discount = Fraction(table.discount)
        self.steps = {
            (s, a): [
                (
                    Fraction(table.probability[s, a, k]),
                    Fraction(table.reward[s, a, k]),
                    Fraction(reward.swept[s, a, k]),
                    int(table.next_state[s, a, k]),
                )
                for k in range(table.next_state.shape[2])
            ]
            for s in range(LIVE)
            for a in range(ACTIONS)
        }

    def mean(self, s, a, what):
        return sum((each[0] * each[what] for each in self.steps[s, a]), Fraction(0))

    def chance(self, s, a, after):
        return sum((each[0] for each in self.steps[s, a] if each[3] == after), Fraction(0))

    def reach(self, policy, state):
        """Which states that are not terminal a policy visits, and whether it can end from each of them."""
        found, queue = {state}, [state]
        while queue:
            s = queue.pop()
            for each in self.steps[s, policy[s]]:
                if each[3] < LIVE and each[3] not in found:
                    found.add(each[3])
                    queue.append(each[3])
        return found

    def ends(self, policy, state):
        """Whether a policy ends with probability 1: from every state that it visits a terminal one can be reached."""
        visited = self.reach(policy, state)
        return all(
            any(each[3] >= LIVE for s in self.reach(policy, start) for each in self.steps[s, policy[s]])
            for start in visited
        )

    def lines(self):
        """State -> the lines (own, slope) of all policies from there that end; without discount only of these."""
        result = {s: set() for s in range(LIVE)}
        for policy in itertools.product(range(ACTIONS), repeat=LIVE):
            for state in range(LIVE):
                if self.discount == 1 and not self.ends(policy, state):
                    continue
                visited = sorted(self.reach(policy, state))
                matrix = [
                    [Fraction(s == t) - self.discount * self.chance(s, policy[s], t) for t in visited] for s in visited
                ]
                right = [(self.mean(s, policy[s], 1), self.mean(s, policy[s], 2)) for s in visited]
                result[state].add(tuple(solve(matrix, right)[visited.index(state)]))
        return result

    def limits(self, lines):
        """State -> between which coefficients no policy gains for ever on a way that may still end."""
        result = {}
        free = dict.fromkeys(range(LIVE), (-INFINITE, INFINITE))
        if self.discount < 1:
            return free
        can_end = {s: bool(lines[s]) for s in range(LIVE)} | dict.fromkeys(range(LIVE, STATES), True)
        allowed = {sa for sa, outcomes in self.steps.items() if all(can_end[each[3]] for each in outcomes)}
        near = {
            s: {each[3] for (t, a) in allowed if t == s for each in self.steps[t, a] if each[3] < LIVE} for s in free
        }
        for state in range(LIVE):
            found, queue = {state}, [state]
            while queue:
                for after in near[queue.pop()] - found:
                    found.add(after)
                    queue.append(after)
            low, high = -INFINITE, INFINITE
            for policy in itertools.product(range(ACTIONS), repeat=LIVE):
                for start in found:
                    ring = self.reach(policy, start)
                    closed = all((s, policy[s]) in allowed for s in ring) and all(
                        each[3] < LIVE for s in ring for each in self.steps[s, policy[s]]
                    )
                    if not closed or any(self.reach(policy, s) != ring for s in ring):
                        continue
                    own, slope = self.gain(policy, sorted(ring))
                    if slope > 0:
                        high = min(high, -own / slope)
                    elif slope < 0:
                        low = max(low, -own / slope)
                    elif own > 0:
                        low, high = INFINITE, -INFINITE
            result[state] = (low, high)
        return result

    def gain(self, policy, ring):
        """Average own and swept reward of a step in a recurrent class."""
        balance = [[self.chance(s, policy[s], t) - Fraction(s == t) for s in ring] for t in ring[:-1]]
        total = [[Fraction(1)] * len(ring)]
        share = solve(balance + total, [(Fraction(0),)] * (len(ring) - 1) + [(Fraction(1),)])
        weight = [row[0] for row in share]
        return tuple(
            sum(w * self.mean(s, policy[s], what) for w, s in zip(weight, ring, strict=True)) for what in (1, 2)
        )


def find_plain_values(reward):
    """(state, action) -> lines in fractions, none where no policy ends; and the finite coefficients of each state."""
    plain = Plain(reward)
    lines = plain.lines()
    limits = plain.limits(lines)
    values, finite = {}, {}
    for (s, a), outcomes in plain.steps.items():
        value = {(plain.mean(s, a, 1), plain.mean(s, a, 2))}
        low, high = -INFINITE, INFINITE
        for chance, _, _, after in outcomes:
            if after < LIVE:
                rest = lines[after]
                value = {
                    (x + chance * plain.discount * u, y + chance * plain.discount * v)
                    for x, y in value
                    for u, v in rest
                }
        if value:
            for *_, after in outcomes:
                if after < LIVE:
                    low, high = max(low, limits[after][0]), min(high, limits[after][1])
        values[s, a], finite[s, a] = value, (low, high)
    return values, finite


def check(number):
    reward = make_world(number)
    values, finite = find_plain_values(reward)
    low, high = max(each[0] for each in finite.values()), min(each[1] for each in finite.values())
    if not low < high:
        with pytest.raises(NoPlan):
            find_choice_values([reward], range(LIVE))
        return "none"
    (found,) = find_choice_values([reward], range(LIVE))
    assert found.finite == pytest.approx((float(low), float(high)), rel=1e-9, abs=1e-12), number
    points = [Fraction(n, 7) for n in (-70, -20, -9, -4, -1, 0, 2, 5, 8, 13, 40, 90)]
    inside = [point for point in points if low < point < high]
    for at, lines in values.items():
        mine = found.lines[at]
        assert bool(len(mine)) == bool(lines), (number, at)
        for point in inside:
            if lines:
                want = float(max(own + point * slope for own, slope in lines))
                assert float((mine[:, 0] + float(point) * mine[:, 1]).max()) == pytest.approx(want, rel=1e-9, abs=1e-9)
    return "some" if (low, high) != (-INFINITE, INFINITE) else "all"


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_action_values_are_those_of_all_policies_in_fractions(first):
    """In 1,000 worlds, among them many with endless policies, dead ends, and coefficients without a finite optimum."""
    kinds = [check(number) for number in range(first, first + 100)]
    assert kinds.count("none") >= 1
    assert min(kinds.count("some"), kinds.count("all")) >= 10


class SeveralWorlds:
    """Worlds side by side, for `plain_log_evidence`: the state s of world n is called (n, s)."""

    def __init__(self, rewards):
        self.lines, self.steps, self.finite = {}, {}, (-INFINITE, INFINITE)
        for n, reward in enumerate(rewards):
            values, finite = find_plain_values(reward)
            self.steps |= {((n, s), a): outcomes for (s, a), outcomes in Plain(reward).steps.items()}
            self.lines |= {
                ((n, s), a): sorted((float(x), float(y)) for x, y in each) for (s, a), each in values.items()
            }
            self.finite = (
                max(self.finite[0], *(float(each[0]) for each in finite.values())),
                min(self.finite[1], *(float(each[1]) for each in finite.values())),
            )

    def solve(self, care):
        """(state, action) -> (value, slope)."""
        best = {
            at: max(each, key=lambda line: line[0] + care * line[1], default=None) for at, each in self.lines.items()
        }
        return {at: (-INFINITE, 0.0) if x is None else (x[0] + care * x[1], x[1]) for at, x in best.items()}

    def find_kinks(self, at):
        """Every crossing of two lines: more cuts than are needed."""
        pairs = itertools.combinations(self.lines[at], 2)
        return {(one[0] - other[0]) / (other[1] - one[1]) for one, other in pairs if one[1] != other[1]}


def draw_counts(worlds, care, temperature, slip, steps, seed):
    """((world, state), action) -> how often an agent of the model takes it, in states at random."""
    random = np.random.default_rng(seed)
    found, counts = worlds.solve(care), {}
    states = sorted({state for state, _ in worlds.steps})
    for _ in range(steps):
        state = states[random.integers(len(states))]
        chances = compute_chances(np.array([found[state, a][0] for a in range(ACTIONS)]), temperature, slip)
        action = int(random.choice(ACTIONS, p=chances))
        counts[state, action] = counts.get((state, action), 0) + 1
    return counts


@pytest.mark.parametrize(
    ("numbers", "care", "temperature"),
    [
        ((1,), 0.4, 0.3),
        ((2,), -0.6, 0.1),
        ((51,), 0.2, 2.0),
        ((34,), 1.0, 0.1),
        ((6, 38), 0.3, 0.5),
        ((17, 29, 54), -0.2, 0.2),
    ],
)
def test_log_evidence_is_that_of_plain_quadrature(numbers, care, temperature):
    """Also of several worlds at once, with chance, endless policies and coefficients that have no prior."""
    rewards = [make_world(number) for number in numbers]
    worlds = SeveralWorlds(rewards)
    counts = draw_counts(worlds, care, temperature, 0.1, 40, sum(numbers))
    found = [find_choice_values([reward], range(LIVE))[0] for reward in rewards]
    choices = Choices.of(
        (found[n], s, {a: float(counts.get(((n, s), a), 0)) for a in range(ACTIONS)})
        for n in range(len(rewards))
        for s in range(LIVE)
    )
    assert (choices.low, choices.high) == pytest.approx(worlds.finite)
    for exact, compute in ((False, integrate), (True, integrate_exact)):
        want = plain_log_evidence(worlds, counts, exact=exact, finite=worlds.finite)
        assert compute(choices, Prior()).log_evidence == pytest.approx(want, abs=1e-6)
