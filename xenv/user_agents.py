"""Agents of a user's own behind the `Agent` interface: objects with `act` and `train`, and factories that make them.

An object has `act` and `train`, and `fork` or not; it may train on one `Transition` or on (observation, action,
reward, next_observation). What it gives is checked, and what it raises names it. A factory, a class or function
that makes such objects, is measured like a spec: it is called with those of `n_observations`, `n_actions`, `key`
(or `n_obs`, `seed`) and the changed hyper-parameters that it names.

Such an agent is tried for a tenth of a second of work: are identically trained ones identical (Alexander et al. 2021,
Definition 9)? Otherwise what an environment sees in a copy is not what the agent would do, and the measure says little.
`xenv.check_semi_deterministic` tries longer, and raises.
"""

from __future__ import annotations

import copy
import inspect
import math
import operator
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NoReturn

from engine.agent import Agent, AgentSpec, AnswersDiffer, Transition, UnknownHyperparameter, check_agent
from engine.compiling.digest import is_ours
from engine.contracts import refuse, require_methods, require_parameters
from engine.errors import BadValue, CaregridError, ContractBroken, add_article
from engine.printable import name_type, print_notice, shorten, show_value
from engine.shared_state import SharedState, keep_shared_state
from engine.user_code import describe_exception, describe_place, user_code

KEPT_ONCE = 257
TRAIN = "train(transition) or train(observation, action, reward, next_observation)"


