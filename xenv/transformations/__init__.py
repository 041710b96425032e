"""Transformations of agents, found by their names: each is a function from a spec to a `TransformedSpec`.

`TRANSFORMATIONS["reality_check"](spec)` is the spec of the reality-checked agent. A new one is a public function in
a file of this folder, listed in `__all__`; names of agents then nest in its name, such as
`reality_check(q_learning)`. A transformation may also be a function from an agent-class to an agent-class, as in the
paper:

    def frozen(A):
        class Frozen:                   # or Frozen(A)
            def __init__(self):
                self.underlying = A()   # an untrained copy of the agent inside
            ...                         # act(obs) and train(o_prev, a, r, o_next)
        return Frozen

Hyper-parameters that an environment changes are changed in the agent inside. Alexander et al. 2021, section 5.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Self

from engine.agent import Agent, AgentSpec, hyperparameter, with_hyperparameters
from engine.contracts import Contract, call_method, refuse
from engine.registry import Registry
from xenv.simulation import AgentCopy, Simulate, agent_class, is_agent
from xenv.user_agents import FactorySpec, as_agent, require_agent


class TransformedAgent(Agent):
    """Base of agents around another agent, which a transformation makes. underlying: that agent."""

    def __init__(self, underlying: Agent) -> None:
        self.underlying = underlying

    __wrapped__ = property(attrgetter("underlying"))  # what messages name

    def fork(self) -> Self:
        """Return an independent copy, the underlying agent's included."""
        twin = copy.copy(self)
        twin.underlying = self.underlying.fork()
        return twin


@dataclass(frozen=True)
class TransformedSpec(AgentSpec):
    """A spec around another spec.

    spec: the underlying agent's, whose hyper-parameters are this one's.
    """

    spec: AgentSpec

    __wrapped__ = property(attrgetter("spec"))  # what messages name

    def build_underlying(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """Build a fresh agent of the underlying spec; raise ContractBroken where that cannot act and train."""
        made: Any = self.spec.build(n_observations, n_actions, key)
        require_agent(made, self.spec)
        return as_agent(made)

    def with_hyperparameters(self, **changes: Any) -> Self:
        """Return the same transformation of the changed underlying spec."""
        return type(self)(with_hyperparameters(self.spec, **changes))

    def hyperparameter(self, name: str) -> Any:
        """Return a hyper-parameter of the underlying spec."""
        return hyperparameter(self.spec, name)


def as_transformation(function: Callable[[Any], Any]) -> Callable[[AgentSpec], Any]:
    """Return a function from specs to specs that also takes one from agent-classes to agent-classes.

    What it gives is an agent, or ContractBroken names the function and its file.
    """

    @functools.wraps(function)
    def transform(spec: AgentSpec) -> Any:
        if _makes_classes(function):
            return AdaptedTransformation(spec, function)
        made = call_method(function, "__call__", spec)
        if not is_agent(made):
            refuse(function, "the transformation", made, "a spec, or an agent-class")
        return made

    return transform


def _makes_classes(function: Callable[[Any], Any]) -> bool:
    """Return whether a function makes an agent-class of an agent-class; one that raises may still take specs."""

    class A(AgentCopy):
        n_observations, n_obs, n_actions = 1, 1, 1

    try:
        made = function(A)
    except NameError:  # wrong for specs too, whose own error would hide it
        raise
    except Exception:
        return False
    return callable(made) and made is not A and (isinstance(made, type) or not isinstance(made, AgentSpec))


@dataclasses.dataclass(frozen=True)
class AdaptedTransformation(TransformedSpec):
    """transformation: makes the agent-class of another one."""

    transformation: Callable[[Any], Any]

    @property
    def name(self) -> str:
        """Return what messages call it: the function's name."""
        return str(getattr(self.transformation, "__name__", type(self.transformation).__name__))

    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """Return a fresh agent of the class that the transformation makes."""
        underlying = agent_class(Simulate(self.spec, n_observations, n_actions, key))
        made = call_method(self.transformation, "__call__", underlying)
        if not callable(made):
            refuse(self.transformation, "the transformation", made, "an agent-class")
        return FactorySpec(made).build(n_observations, n_actions, key)

    def with_hyperparameters(self, **changes: Any) -> Self:
        """Return the same transformation of the changed underlying spec."""
        return dataclasses.replace(self, spec=with_hyperparameters(self.spec, **changes))


Transformation = Callable[[AgentSpec], TransformedSpec]


TRANSFORMATION = Contract[Transformation](
    "transformation",
    remedy="define a function from a spec to a spec",
    called="transformation(spec)",
)


def require_transformation(thing: Any) -> Transformation:
    """Return the thing, if it can be called with one spec or agent-class; raise ContractBroken otherwise."""
    return as_transformation(TRANSFORMATION.accept(thing))


TRANSFORMATIONS: Registry[Transformation] = Registry(
    "xenv.transformations", "transformation", accept=require_transformation
)
