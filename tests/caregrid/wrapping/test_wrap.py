"""Any environment as a caring scenario: tables, steps, vector rewards, several agents, others, pictures, files."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import caregrid
from craftworld.scenario import Option
from craftworld.scenario_contract import check_scenario
from craftworld.solution.episodes import film_episodes, make_episodes
from craftworld.solution.exact_solution import find_break_points, solve
from craftworld.solution.problem import find_applicable_formulations, make_problem
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import Outcome
from engine.mdp.tabulate import tabulate
from engine.scene import frame_pixels
from tests.caregrid.wrapping.own_worlds import Corridor, Counting, Meeting, TwoRewards


class Fork:
    """From the start to the left, which leads on to 1, or to the right, which leads on to 3."""

    actions = ("left", "right")

    def starts(self) -> Any:
        return {"start": 1.0}

    def is_terminal(self, state: Any) -> bool:
        return bool(state == "end")

    def outcomes(self, state: Any, action: int) -> Any:
        if state == "start":
            return [Outcome(("left", "right")[action], 0.0)]
        return [Outcome("end", 1.0 if state == "left" else 3.0)]


def solved(scenario: Any, care: float = 0.0, formulation: str | None = None) -> Any:
    return solve(make_problem(scenario, formulation), care)[0]


def test_frozen_lake_is_solved_exactly() -> None:
    outcome = solved(caregrid.wrap("FrozenLake-v1"))
    assert outcome.own == pytest.approx(14 / 17, abs=1e-9)
    assert outcome.others == {"next agent": pytest.approx(14 / 17, abs=1e-9)}


def test_cliff_walking_is_solved_exactly() -> None:
    outcome = solved(caregrid.wrap(gymnasium.make("CliffWalking-v1")), 3.0)
    assert (outcome.own, outcome.others) == (-13.0, {"next agent": -13.0})


def test_taxi_is_solved_exactly_over_its_start_states() -> None:
    """The next driver's destination is one of the three others, which is the law of the start states too."""
    outcome = solved(caregrid.wrap("Taxi-v4"))
    assert outcome.own == pytest.approx(7.93, abs=5e-3)
    assert outcome.others["next agent"] > outcome.own  # its taxi stands where the passenger is


def test_a_stepped_environment_gives_the_table_that_it_has() -> None:
    """FrozenLake by its own steps, every draw followed, is FrozenLake by its table."""
    by_table, by_steps = caregrid.wrap("FrozenLake-v1"), caregrid.wrap("FrozenLake-v1", chance="every draw")
    assert solved(by_steps, 0.5).own == pytest.approx(solved(by_table, 0.5).own, abs=1e-12)
    assert solved(by_steps, 0.5).others == pytest.approx(solved(by_table, 0.5).others, abs=1e-12)


def test_the_next_agent_finds_the_world_as_it_was_left() -> None:
    """Lighting costs 1 and makes four steps cheaper by 1 each: the agent lights at once, and the light stays."""
    outcome = solved(caregrid.wrap(Corridor))
    assert (outcome.own, outcome.others) == (-5.0, {"next agent": -4.0})
    assert solved(caregrid.wrap(Corridor), -9.0).others == {"next agent": -5.0}  # who hates, switches it off


def test_others_in_the_users_words() -> None:
    def in_the_dark(state: Any) -> Any:
        state.agent_cell, state.lit = 0, False
        return state

    others = [
        caregrid.Other(probability=0.5),
        caregrid.Other(continues=in_the_dark, probability=0.5, name="stranger"),
        caregrid.Other(goal=lambda state: not state.lit, probability=0.0, name="thief"),
        caregrid.Other(reward=lambda before, action, after: float(action == "1"), name="counter"),
    ]
    outcome = solved(caregrid.wrap(Corridor, others=others), 1.0)
    assert outcome.others == {"next agent": -4.0, "stranger": -5.0, "thief": -1.0}


def test_an_agent_with_a_reward_of_its_own_at_the_same_time() -> None:
    others = [caregrid.Other(reward=lambda before, action, after: float(action == "1"), name="counter")]
    scenario = caregrid.wrap(Corridor, others=others, time_limit=50)
    assert scenario.default_formulation == "simultaneous"
    assert solved(scenario).others == {"counter": 1.0}


@pytest.mark.parametrize("policy", [[0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 1.0, 0.0], 2])
def test_the_next_agent_follows_a_policy(policy: Any) -> None:
    """Its value is the solution of the linear equations that the environment's own table gives."""
    lake = caregrid.wrap("FrozenLake-v1", others=[caregrid.Other(policy=lambda state: policy)])
    chances = np.eye(4)[policy] if policy == 2 else np.array(policy)
    table = gymnasium.make("FrozenLake-v1").unwrapped.P  # type: ignore[attr-defined]
    equations, gains = np.eye(16), np.zeros(16)
    for state, action in np.ndindex(16, 4):
        if state not in (5, 7, 11, 12, 15):
            for probability, following, reward, over in table[state][action]:
                gains[state] += chances[action] * probability * reward
                equations[state, following] -= chances[action] * probability * (not over)
    value = np.linalg.solve(equations, gains)[0]
    assert solved(lake, 1.0).others == {"next agent": pytest.approx(value)}
    problem = caregrid.problem(lake)
    assert problem.solve(care=1).own == pytest.approx(14 / 17)  # the acting agent still acts optimally


