"""Worlds of chance: the icy yard against an enumeration of its own in fractions, and chance in every other place."""

from __future__ import annotations

import heapq
import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caregrid.main import main
from craftworld.others.auxiliary_tasks import make_auxiliary_tasks
from craftworld.others.value_distribution import precompute, tabulate_newcomer
from craftworld.scenario import MOVES, Newcomer, Scenario, SimultaneousAgent, move, where
from craftworld.scenario_contract import check_scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.scenarios.icy_yard import ART, IcyYard
from craftworld.solution.episodes import film_episodes, make_episodes
from craftworld.solution.exact_solution import find_break_points, solve
from craftworld.solution.learning import Learning
from craftworld.solution.problem import make_problem
from craftworld.solution.sweep import sweep_by_learning
from engine.errors import BadValue, MapError
from engine.learning.q_learning import QLearningSettings
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import evaluate_policy, plan
from engine.planning.finite_horizon import compute_limited_return, compute_step_rewards, count_visits_within
from tests.engine.ragged_worlds import Chancy, chancy

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
SLIPS = st.sampled_from([Fraction(n, 8) for n in range(7)])
WALLS = [(r, c) for r in range(1, 4) for c in range(1, 8)]


def yard(closed: frozenset[tuple[int, int]], iced: frozenset[tuple[int, int]]) -> str:
    """The paper-free yard with some cells walled up, others frozen; features stay."""
    rows = [list(row) for row in ART.strip().split("\n")]
    for r, c in WALLS:
        if rows[r][c] in ".~#":
            rows[r][c] = "#" if (r, c) in closed else "~" if (r, c) in iced else "."
    return "\n".join(map("".join, rows))


def cost(rows: list[str], begin: Any, slip: Fraction, sandable: bool, sanded: int) -> dict[int, Fraction]:
    """The least expected cost of leaving, by the state of the sand in the end: Dijkstra over (cell, sand), exactly.

    A step from ice that fails with probability p and is then tried again costs 1 + 3 p / (1 - p) on average.
    """
    best: dict[tuple[Any, int], Fraction] = {}
    heap: list[tuple[Fraction, Any, int]] = [(Fraction(0), begin, sanded)]
    ends: dict[int, Fraction] = {}
    while heap:
        spent, (r, c), sand = heapq.heappop(heap)
        if ((r, c), sand) in best:
            continue
        best[(r, c), sand] = spent
        glyph = rows[r][c]
        if glyph == "E":
            ends.setdefault(sand, spent + 1)
        if sandable and glyph == "S" and sand == 0:
            heapq.heappush(heap, (spent + 1, (r, c), 1))
        if sandable and glyph == "~" and sand == 1:
            heapq.heappush(heap, (spent + 1, (r, c), 2))
        for dr, dc in STEPS.values():
            if rows[r + dr][c + dc] != "#":
                falls = 3 * slip / (1 - slip) if glyph == "~" and sand != 2 else Fraction(0)
                heapq.heappush(heap, (spent + 1 + falls, (r + dr, c + dc), sand))
    return ends


def place(rows: list[str], glyph: str) -> tuple[int, int]:
    return next((r, row.index(glyph)) for r, row in enumerate(rows) if glyph in row)


def others_values(rows: list[str], slip: Fraction, frail: Fraction, spread: bool) -> tuple[Fraction, Fraction]:
    """The postman's and the neighbour's expected returns."""

    def walk(begin: str, risk: Fraction) -> Fraction:
        return -cost(rows, place(rows, begin), risk, False, 2 if spread else 0)[2 if spread else 0]

    return walk("G", slip), (walk("G", frail) + walk("L", frail)) / 2


@given(
    st.frozensets(st.sampled_from(WALLS), max_size=3),
    st.frozensets(st.sampled_from(WALLS), min_size=1, max_size=12),
    SLIPS,
    SLIPS,
    st.lists(st.integers(-24, 40).map(lambda n: Fraction(n, 8)), min_size=2, max_size=3),
)
@settings(max_examples=40, deadline=None)
def test_the_icy_yard_against_an_enumeration_of_its_own(
    closed: frozenset[Any], iced: frozenset[Any], slip: Fraction, frail: Fraction, cares: list[Fraction]
) -> None:
    art = yard(closed, iced)
    rows = art.split("\n")
    try:
        scenario = IcyYard(IcyYard.parse_map(art), slip=float(slip), frail=float(frail))
    except MapError:  # a wall in the way, or no ice left
        return
    problem = make_problem(scenario)
    ends = cost(rows, place(rows, "G"), slip, True, 0)
    values = {sand: others_values(rows, slip, frail, sand == 2) for sand in ends}
    for care in cares:
        best = max(-ends[sand] + care * sum(values[sand]) / 2 for sand in ends)
        outcome, _ = solve(problem, float(care))
        mean = sum(outcome.others.values()) / 2
        assert outcome.own + float(care) * mean == pytest.approx(float(best), abs=1e-7)
        assert any(
            outcome.own == pytest.approx(-float(ends[sand]), abs=1e-7)
            and list(outcome.others.values()) == pytest.approx([*map(float, values[sand])], abs=1e-7)
            for sand in ends
        )


