"""Hand-written agents: any class or function that makes objects with `act` and `train` is measured like a spec.

The factory is called with those of `n_observations`, `n_actions`, `key` (or `n_obs`, `seed`) and the changed settings
that it names; its agents may train on one `Transition` or on (observation, action, reward, next_observation).
"""

from __future__ import annotations

import copy
import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.agent import Agent, Transition
from engine.errors import BadValue, ContractBroken
from xenv.specs.hyperparameters import NoSuchSetting

SHAPE = {"n_observations": "n_observations", "n_obs": "n_observations", "n_actions": "n_actions"}
SHAPE |= {"key": "key", "seed": "key"}


class HandmadeAgent:
    """Gives a hand-written object the `Agent` interface; `fork` uses the object's own, or else copies it deeply."""

    def __init__(self, toy: Any) -> None:
        self.toy = toy
        self._takes_transition = _required(toy.train) == 1

    def act(self, observation: int) -> int:
        answer = self.toy.act(observation)
        try:
            return operator.index(answer)
        except TypeError:
            place = type(self.toy).__name__
            raise ContractBroken(f"action {answer!r} is no integer", place=place, remedy="return 0 .. n-1") from None

    def train(self, transition: Transition) -> None:
        if self._takes_transition:
            self.toy.train(transition)
        else:
            self.toy.train(*transition[:4])

    def fork(self) -> Agent:
        own = getattr(self.toy, "fork", None)
        return HandmadeAgent(own() if own is not None else copy.deepcopy(self.toy))


def as_agent(made: Any) -> Agent:
    """An agent as it is; a hand-written object that lacks something of the interface, wrapped."""
    complete = isinstance(made, Agent) and _required(made.train) == 1
    return made if complete else HandmadeAgent(made)


@dataclass(frozen=True)
class HandmadeSpec:
    """A factory of hand-written agents, or of specs, with settings that replace its defaults."""

    factory: Callable[..., Any]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """A fresh agent; ContractBroken where the factory makes something that cannot act and train."""
        shape = {"n_observations": n_observations, "n_actions": n_actions, "key": key}
        known = self._parameters()
        for name, default in known.items():
            if default is inspect.Parameter.empty and name not in SHAPE and name not in self.settings:
                raise BadValue(
                    f"its parameter '{name}' has no default",
                    place=self.name,
                    remedy="a factory may ask for n_observations, n_actions and key; give the others a default",
                )
        asked = {name: shape[SHAPE[name]] for name in known if name in SHAPE}
        try:
            made = self.factory(**asked, **self.settings)
        except Exception as error:
            raise ContractBroken(f"it makes no agent: {type(error).__name__}: {error}", place=self.name) from error
        if callable(getattr(made, "build", None)):
            return as_agent(made.build(**shape))
        for method in ("act", "train"):
            if not callable(getattr(made, method, None)):
                raise ContractBroken(f"its agents have no '{method}'", place=self.name, remedy=f"define '{method}'")
        return as_agent(made)

    def changed(self, **changes: Any) -> HandmadeSpec:
        """The factory with other settings; NoSuchSetting where it has no parameter of that name."""
        for name in changes:
            self.setting(name)
        return HandmadeSpec(self.factory, {**self.settings, **changes})

    def setting(self, name: str) -> Any:
        """The value that the factory gets for a parameter; NoSuchSetting where it has no default of that name."""
        known = {**self._parameters(), **self.settings}
        if name in SHAPE or known.get(name, inspect.Parameter.empty) is inspect.Parameter.empty:
            raise NoSuchSetting(name, self.name, [other for other in known if other not in SHAPE])
        return known[name]

    @property
    def name(self) -> str:
        """How messages call the factory."""
        return getattr(self.factory, "__qualname__", type(self.factory).__name__)

    def _parameters(self) -> dict[str, Any]:
        """Parameters that can be named, with their defaults."""
        return {
            p.name: p.default for p in _signature(self.factory) if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        }


def _signature(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function or class; none where it does not say."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def _required(method: Callable[..., Any]) -> int:
    """How many positional arguments a method needs."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.default is p.empty and p.kind in kinds for p in _signature(method))
