"""Environments of a user's own: adapted from the form of the paper's code, and checked while they run.

An adapted one is a class, or a function with attributes, that declares `n_actions` and `n_observations` (or
`n_obs`). Its one parameter makes copies of the agent, and what it makes has `start` and `step`. Copies know the
paper's words:

    copy.act(obs)    copy.train(o_prev, a, r, o_next)    copy.train(transition)

What a user's environment answers, and what copies of a user's agent do, is checked turn by turn: one line names the
class, the method and the mistake. In compiled runs what is out of range ends them with IndexError; the same run is then
made plainly, to name what is wrong. Alexander et al. 2021, Examples 6, 7 and 8.
"""

from __future__ import annotations

import inspect
import math
import operator
import sys
from numbers import Real
from operator import attrgetter
from typing import Any, ClassVar

from engine.agent import Agent, AgentSpec, Transition
from engine.compiling.objects import Compilable, make_compilable
from engine.contracts import refuse, require_methods, require_parameters
from engine.errors import ContractBroken
from engine.user_code import describe_place, user_code
from xenv.environment import ENVIRONMENT, ExtendedEnvironment
from xenv.simulation import AgentCopy, Simulate, agent_class
from xenv.user_agents import AdaptedAgent, require_agent

_SHAPE = {"n_observations": ("n_observations", "n_obs"), "n_actions": ("n_actions",)}
GREATEST = sys.float_info.max
_KEPT = ("reward_range", "__module__", "__qualname__", "__doc__")


def as_environment(thing: Any) -> type[ExtendedEnvironment]:
    """Return a class of extended environments as it is, another class adapted; raise ContractBroken otherwise."""
    with user_code(describe_place(thing)):
        is_class = inspect.isclass(thing)
        if (is_class and issubclass(thing, ExtendedEnvironment)) or not (is_class or hasattr(thing, "n_actions")):
            return ENVIRONMENT.accept(thing)
        shape = {name: _find_declared(thing, spellings) for name, spellings in _SHAPE.items()}
        if is_class:
            require_methods(thing, ("start", "step"), "environment")
        require_parameters(thing, 1, "environment(A)")
        kept = {name: getattr(thing, name) for name in _KEPT if hasattr(thing, name)}
        members = {**kept, **shape, "__wrapped__": staticmethod(thing)}
        return ENVIRONMENT.accept(
            type(getattr(thing, "__name__", type(thing).__name__), (AdaptedEnvironment,), members)
        )


def _find_declared(thing: Any, spellings: tuple[str, ...]) -> Any:
    """Return the integer that a thing declares under one of some names."""
    for name in spellings:
        if hasattr(declared := getattr(thing, name, None), "__index__"):
            return declared
    raise ContractBroken(
        f"it has no integer '{spellings[0]}'", place=describe_place(thing), remedy="give the class this attribute"
    )


class AdaptedEnvironment(ExtendedEnvironment):
    """The base of adapted environments. environment: what the user's class or function has made."""

    compiled: ClassVar[bool] = False
    __wrapped__: ClassVar[Any]

    def __init__(self, simulate: Simulate) -> None:
        copies = _CompiledCopies if isinstance(simulate, BoundedSimulate) else _Copies
        self.environment: Any = type(self).__wrapped__(copies(simulate))

    def start(self) -> int:
        first: int = self.environment.start()
        return first

    def step(self, action: int) -> tuple[float, int]:
        answer: tuple[float, int] = self.environment.step(action)
        return answer

    @property
    def copy_reward_sign(self) -> float:
        """Return the sign of the user's environment; raise AttributeError where it has none."""
        sign: float = self.environment.copy_reward_sign
        return sign

    @copy_reward_sign.setter
    def copy_reward_sign(self, sign: float) -> None:
        self.environment.copy_reward_sign = sign


class _Copies:
    """The paper's A: A() makes a copy of the agent; everything else is that of `simulate`."""

    def __init__(self, simulate: Simulate) -> None:
        self.simulate, self.agent_class = simulate, agent_class(simulate)

    def __call__(self, *arguments: Any, **changes: Any) -> AgentCopy:
        return self.agent_class(*arguments, **changes)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.simulate, name)


class FourParts(Agent, Compilable):
    """An agent of a user's own that trains on the four parts of a transition, in compiled code."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent

    def act(self, observation: int) -> int:
        action: int = self.agent.act(observation)
        return action

    def train(self, transition: Transition) -> None:
        self.agent.train(transition.observation, transition.action, transition.reward, transition.next_observation)

    def fork(self) -> FourParts:
        return FourParts(self.agent.fork())


class FourPartCopy(Compilable):
    """A copy in the paper's words, in compiled code: it is trained by the four parts of a transition."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent

    def act(self, obs: int) -> int:
        action: int = self.agent.act(obs)
        return action

    def train(self, o_prev: int, a: int, r: float, o_next: int) -> None:
        self.agent.train(Transition(o_prev, a, r, o_next))

    def fork(self) -> FourPartCopy:
        return FourPartCopy(self.agent.fork())


class _CompiledCopies(_Copies):
    """The paper's A for compiled code."""

    def __call__(self, *arguments: Any, **changes: Any) -> Any:
        return FourPartCopy(self.agent_class(*arguments, **changes).agent.wrapped)


