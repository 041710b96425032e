"""Runs of lanes of the same stacks give what they give one by one, turn by turn."""

import pytest

pytest.importorskip("torch")

import xenv
from xenv.agents.a2c import SB3A2C, StackedA2C
from xenv.agents.dqn import SB3DQN, StackedDQN
from xenv.agents.ppo import SB3PPO, StackedPPO
from xenv.environments import ENVIRONMENTS
from xenv.interaction_loop import JointRun, run_jointly

AGENTS = {
    "dqn": StackedDQN(buffer_size=60, target_update_interval=30, total_timesteps=50),
    "a2c": StackedA2C(),
    "ppo": StackedPPO(n_steps=16, batch_size=8, n_epochs=2),
}
SLOW = {"deja_vu", "reverse_history", "punish_slow_agent"}
QUICK = [name for name in ENVIRONMENTS if name not in SLOW]


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_joint_runs_are_the_single_ones(agent):
    names = [*QUICK, *(f"literal_opposite({name})" for name in QUICK[::4]), "deja_vu"]
    jobs = [
        JointRun(name, spec, 45, seed, record=True)
        for name in names
        for spec in (agent, xenv.reality_check(agent))
        for seed in (1, 2)
    ]
    for job, joint in zip(jobs, run_jointly(jobs), strict=True):
        alone = xenv.run_environment(job.environment, job.agent, job.turns, job.key, record=True)
        assert joint.record.tobytes() == alone.record.tobytes(), job
        assert (joint.total_reward, joint.turns) == (alone.total_reward, alone.turns)


def test_runs_of_different_lengths_and_agents_end_each_in_its_time():
    jobs = [JointRun("repeater", agent, turns, 3) for agent in AGENTS.values() for turns in (1, 17, 64)]
    assert [result.turns for result in run_jointly(jobs)] == [1, 17, 64] * 3
    assert run_jointly([]) == []


def test_an_agent_that_cannot_be_a_lane_is_named():
    with pytest.raises(xenv.UnknownHyperparameter, match="stacks"):
        run_jointly([JointRun("repeater", "q_learning", 5)])


PAIRS = {"dqn": (SB3DQN, StackedDQN, {}), "a2c": (SB3A2C, StackedA2C, {}), "ppo": (SB3PPO, StackedPPO, {"n_steps": 64})}


@pytest.mark.slow_cases(beyond=3)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("environment", ["repeater", "third_action_forbidden", "incentivize_learning_rate"])
def test_the_stacked_agents_earn_what_the_adapters_of_stable_baselines_earn(name, environment):
    """Equal keys, equal numbers: the turns are the same as long as rounding decides no action."""
    one, other, settings = PAIRS[name]
    theirs = xenv.run_environment(environment, one(**settings), 300, 1, record=True)
    ours = xenv.run_environment(environment, other(**settings), 300, 1, record=True)
    assert (theirs.record == ours.record).mean() > 0.98
