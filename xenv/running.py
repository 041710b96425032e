"""Running an agent in an extended environment, turn by turn, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.agent import Transition
from engine.errors import BadValue, ContractBroken
from xenv.simulation import as_spec, simulator


@dataclass(frozen=True)
class Result:
    """What an agent earned in an environment; record: every transition, where it was asked for."""

    total_reward: float
    turns: int
    record: tuple[Transition, ...] | None = None

    @property
    def mean(self) -> float:
        """Reward a turn."""
        return self.total_reward / self.turns


def run_environment(environment: Any, agent: Any, turns: int, key: int = 0, *, record: bool = False) -> Result:
    """Run an agent for some turns.

    environment: a class of extended environment. agent: a spec, or a factory of objects with act and train.
    record: keep every transition. Raises BadValue for turns below 1, ContractBroken for an action or observation
    out of range.
    """
    if turns < 1:
        raise BadValue(f"{turns} turns", remedy="run at least 1")
    simulate = simulator(as_spec(agent), environment.n_observations, environment.n_actions, key)
    world, actor = environment(simulate), simulate()
    total, lived = 0.0, []
    observation = world.start()
    for _ in range(turns):
        action = actor.act(observation)
        if not 0 <= action < world.n_actions:
            raise ContractBroken(f"action {action} is not in 0 .. {world.n_actions - 1}", place=type(actor).__name__)
        reward, next_observation = world.step(action)
        transition = Transition(observation, action, reward, next_observation)
        actor.train(transition)
        total += reward
        observation = next_observation
        if record:
            lived.append(transition)
    return Result(total, turns, tuple(lived) if record else None)