@pytest.mark.parametrize("policy", [4, -1, None, "left", [0.5, 0.5], [1.0, 1.0, 0.0, 0.0], [np.nan] * 4])
def test_what_is_no_policy_is_refused(policy: Any) -> None:
    others = [caregrid.Other(policy=lambda state: policy)]
    with pytest.raises(ContractBroken, match=r"policy") as caught:
        solved(caregrid.wrap("FrozenLake-v1", others=others))
    assert "\n" not in str(caught.value)
    with pytest.raises(BadValue, match="which evaluates policies exactly"):
        caregrid.Considerate("FrozenLake-v1", others)
    with pytest.raises(BadValue, match="leave policy out"):
        caregrid.Other(reward=0, policy=lambda state: policy)


def test_another_environment_for_the_next_agent() -> None:
    def further(state: Any) -> Any:
        state.agent_cell = 0
        return state

    others = [caregrid.Other(lambda: Corridor(length=6), continues=further)]
    outcome = solved(caregrid.wrap(lambda: Corridor(length=2), others=others), 0.5)
    assert outcome.others == {"next agent": -2.0}  # the whole state is handed over, its length too


def test_another_environment_of_the_same_family_continues_by_itself() -> None:
    sure = gymnasium.make("FrozenLake-v1", is_slippery=False)
    outcome = solved(caregrid.wrap("FrozenLake-v1", others=[caregrid.Other(sure), caregrid.Other(name="alike")]))
    assert outcome.others == {"next agent": 1.0, "alike": pytest.approx(14 / 17)}


def test_a_continuation_may_be_random() -> None:
    others = [caregrid.Other(continues=lambda state: {"left": 0.25, "right": 0.75})]
    outcome = solved(caregrid.wrap(tabulate(Fork()), others=others, name="fork"))
    assert outcome.others == {"next agent": pytest.approx(0.25 * 1 + 0.75 * 3)}


def test_a_tabular_mdp_is_a_scenario() -> None:
    scenario = caregrid.wrap(tabulate(Fork(), 0.5))
    assert scenario.discount == 0.5
    assert (solved(scenario).own, solved(scenario).handover) == (1.5, {"state": "end"})


