"""The deep learners of the worlds: policies on time, the same again for the same seed, global generators put back."""

import random

import gymnasium
import numpy as np
import pytest
import torch

import caregrid
from engine.errors import BadValue, UnknownName
from experiments.catalogue.be_considerate import deep_learners
from experiments.learners import LEARNERS, LearningTask

TURNS, EVERY = 120, 40


def task(seed, care=10.0, turns=TURNS, every=EVERY):
    assert caregrid

    def make():
        return gymnasium.make("caregrid/playroom-v0", care=care, max_episode_steps=50)

    return LearningTask(make, 0.99, turns, every, seed)


def learned(name, seed):
    [policies] = LEARNERS[name]([task(seed)])
    return policies


@pytest.mark.parametrize("name", LEARNERS)
def test_a_policy_for_every_checkpoint_the_same_for_the_same_seed(name):
    numpy_before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    before = random.getstate(), torch.random.get_rng_state()
    policies, again, other = learned(name, 3), learned(name, 3), learned(name, 4)
    assert len(policies) == TURNS // EVERY
    states = gymnasium.make("caregrid/playroom-v0").observation_space.n
    assert all(policy.shape == (states,) and policy.min() >= 0 and policy.max() < 5 for policy in policies)
    assert np.array_equal(policies, again)
    assert not np.array_equal(policies, other)
    assert random.getstate() == before[0]
    assert torch.equal(torch.random.get_rng_state(), before[1])
    assert np.random.get_state()[1].tobytes() == numpy_before  # noqa: NPY002


@pytest.mark.parametrize("name", [name for name in LEARNERS if name.startswith("stacked")])
def test_a_lane_of_a_sweep_learns_what_it_learns_alone(name):
    """Other seeds, other coefficients and a shorter training beside it; PPO needs 2,048 turns to learn at all."""
    turns = 2_200 if name == "stacked_ppo" else 600
    tasks = [task(seed, care, turns, turns // 5) for seed, care in ((1, 0.0), (1, 30.0), (2, 10.0))]
    tasks.insert(1, task(5, 2.0, turns // 2, turns // 2))
    together = LEARNERS[name](tasks)
    assert [len(policies) for policies in together] == [5, 1, 5, 5]
    for each, policies in zip(tasks, together, strict=True):
        [alone] = LEARNERS[name]([each])
        assert np.array_equal(policies, alone)
    assert not np.array_equal(together[0], together[-1])


@pytest.mark.slow
def test_units_of_the_experiment_are_lanes_with_the_rows_that_they_have_alone(monkeypatch):
    short = deep_learners.WORLDS["playroom"]._replace(
        replaying=deep_learners.Training(400, 0.99), forgetting=deep_learners.Training(400, 0.99)
    )
    monkeypatch.setitem(deep_learners.WORLDS, "playroom", short)
    settings = [
        {"world": "playroom", "care": care, "learner": learner, "seed": seed}
        for care in (0.0, 10.0)
        for learner in ("stacked_dqn", "stacked_a2c", "dqn")
        for seed in (1, 2)
    ]
    assert deep_learners.run_together(settings) == [deep_learners.run(**setting, key=0) for setting in settings]


@pytest.mark.parametrize(
    ("changed", "refused"),
    [({"world": "kitchen"}, "kitchen"), ({"learner": "sarsa"}, "sarsa"), ({"care": float("nan")}, "care")],
    ids=["world", "learner", "care"],
)
def test_what_cannot_be_learned_is_refused_before_anything_runs(changed, refused):
    setting = {"world": "playroom", "care": 10.0, "learner": "stacked_dqn"}
    with pytest.raises((BadValue, UnknownName), match=refused):
        deep_learners.prepare(**(setting | changed))


@pytest.mark.slow
def test_stacked_learners_find_the_exact_optimum():
    """One seed of the DQN, whose training is the shortest; the catalogue's quick subset holds the other world."""
    rows = deep_learners.run("mailroom", 10.0, "stacked_dqn", 1, 0)
    assert len(rows) == deep_learners.CHECKPOINTS
    assert any(row["exact"] for row in rows)
    assert max(row["greedy_return"] for row in rows) <= rows[0]["optimum"] + 1e-6
