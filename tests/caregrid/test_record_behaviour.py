"""`RecordBehaviour`: Gymnasium environments write what `record_behaviour` writes, and `identify` reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import TransformAction, TransformObservation

import caregrid
from caregrid.gym.extended import GymnasiumExtendedEnvironment
from caregrid.gym.scenario import GymnasiumWorld
from caregrid.main import main
from craftworld.identification.behaviour import ObservedWorld, follow_states, read_behaviours
from craftworld.scenario import Newcomer
from craftworld.scenarios import SCENARIOS
from craftworld.scenarios.playroom import Playroom
from engine.agent import Transition
from engine.errors import BadFile, BadValue, UnknownName
from xenv.environments import ENVIRONMENTS
from xenv.names import agent_spec


def act(env: Any, policy: Any, episodes: int, seed: int | None = None) -> None:
    for _ in range(episodes):
        observation, _ = env.reset(seed=seed)
        ended = False
        while not ended:
            observation, _, terminated, truncated, _ = env.step(int(policy[observation]))
            ended = terminated or truncated


def find_optimal_policy(world: ObservedWorld, care: float) -> Any:
    from craftworld.solution.problem import make_problem

    start = int(world.table.start_states()[0])
    return make_problem(world.scenario, mdp=world.table).plan_optimum(care, start).policy


def test_an_episode_is_recorded_as_by_our_own_loop_and_identified(tmp_path: Path) -> None:
    garden = ObservedWorld.make("garden")
    policy = find_optimal_policy(garden, 1.0)
    env = caregrid.RecordBehaviour(
        gymnasium.make("caregrid/garden-v0", care=0), tmp_path / "seen.jsonl", agent="policy"
    )
    act(env, policy, 3, seed=5)
    env.reset()
    env.close()
    ours = caregrid.record_behaviour(policy, "garden", episodes=3, seed=5)
    assert (tmp_path / "seen.jsonl").read_text(encoding="utf-8") == ours.text()
    found = caregrid.identify(tmp_path / "seen.jsonl", formulation="expected")
    assert found.optimal_care["expected"][0] == (0.2, 13 / 3)
    assert caregrid.identify(env.behaviour, formulation="expected").posterior == found.posterior


def test_map_options_and_discount_are_in_the_file(tmp_path: Path) -> None:
    drawing = tmp_path / "mine.txt"
    drawing.write_text("\n".join(ObservedWorld.make("garden").scenario.grid.rows) + "\n", encoding="utf-8")
    made = {
        "options": GymnasiumWorld("playroom", held_out="1-1", discount=0.9),
        "map": GymnasiumWorld("garden", map_file=str(drawing)),
        "object": GymnasiumWorld(SCENARIOS["garden"]()),
    }
    for name, world in made.items():
        env = caregrid.RecordBehaviour(world, tmp_path / f"{name}.jsonl")
        _, info = env.reset(seed=0)
        env.step(int(np.argmax(info["action_mask"])))
        env.close()
        (read,) = read_behaviours(tmp_path / f"{name}.jsonl")
        assert read.text() == env.behaviour.text()
        assert read.world.table.discount == world.mdp.discount


def test_what_is_recorded_is_what_happened_whatever_wrappers_show() -> None:
    inside = gymnasium.make("caregrid/garden-v0")
    last = int(inside.action_space.n) - 1
    turned = TransformAction(inside, lambda action: last - action, inside.action_space)
    env = caregrid.RecordBehaviour(TransformObservation(turned, lambda seen: 0, inside.observation_space), last=1)
    table = inside.unwrapped.table.problem.mdp
    for seed in (3, 4):
        state = int(table.start_states()[0])
        _, info = env.reset(seed=seed)
        taken = []
        for action in range(last + 1):
            state, action_mask = inside.unwrapped.state_number, info["action_mask"]
            *_, info = env.step(action)
            taken.append(last - action if action_mask[last - action] else int(np.argmax(action_mask)))
            assert env.behaviour.episodes[-1][-1] == (state, taken[-1], inside.unwrapped.state_number)
    assert (len(env.behaviour.episodes), env.behaviour.steps, env.behaviour.seed) == (1, last + 1, 4)


@pytest.mark.parametrize("name", ["after_images", "opposite(crying_baby)", "false_memories"])
def test_turns_of_an_extended_environment_are_recorded_as_by_our_own_loop(name: str, tmp_path: Path) -> None:
    env = caregrid.RecordBehaviour(
        GymnasiumExtendedEnvironment(name, "q_learning", turns=30), tmp_path / "seen.jsonl", agent="q_learning"
    )
    actor = agent_spec("q_learning").build(env.observation_space.n, env.action_space.n, key=11)
    observation, _ = env.reset(seed=11)
    ended = False
    while not ended:
        action = actor.act(observation)
        following, reward, _, ended, _ = env.step(action)
        actor.train(Transition(observation, action, reward, following))
        observation = following
    env.close()
    ours = caregrid.record_behaviour("q_learning", f"extended/{name}", seed=11, limit=30)
    assert (tmp_path / "seen.jsonl").read_text(encoding="utf-8") == ours.text()
    assert caregrid.identify(tmp_path / "seen.jsonl").posterior["q_learning"] > 0.1


def test_a_registered_class_has_a_name_and_another_has_none() -> None:
    class Mine(ENVIRONMENTS["after_images"]):  # type: ignore[misc]
        """An environment of one's own."""

    env = caregrid.RecordBehaviour(GymnasiumExtendedEnvironment(ENVIRONMENTS["after_images"], "simple"))
    env.reset(seed=1)
    env.step(0)
    assert env.behaviour.world == "after_images"
    with pytest.raises(BadValue, match="not registered"):
        caregrid.RecordBehaviour(GymnasiumExtendedEnvironment(Mine, "simple"))