@pytest.mark.parametrize(
    ("setting", "value", "world"),
    [
        ("seeds", (1,), "for a table"),
        ("observe", lambda env: 0, "for a table"),
        ("chance", "every draw", "for a table"),
        ("policies", "uniform", "where nobody else acts"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(setting: str, value: Any, world: str) -> None:
    env = tabulate(Fork()) if "table" in world else Corridor
    with pytest.raises(BadValue, match=f"^wrap: '{setting}' means nothing {world}; leave it out$"):
        caregrid.wrap(env, **{setting: value})
    assert caregrid.wrap(tabulate(Fork()), seeds=(0,), time_limit=3).time_limit == 3


def test_vector_rewards_are_ones_own_and_the_others() -> None:
    problem = make_problem(caregrid.wrap(TwoRewards, own="time", reward_names=("time", "light")))
    assert problem.formulation == "simultaneous"
    assert find_break_points(problem, (0.0, 0.9)) == pytest.approx([1 / 5])
    assert solve(problem, 0.5)[0].others == {"light": 5.0}


def test_several_rewards_may_be_weighed_together() -> None:
    others = [caregrid.Other(reward=(0.0, 2.0), name="twice the light")]
    outcome = solved(caregrid.wrap(TwoRewards, own=(1.0, 0.5), others=others))
    assert (outcome.own, outcome.others) == (-5.0 + 2.5, {"twice the light": 10.0})


def test_a_parallel_environment_with_fixed_policies() -> None:
    scenario = caregrid.wrap(Meeting(length=4), agent="left", policies={"right": lambda observation: 1})
    problem = make_problem(scenario)
    assert solve(problem, 0.0)[0].own == -4.0  # to wait for the other, or to go twice
    assert solve(problem, 2.0)[0].others == {"right": 2.0}
    assert scenario.describe(next(iter(scenario.starts())))["cells"] == "{'left': 0, 'right': 4}"


SHARED = """\
######
#EK.T#
#.W.F#
#..KX#
######
"""


@pytest.mark.slow
def test_the_shared_workshop_of_pettingzoo(tmp_path: Path) -> None:
    """Agent 2 stands still: agent 1 does what it would do alone, and what it costs agent 2 is agent 2's reward."""
    from caregrid.gym.pettingzoo_workshop import parallel_env

    (tmp_path / "shared.txt").write_text(SHARED)
    env = parallel_env(map_file=tmp_path / "shared.txt")

    def get_state(env: Any) -> Any:
        return tuple(env.unwrapped._state)

    def set_state(env: Any, state: Any) -> None:
        env.unwrapped._state = type(env.unwrapped._state)(*state)

    policies = {"agent_2": lambda seen: 0}
    scenario = caregrid.wrap(env, get_state=get_state, set_state=set_state, policies=policies, most_states=50_000)
    outcome = solved(scenario)
    assert list(outcome.others) == ["agent_2"]
    env.reset(seed=0)
    total = 0.0
    for name in outcome.actions:
        _, rewards, ended, _, _ = env.step({"agent_1": scenario.actions.index(name), "agent_2": 0})
        total += rewards["agent_1"]
    assert ended["agent_1"]
    assert total == outcome.own


def test_states_by_the_users_own_functions() -> None:
    def get_state(env: Any) -> Any:
        return env.agent_cell, env.lit

    def set_state(env: Any, state: Any) -> None:
        env.agent_cell, env.lit = state

    others = [caregrid.Other(continues=lambda state: (0, state[1]))]
    scenario = caregrid.wrap(Counting, get_state=get_state, set_state=set_state, others=others)
    assert solved(scenario, 1.0).own == -5.0
    assert solved(caregrid.wrap(Counting, ignore=("steps",)), 1.0).own == -5.0


def test_options_are_functions_of_one_state() -> None:
    options = [Option("read", lambda state: state.lit, 0.5, lambda state: 2.0)]
    scenario = caregrid.wrap(Corridor, others=[], options=options)
    assert scenario.default_formulation == "options"
    assert solved(scenario).others == {"read": 1.0}
    assert solved(scenario, 1.0, "options_with_values").own == -5.0


def test_every_formulation_that_applies_can_be_solved() -> None:
    scenario = caregrid.wrap(Corridor)
    names = find_applicable_formulations(scenario)
    assert {"expected", "attainable_utility_stepwise_inaction", "relative_reachability_starting_state"} <= set(names)
    for name in names:
        assert np.isfinite(solved(scenario, 0.5, name).own)


@pytest.mark.parametrize("env", ["FrozenLake-v1", "CliffWalking-v1", Corridor, TwoRewards])
def test_wrapped_scenarios_keep_the_contract(env: Any) -> None:
    check_scenario(caregrid.wrap(env))


def test_films_show_the_environments_own_pictures() -> None:
    scenes = film_episodes(make_episodes(make_problem(caregrid.wrap(Corridor)), 0.0))
    assert all(scene.frame is not None for scene in scenes)
    first, last = (frame_pixels(scene.frame) for scene in (scenes[0], scenes[5]))  # type: ignore[arg-type]
    assert first.shape == (8, 40, 3)
    assert (first[0, 0].tolist(), last[0, 39].tolist()) == ([255, 0, 0], [0, 255, 0])


def test_several_resets_are_several_start_states() -> None:
    class Random(Corridor):
        def reset(self, **given: Any) -> Any:
            result = super().reset(**given)
            self.agent_cell = int(self.np_random.integers(2))
            return result

    scenario = caregrid.wrap(Random, seeds=range(20))
    chance = scenario.starts()
    assert len(chance) == 2
    assert sum(chance.values()) == pytest.approx(1.0)
    far = next(p for state, p in chance.items() if scenario.describe(state)["agent_cell"] == 0)
    assert solved(scenario).own == pytest.approx(-5.0 * far - 4.0 * (1 - far))


def test_a_table_is_kept_and_read_again(tmp_path: Any) -> None:
    file = tmp_path / "corridor.npz"
    made = caregrid.wrap(Corridor, table=file)
    assert [path.name for path in tmp_path.iterdir()] == ["corridor.npz"]
    before = file.stat().st_mtime_ns
    again = caregrid.wrap(Corridor, table=file)
    assert file.stat().st_mtime_ns == before
    assert np.array_equal(made.table.next_state, again.table.next_state)
    assert solved(made, 1.0) == solved(again, 1.0)
    longer = caregrid.wrap(lambda: Corridor(length=9), table=file)
    assert len(longer.table.terminal) > len(made.table.terminal)


def test_chance_declared_by_a_function() -> None:
    class Pushed(Corridor):
        push = 0.0

        def step(self, action: int) -> Any:
            observation, reward, *rest = super().step(action)
            reward, self.push = reward - self.push, 0.0
            return observation, reward, *rest

    def chance(env: Any, action: int) -> Any:
        yield 0.75, lambda: setattr(env, "push", 0.0)
        yield 0.25, lambda: setattr(env, "push", 4.0)

    assert solved(caregrid.wrap(Pushed, chance=chance)).own == pytest.approx(-10.0)
