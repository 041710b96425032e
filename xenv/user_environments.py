"""Environments of a user's own: adapted from the form of the paper's code, and checked while they run.

An adapted one is a class, or a function with attributes, that declares `n_actions` and `n_observations` (or
`n_obs`). Its one parameter makes copies of the agent, and what it makes has `start` and `step`. Copies know the
paper's words:

    copy.act(obs)    copy.train(o_prev, a, r, o_next)    copy.train(transition)

What a user's environment answers, and what copies of a user's agent do, is checked turn by turn: one line names the
class, the method and the mistake. Alexander et al. 2021, Examples 6, 7 and 8.
"""

from __future__ import annotations

import inspect
import math
from numbers import Real
from typing import Any, ClassVar

from engine.agent import Agent, AgentSpec
from engine.contracts import refuse, require_methods, require_parameters
from engine.errors import ContractBroken
from engine.user_code import describe_place, user_code
from xenv.environment import ExtendedEnvironment, require_environment
from xenv.simulation import AgentCopy, Simulate, agent_class
from xenv.user_agents import AdaptedAgent, FactorySpec, require_agent

_SHAPE = {"n_observations": ("n_observations", "n_obs"), "n_actions": ("n_actions",)}
_KEPT = ("reward_range", "__module__", "__qualname__", "__doc__")


def as_environment(thing: Any) -> type[ExtendedEnvironment]:
    """Return a class of extended environments as it is, another class adapted; raise ContractBroken otherwise."""
    is_class = inspect.isclass(thing)
    if (is_class and issubclass(thing, ExtendedEnvironment)) or not (is_class or hasattr(thing, "n_actions")):
        return require_environment(thing)
    shape = {name: _find_declared(thing, spellings) for name, spellings in _SHAPE.items()}
    if is_class:
        require_methods(thing, ("start", "step"), "environment")
    require_parameters(thing, 1, "environment(A)")
    kept = {name: getattr(thing, name) for name in _KEPT if hasattr(thing, name)}
    members = {**kept, **shape, "__wrapped__": staticmethod(thing)}
    return require_environment(type(getattr(thing, "__name__", type(thing).__name__), (AdaptedEnvironment,), members))


def _find_declared(thing: Any, spellings: tuple[str, ...]) -> Any:
    """Return the integer that a thing declares under one of some names."""
    for name in spellings:
        if hasattr(getattr(thing, name, None), "__index__"):
            return getattr(thing, name)
    raise ContractBroken(
        f"it has no integer '{spellings[0]}'", place=describe_place(thing), remedy="give the class this attribute"
    )


class AdaptedEnvironment(ExtendedEnvironment):
    """The base of adapted environments. environment: what the user's class or function has made."""

    compiled: ClassVar[bool] = False
    __wrapped__: ClassVar[Any]

    def __init__(self, simulate: Simulate) -> None:
        self.environment: Any = type(self).__wrapped__(_Copies(simulate))

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


OURS = ("engine.", "xenv.")


class ValidatedSimulate(Simulate):
    """Makes copies whose actions are checked, where the agent or its transformation is a user's own.

    The arguments are those of `Simulate`. Messages say whether the copy or the agent itself acted wrongly, or raised an
    exception.
    """

    def build_agent(self, spec: AgentSpec, shape: dict[str, Any], role: str) -> Agent:
        """Return the agent that a spec builds for a shape; one of a user's own is checked."""
        if _is_ours(spec):
            return super().build_agent(spec, shape, role)
        with user_code(f"{describe_place(spec)}{role and f', {role}'}"):
            made: Any = spec.build(**shape)
            require_agent(made, spec)
            return AdaptedAgent(made.wrapped if isinstance(made, AdaptedAgent) else made, shape["n_actions"], role)


def _is_ours(spec: Any) -> bool:
    """Return whether a spec and all that it transforms come from our files."""
    if isinstance(spec, FactorySpec):
        return str(getattr(spec.factory, "__module__", "")).startswith(OURS)
    return type(spec).__module__.startswith(OURS) and (not hasattr(spec, "spec") or _is_ours(spec.spec))


class ValidatedEnvironment:
    """An environment whose observations and rewards are checked as it gives them.

    environment: any object with `start` and `step`. n_observations, n_actions: as its class declares them. Raises
    ContractBroken where a method gives anything but an observation, or a pair of reward and observation.
    """

    def __init__(self, environment: Any, n_observations: int, n_actions: int) -> None:
        self.environment, self.n_observations, self.n_actions = environment, n_observations, n_actions

    def start(self) -> int:
        """Return the first observation."""
        return self._check_observation("start", self.environment.start())

    def step(self, action: int) -> tuple[float, int]:
        """Return the reward and the next observation."""
        answer = self.environment.step(action)
        if not (isinstance(answer, tuple) and len(answer) == 2):
            refuse(self.environment, "step", answer, "a pair (reward, next observation)")
        reward, observation = answer
        if not _is_number(reward):
            refuse(self.environment, "step", answer, "a finite number as the reward")
        return reward, self._check_observation("step", observation)

    def _check_observation(self, method: str, answer: Any) -> int:
        if isinstance(answer, bool) or not hasattr(answer, "__index__"):
            expected = f"an observation, an integer from 0 to {self.n_observations - 1}"
            refuse(self.environment, method, answer, expected)
        observation: int = answer
        return observation


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