def test_the_yard_by_hand() -> None:
    """3 ice cells cost a fall of -3 a third of the time each; sand costs 5 steps and saves others 2.5 on average."""
    problem = make_problem(IcyYard())
    assert find_break_points(problem, (0.0, 10.0)) == pytest.approx([2.0])
    careless, caring = solve(problem, 1.0)[0], solve(problem, 3.0)[0]
    assert (careless.own, careless.others) == (pytest.approx(-10), pytest.approx({"postman": -10, "neighbour": -8.5}))
    assert (caring.own, caring.others) == (pytest.approx(-15), pytest.approx({"postman": -7, "neighbour": -6.5}))
    assert caring.handover is None
    assert caring.actions == ()


def test_without_slipping_the_yard_is_deterministic() -> None:
    mdp = tabulate(IcyYard(slip=0.0))
    assert mdp.is_deterministic
    assert mdp.available is not None
    with pytest.raises(BadValue, match="frail = 1"):
        IcyYard(frail=1.0)
    with pytest.raises(BadValue, match="slip = nan"):
        IcyYard(slip=float("nan"))


def test_a_storyboard_of_the_yard() -> None:
    """Fetch sand, spread it on the ice and leave: what can be done where, and what it looks like."""
    scenario = IcyYard(slip=0.0)
    mdp = tabulate(scenario)
    state, story = int(mdp.start_states()[0]), []
    for action in [
        "down down right",
        "take sand",
        "left up up right right",
        "spread sand",
        "right right right right",
        "leave",
    ]:
        for name in [action] if action in scenario.actions else action.split():
            number = mdp.actions.index(name)
            assert mdp.action_mask(state)[number], name
            state = int(mdp.next_state[state, number, 0])
        story.append(scenario.describe(mdp.states[state]))
    assert [scene["sand"] for scene in story] == ["in the box", "carried", "carried", "spread", "spread", "spread"]
    assert mdp.terminal[state]
    assert not mdp.terminal[mdp.index[mdp.states[state]]]
    marks = {mark.name for mark in scenario.scene(mdp.states[state]).marks}
    assert "sand" in marks


def test_the_neighbour_comes_from_either_side() -> None:
    scenario = IcyYard()
    mdp = tabulate(scenario)
    postman, neighbour = scenario.newcomers()
    _, certain = tabulate_newcomer(scenario, mdp, postman)
    assert certain.probability.shape[1] == 1
    table, begins = tabulate_newcomer(scenario, mdp, neighbour)
    np.testing.assert_array_equal(begins.probability, 0.5)
    cells = {tuple(table.states[number].cell for number in row) for row in begins.number}
    assert cells == {(scenario.cell("gate"), scenario.cell("lane"))}
    assert {begins.draw(0, number) for number in (0.0, 0.49, 0.5, 0.99)} == set(begins.number[0].tolist())


def test_films_are_one_sample_and_say_so() -> None:
    problem = make_problem(IcyYard(slip=0.3))
    runs = [make_episodes(problem, 0.0, seed=seed) for seed in (0, 0, *range(1, 9))]
    assert film_episodes(runs[0]) == film_episodes(runs[1])
    assert len({run[0].episode.total() for run in runs}) > 1
    assert len({run[2].episode.start for run in runs}) == 2
    assert all("(sampled, seed 0)" in scene.caption for scene in film_episodes(runs[0]))
    certain = make_episodes(make_problem(IcyYard(slip=0.0, frail=0.0)), 0.0)
    assert "sampled" not in film_episodes(certain[:2])[0].caption
    assert certain[2].seed == 0  # where the neighbour comes from is chance all the same


