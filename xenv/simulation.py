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

from engine.agent import Agent, AgentSpec, UnknownHyperparameter, hyperparameter, with_hyperparameters
from engine.errors import BadValue
from engine.randomness.counter_based import split
from engine.randomness.random_sources import RandomSource, make_random_source
from engine.user_code import describe_place, user_code
from xenv.user_agents import SHAPE, AdaptedAgent, FactorySpec, as_agent, list_parameters

__all__ = ["Simulate", "UnknownHyperparameter", "as_spec"]


class Simulate:
    """Makes untrained copies of one agent: what an extended environment is built with.

    Parameters
    ----------
    spec : AgentSpec
        The spec of the agent that is measured.
    n_observations, n_actions : int
        The shape of the environment.
    key : int
        The key of the agent and of all its copies.
    randomness : str
        The name of a source of random numbers.

    Attributes
    ----------
    random_source : RandomSource
        The random numbers of the environment itself.

    Examples
    --------
    >>> from xenv.simulation import Simulate
    >>> from xenv.names import agent_spec
    >>> simulate = Simulate(agent_spec("q_learning"), n_observations=1, n_actions=2)
    >>> simulate(learning_rate=1.0).learning_rate
    1.0
    """

    def __init__(
        self, spec: AgentSpec, n_observations: int, n_actions: int, key: int = 0, randomness: str = "keys"
    ) -> None:
        self.spec = with_randomness(spec, randomness)
        self.shape = {"n_observations": n_observations, "n_actions": n_actions, "key": key}
        self.random_source: RandomSource = make_random_source(randomness, key, "environments")

    def __call__(self, **changes: Any) -> Agent:
        """Make a fresh untrained copy.

        Parameters
        ----------
        **changes
            Another shape (`n_observations`, `n_actions`), another `key`, or other hyper-parameters than the agent's. A
            learner that draws by history has numbers of its own where shape or hyper-parameters are other ones.

        Returns
        -------
        Agent
            The copy.

        Raises
        ------
        UnknownHyperparameter
            If the agent's spec or constructor refuses one of the hyper-parameters.
        """
        shape = {name: changes.pop(name, value) for name, value in self.shape.items()}
        spec = with_hyperparameters(self.spec, **changes)
        of_one_key = shape["key"] == self.shape["key"]
        if of_one_key and _draws_by_history(self.spec) and (shape, spec) != (self.shape, self.spec):
            shape["key"] = split(self.shape["key"], "copy of another shape")  # no past of it is the agent's
        return self.build_agent(spec, shape, "a copy")

    def make_measured_agent(self) -> Agent:
        """Make the agent that is measured, fresh and untrained: the agent that copies are copies of."""
        return self.build_agent(self.spec, self.shape, "")

    def build_agent(self, spec: AgentSpec, shape: dict[str, Any], role: str) -> Agent:
        """Build the agent of a spec for a shape. role: what messages call it, such as "a copy"."""
        return as_agent(spec.build(**shape))

    def hyperparameter(self, name: str) -> Any:
        """Return a hyper-parameter of the measured agent; raise UnknownHyperparameter for a name that it lacks."""
        return hyperparameter(self.spec, name)

    def attribute(self, name: str) -> Any:
        """Return an attribute of a fresh copy, or of the user's object that it adapts; None where it has none such.

        An agent around another one has its own attributes only.
        """
        agent = self()
        return getattr(agent.wrapped if isinstance(agent, AdaptedAgent) else agent, name, None)


def _draws_by_history(spec: AgentSpec) -> bool:
    """Return whether a learner draws alike only after equal pasts (`engine.learning.stacks.lanes`)."""
    try:
        return bool(hyperparameter(spec, "draws") == "history")
    except UnknownHyperparameter:
        return False


def with_randomness(spec: AgentSpec, randomness: str) -> AgentSpec:
    """Return the spec with a named source of random numbers, or as it is where it has no such hyper-parameter."""
    if randomness == "keys":
        return spec
    try:
        hyperparameter(spec, "randomness")
    except UnknownHyperparameter:
        return spec
    return with_hyperparameters(spec, randomness=randomness)


def as_spec(agent: object) -> AgentSpec:
    """Return a spec as it is, and a factory of agents or of specs as a spec; raise BadValue for anything else."""
    if _is_spec(agent):
        return agent  # type: ignore[return-value]
    if callable(agent):
        return FactorySpec(agent)
    raise BadValue(
        f"{type(agent).__name__} is neither a spec nor a factory of agents",
        remedy="pass a spec, or a class or function that makes objects with 'act' and 'train'",
    )


def is_agent(thing: object) -> bool:
    """Return whether `as_spec` accepts a thing."""
    return _is_spec(thing) or callable(thing)


def _is_spec(thing: object) -> bool:
    with user_code(describe_place(thing)):
        return callable(getattr(thing, "build", None)) and not isinstance(thing, type)
    raise AssertionError


class AgentCopy:
    """A copy of the agent that is called in the paper's words; its other attributes are the agent's."""

    def __init__(self, agent: Agent) -> None:
        self.__setstate__({"agent": agent if isinstance(agent, AdaptedAgent) else AdaptedAgent(agent)})

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("act", "train")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        for method in ("act", "train"):  # the agent's, without a call in between, where a derived class has none
            if getattr(type(self), method) is getattr(AgentCopy, method):
                vars(self)[method] = getattr(self.agent, method)

    def act(self, obs: int) -> int:
        """Return the action for an observation."""
        action: int = self.agent.act(obs)
        return action

    def train(self, o_prev: Any, a: Any = ..., r: Any = ..., o_next: Any = ...) -> None:
        """Learn from one transition, passed whole or by its four parts; raise ContractBroken where some are missing."""
        self.agent.train(o_prev, a, r, o_next)

    def fork(self) -> Self:
        """Return an independent twin, with the attributes that a derived class has added."""
        return copy.deepcopy(self, {id(self.agent): self.agent.fork()})

    def __getattr__(self, name: str) -> Any:
        if name == "agent":
            raise AttributeError("there is no copy yet; call super().__init__() first")
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.agent.wrapped, name)


def agent_class(simulate: Simulate) -> type[AgentCopy]:
    """Return the class of an agent's copies, which may be called, and derived from, as if it were the agent's own.

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
