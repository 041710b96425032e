"""What a scenario hides, no learner sees: learners get observations, planners say that they know the state."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest

import caregrid
from caregrid.gym.scenario import GymnasiumReplay
from caregrid.gym.vector import GymnasiumVectorWorld
from craftworld.formulations import FORMULATIONS
from craftworld.gymnasium_environments import CaringEnvironment
from craftworld.scenario import MOVES, Scenario, move, where
from craftworld.scenario_contract import check_scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.observer import find_observer_optimum, make_table_of_all_starts
from craftworld.solution.problem import make_problem
from craftworld.solution.sweep import sweep_by_learning, sweep_exactly
from engine.errors import BadValue, ContractBroken
from engine.learning.observed_q_learning import ObservedLearner
from engine.learning.q_learning import QLearningSettings, TableLearner
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import evaluate_policy
from engine.randomness.counter_based import split
from engine.scene import Scene
from experiments.training import train

FAST = QLearningSettings(steps=60_000, episode_steps=100)


class LampState(NamedTuple):
    """cell; prize: which end holds it; lamp: whether it was switched on, after which `shown` is the prize's end."""

    cell: int
    prize: int
    lamp: int


class Lamp(Scenario):
    """A corridor with a prize of 10 at its right end with probability q, else at its left; a lamp shows where it is."""

    art = "#######\n#L S R#\n#######"
    legend = {"L": "left end", "S": "start", "R": "right end"}  # noqa: RUF012
    once = ("left end", "start", "right end")
    entrance = "start"
    actions = (*MOVES, "light")
    default_formulation = "relative_reachability_starting_state"
    hidden = ("prize",)
    q = 0.7
    price = 1.0

    def __init__(self, grid: Any = None) -> None:
        super().__init__(grid)
        self.sizes = (len(self.grid.floor), 2, 3)

    def starts(self) -> Mapping[LampState, float]:
        return {LampState(self.cell("start"), 0, 0): 1 - self.q, LampState(self.cell("start"), 1, 0): self.q}

    def step(self, state: LampState, action: int) -> LampState:
        if action == len(MOVES):
            return state._replace(lamp=np.asarray(state.prize) + 1)
        return state._replace(cell=move(self, state.cell, action))

    def reward(self, state: LampState, action: int, next_state: LampState) -> Any:
        end = where(np.asarray(state.prize) == 1, self.cell("right end"), self.cell("left end"))
        return where(next_state.cell == end, 10.0, 0.0) - (self.price if action == len(MOVES) else 1.0)

    def is_terminal(self, state: LampState) -> Any:
        return self.at("left end")[state.cell] | self.at("right end")[state.cell]

    def scene(self, state: LampState) -> Scene:
        return self.picture(state.cell)


class DearLamp(Lamp):
    """Its light costs more than it is worth."""

    price = 9.0


class RoughLamp(Lamp):
    """The agent observes how far it is from the middle, and no fields of the state."""

    hidden = ()

    def observe(self, state: Any) -> tuple[Any, ...]:
        return (np.abs(np.asarray(state.cell) - 2) > 1, np.asarray(state.lamp) > 0)


def test_a_learner_of_a_world_with_hidden_fields_earns_what_an_observer_can() -> None:
    trained = caregrid.problem(make_scenario(SCENARIOS["friend_foe"], None, bandit="neutral")).train(
        care=0, steps=40_000
    )
    assert trained.curve[-1]["optimum"] == pytest.approx(26.0)
    assert trained.curve[-1]["greedy_return"] == pytest.approx(26.0)
    assert "all but: box" in trained.text()


def test_an_agent_that_needs_the_state_asks_for_it_by_name() -> None:
    trained = caregrid.problem(make_scenario(SCENARIOS["friend_foe"], None, bandit="neutral")).train(
        care=0, steps=40_000, observes="state"
    )
    assert trained.curve[-1]["greedy_return"] == pytest.approx(46.0)
    assert trained.policy.note["observes"] == "state"
    assert "the whole state" in trained.text()


