"""Missing actions and transitions that end the episode: every planner against brute force in exact fractions."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadValue, ContractBroken, NoPlan
from engine.learning.q_learning import QLearningSettings, find_greedy_policy, learn_action_values
from engine.mdp.mdp import Outcome, TabularMDP
from engine.mdp.policies import rollout
from engine.mdp.reachability import has_proper_policy
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import Solution, plan, policy_iteration, value_iteration
from engine.planning.finite_horizon import plan_finite_horizon
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from tests.engine.ragged_worlds import Chancy, ChancyOneByOne, Ragged, Way, chancy, ragged

EXAMPLES = 120
DISCOUNTS = st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(7, 8)])
COEFFICIENTS = st.integers(-32, 32).map(lambda n: Fraction(n, 8))


def best_values(world: Ragged, discount: Fraction, care: Fraction = Fraction(0)) -> dict[int, float]:
    """The optimum from every state, by trying every policy; -inf where every policy may go on for ever."""
    each = [world.value(policy, discount, care) for policy in world.policies()]
    return {
        s: max((float(v) for values in each if (v := values[s]) is not None), default=-math.inf) for s in world.ways
    }


def chosen(world: Ragged, mdp: TabularMDP, policy: Any) -> dict[int, int]:
    """A policy of the table as one of the world, which has that action there."""
    actions = {mdp.states[n]: int(policy[n]) for n in range(len(mdp.states)) if not mdp.terminal[n]}
    assert all(actions[s] in world.ways[s] for s in actions)
    return {s: actions.get(s, next(iter(row))) for s, row in world.ways.items() if row}


def assert_optimal(world: Ragged, mdp: TabularMDP, solution: Solution, discount: Fraction) -> None:
    """Values, action values and what the policy earns, against brute force."""
    best, earned = best_values(world, discount), world.value(chosen(world, mdp, solution.policy), discount)
    for n, state in enumerate(mdp.states):
        expected = 0.0 if mdp.terminal[n] else best[state]
        assert solution.value[n] == pytest.approx(expected, abs=1e-9)
        if not mdp.terminal[n] and math.isfinite(expected):
            assert earned[state] is not None
            assert float(earned[state] or 0) == pytest.approx(expected, abs=1e-9)
        missing = [a for a in range(len(mdp.actions)) if not mdp.terminal[n] and a not in world.ways[state]]
        assert np.isneginf(solution.action_value[n, missing]).all()


@given(ragged(successors=3), DISCOUNTS)
@settings(max_examples=EXAMPLES, deadline=None)
def test_discounted_planners_find_the_optimum(world: Ragged, discount: Fraction) -> None:
    mdp = tabulate(world, float(discount))
    for solution in (plan(mdp), policy_iteration(mdp), value_iteration(mdp)):
        assert_optimal(world, mdp, solution, discount)


@given(ragged(successors=3, late=True))
@settings(max_examples=EXAMPLES, deadline=None)
def test_undiscounted_stochastic_plans_find_the_optimum(world: Ragged) -> None:
    mdp = tabulate(world)
    assert_optimal(world, mdp, plan(mdp), Fraction(1))
    proper = best_values(world, Fraction(1))
    for n, state in enumerate(mdp.states):
        assert has_proper_policy(mdp)[n] == (mdp.terminal[n] or math.isfinite(proper[state]))


@given(ragged(successors=1, late=True))
@settings(max_examples=EXAMPLES, deadline=None)
def test_shortest_paths_find_the_optimum(world: Ragged) -> None:
    mdp = tabulate(world)
    assert mdp.is_deterministic
    assert_optimal(world, mdp, plan(mdp), Fraction(1))


@given(ragged(successors=2), st.integers(0, 5))
@settings(max_examples=EXAMPLES, deadline=None)
def test_backward_induction_finds_the_optimum(world: Ragged, steps: int) -> None:
    mdp = tabulate(world)
    values: dict[int, Fraction] = dict.fromkeys(world.ways, Fraction(0))
    for _ in range(steps):
        later = values
        values = {
            s: max((_backed(world, s, a, later) for a in row), default=Fraction(0)) for s, row in world.ways.items()
        }
    solution = plan_finite_horizon(mdp, steps)
    for n, state in enumerate(mdp.states):
        assert solution.value[n] == pytest.approx(0.0 if mdp.terminal[n] else float(values[state]), abs=1e-9)
    chosen(world, mdp, solution.policy)


def _backed(world: Ragged, state: int, action: int, later: dict[int, Fraction]) -> Fraction:
    listed = world.ways[state][action]
    total = sum(way.weight for way in listed)
    return sum(
        (Fraction(way.weight, total) * (way.reward + (0 if way.ends else later[way.state])) for way in listed),
        Fraction(0),
    )


def assert_segments(world: Ragged, discount: Fraction, cares: list[Fraction]) -> None:
    """At every coefficient the segment earns the optimum, and its policy or path earns the segment's line."""
    mdp = tabulate(world, float(discount))
    segments = find_segments(mdp, world.auxiliary(mdp), 0)
    for care in cares:
        segment = find_segment_at(segments, float(care))
        best = best_values(world, discount, care)[0]
        assert segment.line.at(float(care)) == pytest.approx(best, abs=1e-7)
        if segment.policy is not None:
            assert _line(world, chosen(world, mdp, segment.policy), discount) == pytest.approx(segment.line, abs=1e-7)
        for n, action in zip(segment.path, segment.actions, strict=False):
            assert action in world.ways[mdp.states[n]]


