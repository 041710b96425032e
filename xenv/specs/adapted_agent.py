"""An agent of a user's own behind the `Agent` interface: what it gives is checked, what it raises names it.

It has `act` and `train`, and `fork` or not; it may train on one `Transition` or on (observation, action, reward,
next_observation).
"""

from __future__ import annotations

import copy
import inspect
import operator
from collections.abc import Callable
from typing import Any

from engine.agent import Agent, Transition
from engine.contracts import refuse, require_methods, require_parameters
from engine.errors import ContractBroken, with_article
from engine.printable import shown_value, type_name
from engine.user_code import place_of, user_code

TRAIN = "train(transition) or train(observation, action, reward, next_observation)"


class AdaptedAgent(Agent):
    """Gives an object with `act` and `train` the `Agent` interface, and checks its actions.

    wrapped: the object. n_actions: how many there are, None where that is not checked. role: what it is for messages,
    such as "a copy". `fork` uses the object's own, or else copies it deeply.
    """

    def __init__(self, wrapped: Any, n_actions: int | None = None, role: str = "") -> None:
        require_methods(wrapped, ("act", "train"), "agent")
        self.wrapped, self.n_actions, self.role = wrapped, n_actions, role
        self._takes_transition = _required(wrapped.train) == 1
        require_parameters(wrapped.act, 1, "act(observation)")
        if not self._takes_transition:
            require_parameters(wrapped.train, 4, TRAIN)

    @property
    def __wrapped__(self) -> Any:
        """The user's object, which is what messages name."""
        return self.wrapped

    def act(self, observation: int) -> int:
        """The wrapped object's action; ContractBroken where it is not an integer, or out of range."""
        action = self._called("act", observation)
        try:
            number = operator.index(action)
        except TypeError:
            number = None
        if number is None or isinstance(action, bool):
            raise ContractBroken(
                f"action {shown_value(action)} is not an integer", place=self._place(), remedy="return 0 .. n-1"
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
        self._called("train", *((transition,) if self._takes_transition else transition[:4]))

    def fork(self) -> Agent:
        """An independent twin."""
        own = getattr(self.wrapped, "fork", None)
        if own is not None:
            twin = self._called("fork")
            if not (hasattr(twin, "act") and hasattr(twin, "train")):
                refuse(self, "fork", twin, "an agent with 'act' and 'train'")
            return AdaptedAgent(twin, self.n_actions, self.role)
        with user_code(f"{self._place()}, copied"):
            return AdaptedAgent(copy.deepcopy(self.wrapped), self.n_actions, self.role)

    def _called(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self.wrapped, method)(*arguments)
        except BaseException:
            with user_code(f"{self._place()}, {method}"):
                raise

    def _place(self) -> str:
        return f"{place_of(self.wrapped)}{self.role and f', {self.role}'}"


def require_agent(made: Any, maker: Any) -> None:
    """ContractBroken, naming the file of what was made or else of its maker, unless it has `act` and `train`."""
    try:
        require_methods(made, ("act", "train"), "agent")
    except ContractBroken as error:
        if ".py" in error.place:
            raise
        problem = f"it makes {with_article(type_name(made))}, with {error.problem}"
        raise ContractBroken(problem, place=place_of(maker), remedy=error.remedy) from None


def as_agent(made: Any) -> Agent:
    """An agent as it is; an object that lacks something of the interface, adapted."""
    complete = isinstance(made, Agent) and _required(made.train) == 1
    return made if complete else AdaptedAgent(made)


def _required(method: Callable[..., Any]) -> int:
    """How many positional arguments a method needs."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.default is p.empty and p.kind in kinds for p in parameters_of(method))


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function or class; none where it does not say."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