def test_agents_that_learn_through_gymnasium_see_the_same() -> None:
    problem = make_problem(make_scenario(SCENARIOS["friend_foe"], None, bandit="neutral"))
    told = train(problem, 0.0, "q_learning", 20_000, observes="state").curve[-1]
    learned = train(problem, 0.0, "simple", 8_000).curve[-1]
    assert (told["optimum"], learned["optimum"]) == (pytest.approx(46.0), pytest.approx(26.0))
    assert learned["greedy_return"] <= 26.0 + 1e-9


@pytest.mark.parametrize("name", ["friend_foe", "safe_interruptibility"])
def test_policies_of_learners_are_the_same_in_states_that_look_alike(name: str) -> None:
    table = tabulate(make_scenario(SCENARIOS[name], None), 1.0)
    learner = ObservedLearner(table, split(3, "alike"), FAST)
    learner.learn(20_000)
    live = np.flatnonzero(~table.terminal)
    for one, other in itertools.pairwise(live[np.argsort(table.observations[live], kind="stable")]):
        if table.observations[one] == table.observations[other]:
            assert learner.policy[one] == learner.policy[other]


@pytest.mark.parametrize(("world", "best"), [(Lamp, -1.0 + 10.0 - 2.0), (DearLamp, 0.7 * 10.0 - 2.0)])
def test_the_optimum_of_an_observer_pays_for_what_it_learns(world: type[Lamp], best: float) -> None:
    problem = make_problem(world())
    assert find_observer_optimum(problem, 0.0).own == pytest.approx(best)
    assert find_observer_optimum(problem, 0.0, "state").own == pytest.approx(8.0)
    assert sweep_exactly(problem, [0.0])[0]["own"] == pytest.approx(8.0)
    row = sweep_by_learning(problem, [0.0], [0, 1])
    assert [each["own"] for each in row] == pytest.approx([best] * 2)
    assert [each["optimal_own"] for each in row] == pytest.approx([best] * 2)
    assert [each["regret"] for each in row] == [0.0, 0.0]


@pytest.mark.parametrize("likely", [0.5, 0.7, 0.95])
def test_no_policy_of_observations_beats_the_observer_and_the_learner_finds_the_best_of_them(likely: float) -> None:
    """All policies of a world of one live cell, enumerated: 5 actions with the lamp off, left and right."""
    world = type("ShortLamp", (Lamp,), {"art": "#####\n#LSR#\n#####", "q": likely})
    table = tabulate(world(), 0.9)
    alive = sorted(set(table.observations[~table.terminal].tolist()))
    assert len(alive) == 3
    best = -np.inf
    for actions in itertools.product(range(len(table.actions)), repeat=len(alive)):
        by_observation = np.zeros(table.count_observations(), dtype=np.int32)
        by_observation[alive] = actions
        best = max(best, float(table.start @ evaluate_policy(table, by_observation[table.observations])))
    learner = ObservedLearner(table, split(1, "lamp"), FAST)
    learner.learn(60_000)
    assert float(table.start @ evaluate_policy(table, learner.policy)) == pytest.approx(best)
    assert find_observer_optimum(make_problem(world(), discount=0.9), 0.0).augmented == pytest.approx(best)


def test_a_scenario_may_say_itself_what_is_observed() -> None:
    table = tabulate(RoughLamp(), 1.0)
    assert table.count_observations() == 4
    check_scenario(RoughLamp)
    world = CaringEnvironment(RoughLamp())
    assert world.observation_space.n == 4  # type: ignore[attr-defined]


def test_where_nothing_is_hidden_the_observation_is_the_state() -> None:
    for name in ("workshop", "playroom", "icy_yard", "kitchen_salad"):
        table = tabulate(make_scenario(SCENARIOS[name], None), 1.0)
        assert table.observation is None
        assert isinstance(table.observations, np.ndarray)
        TableLearner(table, 0, FAST)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (lambda self, state: state.cell, "observe gave"),
        (lambda self, state: (), "observe gave"),
        (lambda self, state: (np.asarray(state.cell) / 2,), "expected one integer"),
        (lambda self, state: (np.arange(3),), "expected one integer"),
    ],
)
def test_a_wrong_observation_is_one_line(given: Any, sentence: str) -> None:
    wrong = type("Wrong", (Lamp,), {"observe": given, "hidden": ()})
    with pytest.raises(ContractBroken, match=sentence):
        tabulate(wrong(), 1.0)


