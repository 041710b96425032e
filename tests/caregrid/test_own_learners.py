"""Learners of one's own: hyper-parameters in names, objects, several seeds, and greedy returns that are greedy."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from engine.agents.sarsa import Sarsa
from engine.errors import BadFile, BadValue, CaregridError, ContractBroken
from xenv.agents import BATTERY_AGENTS
from xenv.names import agent_spec, normalise_name

OWN = """
import random
import re


class Learner:
    def __init__(self, n_observations, n_actions, seed, epsilon=0.2, rate=0.5):
        self.table = [[0.0] * n_actions for _ in range(n_observations)]
        self.n_actions, self.epsilon, self.rate, self.random = n_actions, epsilon, rate, random.Random(seed)
        self.drawn = self.random.random()

    def act(self, observation, explore=True):
        if explore and self.drawn < self.epsilon:
            return int(self.drawn / self.epsilon * self.n_actions)
        row = self.table[observation]
        return row.index(max(row))

    def train(self, observation, action, reward, following):
        row = self.table[observation]
        row[action] += self.rate * (reward + max(self.table[following]) - row[action])
        self.drawn = self.random.random()


class Silent(Learner):
    def act(self, observation):
        return super().act(observation)
"""


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"own_{random.Random(str(tmp_path)).getrandbits(64)}"
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


@pytest.mark.parametrize(
    ("name", "normalised"),
    [
        ("sarsa(learning_rate=0.5, epsilon=0.3)", "sarsa(epsilon=0.3,learning_rate=0.5)"),
        ("reality-check( sarsa(epsilon = 0.3) )", "reality_check(sarsa(epsilon=0.3))"),
        ("q-learning", "q_learning"),
    ],
)
def test_a_name_with_hyperparameters_has_one_spelling(name: str, normalised: str) -> None:
    assert normalise_name(name, BATTERY_AGENTS) == normalised
    assert agent_spec(name) == agent_spec(normalised)


def test_hyperparameters_of_a_name_are_those_of_the_spec() -> None:
    assert agent_spec("sarsa(epsilon=0.3)") == Sarsa(epsilon=0.3)


def test_environments_take_no_arguments() -> None:
    from xenv.names import environment_factory

    with pytest.raises(BadValue, match="takes no arguments"):
        environment_factory("crying_baby(x=1)")


def test_a_spec_an_equal_name_and_a_class_learn_alike(own_file: str) -> None:
    problem = caregrid.problem("garden")
    by_name = problem.train("sarsa(epsilon=0.3)", 0, steps=2_000)
    by_spec = problem.train(Sarsa(epsilon=0.3), 0, steps=2_000)
    assert by_name.rows() == by_spec.rows()
    assert (by_name.policy.actions == by_spec.policy.actions).all()
    assert by_name.rows() != problem.train("sarsa(epsilon=0.9)", 0, steps=20_000).rows()
    module = __import__(own_file)
    of_file = problem.train(f"{own_file}:Learner(epsilon=0.4)", 0, steps=2_000, seed=3)
    assert of_file.policy.note["greedy"]
    of_function = problem.train(
        lambda n_observations, n_actions, seed: module.Learner(n_observations, n_actions, seed, epsilon=0.4),
        0,
        steps=2_000,
        seed=3,
    )
    assert of_file.rows() == of_function.rows()


@pytest.mark.slow
def test_a_greedy_return_is_greedy_where_the_agent_can_be_asked_and_said_not_to_be_elsewhere(own_file: str) -> None:
    problem = caregrid.problem("garden")
    asked = problem.train(f"{own_file}:Learner(epsilon=0.9)", 0, steps=40_000)
    silent = problem.train(f"{own_file}:Silent(epsilon=0.9)", 0, steps=40_000)
    assert asked.curve[-1]["below"] == 0.0
    assert any(row["below"] > 0 for row in silent.curve[10:])
    assert "greedy return is that of one answer of act" in silent.text()
    assert "greedy return is that of" not in asked.text()
    assert silent.as_dict()["policy"]["greedy"] is False


def test_a_wrong_answer_without_exploration_names_the_agent() -> None:
    class Wrong:
        def act(self, observation: int, explore: bool = True) -> int:
            return 0 if explore else 99

        def train(self, transition: object) -> None: ...

    with pytest.raises(ContractBroken, match="Wrong"):
        caregrid.problem("garden").train(Wrong, 0, steps=20)


@pytest.mark.slow
def test_seeds_have_rows_a_mean_an_interval_and_a_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["train", "garden", "--agent", "q_learning", "--care", "0", "--steps", "2000", "--seeds", "12"]
    assert main([*line, "--out", str(tmp_path / "out"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    problem = caregrid.problem("garden")
    alone = [problem.train("q_learning", 0, steps=2000, seed=seed).curve[-1]["greedy_return"] for seed in range(12)]
    assert [row["greedy_return"] for row in printed["seeds"]] == alone
    assert printed["mean"] == pytest.approx(sum(alone) / 12)
    assert printed["interval"]["low"] <= printed["mean"] <= printed["interval"]["high"]
    assert {"seed-0", "seed-11", "seeds.csv", "seeds.png"} <= {file.name for file in (tmp_path / "out").iterdir()}
    again = problem.train("q_learning", 0, steps=2000, seeds=12, out=tmp_path / "out")
    assert again.mean == pytest.approx(printed["mean"])
    assert len(again.rows()) == 12
    assert len(again.figure().axes[0].lines) == 12 + 2  # each seed, the mean and the optimum
    with pytest.raises(BadValue, match="both seed and seeds"):
        problem.train("q_learning", 0, seed=1, seeds=2)


@pytest.mark.slow
def test_a_sweep_file_takes_any_agent_and_code_only_where_it_is_trusted(
    own_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = ["exact", "q_learning", "sarsa(epsilon=0.5, discount=1)", f"{own_file}:Learner(epsilon=0.5)"]
    text = f'scenario = "garden"\ncare = 0\nsteps = 2000\nagents = {json.dumps(agents)}\n'
    Path("own.toml").write_text(text)
    line = ["run", "own.toml", "--engine", "serial", "--quiet", "--out", "out"]
    assert main(line) == 2
    assert "add --trust" in capsys.readouterr().err
    assert main([*line, "--trust"]) == 0
    rows = {row["agent"]: row for row in caregrid.load("out", trust=True).rows()}
    assert set(rows) == set(agents)
    for agent in agents[2:]:
        alone = caregrid.problem("garden").train(agent, 0, steps=2000).curve[-1]
        assert rows[agent]["regret"] == pytest.approx(alone["below"])
        assert rows[agent]["steps_taken"] == 2000
    Path("own.toml").write_text(text.replace("sarsa(", "sarsaa("))
    assert main([*line[:-1], "other", "--trust"]) == 2
    assert "no agent 'sarsaa(epsilon=0.5, discount=1)'" in capsys.readouterr().err


def test_a_bench_measures_an_agent_with_hyperparameters(tmp_path: Path) -> None:
    measured = caregrid.bench("self_reflection", quick=True, agent=["q_learning(epsilon=0.5,discount=0)"])
    assert {row["method"] for row in measured.rows()} == {"q_learning(epsilon=0.5,discount=0)"}


@pytest.mark.slow
def test_a_sweep_trains_any_agents_and_keeps_them_apart(own_file: str, tmp_path: Path) -> None:
    problem = caregrid.problem("garden")
    own = f"{own_file}:Learner(epsilon=0.4)"
    swept = problem.sweep(
        "0,1", method=f"exact,sarsa(epsilon=0.3,discount=1),{own}", steps=2_000, out=tmp_path / "swept"
    )
    rows = {(row["method"], row["care"]): row for row in swept.rows()}
    assert list(rows) == [(name, care) for name in ("exact", "sarsa(epsilon=0.3,discount=1)", own) for care in (0, 1)]
    assert rows[own, 1]["regret"] == problem.train(own, 1, steps=2_000).curve[-1]["below"]
    assert rows[own, 1]["optimal_total"] == rows["exact", 1]["total"]
    named = problem.sweep([0, 1], method={"first": Sarsa(epsilon=0.3, discount=1), "second": own}, steps=2_000)
    assert [row["regret"] for row in named.rows()] == [row["regret"] for row in swept.rows()[2:]]
    labels = [text.get_text() for text in swept.figure().legends[0].get_texts()]
    assert labels[0] == "exact"
    assert len(labels) == 3
    with pytest.raises(BadValue, match=r"no agent 'exat'.*did you mean 'exact'"):
        problem.sweep("0,1", method="exat")
    (Path.cwd() / f"{own_file}.py").write_text(OWN.replace("rate=0.5", "rate=0.6"))
    with pytest.raises(BadFile, match="it holds results of"):
        problem.sweep("0,1", method=own, steps=2_000, out=tmp_path / "swept")


MODELS = """
from functools import partial

