"""How another agent's value function is learned: what a learner does, and the registry of learners.

A new one is one file in `caregrid/wrapping/value_learners/`, holding a class named like the file: a frozen dataclass of
hyper-parameters whose `build` makes the learner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any

from caregrid.wrapping.continued_world import BeginEpisode, ContinuedWorld
from craftworld.solution.observer import Observes
from engine.contracts import Contract, Method, require_instance, require_parameters
from engine.errors import BadValue
from engine.registry import Registry, find_namesake_class, write_in_small_letters
from engine.user_code import describe_place, user_code
from engine.value_types import check_fields


class ValueLearner(ABC):
    """Learns to act in one agent's world. Asking for values and actions changes nothing but the world's state.

    observes: "state" where it knows the state, with what the world hides.
    """

    observes: Observes = "observation"

    @abstractmethod
    def learn(self, steps: int) -> None:
        """Take that many steps in its world, and learn from them; what was learned before stays."""

    @abstractmethod
    def value(self) -> float:
        """Return the estimated value of the state in which its world is."""

    @abstractmethod
    def action(self, number: float) -> int:
        """The greedy action in the state in which its world is; number: from [0, 1), decides between equal ones."""


@dataclass(frozen=True)
class ValueLearnerSpec(ABC):
    """The hyper-parameters of a learner."""

    def __post_init__(self) -> None:
        check_fields(self, write_in_small_letters(type(self).__name__))

    @abstractmethod
    def build(self, world: ContinuedWorld, begin: BeginEpisode, key: int) -> ValueLearner:
        """Return a learner that knows nothing yet.

        begin: goes to where one of its episodes begins. key: of all that it draws; equal keys give equal learners.
        """


def _is_learner(value: Any) -> bool:
    return all(callable(getattr(value, method.name, None)) for method in (LEARN, VALUE, ACTION))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_action(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


LEARN = Method("learn(steps)")
VALUE = Method("value()", "a number", _is_number)
ACTION = Method("action(number)", "the number of an action", _is_action)
BUILD = Method("build(world, begin, key)", "a learner with 'learn', 'value' and 'action'", _is_learner)


def _require_defaults(kind: type[ValueLearnerSpec]) -> None:
    require_parameters(kind, 0, f"{kind.__name__}()")


VALUE_LEARNER = Contract[type[ValueLearnerSpec]]("value learner", derives=ValueLearnerSpec, require=_require_defaults)
VALUE_LEARNERS: Registry[type[ValueLearnerSpec]] = Registry(
    "caregrid.wrapping.value_learners", "value learner", find_namesake_class, accept=VALUE_LEARNER.accept
)


def require_numbers(world: ContinuedWorld, place: str) -> None:
    """BadValue where what an agent observes has a part that is neither a number nor an array of numbers."""
    from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete

    space = world.env.observation_space
    parts = space.spaces if isinstance(space, Dict) else {"": space}
    for name, part in parts.items():
        if not isinstance(part, Box | Discrete | MultiBinary | MultiDiscrete):
            which = f"part '{name}' of what {world.name} observes" if name else f"what {world.name} observes"
            raise BadValue(f"{which} is no number but of the kind {type(part).__name__}", place=place, remedy=NUMBERS)


NUMBERS = "leave it out by an observation wrapper (of MiniGrid: minigrid.wrappers.ImgObsWrapper), or learn by 'tabular'"
"""What to do where a network cannot take what an agent observes."""


def find_value_learner(given: Any) -> ValueLearnerSpec:
    """Return a learner's hyper-parameters from its name, with its defaults, or from themselves."""
    if isinstance(given, str):
        return _make_spec(VALUE_LEARNERS[given])
    if isinstance(given, type):
        return _make_spec(VALUE_LEARNER.accept(given))
    require_instance(given, ValueLearnerSpec, "value learner")
    return given  # type: ignore[no-any-return]


def _make_spec(kind: type[ValueLearnerSpec]) -> ValueLearnerSpec:
    with user_code(describe_place(kind)):
        return kind()
