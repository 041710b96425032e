"""Stacked learners and Stable-Baselines3's, each with keys of its own, earn the same in distribution.

A short form of `benchmarks/deep_distribution.py`, whose figures for 20 seeds are in docs/deep_agents.md.
"""

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

from xenv.agents.a2c import SB3A2C, StackedA2C
from xenv.agents.dqn import SB3DQN, StackedDQN
from xenv.agents.ppo import SB3PPO, StackedPPO
from xenv.interaction_loop import run_environment

SHORT = {"n_steps": 32, "batch_size": 16, "n_epochs": 4}
PAIRS = {
    "dqn": (SB3DQN(), StackedDQN()),
    "a2c": (SB3A2C(), StackedA2C()),
    "ppo": (SB3PPO(**SHORT), StackedPPO(**SHORT)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("environment", ["repeater", "after_images"])
def test_rewards_agree_in_distribution(name, environment):
    samples = [
        np.array([run_environment(environment, agent, 240, first + seed).mean for seed in range(6)])
        for agent, first in zip(PAIRS[name], (1, 10_000), strict=True)
    ]
    assert stats.mannwhitneyu(*samples).pvalue > 0.01
    if name != "ppo":  # which has hardly learned yet
        assert min(sample.mean() for sample in samples) > 0.1
