"""Hand-written agents: any class or function that makes objects with `act` and `train` is measured like a spec.

The factory is called with those of `n_observations`, `n_actions`, `key` and the changed settings that it names among
its parameters; its agents may train on one `Transition` or on (observation, action, reward, next_observation).
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.agent import Agent, Transition
from engine.errors import BadValue, ContractBroken

SHAPE = ("n_observations", "n_actions", "key")


class HandmadeAgent:
    """Gives a hand-written object the `Agent` interface; `fork` uses the object's own, or else copies it deeply."""

    def __init__(self, toy: Any) -> None:
        self.toy = toy
        self._takes_transition = _positional(toy.train) == 1

    def act(self, observation: int) -> int:
        return self.toy.act(observation)

    def train(self, transition: Transition) -> None:
        if self._takes_transition:
            self.toy.train(transition)
        else:
            self.toy.train(*transition[:4])

    def fork(self) -> Agent:
        own = getattr(self.toy, "fork", None)
        return HandmadeAgent(own() if own is not None else copy.deepcopy(self.toy))


@dataclass(frozen=True)
class HandmadeSpec:
    """A factory of hand-written agents, with settings that replace its defaults."""

    factory: Callable[..., Any]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """A fresh agent; ContractBroken where the factory makes something that cannot act and train."""
        shape = {"n_observations": n_observations, "n_actions": n_actions, "key": key}
        names = self._parameters()
        made = self.factory(**{name: value for name, value in shape.items() if name in names}, **self.settings)
        if callable(getattr(made, "build", None)):
            built: Agent = made.build(**shape)
            return built
        for method in ("act", "train"):
            if not callable(getattr(made, method, None)):
                raise ContractBroken(f"its agents have no '{method}'", place=self.name, remedy=f"define '{method}'")
        return HandmadeAgent(made)

    def changed(self, **changes: Any) -> HandmadeSpec:
        """The factory with other settings; NoSuchSetting where it has no parameter of that name."""
        from xenv.simulation import NoSuchSetting

        names = self._parameters()
        for name in changes:
            if name not in names:
                raise NoSuchSetting(f"no setting '{name}'", place=self.name, remedy=f"give it a parameter '{name}'")
        return HandmadeSpec(self.factory, {**self.settings, **changes})

    @property
    def name(self) -> str:
        """How messages call the factory."""
        return getattr(self.factory, "__qualname__", type(self.factory).__name__)

    def _parameters(self) -> set[str]:
        try:
            parameters = inspect.signature(self.factory).parameters.values()
        except (TypeError, ValueError):
            return set()
        unknown = [
            p.name
            for p in parameters
            if p.default is p.empty
            and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
            and p.name not in SHAPE
            and p.name not in self.settings
        ]
        if unknown:
            raise BadValue(
                f"its parameter '{unknown[0]}' has no default",
                place=self.name,
                remedy="a factory may ask for n_observations, n_actions and key; give the others a default",
            )
        return {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def _positional(method: Callable[..., Any]) -> int:
    """How many positional arguments a method needs; four where it does not say."""
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):
        return 4
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 4
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
