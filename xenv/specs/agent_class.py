"""The paper's A, a class whose instances are untrained copies of an agent, called in the paper's words.

    copy = A()    copy.act(obs)    copy.train(o_prev, a, r, o_next)    copy.train(transition)

Alexander et al. 2021, section 4: practical agents come from agent-classes.
"""

from __future__ import annotations

import copy
from typing import Any, Self

from engine.agent import Agent, Transition
from engine.errors import BadValue
from xenv.specs.adapted_agent import AdaptedAgent, parameters_of
from xenv.specs.from_factory import SHAPE, FactorySpec
from xenv.specs.simulation import Simulate


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
    made_by = parameters_of(simulate.spec.factory) if isinstance(simulate.spec, FactorySpec) else []

    class A(AgentCopy):
        n_observations = n_obs = simulate.shape["n_observations"]
        n_actions = simulate.shape["n_actions"]

        def __init__(self, *arguments: Any, **changes: Any) -> None:
            if len(arguments) > len(made_by):
                raise BadValue("A takes no arguments by position", remedy="name them: A(n_actions=2)")
            named = {p.name: value for p, value in zip(made_by, arguments, strict=False)} | changes
            super().__init__(simulate(**{SHAPE.get(name, name): value for name, value in named.items()}))

    return A
