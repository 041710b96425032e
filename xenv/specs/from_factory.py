"""Agents of a user's own: a class or function that makes objects with `act` and `train` is measured like a spec.

The factory is called with those of `n_observations`, `n_actions`, `key` (or `n_obs`, `seed`) and the changed
hyper-parameters that it names.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.agent import Agent, AgentSpec
from engine.errors import BadValue, ContractBroken
from engine.user_code import described, place_of
from xenv.specs.adapted_agent import as_agent, parameters_of, require_agent
from xenv.specs.hyperparameters import UnknownHyperparameter

SHAPE = {"n_observations": "n_observations", "n_obs": "n_observations", "n_actions": "n_actions"}
SHAPE |= {"key": "key", "seed": "key"}
_REFUSAL = re.compile("unexpected keyword argument|takes no (keyword )?arguments")  # Python's own words


@dataclass(frozen=True)
class FactorySpec(AgentSpec):
    """The spec of agents that a factory makes.

    factory: makes objects with `act` and `train`, or specs. settings: arguments that replace its defaults.
    """

    factory: Callable[..., Any]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The user's factory, which is what messages name."""
        return self.factory

    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """A fresh agent; ContractBroken where the factory makes something that cannot act and train."""
        shape = {"n_observations": n_observations, "n_actions": n_actions, "key": key}
        parameters = self._parameters()
        for name, default in parameters.items():
            if default is inspect.Parameter.empty and name not in SHAPE and name not in self.settings:
                raise BadValue(
                    f"its parameter '{name}' has no default",
                    place=self.name,
                    remedy="a factory may ask for n_observations, n_actions and key; give the others a default",
                )
        asked = {name: shape[SHAPE[name]] for name in parameters if name in SHAPE}
        try:
            made = self.factory(**asked, **self.settings)
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:
            for name in self.settings:
                if name not in parameters and isinstance(error, TypeError) and _REFUSAL.search(str(error)):
                    raise UnknownHyperparameter(name, self.name, self._known()) from error
            raise ContractBroken(
                f"it makes no agent: {described(error)}", place=self.name, remedy="mend it there"
            ) from error
        if callable(getattr(made, "build", None)):
            return as_agent(made.build(**shape))
        require_agent(made, self)
        return as_agent(made)

    def with_hyperparameters(self, **changes: Any) -> FactorySpec:
        """The factory with other settings; UnknownHyperparameter where it has no parameter of that name.

        One that takes any keyword gets every setting, and may refuse it when it is called. The class of a spec that
        `ignores_other_hyperparameters` gets its own only.
        """
        settings = dict(self.settings)
        for name, value in changes.items():
            if name in self._known() or (name not in SHAPE and self._takes_any_keyword()):
                settings[name] = value
            elif name in SHAPE or not getattr(self.factory, "ignores_other_hyperparameters", False):
                raise UnknownHyperparameter(name, self.name, self._known())
        return FactorySpec(self.factory, settings)

    def hyperparameter(self, name: str) -> Any:
        """The value the factory gets for a parameter; UnknownHyperparameter where none of that name has a default."""
        if name not in self._known():
            raise UnknownHyperparameter(name, self.name, self._known())
        return {**self._parameters(), **self.settings}[name]

    @property
    def name(self) -> str:
        """How messages call the factory: its file and name."""
        return place_of(self)

    def _known(self) -> list[str]:
        """The names of hyper-parameters that have a value."""
        known = {**self._parameters(), **self.settings}
        return [name for name, value in known.items() if name not in SHAPE and value is not inspect.Parameter.empty]

    def _takes_any_keyword(self) -> bool:
        return any(p.kind is p.VAR_KEYWORD for p in parameters_of(self.factory))

    def _parameters(self) -> dict[str, Any]:
        """Parameters that can be named, with their defaults."""
        return {
            p.name: p.default
            for p in parameters_of(self.factory)
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        }
