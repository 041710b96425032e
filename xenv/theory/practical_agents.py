"""Practical agents as agents of the theory: a fresh one, trained on the prompt's transitions, acts; and back.

    T(r_0 o_0 a_0 r_1 o_1 ... r_n o_n) = act(o_n)  after train(o_i, a_i, r_{i+1}, o_{i+1}) for i = 0 .. n-1
    act(o) = T(0, o_0, a_0, r_1, o_1, a_1, ..., r_n, o)  after train(o_i, a_i, r_{i+1}, .) for i = 0 .. n-1

An agent of the battery is built for so many observations. By name it answers every prompt: strange observations are
numbered in the order in which they appear, and the agent is built for twice as many as often as it takes. A
trained agent is kept for some of the prompts that it was asked about, so that a prompt that goes on from one of them
costs only what is new. Alexander et al. 2021, section 4.

Choices:
- r_0 trains nothing, since no action of the agent came before it
- the work of such an agent is that of acting, as in the battery's `punish_slow_agent`; training was before
- the history of a practical form of an agent begins with reward 0, which no transition tells; its last observation
  is the one that is asked about
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.agent import Agent, AgentSpec, Transition
from engine.errors import BadValue
from xenv.simulation import Simulate, as_spec
from xenv.theory.agents import (
    HistoryAgent,
    PromptNode,
    Work,
    answer_percepts,
    as_agent,
    measure_work,
    recall_works,
    walk_tree,
)
from xenv.theory.histories import Percept, Play, Prompt, as_exact_reward, as_natural
from xenv.user_environments import ValidatedSimulate

MOST_KEPT = 512
Labels = Callable[[Sequence[int]], Sequence[int]]


def keep_observations(observations: Sequence[int]) -> Sequence[int]:
    """Return observations as they are."""
    return observations


def number_by_appearance(observations: Sequence[int], known: int = 0) -> Sequence[int]:
    """Number observations from `known` on in the order in which they appear; smaller ones are as they are."""
    numbers: dict[int, int] = {}
    return [one if one < known else numbers.setdefault(one, known + len(numbers)) for one in observations]


def as_history_agent(
    spec: AgentSpec | Any,
    n_observations: int,
    n_actions: int,
    key: int = 0,
    *,
    name: str = "",
    labels: Labels = keep_observations,
) -> HistoryAgent:
    """Return a practical agent as a function of prompts.

    spec: a spec, or a factory of agents. n_observations, n_actions: what it is built for; a prompt that holds another
    observation or action raises BadValue. key: of its random numbers. labels: what the agent is shown in place of a
    prompt's observations, the same for its beginning whatever follows. Where they are not the observations as they are,
    other actions than its own teach the agent nothing.
    """
    checked = as_spec(spec)
    simulate = ValidatedSimulate(checked, n_observations, n_actions, key)
    return make_history_agent(simulate, name or type(checked).__name__, labels)


FIRST_SIZE = 1000


def answer_every_prompt(
    spec: AgentSpec | Any, n_observations: int | None, n_actions: int, *, name: str = ""
) -> HistoryAgent:
    """Return a practical agent as a function of all prompts, of any number of turns, observations and actions.

    n_observations: how many it observes as they are, None: all are numbered in the order in which they appear. Other
    actions than 0 .. n_actions - 1 teach it nothing.
    """
    labels = functools.partial(number_by_appearance, known=n_observations or 0)

    def build(size: int) -> HistoryAgent:
        return as_history_agent(spec, size, n_actions, name=name, labels=labels)

    return _GrowingAgent(build, n_observations or FIRST_SIZE, labels)


class _GrowingAgent(HistoryAgent):
    """Agents for so many observations, twice as many, ...: a prompt is answered by the first that knows all of its own.

    build: number of observations -> agent.
    """

    def __init__(self, build: Callable[[int], HistoryAgent], size: int, labels: Labels) -> None:
        self.build, self.size, self.labels = build, size, labels
        self._agents = {size: build(size)}
        self.name = self._agents[size].name

    def action(self, prompt: Prompt) -> int:
        return self._find_agent(prompt.observations).action(prompt)

    def actions(self, prompt: Prompt) -> Iterator[int]:
        agent = self._find_agent(prompt.observations)
        if agent is self._agents[self.size]:
            return agent.actions(prompt)
        return (self.action(prompt.prefix(turn)) for turn in range(len(prompt.rewards)))

    def answers(self, percepts: Iterable[Percept]) -> Play:
        met = list(percepts)
        agent = self._find_agent([percept.observation for percept in met])
        return agent.answers(met) if agent is self._agents[self.size] else super().answers(met)

    def works(self, prompt: Prompt) -> Iterator[Work]:
        prompts = map(prompt.prefix, range(len(prompt.rewards)))
        return (self._find_agent(one.observations).work(one) for one in prompts)

    def _find_agent(self, observations: Sequence[int]) -> HistoryAgent:
        needed = 1 + max(self.labels(observations), default=0)
        size = self.size
        while size < needed:
            size *= 2
        if size not in self._agents:
            self._agents[size] = self.build(size)
        return self._agents[size]


def make_history_agent(simulate: Simulate, name: str = "agent", labels: Labels = keep_observations) -> HistoryAgent:
    """Return the agent whose copies `simulate` makes, as a function of prompts."""
    return _PracticalAgent(simulate, name, labels)


class _PracticalAgent(HistoryAgent):
    """simulate: makes fresh agents, for the numbers of observations and actions that it knows."""

    def __init__(self, simulate: Simulate, name: str, labels: Labels) -> None:
        self.simulate, self.name, self.labels = simulate, name, labels
        self._root = PromptNode()
        self._kept: OrderedDict[PromptNode, None] = OrderedDict()

    def action(self, prompt: Prompt) -> int:
        nodes = list(walk_tree(self._root, prompt))
        last = nodes[-1]
        if last.action is None:
            seen = self._show_observations(prompt)
            trained = self._train_up_to(prompt, seen, nodes)
            last.action = as_natural(trained.act(seen[-1]), "action")
            last.trained = trained
            self._kept[last] = None
            if len(self._kept) > MOST_KEPT:
                forgotten, _ = self._kept.popitem(last=False)
                forgotten.trained = None
        return last.action

    def actions(self, prompt: Prompt) -> Iterator[int]:
        nodes = list(walk_tree(self._root, prompt))
        seen = self._show_observations(prompt)
        trained: Agent | None = None
        upto = 0
        for turn, node in enumerate(nodes):
            if node.action is None:
                if trained is None:
                    trained = self._train_up_to(prompt, seen, nodes[: turn + 1])
                else:
                    self._train(trained, prompt, seen, range(upto, turn))
                upto = turn
                node.action = as_natural(trained.act(seen[turn]), "action")
            yield node.action

    def answers(self, percepts: Iterable[Percept]) -> Play:
        return answer_percepts(self._root, percepts, self.action)

    def works(self, prompt: Prompt) -> Iterator[Work]:
        return recall_works(self._root, prompt, self._work)

    def _work(self, prompt: Prompt) -> Work:
        seen = self._show_observations(prompt)
        trained = self._train_up_to(prompt, seen, list(walk_tree(self._root, prompt)))
        trained.act(seen[-1])  # what is done only once, such as filling a cache, is not counted
        return measure_work(functools.partial(trained.act, seen[-1]))

    def _show_observations(self, prompt: Prompt) -> Sequence[int]:
        """Return the observations that the agent is shown."""
        seen = self.labels(prompt.observations)
        self._require("observation", seen, self.simulate.shape["n_observations"])
        if self.labels is keep_observations:
            self._require("action", prompt.actions, self.simulate.shape["n_actions"])
        return seen

    def _require(self, what: str, numbers: Sequence[int], count: int) -> None:
        if numbers and max(numbers) >= count:
            raise BadValue(f"{what} {max(numbers)} in a prompt", place=self.name, remedy=f"it knows 0 .. {count - 1}")

    def _train_up_to(self, prompt: Prompt, seen: Sequence[int], nodes: list[PromptNode]) -> Agent:
        """Train an agent up to the last of the nodes, beginning with a fork of the nearest agent that is kept."""
        kept = next((turn for turn in reversed(range(len(nodes))) if nodes[turn].trained is not None), 0)
        nearest: Agent | None = nodes[kept].trained
        agent = self.simulate.make_measured_agent() if nearest is None else nearest.fork()
        self._train(agent, prompt, seen, range(kept, len(nodes) - 1))
        return agent

    def _train(self, agent: Agent, prompt: Prompt, seen: Sequence[int], turns: range) -> None:
        """Train on the transitions of some turns, each with the reward that follows it, where it has the action."""
        for turn in turns:
            action, reward = prompt[3 * turn + 2 : 3 * turn + 4]
            if action < self.simulate.shape["n_actions"]:
                agent.train(Transition(seen[turn], action, float(reward), seen[turn + 1]))


@dataclass(frozen=True)
class HistorySpec(AgentSpec):
    """The spec of the practical form of an agent. agent: a `HistoryAgent`, or a function of prompts."""

    agent: Any

    def build(self, n_observations: int, n_actions: int, key: int) -> TrainedOnHistory:
        """Return an instance without a past."""
        return TrainedOnHistory(as_agent(self.agent))


class TrainedOnHistory(Agent):
    """agent: T. past: what it was trained on, r_0, o_0, a_0, r_1, ..., up to the last reward."""

    def __init__(self, agent: HistoryAgent, past: tuple[Any, ...] = (0,)) -> None:
        self.agent, self.past = agent, past

    def act(self, observation: int) -> int:
        return self.agent(Prompt((*self.past, observation)))

    def train(self, transition: Transition) -> None:
        reward = as_exact_reward(transition.reward)
        self.past = (*self.past, int(transition.observation), int(transition.action), reward)

    def fork(self) -> TrainedOnHistory:
        return TrainedOnHistory(self.agent, self.past)
