"""Training on scenarios: curves against the optimum, policies kept in files, what is refused, the same bytes again."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem
from engine.errors import BadFile, BadValue, CaregridError, ContractBroken, UnknownName
from experiments.learned_policy import FILE, load_policy
from experiments.training import train
from tests.craftworld.scenario_names import CRAFT_WORLDS
from tests.printed_json import printed_content

FILES = ["curve.csv", "curve.png", "policy.json", "policy.npz"]
OWN = """
class Downwards:
    def __init__(self, n_actions):
        self.n_actions = n_actions

    def act(self, observation):
        return 1

    def train(self, observation, action, reward, next_observation):
        pass


class TooFar(Downwards):
    def act(self, observation):
        return self.n_actions


class Raises(Downwards):
    def train(self, observation, action, reward, next_observation):
        raise KeyError("nothing there")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CRAFT_WORLDS)
def test_the_tabular_learner_reaches_the_optimum_of_every_scenario(name: str) -> None:
    problem = make_problem(SCENARIOS[name]())
    policy, curve = train(problem, 2.0, "q_learning", seed=1)
    assert curve[-1]["below"] == 0.0
    assert curve[-1]["greedy_return"] == pytest.approx(curve[-1]["optimum"])
    starts = [(float(problem.mdp.start[start]), int(start)) for start in problem.mdp.start_states()]
    best = sum(chance * problem.find_segment(2.0, start).line.at(2.0) for chance, start in starts)
    assert curve[-1]["optimum"] == pytest.approx(best)
    assert policy.actions.shape == problem.mdp.terminal.shape


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize(
    "agent", ["dqn", "sb3_dqn", "sb3_a2c", "sb3_ppo", "stacked_dqn", "stacked_a2c", "stacked_ppo", "simple", "random"]
)
def test_every_agent_trains_on_any_scenario_and_formulation(agent: str) -> None:
    problem = make_problem(SCENARIOS["mailroom"](), "options")
    one, again = (train(problem, 5.0, agent, steps=300, seed=2) for _ in range(2))
    np.testing.assert_array_equal(one.policy.actions, again.policy.actions)
    assert one.curve == again.curve
    assert all(row["greedy_return"] <= row["optimum"] + 1e-9 for row in one.curve)
    assert one.curve[-1]["steps"] <= 300


def test_a_curve_rises_to_the_optimum_and_never_beyond() -> None:
    result = caregrid.problem("workshop_auto").train("q_learning", 3.0, steps=200_000)
    rows = result.rows()
    assert rows[0]["below"] > 0.0 == rows[-1]["below"]
    assert all(row["greedy_return"] <= row["optimum"] for row in rows)
    assert result.warning is None
    assert result.figure().axes[0].get_xlabel() == "steps of training"


def test_what_is_kept_comes_back_and_is_not_trained_again(here: Path) -> None:
    problem = caregrid.problem("playroom")
    first = problem.train("q_learning", 10.0, steps=500, out="kept")
    assert sorted(path.name for path in Path("kept").iterdir()) == FILES
    written = {path: path.stat().st_mtime_ns for path in Path("kept").iterdir()}
    again = problem.train("q_learning", 10.0, steps=500, out="kept")
    assert {path: path.stat().st_mtime_ns for path in Path("kept").iterdir()} == written
    assert again.rows() == first.rows()
    np.testing.assert_array_equal(again.policy.actions, first.policy.actions)
    assert json.loads(Path("kept/policy.json").read_text())["care"] == 10.0
    with pytest.raises(BadFile, match=r"holds a policy of care 10.0, not of care 9.0; choose another path"):
        problem.train("q_learning", 9.0, steps=500, out="kept")
    Path("other").mkdir()
    Path("other/thesis.txt").write_text("mine")
    with pytest.raises(BadFile, match=r"holds other things \('thesis.txt'\)"):
        problem.train("q_learning", 9.0, steps=500, out="other")


def test_an_unfinished_folder_is_finished(here: Path) -> None:
    problem = caregrid.problem("playroom")
    first = problem.train("q_learning", 10.0, steps=500, out="kept")
    Path("kept", FILE).unlink()
    again = problem.train("q_learning", 10.0, steps=500, out="kept")
    np.testing.assert_array_equal(again.policy.actions, first.policy.actions)
    assert sorted(path.name for path in Path("kept").iterdir()) == FILES


def test_a_policy_of_another_map_or_scenario_is_refused(here: Path) -> None:
    caregrid.problem("workshop_auto").train(steps=500, out="kept")
    for kind, grid in (("workshop", None), ("workshop_auto", "#..##.W..#")):
        world = SCENARIOS[kind]
        art = world.art.replace("#.....W..#", grid) if grid else world.art
        problem = make_problem(world(world.parse_map(art)))
        with pytest.raises(BadFile, match="another scenario, map, option or discount; train one"):
            load_policy("kept", problem.scenario, problem.mdp)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04nonsense", b"\x80\x04K\x01."])
def test_a_damaged_policy_is_refused_in_one_line(here: Path, damage: bytes) -> None:
    problem = make_problem(SCENARIOS["playroom"]())
    Path("kept").mkdir()
    Path("kept", FILE).write_bytes(damage)
    with pytest.raises(BadFile, match="not a readable file of a policy; train one with 'caregrid train'") as refused:
        load_policy("kept", problem.scenario, problem.mdp)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("actions", [np.zeros(3, np.int32), np.full(144, 99, np.int32), np.zeros(144)])