class AdaptedAgent(Agent):
    """Gives an object with `act` and `train` the `Agent` interface, and checks what it is asked and what it answers.

    wrapped: the object; other attributes are its own. n_observations, n_actions: how many there are, None where that is
    not checked. role: what it is for messages, such as "a copy". `fork` uses the object's own, or else copies deeply.
    """

    def __init__(
        self, wrapped: Any, n_actions: int | None = None, role: str = "", n_observations: int | None = None
    ) -> None:
        require_methods(wrapped, ("act", "train"), "agent")
        takes_transition = _count_required(wrapped.train) == 1
        require_parameters(wrapped.act, 1, "act(observation)")
        if not takes_transition:
            require_parameters(wrapped.train, 4, TRAIN)
        vars(self).update(wrapped=wrapped, n_actions=n_actions, role=role, n_observations=n_observations)
        vars(self).update(takes_transition=takes_transition)
        vars(self).update(act=self._make_act(), train=self._make_train())

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes a copy, whose methods are those of a copy of the object."""
        return AdaptedAgent, (self.wrapped, self.n_actions, self.role, self.n_observations)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "wrapped" not in vars(self):
            raise AttributeError(name)
        return getattr(self.wrapped, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.wrapped, name, value)

    __wrapped__ = property(attrgetter("wrapped"))  # what messages name

    def act(self, observation: int) -> int:
        """Return the wrapped object's action; raise ContractBroken where it is not an integer, or out of range."""
        raise NotImplementedError  # `_make_act` makes it, once per object, for it is called at each turn

    def train(self, o_prev: Any, a: Any = ..., r: Any = ..., o_next: Any = ...) -> None:
        """Train the wrapped object on a transition, passed whole or by its four parts, in the form that it takes."""
        raise NotImplementedError  # as above

    def fork(self) -> Agent:
        """Return an independent twin."""
        own = getattr(self.wrapped, "fork", None)
        if own is None:
            with user_code(f"{self._place()}, copied"):
                return copy.deepcopy(self)
        with user_code(f"{self._place()}, fork"):
            twin = own()
        if not (hasattr(twin, "act") and hasattr(twin, "train")):
            refuse(self, "fork", twin, "an agent with 'act' and 'train'")
        return AdaptedAgent(twin, self.n_actions, self.role, self.n_observations)

    def _make_act(self) -> Callable[[int], int]:
        own: Callable[[int], int] = self.wrapped.act
        observations, actions = map(list_numbers, self._bounds())

        def act(obs: int) -> int:
            try:
                number = observations[obs]
                if number is not obs:  # as True, which is 1, and an index of numpy's that is none
                    self._require_argument("observation", obs, "act")
                action = own(number)
            except BaseException as error:
                self._require_argument("observation", obs, "act")
                self.name_error("act", error)
            try:
                if actions[action] is action:
                    return action
            except Exception:
                pass
            return self.require_action(action)

        return act

    def _make_train(self) -> Callable[..., None]:
        own, takes_transition = self.wrapped.train, self.takes_transition
        observations, actions = map(list_numbers, self._bounds())

        def train(o_prev: Any, a: Any = ..., r: Any = ..., o_next: Any = ...) -> None:
            transition = None
            if o_next is ... or r is ... or a is ...:
                whole = type(o_prev) is Transition and a is r is o_next
                transition = o_prev if whole else self._require_whole(o_prev, a, r, o_next)
                o_prev, a, r, o_next, *_ = transition
            try:
                if not (observations[o_prev] is o_prev and actions[a] is a and observations[o_next] is o_next):
                    self._require_arguments(o_prev, a, o_next)
                    o_prev, a, o_next = observations[o_prev], actions[a], observations[o_next]
                    if transition is not None:
                        transition = transition._replace(observation=o_prev, action=a, next_observation=o_next)
                if takes_transition:
                    own(transition or Transition(o_prev, a, r, o_next))
                else:
                    own(o_prev, a, r, o_next)
            except BaseException as error:
                self._require_arguments(o_prev, a, o_next)
                self.name_error("train", error)

        return train

    def _require_arguments(self, o_prev: Any, a: Any, o_next: Any) -> None:
        """Raise ContractBroken where `train` is called with what is no number in its range."""
        self._require_argument("observation", o_prev, "train")
        self._require_argument("action", a, "train")
        self._require_argument("next observation", o_next, "train")

    def _require_argument(self, what: str, value: Any, called: str) -> None:
        """Raise ContractBroken where a method is called with what is no observation, or action, in its range."""
        count = self._bounds()[what == "action"]
        if not (isinstance(value, int) and 0 <= value < count):
            self._require(what, value, count, called)

    def _require_whole(self, transition: Any, *parts: Any) -> Transition:
        """Return a transition that is passed whole; raise ContractBroken where parts of it are missing."""
        missing = [name for name, part in zip(("a", "r", "o_next"), parts, strict=True) if part is ...]
        if (
            len(missing) == len(parts)
            and isinstance(transition, tuple)
            and 4 <= len(transition) <= len(Transition._fields)
        ):
            return Transition(*transition)
        raise ContractBroken(
            f"train is called without {', '.join(missing)}",
            place=self._place(),
            remedy="call train(o_prev, a, r, o_next) or train(transition)",
        )

    def _bounds(self) -> tuple[float, float]:
        unbounded = math.inf
        return (
            unbounded if self.n_observations is None else self.n_observations,
            unbounded if self.n_actions is None else self.n_actions,
        )

    def require_action(self, action: Any) -> int:
        """Return an action as an integer; raise ContractBroken where it is none, or out of range."""
        count = self._bounds()[1]
        return action if type(action) is int and 0 <= action < count else self._require("action", action, count)

    def _require(self, what: str, value: Any, count: float, called: str = "") -> int:
        """Return an observation or action as an integer. called: the method that it is an argument of."""
        place = self._place() + (called and f", what {called} is called with")
        try:
            number = operator.index(value)
        except TypeError:
            number = None
        if number is None or isinstance(value, bool):
            raise ContractBroken(f"{what} {show_value(value)} is not an integer", place=place, remedy="use 0 .. n-1")
        if count != math.inf and not 0 <= number < count:
            remedy = f"choose from the n_{what.split()[-1]}s of the environment"
            raise ContractBroken(f"{what} {number} is not in 0 .. {count - 1}", place=place, remedy=remedy)
        return number

    def name_error(self, method: str, error: BaseException) -> NoReturn:
        """Raise what a method of the user's has raised, with its place."""
        with user_code(f"{self._place()}, {method}"):
            raise error
        raise AssertionError

    def _place(self) -> str:
        return f"{describe_place(self.wrapped)}{self.role and f', {self.role}'}"


