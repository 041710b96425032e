"""Agents that learn a world through Gymnasium and are asked for their greedy policy now and then.

A learner is a function `(make, discount, turns, every, seed) -> policies`: `make` makes one copy of the world; there is
one policy (action of each state, int64[S]) for every `every` turns; `LEARNERS` names them. Stable-Baselines3 draws from
global generators; they are put back as found.

Both DQNs learn in one copy and replay it. A2C and PPO forget what they have learned from, so that the few finishes of a
random walk in a large world must all be among what they learn from then, and a first, poor way to finish must not
become the only one they try. Hence several copies at once, generalised advantages over many steps, and a large weight
of the policy's entropy, which means something in units of (scaled) reward because advantages are not normalised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agent import Agent, AgentSpec, Transition
from engine.agents.dqn import DQN, DeepQLearner
from engine.errors import ContractBroken
from engine.randomness.global_generators import global_generators_kept
from engine.randomness.torch import one_thread
from engine.user_code import place_of
from xenv.specs.adapted_agent import as_agent

Policies = list[NDArray[np.int64]]
Make = Callable[[], Any]
Learner = Callable[[Make, float, int, int, int], Policies]


def our_dqn(make: Make, discount: float, turns: int, every: int, seed: int) -> Policies:
    """Our DQN, stepping the world itself."""
    spec = DQN(
        discount=discount,
        layers=(256,),
        replay_size=100_000,
        train_every=2,
        target_every=25,
        exploration=0.2,
        exploration_turns=turns // 2,
    )
    return stepping(spec, make, discount, turns, every, seed)


def stepping(spec: AgentSpec, make: Make, discount: float, turns: int, every: int, seed: int) -> Policies:
    """Any agent that is trained on transitions, stepping one copy of the world; it has a discount of its own."""
    world = make()
    n, actions = int(world.observation_space.n), int(world.action_space.n)
    agent, policies = as_agent(spec.build(n, actions, seed)), Policies()
    observation, _ = world.reset(seed=seed)
    for turn in range(1, turns + 1):
        action = _checked(agent.act(observation), actions, agent)
        following, reward, terminated, truncated, _ = world.step(action)
        agent.train(Transition(observation, action, reward, following, terminated))
        observation = world.reset()[0] if terminated or truncated else following
        if turn % every == 0:
            policies.append(_greedy(agent, n, actions))
    return policies


def _greedy(agent: Agent, observations: int, actions: int) -> NDArray[np.int64]:
    """int64[observations]: the greedy action by the agent's action values, where it has any; else what it would do."""
    table = getattr(agent, "values", None)
    if isinstance(agent, DeepQLearner):
        table = agent.action_values(np.arange(observations))
    if isinstance(table, np.ndarray) and table.shape == (observations, actions):
        return np.asarray(table.argmax(axis=1), dtype=np.int64)
    return np.array([_checked(agent.act(observation), actions, agent) for observation in range(observations)])


def _checked(action: int, actions: int, agent: Agent) -> int:
    if not 0 <= action < actions:
        place = place_of(getattr(agent, "wrapped", agent))
        raise ContractBroken(f"act gave {action!r}", place=place, remedy=f"actions are 0 to {actions - 1}")
    return action


def stable_baselines(
    name: str,
    settings: dict[str, Any],
    copies: int,
    make: Make,
    discount: float,
    turns: int,
    every: int,
    seed: int,
) -> Policies:
    """One of Stable-Baselines3's algorithms, driven by its own `learn`; a turn is a step of one of the copies."""
    import stable_baselines3
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import DummyVecEnv

    worlds, policies = DummyVecEnv([make] * copies), Policies()
    observations = np.arange(int(worlds.observation_space.n))  # type: ignore[attr-defined]

    class Ask(BaseCallback):
        """Notes the greedy policy every `every` turns."""

        def _on_step(self) -> bool:
            if min(self.num_timesteps, turns) >= every * (len(policies) + 1):
                policies.append(self.model.predict(observations, deterministic=True)[0])
            return True

    algorithm = getattr(stable_baselines3, name)
    with global_generators_kept(), one_thread():
        model = algorithm("MlpPolicy", worlds, gamma=discount, seed=seed, device="cpu", **settings)
        model.learn(turns, callback=Ask())
    return policies


_DQN = {
    "learning_rate": 1e-3,
    "buffer_size": 100_000,
    "train_freq": 2,
    "target_update_interval": 50,
    "exploration_fraction": 0.5,
    "exploration_final_eps": 0.2,
    "policy_kwargs": {"net_arch": [256]},
}
_A2C = {"n_steps": 16, "gae_lambda": 0.95, "ent_coef": 0.5, "learning_rate": 2e-3}
_PPO = {
    "n_steps": 128,
    "batch_size": 512,
    "n_epochs": 5,
    "ent_coef": 0.25,
    "learning_rate": 1e-3,
    "normalize_advantage": False,
}
COPIES = 16
LEARNERS: dict[str, Learner] = {
    "dqn": our_dqn,
    "sb3_dqn": partial(stable_baselines, "DQN", _DQN, 1),
    "sb3_a2c": partial(stable_baselines, "A2C", _A2C, COPIES),
    "sb3_ppo": partial(stable_baselines, "PPO", _PPO, COPIES),
}
