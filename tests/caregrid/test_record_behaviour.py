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
from craftworld.identification.behaviour import Behaviour, ObservedWorld, follow_states, read_behaviours
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
    with pytest.raises(BadValue, match=r"not registered"):
        caregrid.RecordBehaviour(GymnasiumExtendedEnvironment(Mine, "simple"))


def test_a_nested_name_of_ones_own_is_not_registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "from xenv.environments import ENVIRONMENTS\n\nclass Mine(ENVIRONMENTS['after_images']):\n    'Mine.'\n"
    (tmp_path / "recorded_mine.py").write_text(lines, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("recorded_mine:Mine", "opposite(recorded_mine:Mine)"):
        with pytest.raises(BadValue, match=r"not registered"):
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
    with pytest.raises(BadFile, match=r"no such folder"):
        caregrid.RecordBehaviour(garden, tmp_path / "nowhere" / "seen.jsonl")
    with pytest.raises(BadFile):
        caregrid.RecordBehaviour(garden, tmp_path)
    with pytest.raises(BadValue, match=r"record one environment"):
        caregrid.RecordBehaviour(gymnasium.make_vec("caregrid/garden-v0", num_envs=2))
    with pytest.raises(BadValue, match=r"last"):
        caregrid.RecordBehaviour(garden, last=0)
    with pytest.raises(BadValue, match=r"no environment of caregrid"):
        caregrid.RecordBehaviour(gymnasium.make("CartPole-v1"))
    env = caregrid.RecordBehaviour(garden, tmp_path / "seen.jsonl")
    with pytest.raises(BadValue, match=r"call reset first"):
        env.step(0)
    env.reset()
    with pytest.raises(BadValue, match=r"no step to record"):
        assert env.behaviour
    with pytest.warns(UserWarning, match=r"is not written"):
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
    with pytest.raises(BadFile, match=r"recorded in another world than 'gym:FrozenLake-v1'"):
        caregrid.identify(tmp_path / "moved.jsonl")


def test_a_behaviour_file_that_names_code_or_nothing_is_refused_before_it_runs(tmp_path: Path) -> None:
    ice = caregrid.problem("gym:FrozenLake-v1")
    text = caregrid.record_behaviour(ice.solve(care=0), ice, episodes=1, limit=5)
    text.save(tmp_path / "seen.jsonl")
    written = (tmp_path / "seen.jsonl").read_text()
    for name, says in (
        ("evil_module:world", "names code"),
        ("gym:evil_module:World-v0", "names code"),
        ("gym:Nothing-v0", "cannot be made"),
        ("gym:", "cannot be made"),
    ):
        (tmp_path / "other.jsonl").write_text(written.replace("gym:FrozenLake-v1", name))
        with pytest.raises(BadFile, match=says) as refused:
            caregrid.identify(tmp_path / "other.jsonl")
        assert "\n" not in str(refused.value)


def test_an_option_in_a_behaviour_file_names_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ice = caregrid.problem("gym:FrozenLake-v1")
    caregrid.record_behaviour(ice.solve(care=0), ice, limit=5).save(tmp_path / "seen.jsonl")
    written = (tmp_path / "seen.jsonl").read_text()
    (tmp_path / "evil_options.py").write_text("raise SystemExit('evil code ran')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for options in ({"id": "evil_options:World-v0"}, {"id": "CliffWalking-v1"}, {"render_mode": "evil_options:World"}):
        header = json.loads(written.splitlines()[0]) | {"options": options}
        (tmp_path / "other.jsonl").write_text("\n".join([json.dumps(header), *written.splitlines()[1:], ""]))
        with pytest.raises(BadFile, match=r"names code|unknown option 'id'"):
            caregrid.identify("other.jsonl")


TABLES = Path(__file__).parents[2] / "docs" / "tables.md"


def find_price_of_ice() -> float:
    """The care from which the shore is better in docs/tables.md, by the equations of the way over the ice."""
    matrix, costs = np.eye(8), np.zeros((8, 2))  # on the ice at 0 to 6, and at the start
    for x in range(6):
        for chance, after in ((0.6, min(x + 3, 6)), (0.3, x + 1), (0.1, 7)):
            matrix[x, after] -= chance
        costs[x] = 1.0, 0.5
    matrix[7, 1] -= 1.0  # a step along the shore, then onto the ice
    costs[7] = 3.0, 0.0
    time, rescue = np.linalg.solve(matrix, costs)[7]
    return float((6 * 2.0 - time) / rescue)


def test_tables_are_worlds_of_behaviour_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who walks along the shore cares at least as much as the rescues cost; the file names model and options."""
    monkeypatch.chdir(tmp_path)
    Path("ice.prism").write_text(TABLES.read_text().split("```\nmdp")[1].split("```")[0].join(["mdp", ""]))
    named = caregrid.problem("ice.prism", set={"costs": "time,rescue"})
    caregrid.record_behaviour(named.solve(care=5), named).save("seen.jsonl")
    header = json.loads(Path("seen.jsonl").read_text().splitlines()[0])
    assert (header["scenario"], header["options"]) == ("ice.prism", {"costs": "time,rescue"})
    [(low, high)] = caregrid.identify("seen.jsonl").optimal_care["simultaneous"]
    assert low == pytest.approx(find_price_of_ice(), abs=1e-9)
    assert high == float("inf")
    table = caregrid.read_table("ice.prism", costs=["time", "rescue"])
    seen = caregrid.record_behaviour(caregrid.problem(table).solve(care=5), table)
    seen.save("object.jsonl")
    assert json.loads(Path("object.jsonl").read_text().splitlines()[0])["scenario"] == "ice"
    with pytest.raises(BadFile, match=r"unknown scenario 'ice'.*give its world yourself"):
        caregrid.identify("object.jsonl")
    for world in (table, caregrid.problem(table), "ice.prism,costs=time,rescue"):
        assert caregrid.identify("object.jsonl", world=world).optimal_care["simultaneous"] == [(low, high)]
    with pytest.raises(BadFile, match=r"it is not ice.prism, and"):
        caregrid.identify("object.jsonl", world="ice.prism,costs=time")
    Path("ice.prism").unlink()
    with pytest.raises(BadFile, match=r"ice.prism: file not found"):
        caregrid.identify("seen.jsonl")


def test_a_world_that_no_file_can_name_is_given_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded in one's own world reads back step by step, by that world alone."""
    monkeypatch.chdir(tmp_path)
    lines = "import caregrid\n\nlake = caregrid.wrap('FrozenLake-v1')\n"
    (tmp_path / "worlds_of_mine.py").write_text(lines, encoding="utf-8")
    lake = caregrid.wrap("FrozenLake-v1")
    env = caregrid.RecordBehaviour(GymnasiumWorld(lake), "seen.jsonl")
    env.reset(seed=1)
    while not env.step(1)[2]:
        pass
    seen = env.behaviour
    env.close()
    for world in (lake, "worlds_of_mine:lake", "gym:FrozenLake-v1"):
        read = caregrid.identify("seen.jsonl", world=world).identified.behaviours[0]
        assert read.text() == Behaviour(read.world, seen.agent, seen.episodes, seen.seed).text()
        assert read.episodes == seen.episodes
    for world in ("gym:CliffWalking-v1", "garden"):
        with pytest.raises(BadFile, match=r"it is not .*unknown scenario 'FrozenLake-v1'"):
            caregrid.identify("seen.jsonl", world=world)
    with pytest.raises(BadValue, match=r"nothing was recorded in 'garden'; leave this world out"):
        caregrid.identify("seen.jsonl", world=[lake, "garden"])
    for world in (3, None, object(), {"a": 1}):
        with pytest.raises(BadValue, match=r"world: world is"):
            caregrid.identify("seen.jsonl", world=world)
    assert main(["identify", "seen.jsonl", "--world", "worlds_of_mine:lake"]) == 0
    other = GymnasiumWorld("garden", weight_3=7.0).table.problem.scenario
    assert caregrid.record_behaviour([0] * 84, other, limit=3).steps == 3


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