def test_a_nested_name_of_ones_own_is_not_registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "from xenv.environments import ENVIRONMENTS\n\nclass Mine(ENVIRONMENTS['after_images']):\n    'Mine.'\n"
    (tmp_path / "recorded_mine.py").write_text(lines, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("recorded_mine:Mine", "opposite(recorded_mine:Mine)"):
        with pytest.raises(BadValue, match="not registered"):
            caregrid.RecordBehaviour(GymnasiumExtendedEnvironment(name, "simple"))


def test_states_are_found_by_succession_where_an_ended_one_has_a_twin_that_goes_on() -> None:
    """In `icy_yard` who leaves is in a state of the same name as one in which one goes on."""
    table = ObservedWorld.make("icy_yard").table
    going_on = ~table.terminal[:, None, None] & (table.probability > 0.0)
    steps = [
        (number, action, int(table.next_state[number, action, slot]))
        for number, action, slot in np.argwhere(going_on).tolist()
    ]
    twins = [step for step in steps if table.terminal[step[2]] and table.index[table.states[step[2]]] != step[2]]
    assert twins
    for number, action, after in twins:
        taken = [(table.actions[action], table.states[after])]
        assert follow_states(table, table.states[number], taken, ended=True) == ((number, action, after),)


@pytest.mark.parametrize(
    "words",
    [
        "play garden --text",
        "train garden --steps 10 --out trained",
        "terminal tamper-grid --agent itc",
        "multislot swap --simulate 2 --policy cpy",
        "battery --agents simple --environments repeater --quick",
    ],
)
def test_a_missing_folder_is_refused_before_the_work(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*given: object, **named: object) -> None:
        raise AssertionError("work was begun")

    battery = "caregrid.programmes.extended.battery.run_battery"
    for place in ("experiments.training.train", "counterfactual.simulation.simulate.simulate", battery):
        monkeypatch.setattr(place, work)
    monkeypatch.chdir(tmp_path)
    assert main([*words.split(), "--record", str(tmp_path / "nowhere" / "mine.jsonl")]) == 2
    assert "cannot write: no such folder; make its folder first" in capsys.readouterr().err


def test_misuse_is_one_line_before_anything_is_done(tmp_path: Path) -> None:
    garden = gymnasium.make("caregrid/garden-v0")
    with pytest.raises(BadFile, match="no such folder"):
        caregrid.RecordBehaviour(garden, tmp_path / "nowhere" / "seen.jsonl")
    with pytest.raises(BadFile):
        caregrid.RecordBehaviour(garden, tmp_path)
    with pytest.raises(BadValue, match="record one environment"):
        caregrid.RecordBehaviour(gymnasium.make_vec("caregrid/garden-v0", num_envs=2))
    with pytest.raises(BadValue, match="last"):
        caregrid.RecordBehaviour(garden, last=0)
    with pytest.raises(BadValue, match="no environment of caregrid"):
        caregrid.RecordBehaviour(gymnasium.make("CartPole-v1"))
    with pytest.raises(BadValue, match="is not registered"):
        caregrid.RecordBehaviour(GymnasiumWorld(type("Mine", (SCENARIOS["garden"],), {"name": "mine"})()))
    with pytest.raises(BadValue, match="name scenario and options"):
        caregrid.RecordBehaviour(GymnasiumWorld(GymnasiumWorld("garden", weight_3=7.0).table.problem.scenario))
    env = caregrid.RecordBehaviour(garden, tmp_path / "seen.jsonl")
    with pytest.raises(BadValue, match="call reset first"):
        env.step(0)
    env.reset()
    with pytest.raises(BadValue, match="no step to record"):
        assert env.behaviour
    with pytest.warns(UserWarning, match="is not written"):
        env.close()
    assert not (tmp_path / "seen.jsonl").exists()


def test_registered_environments_are_worlds_of_behaviour_files(tmp_path: Path) -> None:
    """The file alone makes the world again: the same steps, the same posterior; the option is part of it."""
    path = tmp_path / "ice.jsonl"
    ice = caregrid.problem("gym:FrozenLake-v1", set={"is_slippery": "false"})
    seen = caregrid.record_behaviour(ice.solve(care=1), ice, episodes=2)
    seen.save(path)
    header = json.loads(path.read_text().splitlines()[0])
    assert (header["scenario"], header["options"]) == ("gym:FrozenLake-v1", {"is_slippery": "false"})
    again, there = caregrid.identify(path), caregrid.identify(seen)
    assert again.posterior == there.posterior
    assert again.identified.observed == there.identified.observed == 12
    assert again.posterior["random"] < 0.1
    moved = path.read_text().replace('"is_slippery": "false"', '"is_slippery": "true"')
    (tmp_path / "moved.jsonl").write_text(moved)
    with pytest.raises(BadFile, match="recorded in another world than 'gym:FrozenLake-v1'"):
        caregrid.identify(tmp_path / "moved.jsonl")


def test_a_behaviour_file_that_names_code_or_nothing_is_refused_before_it_runs(tmp_path: Path) -> None:
    ice = caregrid.problem("gym:FrozenLake-v1")
    text = caregrid.record_behaviour(ice.solve(care=0), ice, episodes=1, limit=5)
    text.save(tmp_path / "seen.jsonl")
    written = (tmp_path / "seen.jsonl").read_text()
    for name, says in (
        ("gym:evil_module:World-v0", "names code"),
        ("gym:Nothing-v0", "cannot be made"),
        ("gym:", "cannot be made"),
    ):
        (tmp_path / "other.jsonl").write_text(written.replace("gym:FrozenLake-v1", name))
        with pytest.raises(BadFile, match=says) as refused:
            caregrid.identify(tmp_path / "other.jsonl")
        assert "\n" not in str(refused.value)


class BeforeTheLake(Playroom):
    """A playroom after which somebody crosses a registered lake of ice."""

    def newcomers(self) -> tuple[Newcomer, ...]:
        lake = caregrid.problem("gym:FrozenLake-v1", set={"is_slippery": "false"}).exact.scenario
        return (Newcomer("walker", lake),)

    def handover(self, state: Any, newcomer: Newcomer) -> Any:
        (start,) = newcomer.scenario.starts()
        return type(start)(0 * state[0])


def test_behaviour_in_a_registered_environment_is_followed_and_designed_after(tmp_path: Path) -> None:
    """By hand: three steps down lead into a hole, which pays 0; the optimum is paid 1."""
    ice = caregrid.problem("gym:FrozenLake-v1", set={"is_slippery": "false"})
    down = np.full(16, ice.exact.mdp.actions.index("down"))
    path = tmp_path / "ice.jsonl"
    caregrid.record_behaviour(down, ice, episodes=1).save(path)
    before = caregrid.problem(BeforeTheLake)
    assert before.precompute().distribution.baseline_value == [1.0]
    values = before.precompute(follow={"walker": path})
    assert values.distribution.baseline_value == [0.0]
    assert values.followed["walker"].states == 3
    lake = "gym:FrozenLake-v1,is_slippery=false"
    assert caregrid.design("garden", lake, choose=1, after=path, episodes=2).chosen[0][0] == "garden"
    with pytest.raises(UnknownName, match="unknown environment 'Nothing-v0'"):
        caregrid.design("gym:Nothing-v0")