def test_sampled_episodes_have_the_expected_return_on_average() -> None:
    problem = make_problem(IcyYard(slip=0.25))
    totals = [make_episodes(problem, 0.0, seed=seed)[0].episode.total() for seed in range(400)]
    assert np.mean(totals) == pytest.approx(-10.0, abs=4 * np.std(totals) / 20)


def test_learned_rows_take_expectations() -> None:
    problem = make_problem(IcyYard())
    acting = Learning(QLearningSettings(steps=200_000, learning_rate=0.02, epsilon=0.3), exact=True)
    [row] = sweep_by_learning(problem, [0.5], [0], acting, acting)
    assert row["own"] == pytest.approx(-10.0, abs=1.5)
    assert row["postman"] == pytest.approx(-10.0, abs=1.5)
    assert row["regret"] >= -1e-9


@given(chancy(), st.integers(0, 6), st.integers(0, 999))
@settings(max_examples=80, deadline=None)
def test_time_limits_take_expectations(world: Chancy, limit: int, seed: int) -> None:
    mdp = tabulate(world, 0.75)
    policy = mdp.executable(np.random.default_rng(seed).integers(0, 2, len(mdp.states)).astype(np.int32))
    states = np.arange(len(policy))
    matrix = np.zeros((len(states), len(states)))
    for slot in range(mdp.next_state.shape[2]):
        np.add.at(matrix, (states, mdp.next_state[states, policy, slot]), mdp.probability[states, policy, slot])
    reward = (mdp.probability * mdp.reward).sum(axis=2)[states, policy]
    value, present = np.zeros(len(states)), np.eye(len(states))[0]
    for _ in range(limit):
        value = reward + 0.75 * matrix @ value
        present = present @ matrix
    np.testing.assert_allclose(compute_limited_return(mdp, policy, limit), value, atol=1e-12)
    visits = count_visits_within(mdp, policy, 0, limit)
    np.testing.assert_allclose(visits.end, present, atol=1e-12)
    assert visits.acting @ compute_step_rewards(mdp, policy, mdp.reward) == pytest.approx(value[0], abs=1e-12)


class TrackState(NamedTuple):
    """cell: where the runner is; wet: whether it rains."""

    cell: int
    wet: int


class Track(Scenario):
    """A runner; rain begins and stops by chance whatever it does; a friend beside it likes rain."""

    art = "#######\n#S   E#\n#######"
    legend: ClassVar[dict[str, str]] = {"S": "start", "E": "exit"}
    once = ("start", "exit")
    entrance = "start"
    actions = MOVES
    default_formulation = "simultaneous"

    def __init__(self, grid: Any = None, *, rain: float = 0.25) -> None:
        super().__init__(grid)
        self.rain, self.sizes = rain, (len(self.grid.floor), 2)

    def starts(self) -> Any:
        return {TrackState(self.cell("start"), 0): 1.0}

    def step(self, state: Any, action: int) -> Any:
        return self.weather(state._replace(cell=move(self, state.cell, action)))

    def weather(self, state: Any) -> Any:
        return [(self.rain, state._replace(wet=1 - state.wet)), (1 - self.rain, state)]

    def inaction(self, state: Any) -> Any:
        return self.weather(state)

    def is_terminal(self, state: Any) -> Any:
        return self.at("exit")[state.cell]

    def simultaneous_agents(self) -> Any:
        return (SimultaneousAgent("friend", lambda state, action, after: where(after.wet == 1, 2.0, -1.0)),)

    def scene(self, state: Any) -> Any:
        return self.picture(state.cell)


def test_those_present_are_paid_by_expectation() -> None:
    check_scenario(Track)
    problem = make_problem(Track())
    outcome, _ = solve(problem, 0.0)
    wet, friend = Fraction(0), Fraction(0)
    for _ in range(4):
        wet = wet * Fraction(3, 4) + (1 - wet) * Fraction(1, 4)
        friend += 2 * wet - (1 - wet)
    assert (outcome.own, outcome.others["friend"]) == (pytest.approx(-4), pytest.approx(float(friend)))


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("discount", [0.5, 0.9, 1.0])
def test_tasks_are_worth_the_best_expected_discount(discount: float) -> None:
    """V_i by value iteration over a dictionary of transitions, for every state as the goal."""
    scenario = Track()
    mdp = tabulate(scenario, discount)
    tasks = make_auxiliary_tasks(scenario, mdp)
    cells = range(len(scenario.grid.floor))
    states = [TrackState(cell, wet) for cell in cells for wet in (0, 1)]
    first = next(tasks.values())
    assert len(first) == len(states)
    for value in tasks.values():
        goal = int(value.argmax())
        [target] = {mdp.states[n] for n in np.flatnonzero(tasks.state_index == goal)} or {None}
        if target is None:
            continue
        best = dict.fromkeys(states, 0.0) | {target: 1.0}
        for _ in range(2000):
            for state in states:
                if state != target:
                    ways = ((0.25, 1 - state.wet), (0.75, state.wet))
                    best[state] = discount * max(
                        sum(p * best[TrackState(int(scenario.moves[state.cell, a]), wet)] for p, wet in ways)
                        for a in range(4)
                    )
        for n, state in enumerate(mdp.states):
            assert value[tasks.state_index[n]] == pytest.approx(best[state], abs=1e-9)