def test_environments_show_observations_and_states_only_when_asked() -> None:
    seen = gymnasium.make("caregrid/friend_foe-v0", bandit="neutral", care=0)
    whole = gymnasium.make("caregrid/friend_foe-v0", bandit="neutral", care=0, observes="state")
    spaces = (seen.observation_space, whole.observation_space)
    assert [space.n for space in spaces] == [12, 24]  # type: ignore[attr-defined]
    assert {seen.reset(seed=seed)[0] for seed in range(20)} == {seen.reset(seed=0)[0]}
    assert len({whole.reset(seed=seed)[0] for seed in range(20)}) == 2
    with pytest.raises(BadValue, match="observes='state'"):
        _ = seen.unwrapped.P  # type: ignore[attr-defined]
    assert len(whole.unwrapped.P) == 24  # type: ignore[attr-defined]
    with pytest.raises(BadValue, match="choose observation or state"):
        gymnasium.make("caregrid/friend_foe-v0", observes="everything")


def test_an_agent_whose_behaviour_is_recorded_sees_what_a_learner_sees() -> None:
    class Curious:
        seen: set[int] = set()  # noqa: RUF012

        def act(self, observation: int) -> int:
            self.seen.add(observation)
            return observation % 4

    level = caregrid.problem("friend_foe", set={"bandit": "neutral"})
    recorded = caregrid.record_behaviour(Curious(), level, episodes=20, limit=10)
    table = level.exact.mdp
    entered = {step.state for episode in recorded.episodes for step in episode}
    assert Curious.seen == set(table.observations[list(entered)].tolist())
    assert len(Curious.seen) < len(entered)


def test_the_vector_environment_shows_what_the_single_one_shows() -> None:
    many = GymnasiumVectorWorld("friend_foe", care=0, num_envs=40, bandit="neutral")
    assert many.single_observation_space.n == 12  # type: ignore[attr-defined]
    seen, _ = many.reset(seed=0)
    assert len(set(seen.tolist())) == 1
    whole = GymnasiumVectorWorld("friend_foe", care=0, num_envs=40, bandit="neutral", observes="state")
    seen, _ = whole.reset(seed=0)
    assert len(set(seen.tolist())) == 2


def test_a_world_that_is_replayed_shows_observations_too() -> None:
    scenario = Lamp()
    assert GymnasiumReplay(scenario).observation_space.shape == (2,)
    assert GymnasiumReplay(scenario, observes="state").observation_space.shape == (3,)
    own = GymnasiumReplay(RoughLamp())
    first, _ = own.reset(seed=0)
    assert own.observation_space.contains(first)
    assert first.tolist() == [0, 0]


def test_start_states_with_baselines_of_their_own_are_learned_at_once() -> None:
    """A copy of the world for each start: a policy's return there is the mean of its returns from each start."""
    problem = make_problem(Lamp(), next(name for name in FORMULATIONS if "starting_state" in name))
    table = make_table_of_all_starts(problem, 2.0)
    assert len(table.terminal) == 2 * len(problem.mdp.terminal)
    generator = np.random.default_rng(0)
    starts = problem.mdp.start_states().tolist()
    for _ in range(5):
        policy = generator.integers(0, 5, len(problem.mdp.terminal)).astype(np.int32)
        joint = table.with_discount(0.9)
        alone = [
            float(evaluate_policy(problem.make_augmented_table(2.0, start).with_discount(0.9), policy)[start])
            for start in starts
        ]
        together = float(joint.start @ evaluate_policy(joint, np.tile(policy, 2)))
        assert together == pytest.approx(float(problem.mdp.start[starts] @ alone))


def test_inaction_baselines_keep_hidden_what_is_hidden() -> None:
    scenario = make_scenario(SCENARIOS["friend_foe"], None)
    names = [name for name in FORMULATIONS if "inaction" in name]
    assert names
    for name in names:
        table = make_problem(scenario, name).mdp
        assert table.observation is not None
        assert table.count_observations() < len(table.terminal)