class ValidatedSimulate(Simulate):
    """Makes copies that are checked: what they are asked and trained on, and what they answer.

    The arguments are those of `Simulate`. Messages say whether the copy or the agent itself acted wrongly, or raised an
    exception.
    """

    def build_agent(self, spec: AgentSpec, shape: dict[str, Any], role: str) -> Agent:
        """Return the agent that a spec builds for a shape, checked."""
        with user_code(f"{describe_place(spec)}{role and f', {role}'}"):
            made: Any = spec.build(**shape)
            require_agent(made, spec)
            inner = made.wrapped if isinstance(made, AdaptedAgent) else made
            return AdaptedAgent(inner, shape["n_actions"], role, shape["n_observations"])


class ValidatedEnvironment:
    """An environment whose observations and rewards are checked as it gives them.

    environment: any object with `start` and `step`. n_observations, n_actions: as its class declares them.
    reward_range: of its rewards. own_step: its `step`. Raises ContractBroken where a method gives
    anything but an observation, or a pair of reward and observation.
    """

    def __init__(
        self,
        environment: Any,
        n_observations: int,
        n_actions: int,
        reward_range: tuple[float, float] = (-math.inf, math.inf),
    ) -> None:
        self.environment, self.n_observations, self.n_actions = environment, n_observations, n_actions
        self.reward_range = reward_range
        self.own_step = (environment.environment if isinstance(environment, AdaptedEnvironment) else environment).step

    __wrapped__ = property(attrgetter("environment"))  # what messages name

    def start(self) -> int:
        """Return the first observation."""
        return self._check_observation("start", self.environment.start())

    def step(self, action: int) -> tuple[float, int]:
        """Return the reward and the next observation."""
        return self.check_answer(self.own_step(action))

    def check_answer(self, answer: Any) -> tuple[float, int]:
        """Return what `step` gave, checked."""
        if not (isinstance(answer, tuple) and len(answer) == 2):
            refuse(self.environment, "step", answer, "a pair (reward, next observation)")
        reward, observation = answer
        if not _is_number(reward):
            refuse(self.environment, "step", answer, "a finite number as the reward")
        low, high = self.reward_range
        if not low <= reward <= high:
            expected = f"a reward from {low:g} to {high:g}, as its reward_range declares"
            refuse(self.environment, "step", answer, expected)
        return reward, self._check_observation("step", observation)

    def _check_observation(self, method: str, answer: Any) -> int:
        if isinstance(answer, bool) or not hasattr(answer, "__index__"):
            expected = f"an observation, an integer from 0 to {self.n_observations - 1}"
            refuse(self.environment, method, answer, expected)
        observation = operator.index(answer)
        if not 0 <= observation < self.n_observations:
            raise ContractBroken(
                f"observation {observation} is not in 0 .. {self.n_observations - 1}",
                place=describe_place(self.environment),
                remedy="give one that n_observations declares",
            )
        return observation


def find_reward_range(factory: Any) -> tuple[float, float]:
    """Return the least and the greatest reward that an environment's class declares; any finite where it says nothing.

    A class in the form of the paper's code need not say; one that derives from `ExtendedEnvironment` always does.
    """
    says_nothing = isinstance(factory, type) and issubclass(factory, AdaptedEnvironment)
    if says_nothing and not hasattr(factory.__wrapped__, "reward_range"):
        return -GREATEST, GREATEST
    low, high = factory.reward_range
    return max(float(low), -GREATEST), min(float(high), GREATEST)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


class BoundedAgent(Agent, Compilable):
    """An agent that is asked, and trained, within its numbers of observations and actions, in compiled code.

    `| 0` is for integers only: numba refuses fractions in the place of observations and actions.
    """

    def __init__(self, agent: Any, n_observations: int, n_actions: int) -> None:
        self.agent, self.n_observations, self.n_actions = agent, n_observations, n_actions

    def act(self, observation: int) -> int:
        if not 0 <= observation | 0 < self.n_observations:
            raise IndexError
        action: int = self.agent.act(observation | 0)
        if not 0 <= action | 0 < self.n_actions:
            raise IndexError
        return action

    def train(self, transition: Transition) -> None:
        if not 0 <= transition.observation | 0 < self.n_observations:
            raise IndexError
        if not 0 <= transition.action | 0 < self.n_actions:
            raise IndexError
        if not 0 <= transition.next_observation | 0 < self.n_observations:
            raise IndexError
        self.agent.train(transition)

    def fork(self) -> BoundedAgent:
        return BoundedAgent(self.agent.fork(), self.n_observations, self.n_actions)


class BoundedSimulate(Simulate):
    """Makes bounded copies. The arguments are those of `Simulate`."""

    def build_agent(self, spec: AgentSpec, shape: dict[str, Any], role: str) -> Agent:
        """Return the agent that a spec builds for a shape, bounded."""
        agent = super().build_agent(spec, shape, role)
        if isinstance(agent, AdaptedAgent):
            inner = make_compilable(agent.wrapped)
            agent = inner if agent.takes_transition else FourParts(inner)
        return BoundedAgent(agent, shape["n_observations"], shape["n_actions"])


def make_bounded(environment: Any, reward_range: tuple[float, float]) -> BoundedEnvironment:
    """Return an environment for compiled code, whose rewards are within a range."""
    if isinstance(environment, AdaptedEnvironment):
        environment = make_compilable(environment.environment)
    return BoundedEnvironment(environment, *reward_range)


class BoundedEnvironment(Compilable):
    """An environment whose rewards are from low to high."""

    def __init__(self, environment: Any, low: float, high: float) -> None:
        self.environment, self.low, self.high = environment, low, high

    def start(self) -> int:
        first: int = self.environment.start()
        return first

    def step(self, action: int) -> tuple[float, int]:
        reward, observation = self.environment.step(action)
        if not self.low <= reward <= self.high:
            raise IndexError
        return reward, observation | 0