def _line(world: Ragged, policy: dict[int, int], discount: Fraction) -> tuple[float, float]:
    own, both = (world.value(policy, discount, Fraction(care))[0] for care in (0, 1))
    assert own is not None
    assert both is not None
    return float(own), float(both - own)


@given(ragged(successors=2), DISCOUNTS, st.lists(COEFFICIENTS, min_size=3, max_size=3))
@settings(max_examples=EXAMPLES, deadline=None)
def test_discounted_segments_are_optimal(world: Ragged, discount: Fraction, cares: list[Fraction]) -> None:
    assert_segments(world, discount, cares)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("successors", [1, 2])
def test_undiscounted_segments_are_optimal(successors: int) -> None:
    @given(ragged(successors=successors, late=True), st.lists(COEFFICIENTS, min_size=3, max_size=3))
    @settings(max_examples=EXAMPLES, deadline=None)
    def check(world: Ragged, cares: list[Fraction]) -> None:
        if math.isfinite(best_values(world, Fraction(1))[0]):
            assert_segments(world, Fraction(1), cares)
        else:
            mdp = tabulate(world)
            with pytest.raises(NoPlan):
                find_segments(mdp, world.auxiliary(mdp), 0)

    check()


@given(ragged(successors=1, late=True), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_q_learning_takes_available_actions_alone(world: Ragged, key: int) -> None:
    mdp = tabulate(world, 0.875)
    action_value = learn_action_values(mdp, key, QLearningSettings(steps=4000, episode_steps=20))
    for n, state in enumerate(mdp.states):
        missing = [] if mdp.terminal[n] else [a for a in range(len(mdp.actions)) if a not in world.ways[state]]
        assert np.isneginf(action_value[n, missing]).all()
    chosen(world, mdp, find_greedy_policy(action_value))
    assert action_value[0].max() == pytest.approx(best_values(world, Fraction(7, 8))[0], abs=1e-6)


@pytest.mark.slow
@given(chancy())
@settings(max_examples=150, deadline=None)
def test_columns_and_single_states_give_the_same_table(world: Chancy) -> None:
    fast, plain = tabulate(world, 0.9), tabulate(ChancyOneByOne(world), 0.9)
    assert list(fast.states) == list(plain.states)
    for name in ("next_state", "reward", "terminal", "start"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(plain, name))
    np.testing.assert_allclose(fast.probability, plain.probability, atol=1e-12)
    np.testing.assert_allclose(fast.probability.sum(axis=2), 1.0)
    np.testing.assert_array_equal(
        fast.action_mask(range(len(fast.states))), plain.action_mask(range(len(plain.states)))
    )
    assert dict(fast.index) == dict(plain.index)
    for state, number in fast.index.items():
        assert fast.states[number] == state
        if not world.is_terminal(state) and fast.terminal[number]:
            others = [n for n, other in enumerate(fast.states) if other == state]
            assert others == [number]


def test_an_ended_state_stands_beside_the_one_in_which_one_can_go_on() -> None:
    leave, stay = Way(0, 5, 0, 1, True), Way(0, -1, 0, 1, False)
    mdp = tabulate(Ragged(2, {0: {0: [stay], 1: [leave]}}))
    assert mdp.states == (0, 0)
    assert mdp.index == {0: 0}
    assert list(mdp.terminal) == [False, True]
    assert mdp.available is None
    episode = rollout(mdp, lambda state: 1, 0, 10)
    assert (episode.ending, episode.states, episode.total()) == ("terminated", (0, 0), 5.0)


def test_with_available_needs_an_action_in_every_state() -> None:
    mdp = tabulate(Ragged(2, {0: {0: [Way(1, 0, 0, 1, False)], 1: [Way(1, -3, 0, 1, False)]}, 1: {}}))
    dear = mdp.with_available(np.array([[False, True], [False, False]]))
    assert plan(dear).value[0] == -3.0
    assert plan(dear).policy[0] == 1
    assert dear.with_reward(np.array([[[7.0], [2.0]], [[0.0], [0.0]]])).reward[0, 0, 0] == 2.0
    assert mdp.with_available(np.ones((2, 2), dtype=np.bool_)).available is None
    for wrong in (np.zeros((2, 2), dtype=np.bool_), np.ones((3, 2), dtype=np.bool_)):
        with pytest.raises(BadValue, match="with_available"):
            mdp.with_available(wrong)


class Wrong(Ragged):
    """A model whose outcomes are of a wrong type."""

    def __init__(self, given: Any) -> None:
        super().__init__(1, {0: {}})
        self.given = given

    def is_terminal(self, state: int) -> bool:
        return False

    def outcomes(self, state: int, action: int) -> Any:
        return self.given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no action is available in state 0"),
        ([(1, 0.0)], "outcomes gave .*; expected an Outcome"),
        ([Outcome(0, "much")], "outcomes gave 'much'; expected a number as reward"),  # type: ignore[arg-type]
        ([Outcome(0, 0.0, "all")], "outcomes gave 'all'; expected a number as probability"),  # type: ignore[arg-type]
        ([Outcome([], 0.0)], "expected a state that can be hashed"),  # type: ignore[arg-type]
        (None, "Wrong, outcomes: .*TypeError|Wrong: outcomes gave None"),
    ],
)
def test_wrong_outcomes_name_the_method(given: Any, message: str) -> None:
    with pytest.raises(ContractBroken, match=message) as caught:
        tabulate(Wrong(given))
    assert "class Wrong" in str(caught.value)
    assert "\n" not in str(caught.value)