def list_numbers(count: float) -> Sequence[int]:
    """Return 0 .. count - 1 so that `numbers[x] is x` costs next to nothing, and is true of nothing but one of them.

    An interpreter keeps small integers once (CPython those up to 256). Where it does not, the test fails, and whoever
    asks must look again.
    """
    return tuple(range(int(count))) if count <= KEPT_ONCE else range(int(min(count, sys.maxsize)))


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

    __wrapped__ = property(attrgetter("factory"))  # what messages name

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


def is_our_spec(spec: Any) -> bool:
    """Return whether a spec and all that it transforms come from our files."""
    if isinstance(spec, FactorySpec):
        return is_ours(spec.factory)
    return is_ours(type(spec)) and (not hasattr(spec, "spec") or is_our_spec(spec.spec))


SECONDS = 0.1
LENGTHS = (2, 8, 32, 64)  # trainings of each trial; the next one begins only where time is left
MOST_TRAININGS = 4096  # of another agent, where what it learns is shared

_tried: dict[int, tuple[Any]] = {}


def tell_if_not_semi_deterministic(spec: Any, n_observations: int, n_actions: int) -> None:
    """Print one line, once for an agent of a user's own, that names what differs between two of its instances."""
    known = spec.factory if isinstance(spec, FactorySpec) else spec
    if is_our_spec(spec) or id(known) in _tried:
        return
    _tried[id(known)] = (known,)  # kept, so that no other one gets its identity
    tried = spec if isinstance(spec, FactorySpec) else FactorySpec(spec.build)
    shape = {"n_observations": min(n_observations, 8), "n_actions": n_actions}
    try:
        with user_code(tried.name), keep_shared_state(known):
            _check_for_a_while(tried, shape)
            _require_nothing_shared(tried, shape)
    except AnswersDiffer as error:
        text = f"{error.place}: its copies are not what it is itself: {error.problem}; {error.remedy}"
        print_notice(text, subject=f"copies of {error.place}")
    except CaregridError:
        return  # an error on a past that may never be: a run in which it occurs names it


def _check_for_a_while(spec: FactorySpec, shape: dict[str, int]) -> None:
    end = time.thread_time() + SECONDS
    for trainings in LENGTHS:
        if time.thread_time() > end:
            break
        check_agent(spec, **shape, trainings=trainings, histories=1)


def _require_nothing_shared(spec: FactorySpec, shape: dict[str, int]) -> None:
    """Raise AnswersDiffer where an agent acts otherwise because of what another one has learned.

    One line of training is compared with itself, after more and more trainings of another agent. That takes time, and
    is done only where such a training changes something that agents share.
    """
    shared = SharedState(spec)
    expected = _answer_for_a_while(spec, shape)
    shared.put_back()
    other, done, end = spec.build(**shape, key=0), 0, time.thread_time() + SECONDS
    while done < MOST_TRAININGS and time.thread_time() < end:
        for turn in range(done, max(2 * done, LENGTHS[1])):
            _train_once(other, shape, turn)
        done = max(2 * done, LENGTHS[1])
        learned = SharedState(spec)
        changed = shared.find_changed()
        if not changed:
            return
        if _answer_for_a_while(spec, shape) != expected:
            raise AnswersDiffer(
                f"they share {shorten(', '.join(changed))}, and act otherwise once one was trained {done} times",
                place=describe_place(spec),
                remedy="keep in self what its answers depend on",
            )
        learned.put_back()


def _answer_for_a_while(spec: FactorySpec, shape: dict[str, int]) -> list[int]:
    """Return the answers of a fresh agent that is trained some times."""
    agent, answers = spec.build(**shape, key=0), list[int]()
    for turn in range(LENGTHS[1]):
        answers += [agent.act(observation) for observation in range(shape["n_observations"])]
        _train_once(agent, shape, turn)
    return answers


def _train_once(agent: Agent, shape: dict[str, int], turn: int) -> None:
    observation, following = turn % shape["n_observations"], (turn + 1) % shape["n_observations"]
    agent.train(Transition(observation, agent.act(observation), float(1 - turn % 3), following))