from stable_baselines3 import A2C, DQN


class Short(A2C):
    def __init__(self, policy, env, n_steps=8, **more):
        super().__init__(policy, env, n_steps=n_steps, **more)


quick = partial(A2C, "MlpPolicy", n_steps=8)


def small(env, seed=0, rate=1e-3):
    return DQN("MlpPolicy", env, learning_rate=rate, learning_starts=50, policy_kwargs={"net_arch": [8]}, seed=seed)


def none(env):
    return 3
"""


@pytest.fixture
def models(own_file: str) -> str:
    pytest.importorskip("stable_baselines3")
    (Path.cwd() / f"models_{own_file}.py").write_text(MODELS)
    return f"models_{own_file}"


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["Short(n_steps=4)", "quick", "small(rate=0.01)"])
def test_a_model_of_stable_baselines_of_ones_own_is_trained(name: str, models: str) -> None:
    from stable_baselines3.common.base_class import BaseAlgorithm

    assert issubclass(__import__(models).Short, BaseAlgorithm)
    problem = caregrid.problem("garden")
    trained = problem.train(f"{models}:{name}", 0, steps=60, seed=1)
    assert [row["steps"] for row in trained.rows()] == list(range(3, 61, 3))
    again = problem.train(f"{models}:{name}", 0, steps=60, seed=1)
    assert (trained.policy.actions == again.policy.actions).all()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("small(rat=1)", "no hyper-parameter 'rat'; choose from rate"),
        ("none", "it made 3; return an algorithm of Stable-Baselines3"),
    ],
)
def test_what_makes_no_model_is_refused_before_anything_is_learned(name: str, said: str, models: str) -> None:
    with pytest.raises(CaregridError, match=re.escape(said)):
        caregrid.problem("garden").train(f"{models}:{name}", 0, steps=60, out="out")
    assert not Path("out").exists()
    with pytest.raises(BadValue, match="a model that is made already"):
        caregrid.problem("garden").train(__import__(models).Short("MlpPolicy", "CartPole-v1"), 0, steps=60)
