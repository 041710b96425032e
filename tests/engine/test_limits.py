"""Cycles of positive reward, steps between states, and undiscounted paths with positive steps."""

import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadValue, NoPlan
from engine.mdp.mdp import Outcome
from engine.mdp.reachability import Reachability, find_proper_states, keep_reachable_part
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.lexicographic import PairIteration
from engine.planning.trade_off.coefficient_limits import find_limit
from engine.planning.trade_off.envelope import undo_rounding
from engine.planning.trade_off.optimal_segments import find_segment_at, find_segments
from tests.engine.test_asynchronous import harmful
from tests.engine.test_policy_evaluation import made


class Ring:
    """Rooms 0 and 1 and an end: go on round the rooms, or leave from room 1."""

    actions = ("on", "leave")

    def __init__(self, on=(-1.0, -1.0), leave=-1.0):
        self.on, self.leave = on, leave

    def starts(self):
        return {0: 1.0}

    def outcomes(self, state, action):
        if action == 1 and state == 1:
            return [Outcome("end", self.leave)]
        return [Outcome(1 - state, self.on[state])]

    def is_terminal(self, state):
        return state == "end"


def entering(mdp, state, amount):
    """f64[S, A, K]: an amount on every step of one state."""
    extra = np.zeros(mdp.reward.shape)
    extra[mdp.index[state]] = amount
    return extra


def limit(mdp, auxiliary, sign):
    """The limit on one side, searched from infinity."""
    return find_limit(PairIteration(mdp, auxiliary), mdp, 0, sign)


def test_the_limit_is_where_the_cycle_has_reward_0():
    mdp = tabulate(Ring((-1.0, -2.0)))
    spite = entering(mdp, 0, -4.0)
    assert limit(mdp, spite, -1.0).coefficient == pytest.approx(-3 / 4)
    high = limit(mdp, spite, 1.0)
    assert (high.coefficient, high.policy) == (math.inf, None)
    policy = limit(mdp, spite, -1.0).policy
    assert policy is not None
    assert not find_proper_states(mdp, policy)[0]


def test_segments_stop_at_the_limit_and_say_what_lies_beyond():
    mdp = tabulate(Ring((-1.0, -2.0)))
    endless, *ending = find_segments(mdp, entering(mdp, 0, -4.0), 0)
    assert (endless.start, endless.stop, endless.line.own) == (-math.inf, pytest.approx(-0.75), -math.inf)
    assert endless.path[-1] in endless.path[:-1]
    assert [segment.line.own for segment in ending] == [-2.0]
    assert find_segment_at([endless, *ending], -1.0) is endless
    assert find_segment_at([endless, *ending], -0.75) is ending[0]  # at the limit itself the loop gains nothing


class SlipperyRing(Ring):
    """The ring, in which going on fails half of the time."""

    def outcomes(self, state, action):
        if action == 1 and state == 1:
            return [Outcome("end", self.leave)]
        return [Outcome(1 - state, self.on[state], 0.5), Outcome(state, self.on[state], 0.5)]


def test_stochastic_worlds_have_limits_too():
    """Each room takes two steps on average: 2 (-1 - 4c) + 2 (-2) = 0 at c = -3/4."""
    mdp = tabulate(SlipperyRing((-1.0, -2.0)))
    endless, ending = find_segments(mdp, entering(mdp, 0, -4.0), 0)
    assert endless.stop == ending.start == pytest.approx(-0.75)
    assert endless.policy is not None
    assert not find_proper_states(mdp, endless.policy)[0]
    assert ending.line == pytest.approx((-3.0, -8.0))


def test_where_both_limits_meet_the_line_shrinks_to_a_point():
    """From room 0 a loop of auxiliary reward 1 and one of -1 are free: only a coefficient of 0 has a finite optimum."""
    next_state = np.array([[[1], [0], [0]], [[1], [1], [1]]], dtype=np.int32)
    ring = tabulate(Ring())
    mdp = replace(
        ring,
        states=(0, "end"),
        index={0: 0, "end": 1},
        actions=("leave", "gain", "lose"),
        next_state=next_state,
        probability=np.ones(next_state.shape),
        reward=np.zeros(next_state.shape),
        terminal=np.array([False, True]),
        start=np.array([1.0, 0.0]),
    )
    auxiliary = np.zeros(next_state.shape)
    auxiliary[0, 1], auxiliary[0, 2] = 1.0, -1.0
    segments = find_segments(mdp, auxiliary, 0)
    assert [segment.line.own for segment in segments] == [-math.inf, 0.0, -math.inf]
    assert find_segment_at(segments, 0.0).line == (0.0, 0.0)
    assert find_segment_at(segments, 0.1).line.own == find_segment_at(segments, -0.1).line.own == -math.inf


