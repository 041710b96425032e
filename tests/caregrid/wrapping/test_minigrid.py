"""MiniGrid: enumerated states agree with the environment's own steps; what care makes an agent leave in DoorKey."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import caregrid
from caregrid.main import main
from caregrid.wrapping.families.minigrid import MinigridState
from caregrid.wrapping.family import family_of
from craftworld.solution.episodes import film_episodes, make_episodes
from craftworld.solution.exact_solution import find_break_points, solve, solve_trade_off
from craftworld.solution.problem import make_problem
from engine.errors import BadValue
from engine.mdp.enumeration.walk import walk

pytest.importorskip("minigrid")

SMALL = (
    "MiniGrid-Empty-5x5-v0",
    "MiniGrid-DoorKey-5x5-v0",
    "MiniGrid-LavaGapS5-v0",
    "MiniGrid-LavaCrossingS9N1-v0",
    "MiniGrid-SimpleCrossingS9N1-v0",
    "MiniGrid-Unlock-v0",
    "MiniGrid-Fetch-5x5-N2-v0",
    "MiniGrid-RedBlueDoors-6x6-v0",
    "MiniGrid-MemoryS7-v0",
    "MiniGrid-KeyCorridorS3R1-v0",
    "MiniGrid-MultiRoom-N2-S4-v0",
    "MiniGrid-DistShift1-v0",
    "MiniGrid-PutNear-6x6-N2-v0",
    "MiniGrid-FourRooms-v0",
    "BabyAI-GoToLocalS5N2-v0",
)


def made(name: str) -> Any:
    env = gymnasium.make(name)
    env.reset(seed=0)
    return env


@pytest.mark.slow_cases(beyond=5)
@pytest.mark.parametrize("name", SMALL)
def test_the_plan_comes_true_in_the_environment_itself_and_films_show_the_grid(name: str) -> None:
    """The exact solution's actions, taken in a fresh environment, end its episode with MiniGrid's own return."""
    scenario = caregrid.wrap(name)
    problem = make_problem(scenario)
    outcome, _ = solve(problem, 0.0)
    env, total, ended = made(name), 0.0, False
    for action in outcome.actions:
        assert not ended
        _, reward, ended, truncated, _ = env.step(scenario.actions.index(action))
        total += float(reward)
        assert not truncated
    assert ended
    assert total == pytest.approx(outcome.own, abs=1e-9)
    scenes = film_episodes(make_episodes(problem, 1.0))
    assert all(scene.frame is not None for scene in scenes)
    assert len({scene.frame for scene in scenes}) > 1


WALKED = ("DoorKey-5x5", "PutNear-6x6-N2", "Unlock")


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize(
    "name", [*(f"MiniGrid-{name}-v0" for name in WALKED), "BabyAI-GoToLocalS5N2-v0", "BabyAI-OpenTwoDoors-v0"]
)
def test_random_walks_stay_in_the_table(name: str) -> None:
    """The environment's own episodes, step by step, are the table's."""
    scenario = caregrid.wrap(name)
    env = made(name)
    family = family_of(env.unwrapped)
    assert family is not None
    family.begin()
    generator = np.random.Generator(np.random.PCG64(1))
    number = next(iter(scenario.starts())).number
    for _ in range(300):
        action = int(generator.integers(len(scenario.actions)))
        _, _, ended, _, _ = env.step(action)
        number = int(scenario.table.next_state[number, action, 0])
        assert bool(scenario.table.terminal[number]) == ended
        described = scenario.describe(scenario_state(number))
        state = family.state(family.save())
        assert described == family.words(state)
        assert family.snapshot(state) == family.save()
        if ended:
            break


def scenario_state(number: int) -> Any:
    from craftworld.table_scenario import NumberedState

    return NumberedState(number)


def test_what_care_makes_an_agent_leave_key_and_door() -> None:
    """It shuts the door out of spite below -3, leaves it open at 0, and drops the key from .0074 on."""

    def has_key(before: MinigridState, action: str, after: MinigridState) -> float:
        return float(after.carrying == "yellow key") - 0.9 / 360

    wants = caregrid.Other(goal=lambda state: state.carrying == "yellow key", reward=has_key, name="wants the key")
    problem = make_problem(caregrid.wrap("MiniGrid-DoorKey-6x6-v0", others=[wants]))
    segments = solve_trade_off(problem, (-5.0, 20.0))
    assert find_break_points(problem, (-5.0, 20.0)) == pytest.approx([-3.0, 0.0075 / 1.02, 2.0, 4.0])
    doors = [segment.outcome.handover["yellow door"] for segment in segments if segment.outcome.handover]
    keys = ["yellow key" in segment.outcome.handover for segment in segments if segment.outcome.handover]
    assert doors == ["closed", "open", "open", "open", "open"]
    assert keys == [False, False, True, True, True]


@pytest.mark.slow
def test_a_locked_door_is_handed_over_as_it_was_left() -> None:
    def locked_again(state: MinigridState) -> MinigridState:
        things = tuple((x, y, what.replace("door, open", "door, locked")) for x, y, what in state.things)
        return state._replace(x=1, y=3, direction="down", carrying="", things=things)

    others = [caregrid.Other(), caregrid.Other(continues=locked_again, name="locked out")]
    outcome, _ = solve(make_problem(caregrid.wrap("MiniGrid-DoorKey-6x6-v0", others=others)), 0.0)
    assert outcome.others["next agent"] == pytest.approx(0.97)
    assert outcome.others["locked out"] == pytest.approx(-0.9)  # the key has left with the agent: it walks T steps


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"direction": "north"}, "direction 'north'; use one of right, down, left, up"),
        ({"carrying": "blue key"}, "no blue key in this grid"),
        ({"things": ((1, 1, "yellow door, ajar"),)}, "a door is open, closed or locked"),
        ({"things": ((99, 1, "green goal"),)}, "green goal at"),
    ],
)
def test_states_that_cannot_be_are_refused(change: dict[str, Any], says: str) -> None:
    others = [caregrid.Other(continues=lambda state: state._replace(**change))]
    with pytest.raises(BadValue, match=says):
        caregrid.wrap("MiniGrid-DoorKey-5x5-v0", others=others)


def test_an_environment_that_is_given_stays_as_it_is() -> None:
    env = made("MiniGrid-DoorKey-5x5-v0")
    before = env.unwrapped.hash()
    caregrid.wrap(env)
    assert env.unwrapped.hash() == before
    observation, _, _, _, _ = env.step(0)
    assert set(observation) == {"image", "direction", "mission"}


def test_moving_obstacles_are_refused_unless_declared() -> None:
    from engine.errors import ContractBroken

    with pytest.raises(ContractBroken, match=r"Dynamic-Obstacles-5x5-v0, state cell .*chance"):
        caregrid.wrap("MiniGrid-Dynamic-Obstacles-5x5-v0")


@pytest.mark.slow
def test_several_layouts_are_several_start_states() -> None:
    scenario = caregrid.wrap("MiniGrid-DoorKey-5x5-v0", seeds=range(3))
    assert list(scenario.starts().values()) == pytest.approx([1 / 3] * 3)
    alone = [solve(make_problem(caregrid.wrap("MiniGrid-DoorKey-5x5-v0", seeds=(seed,))), 0.0)[0] for seed in range(3)]
    together, _ = solve(make_problem(scenario), 0.0)
    assert together.own == pytest.approx(np.mean([outcome.own for outcome in alone]))
    assert together.others["next agent"] == pytest.approx(np.mean([outcome.others["next agent"] for outcome in alone]))


def test_the_walk_is_the_same_however_often_it_is_made() -> None:
    from caregrid.wrapping.make_world import make_world
    from caregrid.wrapping.settings import WorldSettings

    first, second = (make_world("MiniGrid-DoorKey-5x5-v0", WorldSettings()) for _ in range(2))
    one, other = walk(first, first.starts()), walk(second, second.starts())
    assert np.array_equal(one.next_state, other.next_state)
    assert [first.words(place.key) for place in one.places] == [second.words(place.key) for place in other.places]


def test_a_step_that_minigrid_cannot_take_is_named_with_its_state(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["breakpoints", "gym:MiniGrid-GoToDoor-5x5-v0"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "MiniGrid-GoToDoor-5x5-v0, state cell [" in error
    assert "door open" in error
    assert "its step fails at grid.py, line " in error
    assert ": AssertionError; " in error
    assert "give others= of which none does" in error
    assert caregrid.wrap("MiniGrid-GoToDoor-5x5-v0", others=[])
