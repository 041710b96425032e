"""Agents that are trained on transitions, each stepping a copy of a world of its own, some of them in shared stacks.

    repeat:  for each training: steps until its learner waits;   then: all learners that wait learn in one call

A learner that lies in no stack never waits, and is trained to the end before the next one begins. Who learns together
changes no learner (`engine.learning.stacks`), so that policies are those of the trainings one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.agent import Agent, AgentSpec, Transition
from engine.agents.dqn import DeepQLearner
from engine.check_agent import checked_action
from engine.learning.stacks.lane import Lane, Waiting
from xenv.specs.adapted_agent import as_agent

Policies = list[NDArray[np.int64]]


class LearningTask(NamedTuple):
    """What is learned. make: makes one copy of the world. turns: of training. every: turns between two policies."""

    make: Callable[[], Any]
    discount: float
    turns: int
    every: int
    seed: int


def stepping(
    specs: Sequence[AgentSpec], tasks: Sequence[LearningTask], waiting: Waiting | None = None
) -> list[Policies]:
    """The greedy policies of each task's agent, one for every `every` turns.

    specs: of the agents, one a task; each has a discount of its own. waiting: where learners wait that lie in stacks.
    """
    waiting = Waiting() if waiting is None else waiting
    trainings = [_Training(spec, task) for spec, task in zip(specs, tasks, strict=True)]
    unfinished = trainings
    while unfinished:
        for training in unfinished:
            training.go_on(waiting)
        waiting.learn()
        unfinished = [training for training in unfinished if training.turn < training.task.turns]
    return [training.policies for training in trainings]


class _Training:
    """One agent in one world. turn: how many are done. policies: so far."""

    def __init__(self, spec: AgentSpec, task: LearningTask) -> None:
        self.task, self.turn, self.policies = task, 0, Policies()
        self._world = task.make()
        self._n, self._actions = int(self._world.observation_space.n), int(self._world.action_space.n)
        self._agent = as_agent(spec.build(self._n, self._actions, task.seed))
        self._observation, _ = self._world.reset(seed=task.seed)

    def go_on(self, waiting: Waiting) -> None:
        """Step the world until a learner has noted enough to learn, or all turns are done."""
        world, agent, task, before = self._world, self._agent, self.task, len(waiting.lanes)
        while self.turn < task.turns and len(waiting.lanes) == before:
            action = checked_action(agent, self._observation, self._actions)
            following, reward, terminated, truncated, _ = world.step(action)
            agent.train(Transition(self._observation, action, reward, following, terminated))
            self._observation = world.reset()[0] if terminated or truncated else following
            self.turn += 1
            if self.turn % task.every == 0:
                self.policies.append(_greedy(agent, self._n, self._actions))


def _greedy(agent: Agent, observations: int, actions: int) -> NDArray[np.int64]:
    """int64[observations]: the greedy action by what the agent has learned, where it says so; else what it would do."""
    if isinstance(agent, Lane):
        return agent.greedy()
    table = getattr(agent, "values", None)
    if isinstance(agent, DeepQLearner):
        table = agent.action_values(np.arange(observations))
    if isinstance(table, np.ndarray) and table.shape == (observations, actions):
        return np.asarray(table.argmax(axis=1), dtype=np.int64)
    return np.array([checked_action(agent, observation, actions) for observation in range(observations)])