def test_doing_nothing_by_chance_counts_by_expectation() -> None:
    problem = make_problem(Track(), "relative_reachability_stepwise_inaction", discount=0.9)
    lost = problem.compute_caring_rewards(int(problem.mdp.start_states()[0]))[1]
    tasks, mdp = problem.weighed, problem.mdp
    here, right = int(mdp.start_states()[0]), mdp.actions.index("right")
    expected = 0.0
    for value in tasks.values():  # type: ignore[attr-defined]
        at = {mdp.states[n]: value[tasks.state_index[n]] for n in range(len(mdp.states))}  # type: ignore[attr-defined]
        after = at[mdp.states[mdp.next_state[here, right, 0]]]
        start = mdp.states[here]
        idle = 0.25 * max(at[start._replace(wet=1)] - after, 0.0) + 0.75 * max(at[start] - after, 0.0)
        expected -= idle / len(tasks.probability)
    assert lost[here, right, 0] == pytest.approx(expected)
    with pytest.raises(BadValue, match="the inaction baseline is random"):
        make_problem(Track(), "relative_reachability_inaction", discount=0.9).segments  # noqa: B018


def test_without_chance_tasks_are_the_fewest_steps() -> None:
    still = Track(rain=0.0)
    mdp = tabulate(still, 0.9)
    assert mdp.is_deterministic
    values = list(make_auxiliary_tasks(still, mdp).values())
    assert min(value.min() for value in values) == pytest.approx(0.9**4)


WORLD = """\
from typing import NamedTuple

import numpy as np

from craftworld.scenario import MOVES, Newcomer, Scenario, move


class S(NamedTuple):
    cell: int


class T(NamedTuple):
    cell: int


class World(Scenario):
    art = "######\\n#S  E#\\n######"
    legend = {"S": "start", "E": "exit"}
    once = ("start", "exit")
    entrance = "start"
    actions = MOVES

    def __init__(self, grid=None):
        super().__init__(grid)
        self.sizes = (len(self.grid.floor),)

    def starts(self):
        return {S(self.cell("start")): 1.0}

    def step(self, state, action):
        ahead = state._replace(cell=move(self, state.cell, action))
        return STEP

    def is_terminal(self, state):
        return self.at("exit")[state.cell]

    def available(self, state, action):
        return AVAILABLE

    def ends(self, state, action, next_state):
        return ENDS

    def newcomers(self):
        return (Newcomer("next", Alone(self.grid)),)

    def handover(self, state, newcomer):
        return HANDOVER

    def scene(self, state):
        return self.picture(state.cell)


class Alone(World):
    def newcomers(self):
        return ()
"""
RIGHT = {
    "STEP": "[(0.5, ahead), (0.5, state)]",
    "AVAILABLE": "True",
    "ENDS": "False",
    "HANDOVER": "[(0.5, S(state.cell * 0)), (0.5, S(state.cell * 0 + 1))]",
}