def test_actions_that_do_not_fit_are_refused(here: Path, actions: np.ndarray) -> None:
    from craftworld.others.value_distribution import compute_fingerprint
    from experiments.learned_policy import LearnedPolicy, save_policy

    problem = make_problem(SCENARIOS["playroom"]())
    Path("kept").mkdir()
    fitting = actions if len(actions) == 3 else np.resize(actions, problem.mdp.terminal.shape)
    policy = LearnedPolicy(fitting, {"care": 1.0})
    save_policy(Path("kept"), policy, compute_fingerprint(problem.scenario, problem.mdp))
    with pytest.raises(BadFile, match="its actions do not fit"):
        load_policy("kept", problem.scenario, problem.mdp)


COMPLETE = """
class Complete:
    def __init__(self, n_actions): pass
    def act(self, observation): return ACTION
    def train(self, transition): pass
    def fork(self): return self
"""


@pytest.mark.parametrize("action", ["[1]", "None", "1.0", "True"])
def test_an_action_of_a_complete_agent_that_is_no_integer_is_named(
    action: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("own_complete.py").write_text(COMPLETE.replace("ACTION", action))
    monkeypatch.syspath_prepend(here)
    with pytest.raises(ContractBroken) as refused:
        caregrid.problem("mailroom").train("own_complete:Complete", steps=100, out="complete")
    sys.modules.pop("own_complete")
    assert str(refused.value) == (f"own_complete.py, class Complete: act gave {action}; expected an integer in 0 .. 6")
    assert not Path("complete").exists()


def test_an_agent_of_ones_own(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own_trainees.py").write_text(OWN)
    monkeypatch.syspath_prepend(here)
    problem = caregrid.problem("mailroom")
    assert problem.train("own_trainees:Downwards", steps=100, out="kept").rows()[-1]["greedy_return"] == -1000.0
    with pytest.raises(
        ContractBroken, match=r"own_trainees.py, class TooFar: act gave 7; expected an integer in 0 .. 6"
    ):
        problem.train("own_trainees:TooFar", steps=100, out="far")
    assert main(["train", "mailroom", "--agent", "own_trainees:Raises", "--steps", "100", "--out", "raises"]) == 2
    assert sorted(path.name for path in here.iterdir() if path.is_dir() and path.name != "__pycache__") == ["kept"]


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"agent": "sb3_sac"}, UnknownName, "unknown agent 'sb3_sac'"),
        ({"steps": 0}, BadValue, "steps is 0; give a whole number from 1 to 10000000000"),
        ({"steps": 10**30}, BadValue, "give a whole number from 1 to 10000000000"),
        ({"steps": 10**8}, BadValue, "100,000,000 steps of learning take .* yes=True"),
        ({"agent": "dqn", "steps": 10**8, "yes": True}, BadValue, "choose from 1 to 10,000,000"),
        ({"care": float("nan")}, BadValue, "care is nan"),
        ({"care": float("inf")}, BadValue, "care is inf"),
        ({"seed": -1}, BadValue, "seed is -1"),
        ({"seed": 2**63}, BadValue, r"give a whole number from 0 to 2\^63 - 1"),
    ],
)
def test_what_cannot_be_trained_is_refused_and_nothing_is_written(
    here: Path, given: dict[str, object], kind: type[CaregridError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        caregrid.problem("playroom").train(out="kept", **given)  # type: ignore[arg-type]
    assert not list(here.iterdir())


def test_a_formulation_with_a_baseline_needs_one_start_state(here: Path) -> None:
    several = caregrid.problem("workshop_auto", "no_worse_off", set={"key_start": "uniform"})
    with pytest.raises(BadValue, match="'no_worse_off' rewards each start state by another baseline"):
        several.train(out="kept")
    mean = caregrid.problem("workshop_auto", set={"key_start": "uniform"}).train(care=2.0)
    assert mean.rows()[-1]["below"] == 0.0


def test_learned_policies_are_shown_beside_the_optimal_one(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")  # wide enough that no line is broken
    assert main(["train", "playroom", "--care", "10", "--out", "good"]) == 0
    assert main(["train", "playroom", "--care", "10", "--steps", "60", "--out", "poor"]) == 0
    said = capsys.readouterr().err
    assert "the policy never ends, and within 1000 steps it stays" in said
    assert "below the optimum: try --steps 240" in said
    shown = ["--policy", "good", "--policy", "poor"]
    assert main(["compare", "playroom", "--care", "10", *shown, "--json"]) == 0
    optimal, good, poor = printed_content(capsys.readouterr().out)["rows"]
    assert (good["own"], good["others"]) == (optimal["own"], optimal["others"])
    assert (good["policy"], poor["policy"]) == ("good (q_learning, care 10)", "poor (q_learning, care 10)")
    assert poor["own"] == -1000.0
    assert (optimal["ends"], good["ends"], poor["ends"]) == (1.0, 1.0, 0.0)
    assert len(poor["actions"]) < 50, "actions end with the first state that comes again"
    assert main(["compare", "playroom", "--care", "10", *shown]) == 0
    text = capsys.readouterr().out
    assert "care 10, good (q_learning, care 10)" in text, "what is learned and what is optimal are one panel"
    assert "poor (q_learning, care 10): never ends, cut after 1000 steps" in text
    assert re.search(r"own +#+ -7 +own +[#/]+ -1000\n", text)
    assert main(["record", "playroom", "--care", "10", *shown, "--out", "film.json"]) == 0
    assert main(["view", "playroom", "--care", "10", *shown, "--headless", "--keys", "p,p", "--out", "v.txt"]) == 0
    text = Path("v.txt").read_text()
    for label in ("good (q_learning, care 10)", "poor (q_learning, care 10)", "optimal path"):
        assert label in text
    assert main(["compare", "mailroom", "--policy", "good"]) == 2
    assert "made for 'playroom'" in capsys.readouterr().err
