"""Agents of a user's own behind the `Agent` interface: objects with `act` and `train`, and factories that make them.

An object has `act` and `train`, and `fork` or not; it may train on one `Transition` or on (observation, action,
reward, next_observation). What it gives is checked, and what it raises names it. A factory, a class or function
that makes such objects, is measured like a spec: it is called with those of `n_observations`, `n_actions`, `key`
(or `n_obs`, `seed`) and the changed hyper-parameters that it names.
"""

from __future__ import annotations

import copy
import inspect
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.agent import Agent, AgentSpec, Transition
from engine.contracts import refuse, require_methods, require_parameters
from engine.errors import BadValue, ContractBroken, add_article
from engine.printable import name_type, show_value
from engine.user_code import describe_exception, describe_place, user_code
from xenv.hyperparameters import UnknownHyperparameter

TRAIN = "train(transition) or train(observation, action, reward, next_observation)"


class AdaptedAgent(Agent):
    """Gives an object with `act` and `train` the `Agent` interface, and checks its actions.

    wrapped: the object. n_actions: how many there are, None where that is not checked. role: what it is for messages,
    such as "a copy". `fork` uses the object's own, or else copies it deeply.
    """

    def __init__(self, wrapped: Any, n_actions: int | None = None, role: str = "") -> None:
        require_methods(wrapped, ("act", "train"), "agent")
        self.wrapped, self.n_actions, self.role = wrapped, n_actions, role
        self._takes_transition = _count_required(wrapped.train) == 1
        require_parameters(wrapped.act, 1, "act(observation)")
        if not self._takes_transition:
            require_parameters(wrapped.train, 4, TRAIN)

    @property
    def __wrapped__(self) -> Any:
        """Return the user's object, which is what messages name."""
        return self.wrapped

    def act(self, observation: int) -> int:
        """Return the wrapped object's action; raise ContractBroken where it is not an integer, or out of range."""
        action = self._call("act", observation)
        try:
            number = operator.index(action)
        except TypeError:
            number = None
        if number is None or isinstance(action, bool):
            raise ContractBroken(
                f"action {show_value(action)} is not an integer", place=self._place(), remedy="return 0 .. n-1"
            )
        if self.n_actions is not None and not 0 <= number < self.n_actions:
            raise ContractBroken(
                f"action {number} is not in 0 .. {self.n_actions - 1}",
                place=self._place(),
                remedy="choose from the n_actions of the environment",
            )
        return number

    def train(self, transition: Transition) -> None:
        """Train the wrapped object on a transition, in the form that it takes."""
        self._call("train", *((transition,) if self._takes_transition else transition[:4]))

    def fork(self) -> Agent:
        """Return an independent twin."""
        own = getattr(self.wrapped, "fork", None)
        if own is not None:
            twin = self._call("fork")
            if not (hasattr(twin, "act") and hasattr(twin, "train")):
                refuse(self, "fork", twin, "an agent with 'act' and 'train'")
            return AdaptedAgent(twin, self.n_actions, self.role)
        with user_code(f"{self._place()}, copied"):
            return AdaptedAgent(copy.deepcopy(self.wrapped), self.n_actions, self.role)

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self.wrapped, method)(*arguments)
        except BaseException:
            with user_code(f"{self._place()}, {method}"):
                raise

    def _place(self) -> str:
        return f"{describe_place(self.wrapped)}{self.role and f', {self.role}'}"


def require_agent(made: Any, maker: Any) -> None:
    """Raise ContractBroken, naming the file of what was made or else of its maker, unless it has `act` and `train`."""
    try:
        require_methods(made, ("act", "train"), "agent")
    except ContractBroken as error:
        if ".py" in error.place:
            raise
        problem = f"it makes {add_article(name_type(made))}, with {error.problem}"
        raise ContractBroken(problem, place=describe_place(maker), remedy=error.remedy) from None


def as_agent(made: Any) -> Agent:
    """Return an agent as it is, and an object that lacks part of the interface adapted."""
    complete = isinstance(made, Agent) and _count_required(made.train) == 1
    return made if complete else AdaptedAgent(made)


def _count_required(method: Callable[..., Any]) -> int:
    """Return how many positional arguments a method needs."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.default is p.empty and p.kind in kinds for p in list_parameters(method))


def list_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function or class; none where it does not say."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


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
        """Return the user's factory, which is what messages name."""
        return self.factory

    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """Build a fresh agent; raise ContractBroken where the factory makes something that cannot act and train."""
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
                    raise UnknownHyperparameter(name, self.name, self._list_hyperparameters()) from error
            raise ContractBroken(
                f"it makes no agent: {describe_exception(error)}", place=self.name, remedy="mend it there"
            ) from error
        if callable(getattr(made, "build", None)):
            return as_agent(made.build(**shape))
        require_agent(made, self)
        return as_agent(made)

    def with_hyperparameters(self, **changes: Any) -> FactorySpec:
        """Return the factory with other settings; raise UnknownHyperparameter where it has no parameter of that name.

        One that takes any keyword gets every setting, and may refuse it when it is called. The class of a spec that
        `ignores_other_hyperparameters` gets its own only.
        """
        settings = dict(self.settings)
        for name, value in changes.items():
            if name in self._list_hyperparameters() or (name not in SHAPE and self._takes_any_keyword()):
                settings[name] = value
            elif name in SHAPE or not getattr(self.factory, "ignores_other_hyperparameters", False):
                raise UnknownHyperparameter(name, self.name, self._list_hyperparameters())
        return FactorySpec(self.factory, settings)

    def hyperparameter(self, name: str) -> Any:
        """Return the value that the factory gets for a parameter; raise UnknownHyperparameter where it has none."""
        if name not in self._list_hyperparameters():
            raise UnknownHyperparameter(name, self.name, self._list_hyperparameters())
        return {**self._parameters(), **self.settings}[name]

    @property
    def name(self) -> str:
        """Return how messages call the factory: its file and name."""
        return describe_place(self)

    def _list_hyperparameters(self) -> list[str]:
        """Return the names of hyper-parameters that have a value."""
        known = {**self._parameters(), **self.settings}
        return [name for name, value in known.items() if name not in SHAPE and value is not inspect.Parameter.empty]

    def _takes_any_keyword(self) -> bool:
        return any(p.kind is p.VAR_KEYWORD for p in list_parameters(self.factory))

    def _parameters(self) -> dict[str, Any]:
        """Return parameters that can be named, with their defaults."""
        return {
            p.name: p.default
            for p in list_parameters(self.factory)
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        }
