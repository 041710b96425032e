"""How an environment looks into the agent: `simulate(**changes)` makes fresh untrained copies of it.

A copy has the same spec, key, observations and actions as the agent that is measured, unless changed:
`simulate(learning_rate=1.0)`, `simulate(n_actions=3)`. `agent_class(simulate)` is the same in the paper's words,
the class A whose instances are untrained copies:

    copy = A()    copy.act(obs)    copy.train(o_prev, a, r, o_next)    copy.train(transition)

Alexander et al. 2021, section 4: practical agents come from agent-classes, and the environment gets the
agent-class.
"""

from __future__ import annotations

import copy
from typing import Any, Self

from engine.agent import Agent, AgentSpec, Transition
from engine.errors import BadValue
from engine.randomness.random_sources import RandomSource, make_random_source
from xenv.hyperparameters import UnknownHyperparameter, hyperparameter, with_hyperparameters
from xenv.user_agents import SHAPE, AdaptedAgent, FactorySpec, as_agent, list_parameters

__all__ = ["Simulate", "UnknownHyperparameter", "as_spec"]


class Simulate:
    """Makes copies of one agent.

    spec: the agent's. n_observations, n_actions: those of the environment. key: of the agent and of all its copies.
    randomness: a named source of numbers. random_source: the environment's own random numbers.
    """

    def __init__(
        self, spec: AgentSpec, n_observations: int, n_actions: int, key: int = 0, randomness: str = "keys"
    ) -> None:
        self.spec = with_randomness(spec, randomness)
        self.shape = {"n_observations": n_observations, "n_actions": n_actions, "key": key}
        self.random_source: RandomSource = make_random_source(randomness, key, "environments")

    def __call__(self, **changes: Any) -> Agent:
        """A fresh untrained copy, of another shape or with other hyper-parameters on demand.

        Raises UnknownHyperparameter for those that the agent's spec or constructor refuses.
        """
        shape = {name: changes.pop(name, value) for name, value in self.shape.items()}
        return self.build_agent(with_hyperparameters(self.spec, **changes), shape, "a copy")

    def measured_agent(self) -> Agent:
        """The agent that is measured, fresh and untrained: what a copy is a copy of."""
        return self.build_agent(self.spec, self.shape, "")

    def build_agent(self, spec: AgentSpec, shape: dict[str, Any], role: str) -> Agent:
        """The agent that a spec builds for a shape. role: what messages call it, such as "a copy"."""
        return as_agent(spec.build(**shape))

    def hyperparameter(self, name: str) -> Any:
        """A hyper-parameter of the agent that is measured; UnknownHyperparameter where it has none of that name."""
        return hyperparameter(self.spec, name)

    def attribute(self, name: str) -> Any:
        """An attribute of a fresh copy, or of the user's object that it adapts; None where there is no such.

        An agent around another one has its own attributes only.
        """
        agent = self()
        return getattr(agent.wrapped if isinstance(agent, AdaptedAgent) else agent, name, None)


def with_randomness(spec: AgentSpec, randomness: str) -> AgentSpec:
    """The spec with a named source of numbers, where it has that hyper-parameter; otherwise as it is."""
    if randomness == "keys":
        return spec
    try:
        hyperparameter(spec, "randomness")
    except UnknownHyperparameter:
        return spec
    return with_hyperparameters(spec, randomness=randomness)


def as_spec(agent: object) -> AgentSpec:
    """A spec as it is; a factory of agents or of specs (a class or function) as a spec; BadValue for anything else."""
    if _is_spec(agent):
        return agent  # type: ignore[return-value]
    if callable(agent):
        return FactorySpec(agent)
    raise BadValue(
        f"{type(agent).__name__} is neither a spec nor a factory of agents",
        remedy="pass a spec, or a class or function that makes objects with 'act' and 'train'",
    )


def is_agent(thing: object) -> bool:
    """Whether `as_spec` takes it."""
    return _is_spec(thing) or callable(thing)


def _is_spec(thing: object) -> bool:
    return callable(getattr(thing, "build", None)) and not isinstance(thing, type)


class AgentCopy:
    """A copy of the agent that is called in the paper's words; its other attributes are the agent's."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def act(self, obs: int) -> int:
        """The action for an observation."""
        return self.agent.act(obs)

    def train(self, o_prev: Any, a: int | None = None, r: float = 0.0, o_next: int = 0) -> None:
        """Learn from one transition, given as such or by its four parts."""
        self.agent.train(o_prev if a is None else Transition(o_prev, a, r, o_next))

    def fork(self) -> Self:
        """An independent twin, with what a derived class has added."""
        return copy.deepcopy(self, {id(self.agent): self.agent.fork()})

    def __getattr__(self, name: str) -> Any:
        if name == "agent":
            raise AttributeError("there is no copy yet; call super().__init__() first")
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.agent.wrapped if isinstance(self.agent, AdaptedAgent) else self.agent, name)


def agent_class(simulate: Simulate) -> type[AgentCopy]:
    """The class of an agent's copies, which may be called, and derived from, as if it were the agent's own.

    A() has the shape and key of the agent; arguments, those of a user's own class by position too, change them.
    """
    made_by = list_parameters(simulate.spec.factory) if isinstance(simulate.spec, FactorySpec) else []

    class A(AgentCopy):
        n_observations = n_obs = simulate.shape["n_observations"]
        n_actions = simulate.shape["n_actions"]

        def __init__(self, *arguments: Any, **changes: Any) -> None:
            if len(arguments) > len(made_by):
                raise BadValue("A takes no arguments by position", remedy="name them: A(n_actions=2)")
            named = {p.name: value for p, value in zip(made_by, arguments, strict=False)} | changes
            super().__init__(simulate(**{SHAPE.get(name, name): value for name, value in named.items()}))

    return A