def test_positive_cycles_of_the_own_reward_have_no_trade_off():
    mdp = tabulate(Ring((1.0, 1.0)))
    with pytest.raises(NoPlan, match="a cycle has positive reward"):
        limit(mdp, np.zeros(mdp.reward.shape), 1.0)
    solution = plan(mdp)
    assert solution.value.tolist() == [math.inf, math.inf, 0.0]
    assert evaluate_policy(mdp, solution.policy).tolist() == [math.inf, math.inf, 0.0]


def test_cycles_out_of_reach_do_not_count():
    mdp = tabulate(Ring(), starts={0: 0.5, "end": 0.5})
    assert keep_reachable_part(mdp, mdp.index["end"]).terminal.all()


@st.composite
def acyclic_gains(draw):
    """A random table without positive cycles: rewards are differences of heights, less a cost."""
    n = draw(st.integers(3, 8))
    height = [draw(st.integers(-6, 6)) for _ in range(n)]
    links = [[draw(st.integers(0, n - 1)) for _ in range(3)] for _ in range(n)]
    cost = [[draw(st.integers(0, 3)) for _ in range(3)] for _ in range(n)]

    class Heights:
        actions = ("a", "b", "c")

        def starts(self):
            return {0: 1.0}

        def outcomes(self, state, action):
            target = links[state][action] if action else state + 1
            return [Outcome(target, float(height[target] - height[state] - cost[state][action] - 0.5))]

        def is_terminal(self, state):
            return state == n - 1

    return tabulate(Heights())


@settings(deadline=None, max_examples=100)
@given(mdp=acyclic_gains())
def test_paths_with_positive_steps_are_longest_paths(mdp):
    graph = nx.DiGraph()
    for state, action in np.ndindex(mdp.next_state.shape[:2]):
        target, weight = int(mdp.next_state[state, action, 0]), -float(mdp.reward[state, action, 0])
        if not mdp.terminal[state] and weight < graph.get_edge_data(state, target, {"weight": math.inf})["weight"]:
            graph.add_edge(state, target, weight=weight)
    solution = plan(mdp)
    [end] = np.flatnonzero(mdp.terminal)
    for state in range(len(mdp.terminal)):
        best = -nx.bellman_ford_path_length(graph, state, int(end))
        assert solution.value[state] == pytest.approx(best)
    assert evaluate_policy(mdp, solution.policy) == pytest.approx(solution.value)
    assert find_proper_states(mdp, solution.policy).all()


@settings(deadline=None, max_examples=50)
@given(mdp=acyclic_gains())
def test_steps_to_a_goal_are_shortest_paths(mdp):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(mdp.terminal)))
    for state, action in np.ndindex(mdp.next_state.shape[:2]):
        graph.add_edge(int(mdp.next_state[state, action, 0]), state)
    reachability = Reachability(mdp)
    for goal in range(len(mdp.terminal)):
        lengths = nx.single_source_shortest_path_length(graph, goal)
        assert reachability.steps_to(goal).tolist() == [lengths.get(state, -1) for state in range(len(mdp.terminal))]


def test_reachability_needs_a_deterministic_table():
    class Coin(Ring):
        def outcomes(self, state, action):
            return [Outcome(0, 0.0, 0.5), Outcome("end", 0.0, 0.5)]

    with pytest.raises(BadValue, match="stochastic"):
        Reachability(tabulate(Coin()))


@pytest.mark.parametrize(
    ("number", "plain"), [(25.000000000000007, 25.0), (1 / 972, 1 / 972), (math.pi, math.pi), (0.1 + 0.2, 0.3)]
)
def test_rounding_is_undone_and_nothing_else(number, plain):
    assert undo_rounding(number, 0.0) == plain


def average_harm(mdp, harm):
    """The largest average of -harm over steps that never end, by relative value iteration on lazy steps."""
    inside = ~(mdp.terminal[mdp.next_state] & (mdp.probability > 0)).any(axis=2) & ~mdp.terminal[:, None]
    reward, value = (mdp.probability * -harm).sum(axis=2), np.zeros(len(mdp.terminal))
    for _ in range(100_000):
        action_value = np.where(inside, reward + (mdp.probability * value[mdp.next_state]).sum(axis=2), -np.inf)
        change = (np.where(mdp.terminal, 0.0, action_value.max(axis=1)) - value)[~mdp.terminal] / 2
        value[~mdp.terminal] += change
        if change.max() - change.min() < 1e-13:
            break
        value[~mdp.terminal] -= change.min()
    return 2 * change.max()


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("number", [5, 7])
def test_a_cycle_that_is_left_once_in_a_very_long_time_does_not_hide_the_limit(number):
    """A step costs 1; on a slippery grid policies come about that all but circle: they end after 10^17 steps."""
    mdp, harm = harmful(16, number)
    segments = find_segments(mdp, harm, 0)
    assert segments[0].line.own == -math.inf
    assert segments[1].start == pytest.approx(-1 / average_harm(mdp, harm), rel=1e-9)
    for coefficient in (0.5 * segments[1].start, 0.0, 1.0, 10.0):
        best = plan(mdp.with_reward(mdp.reward + coefficient * harm)).value[0]
        assert find_segment_at(segments, coefficient).line.at(coefficient) == pytest.approx(best, rel=1e-9)