class FromGymnasium:
    """A table `P[s][a] = [(p, s', r, terminated)]` as a `Model`."""

    def __init__(self, table: Any, start: Any) -> None:
        self.table, self.start = table, start
        self.actions = tuple(map(str, range(max(len(row) for row in table.values()))))

    def starts(self) -> dict[int, float]:
        chances = np.asarray(self.start, dtype=float)
        return {int(n): float(chances[n] / chances.sum()) for n in np.flatnonzero(chances)}

    def is_terminal(self, state: int) -> bool:
        return False

    def outcomes(self, state: int, action: int) -> list[Outcome]:
        return [Outcome(s, float(r), float(p), bool(over)) for p, s, r, over in self.table[state].get(action, [])]


@pytest.mark.parametrize("name", ["FrozenLake", "CliffWalking", "Taxi"])
def test_gymnasiums_own_tables_are_solved_as_they_stand(name: str) -> None:
    """Against value iteration on the table itself, in which a terminated transition has no future."""
    import gymnasium

    newest = max(each for each in gymnasium.registry if re.fullmatch(rf"{name}-v\d", each))
    world: Any = gymnasium.make(newest).unwrapped
    table, start = world.P, world.initial_state_distrib
    mdp = tabulate(FromGymnasium(table, start), 0.875)
    best = dict.fromkeys(table, 0.0)
    for _ in range(250):
        best = {
            s: max(sum(p * (r + 0.875 * best[t] * (not over)) for p, t, r, over in row[a]) for a in row)
            for s, row in table.items()
        }
    solution = plan(mdp)
    for n, state in enumerate(mdp.states):
        expected = 0.0 if mdp.terminal[n] else best[state]
        assert solution.value[n] == pytest.approx(expected, abs=1e-9)
    reached = [outcome for state in mdp.index for row in table[state].values() for outcome in row]
    assert {mdp.states[n] for n in np.flatnonzero(mdp.terminal)} == {t for p, t, _, over in reached if over and p}