@pytest.fixture
def write(users_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def write_world(name: str, **parts: str) -> str:
        text = WORLD
        for part, code in (RIGHT | parts).items():
            text = text.replace(part, code)
        (users_folder / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return f"{name}:World"

    return write_world


def test_a_users_world_of_chance_is_a_scenario_like_any_other(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    name = write("lucky")
    check_scenario(SCENARIOS[name])
    for command, *more in (
        ["solve", "--json"],
        ["breakpoints"],
        ["sweep", "--care", "0:1:1", "--out", "swept"],
        ["record", "--care", "1", "--out", "film.gif"],
        ["view", "--headless", "--out", "seen.gif"],
        ["play", "--headless", "--out", "played.gif"],
        ["compare", "--care", "0,1", "--out", "compared.png"],
        ["precompute", "--out", "values.npz"],
        ["solve", "--values", "values.npz", "--json"],
    ):
        assert main([command, name, *more]) == 0, command
    solved = capsys.readouterr().out.strip().split("\n")
    assert json.loads(solved[0])["own"] == json.loads(solved[-1])["own"] == pytest.approx(-6.0)
    assert json.loads(solved[-1])["others"] == {"next": pytest.approx(-5.0)}


def test_values_made_for_other_newcomers_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The acting agent's table is the same: only the neighbour's world differs."""
    values = str(tmp_path / "values.npz")
    assert main(["precompute", "icy_yard", "--set", "frail=0.2", "--out", values]) == 0
    assert main(["solve", "icy_yard", "--values", values]) == 2
    assert "made for another scenario, map or setting" in capsys.readouterr().err
    assert main(["solve", "icy_yard", "--set", "frail=0.2", "--values", values]) == 0


def test_newcomers_that_may_never_finish_get_what_their_time_allows() -> None:
    """A trap door opens by chance at every step: what a walk of 5 steps can expect, by hand."""

    class Trap(Track):
        time_limit = 5
        default_formulation = "expected"

        def step(self, state: Any, action: int) -> Any:
            ahead = state._replace(cell=where(state.wet == 1, state.cell, move(self, state.cell, action)))
            return [(0.5, ahead._replace(wet=1 + 0 * state.wet)), (0.5, ahead)]

        def is_terminal(self, state: Any) -> Any:
            return self.at("exit")[state.cell] & (np.asarray(state.wet) == 0)

    class Before(Track):
        default_formulation = "expected"

        def newcomers(self) -> Any:
            return (Newcomer("next", Trap(self.grid)),)

        def handover(self, state: Any, newcomer: Any) -> Any:
            return state._replace(cell=0 * state.cell, wet=0 * state.wet)

    value = make_problem(Before()).others.value  # type: ignore[attr-defined]
    # dry for all of 4 steps: 1/16, then -4; otherwise 5 steps
    np.testing.assert_allclose(value, -(4 / 16 + 5 * 15 / 16))


def test_policies_are_evaluated_by_expectation() -> None:
    mdp = tabulate(IcyYard())
    right, leave = mdp.actions.index("right"), mdp.actions.index("leave")
    policy = np.full(len(mdp.states), right, dtype=np.int32)
    policy[mdp.action_mask(np.arange(len(policy)))[:, leave]] = leave
    assert evaluate_policy(mdp, policy)[0] == pytest.approx(-10.0)


def test_gymnasium_samples_the_same_world() -> None:
    import gymnasium

    import caregrid  # noqa: F401

    env = gymnasium.make("caregrid/icy_yard-v0", care=3.0).unwrapped
    state, info = env.reset(seed=3)
    assert info["action_mask"].dtype == np.int8
    table = env.P  # type: ignore[attr-defined]
    assert sorted(table[state]) == np.flatnonzero(info["action_mask"]).tolist()
    assert all(sum(p for p, *_ in outcomes) == pytest.approx(1) for outcomes in table[state].values())
    for _ in range(3000):
        action = env.action_space.sample(info["action_mask"])
        before = state
        state, _, over, _, info = env.step(action)
        assert any((following, ends) == (state, over) for _, following, _, ends in table[before][action])
        if over:
            state, info = env.reset()
    vector = gymnasium.make_vec("caregrid/icy_yard-v0", num_envs=3)
    _, infos = vector.reset(seed=1)
    assert infos["action_mask"].shape == (3, 7)


def test_what_doing_nothing_alone_leads_to_is_a_baseline_and_no_task() -> None:
    """Nothing that actions attain can be attained from the rain: nothing is lost against it."""

    class Elsewhere(Track):
        def step(self, state: Any, action: int) -> Any:
            return state._replace(cell=move(self, state.cell, action))

    swept = {}
    for rain in (0.0, 0.25):
        problem = make_problem(Elsewhere(rain=rain), "relative_reachability_stepwise_inaction", discount=0.9)
        swept[rain] = problem.compute_caring_rewards(0)[1]
    assert swept[0.0].any()
    np.testing.assert_allclose(swept[0.25], 0.75 * swept[0.0], atol=1e-12)


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("command", ["record", "view --headless", "play --headless"])
def test_seeds_choose_what_is_shown(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    verb, *more = command.split()
    for out, seed in (("a.json", "1"), ("b.json", "1"), ("c.json", "2")):
        assert main([verb, "icy_yard", "--care", "0", "--seed", seed, *more, "--out", out]) == 0
    one, twin, other = (Path(f"{name}.json").read_bytes() for name in "abc")
    assert one == twin != other
    assert b"sampled, seed 1" in one


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("name", "care"), [("workshop", 2.0), ("workshop_auto", 3.0)])
def test_on_a_slippery_floor_every_move_costs_its_expected_number_of_tries(name: str, care: float) -> None:
    """A move that fails with probability p is tried 1 / (1 - p) times: the dry floor's table with dearer moves."""
    slip = 0.2

    def dearer(mdp: Any) -> Any:
        moves = mdp.next_state[:, :4, 0] != np.arange(len(mdp.states))[:, None]
        reward = np.array(mdp.reward)
        reward[:, :4, 0] = np.where(moves, reward[:, :4, 0] / (1 - slip), reward[:, :4, 0])
        reward[mdp.terminal] = 0.0
        return mdp.with_reward(reward)

    dry, wet = (make_scenario(SCENARIOS[name], slip=chance) for chance in (0.0, slip))
    [newcomer] = dry.newcomers()
    expected = precompute(dry, tabulate(dry), lambda newcomer, table: plan(dearer(table)).value)
    slippery, index = make_problem(wet), tabulate(dry).index
    actual, same = slippery.others, [index[state] for state in slippery.mdp.states]
    limit = -float(newcomer.scenario.time_limit)  # where the newcomer can never finish
    hoped = np.where(np.isneginf(expected.value), limit, expected.value)[:, same]
    np.testing.assert_allclose(actual.value, hoped, atol=1e-6)  # type: ignore[attr-defined]
    outcome, _ = solve(slippery, care)
    problem = make_problem(dry, others=replace(expected, value=np.maximum(expected.value, limit)))
    dear = replace(problem, mdp=dearer(problem.mdp))
    best, _ = solve(dear, care)
    assert outcome.own + care * outcome.others["newcomer"] == pytest.approx(
        best.own + care * best.others["newcomer"], abs=1e-6
    )


def test_both_slip_in_the_shared_workshop_in_the_table_and_in_pettingzoo(tmp_path: Path) -> None:
    from caregrid.gym.pettingzoo_workshop import parallel_env

    art = tmp_path / "small.txt"
    art.write_text("#######\n#EK.TX#\n#.WF.K#\n#######\n")
    scenario = make_scenario(SCENARIOS["workshop_shared"], art, slip=0.25)
    mdp = tabulate(scenario)
    begin, right = int(mdp.start_states()[0]), mdp.actions.index("right")
    ways = {
        (state.cell != mdp.states[begin].cell, state.second_cell != mdp.states[begin].second_cell): float(chance)
        for chance, state in zip(
            mdp.probability[begin, right], map(mdp.states.__getitem__, mdp.next_state[begin, right]), strict=True
        )
    }
    assert ways == {(True, True): 9 / 16, (True, False): 3 / 16, (False, True): 3 / 16, (False, False): 1 / 16}
    env = parallel_env(map_file=art, slip=0.25)
    seen: dict[tuple[bool, bool], int] = {}
    for seed in range(800):
        before, _ = env.reset(seed=seed)
        after, *_ = env.step({"agent_1": right, "agent_2": right})
        both = tuple(bool((before[agent][:2] != after[agent][:2]).any()) for agent in ("agent_1", "agent_2"))
        seen[both] = seen.get(both, 0) + 1
    assert {way: count / 800 for way, count in seen.items()} == pytest.approx(ways, abs=0.06)
    outcome, _ = solve(make_problem(scenario), 1.0)
    dry, _ = solve(make_problem(make_scenario(SCENARIOS["workshop_shared"], art)), 1.0)
    assert outcome.total < dry.total


@pytest.mark.parametrize("name", ["workshop", "workshop_auto", "workshop_shared", "icy_yard"])
@pytest.mark.parametrize("slip", [-0.1, 1.0, float("nan"), "much"])
def test_a_slip_that_is_no_probability_is_refused(name: str, slip: Any) -> None:
    said = (
        "'slip' is 'much'; give a number"
        if slip == "much"
        else f"slip = {slip}; choose a probability from 0 to below 1"
    )
    with pytest.raises(BadValue, match=said):
        make_scenario(SCENARIOS[name], slip=slip)


def test_scenarios_are_made_with_their_chance_by_name() -> None:
    assert make_scenario(SCENARIOS["icy_yard"], slip=0.5).slip == 0.5  # type: ignore[attr-defined]