def test_a_policy_that_takes_too_long_to_evaluate_is_refused():
    """One step up of 128 succeeds, the others lead to the bottom: 128^11 steps."""
    rungs = np.arange(12)
    next_state = np.stack([np.minimum(rungs + 1, 11), 0 * rungs], axis=1)[:, None, :]
    probability = np.broadcast_to(np.array([1 / 128, 127 / 128]), next_state.shape).copy()
    mdp = made(next_state, probability, -np.ones(next_state.shape), [11], 1.0)
    with pytest.raises(NoPlan, match="steps to its end"):
        evaluate_policy(mdp, np.zeros(12, dtype=np.int32))
    with pytest.raises(NoPlan, match="steps to its end"):
        find_segments(mdp, np.zeros(next_state.shape), 0)


class Trapdoor:
    """Leave from the room, or take a step that may lead into the cellar, from which there is no way out."""

    actions = ("leave", "down")

    def __init__(self, down=1.0, below=("cellar",)):
        self.down, self.below = down, below

    def starts(self):
        return {"room": 1.0}

    def outcomes(self, state, action):
        if state != "room":
            return [Outcome(state, -3.0)]
        if action == 0:
            return [Outcome("end", -4.0)]
        rest = [Outcome("end", -1.0, 1.0 - self.down)] if self.down < 1.0 else []
        return rest + [Outcome(below, -1.0, self.down / len(self.below)) for below in self.below]

    def is_terminal(self, state):
        return state == "end"


@pytest.mark.parametrize("down", [1.0, 0.25])
def test_a_gain_where_no_episode_can_end_is_a_limit(down):
    mdp = tabulate(Trapdoor(down))
    room = mdp.index["room"]
    ending, endless = find_segments(mdp, entering(mdp, "cellar", 3.0), room)
    assert (ending.start, ending.stop, ending.line) == (-math.inf, 1.0, (-4.0, 0.0))
    assert (endless.start, endless.line.own) == (1.0, -math.inf)
    assert endless.policy[room] == 1
    losing = [segment.stop for segment in find_segments(mdp, entering(mdp, "cellar", -3.0), room)]
    assert losing == [-1.0, math.inf]
    inside = find_segments(mdp, entering(mdp, "cellar", 3.0), room, (-5.0, 1.0))
    assert [segment.stop for segment in inside] == [1.0]
    assert [s.line.own for s in find_segments(mdp, entering(mdp, "cellar", 3.0), room, (2.0, 5.0))] == [-math.inf]
    with pytest.raises(NoPlan, match="positive reward at every coefficient"):
        find_segments(mdp.with_reward(-mdp.reward), np.zeros(mdp.reward.shape), room)


def test_a_gain_that_risks_a_loss_for_ever_is_no_limit():
    mdp = tabulate(Trapdoor(0.5, ("cellar", "dungeon")))
    (segment,) = find_segments(mdp, entering(mdp, "cellar", 3.0), mdp.index["room"])
    assert (segment.start, segment.stop, segment.line) == (-math.inf, math.inf, (-4.0, 0.0))


def test_an_end_that_is_lost_in_rounding_is_refused_in_one_line() -> None:
    """Two rooms in turn, left with probability 10^-17: their equations are singular in floating point."""
    next_state = np.array([[[1, 1], [2, 2]], [[0, 2], [0, 2]], [[2, 2], [2, 2]]])
    probability = np.array([[[1.0, 0.0]] * 2, [[1.0 - 1e-17, 1e-17]] * 2, [[1.0, 0.0]] * 2])
    mdp = made(next_state, probability, np.where(next_state == 2, -5.0, -1.0), [2], 1.0)
    gain = np.where(next_state == 1, 1.0, 0.0) * (np.arange(3) == 0)[:, None, None]
    [segment] = find_segments(mdp, gain, 0, (0.0, 1.0))
    assert segment.line == (-5.0, 0.0)
    with pytest.raises(NoPlan, match="more steps than can be counted"):
        find_segments(mdp, gain, 0, (0.0, math.inf))
    with pytest.raises(NoPlan, match="steps to its end"):
        evaluate_policy(mdp, np.zeros(3, dtype=np.int32))
