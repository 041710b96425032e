"""An environment of a user's own behind the `ExtendedEnvironment` interface, written in the form of the paper's code.

It is a class, or a function with attributes, that declares `n_actions` and `n_observations` (or `n_obs`). Its one
parameter makes copies of the agent, and what it makes has `start` and `step`. Copies know the paper's words:

    copy.act(obs)    copy.train(o_prev, a, r, o_next)    copy.train(transition)

Alexander et al. 2021, Examples 6, 7 and 8.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from engine.contracts import require_methods, require_parameters
from engine.errors import ContractBroken
from engine.user_code import place_of
from xenv.environment import ExtendedEnvironment, require_environment
from xenv.specs.agent_class import AgentCopy, agent_class
from xenv.specs.simulation import Simulate

_SHAPE = {"n_observations": ("n_observations", "n_obs"), "n_actions": ("n_actions",)}
_KEPT = ("reward_range", "__module__", "__qualname__", "__doc__")


def as_environment(thing: Any) -> type[ExtendedEnvironment]:
    """A class of extended environments as it is, one without that base adapted; ContractBroken for what is neither."""
    is_class = inspect.isclass(thing)
    if (is_class and issubclass(thing, ExtendedEnvironment)) or not (is_class or hasattr(thing, "n_actions")):
        return require_environment(thing)
    shape = {name: _declared(thing, spellings) for name, spellings in _SHAPE.items()}
    if is_class:
        require_methods(thing, ("start", "step"), "environment")
    require_parameters(thing, 1, "environment(A)")
    kept = {name: getattr(thing, name) for name in _KEPT if hasattr(thing, name)}
    members = {**kept, **shape, "__wrapped__": staticmethod(thing)}
    return require_environment(type(getattr(thing, "__name__", type(thing).__name__), (AdaptedEnvironment,), members))


def _declared(thing: Any, spellings: tuple[str, ...]) -> Any:
    """The integer that a thing declares under one of some names."""
    for name in spellings:
        if hasattr(getattr(thing, name, None), "__index__"):
            return getattr(thing, name)
    raise ContractBroken(
        f"it has no integer '{spellings[0]}'", place=place_of(thing), remedy="give the class this attribute"
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
        """That of the user's environment; AttributeError where it has none."""
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
