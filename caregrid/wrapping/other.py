"""Who else there is, in the user's words: who comes after, from what, with what aim, and how likely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from caregrid.wrapping.given import real_number, refuse_setting
from engine.contracts import require_function
from engine.errors import BadValue

Component = int | Sequence[float]


@dataclass(frozen=True)
class Other:
    """Another agent. With `reward` alone it is there at the same time; otherwise it comes after the acting one.

    env: the environment in which it acts, anything that `wrap` takes; by default the same one. probability: how likely
    its value function (or reward function) is the real one. weight: its own caring coefficient. continues: the state
    in which the world was left -> the state in which it begins, or a mapping from several to their probabilities; by
    default the world as it was left, with the agent back at its start. name: by default "next agent", or the reward's.
    reward: which component of a vector reward it gets (a number, or weights), or a function (state, action's name,
    next state) -> number; by default that of its environment. goal: state -> whether its episode ends there; its reward
    is then -1 a step unless `reward` says otherwise. owner: the agent that this is a possibility of; by default itself.
    swept: whether the care coefficient multiplies its weight.
    """

    env: Any = None
    probability: float = 1.0
    continues: Callable[[Any], Any] | None = None
    weight: float = 1.0
    name: str = ""
    reward: Component | Callable[[Any, str, Any], float] | None = None
    goal: Callable[[Any], bool] | None = None
    owner: str = ""
    swept: bool = True

    def __post_init__(self) -> None:
        real_number(self.probability, "probability", 0.0, 1.0)
        real_number(self.weight, "weight")
        for name in ("name", "owner"):
            if not isinstance(getattr(self, name), str):
                refuse_setting(name, getattr(self, name), "a text")
        if not isinstance(self.swept, bool):
            refuse_setting("swept", self.swept, "True or False")
        if self.continues is not None:
            require_function("continues", self.continues, 1, "continues(final state)")
        if self.goal is not None:
            require_function("goal", self.goal, 1, "goal(state)")
        if callable(self.reward):
            require_function("reward", self.reward, 3, "reward(state, action, next_state)")

    @property
    def is_present(self) -> bool:
        """Whether it is there at the same time as the acting agent."""
        return self.reward is not None and self.env is None and self.continues is None and self.goal is None


def component_weights(component: Component, count: int, place: str) -> list[float]:
    """The weight of each of `count` rewards: 1 for the one that is meant, or as given; BadValue where it is none."""
    if isinstance(component, int):
        if not 0 <= component < count:
            raise BadValue(f"reward {component} of {count}", place=place, remedy=f"count from 0 to {count - 1}")
        return [float(n == component) for n in range(count)]
    if isinstance(component, str | bytes) or not isinstance(component, Sequence) or len(component) != count:
        refuse_setting(place, component, f"the number of a reward, or {count} weights")
    return [real_number(weight, place) for weight in component]


def names_of(others: Sequence[Other]) -> list[str]:
    """A name for each, made where none is given; BadValue where two are called alike."""
    names: list[str] = []
    for other in others:
        name = other.name or ("other agent" if other.is_present else "next agent")
        taken = names.count(name) or any(known.startswith(f"{name} ") for known in names)
        number = 1 + sum(known == name or known.rpartition(" ")[0] == name for known in names)
        if other.name and taken:
            raise BadValue(f"two others are called '{name}'", place="others", remedy="give them different names")
        names.append(name if number == 1 else f"{name} {number}")
    return names
