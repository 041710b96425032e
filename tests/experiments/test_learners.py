"""The deep learners of the worlds: policies on time, the same again for the same seed, global generators put back."""

import random

import gymnasium
import numpy as np
import pytest
import torch

import caregrid
from experiments.training.learners import LEARNERS

TURNS, EVERY = 120, 40


def learned(name, seed):
    assert caregrid

    def make():
        return gymnasium.make("caregrid/playroom-v0", care=10.0, max_episode_steps=50)

    return LEARNERS[name](make, 0.99, TURNS, EVERY, seed)


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
