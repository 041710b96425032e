"""What is known of a family of environments: how a state is saved, what it says, and how the next agent continues.

A new family is one file in `caregrid/wrapping/families/`, holding a class named like the file. Environments that no
family knows are handled by their attributes (`caregrid.wrapping.states`) or by the user's own functions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.contracts import Contract
from engine.errors import BadValue
from engine.printable import shorten
from engine.registry import Registry, find_namesake_class

OBSERVING = ("gen_obs", "_get_obs", "_get_ob", "_get_state", "_get_observation", "_observation")
"""What environments usually call the method that makes an observation."""


class WorldFamily(ABC):
    """The states of one environment.

    env: the environment without wrappers. Three things are told apart. A snapshot can be gone back to; a key is
    hashable and the same for the same state; a state is what the user's functions are given and give back. By default
    all three are one: plain data that can be hashed.
    """

    exact_keys: bool = True
    """Whether equal keys mean equal snapshots."""

    def __init__(self, env: Any) -> None:
        self.env = env

    @classmethod
    @abstractmethod
    def applies(cls, env: Any) -> bool:
        """Return whether an environment (without wrappers) is of this family; called without importing its package."""

    @abstractmethod
    def save(self) -> Any:
        """Return the snapshot of the present state."""

    @abstractmethod
    def load(self, snapshot: Any) -> None:
        """Go to the state of a snapshot, no step of the episode having been taken."""

    def restart(self, state: Any, start: Any) -> Any:
        """Where the next agent begins when the world is left in a state; a mapping state -> probability for chance.

        start: the state in which the acting agent's episode began. Raises BadValue where that is not known.
        """
        raise BadValue(
            f"what the next agent finds in {type(self.env).__name__}, and where it begins, is not known",
            place="others",
            remedy="say so: others=[caregrid.Other(continues=function of the final state)]",
        )

    def list_continuations(self, snapshot: Any, start: Any) -> list[tuple[Any, float]]:
        """`restart` on snapshots: what the next agent begins with, and how likely."""
        given = self.restart(self.state(snapshot), self.state(start))
        pairs = given.items() if isinstance(given, Mapping) else ((given, 1.0),)
        return [(self.snapshot(state), float(chance)) for state, chance in pairs]

    def begin(self) -> None:  # noqa: B027
        """Called after every reset of the environment."""

    def key(self) -> Hashable:
        """Return what the present state is known by."""
        return self.save()  # type: ignore[no-any-return]

    def mark(self, key: Any) -> Hashable:
        """Return what the state of a key is known by in every environment like this one."""
        return key  # type: ignore[no-any-return]

    def state(self, snapshot: Any) -> Any:
        """Return the state of a snapshot, as the user's functions see it."""
        return snapshot

    def snapshot(self, state: Any) -> Any:
        """Return the snapshot of a state that one of the user's functions gave."""
        return state

    def actions(self) -> tuple[str, ...]:
        """Their names; their numbers by default."""
        return tuple(map(str, range(int(self.env.action_space.n))))

    def reward_names(self) -> tuple[str, ...]:
        """Names of the components of a vector reward, none where there is one number."""
        return ()

    def reward(self, reward: float) -> float:
        """Return what a step's reward counts, where the environment's own depends on more than the state."""
        return reward

    def of_another(self, env: Any) -> WorldFamily:
        """Return the same states for another environment like this one, reset with the same seed, which draws them."""
        return type(self)(env.unwrapped)

    def prepare(self) -> None:  # noqa: B027
        """Called before the first reset: make rewards depend on the state alone."""

    def skip_observations(self) -> None:  # noqa: B027
        """Called where nobody looks at observations: leave out what is slow about them."""

    def time_limit(self) -> int | None:
        """Return the number of steps after which the environment itself cuts an episode."""
        return None

    def words(self, state: Any) -> dict[str, Any]:
        """Return a state in words, ready for JSON."""
        named = state._asdict() if hasattr(state, "_asdict") else {"state": state}
        return {str(name): _plain(value) for name, value in named.items()}

    def drawing(self) -> tuple[str, ...]:
        """Rows of "#" and " ", where the agent has a place on a grid."""
        return ()

    def position(self, state: Any) -> tuple[int, int] | None:
        """(row, column) of the agent on the drawing."""
        return None

    def with_agent_at(self, state: Any, cell: tuple[int, int]) -> Any:
        """Return the same state with the agent in another cell; None where the agent has no place."""
        return None

    def require_nothing_forgotten(self) -> None:  # noqa: B027
        """Called after a walk: ContractBroken where stepping has changed something that a snapshot does not hold."""

    def portable(self, snapshot: Any) -> Any:
        """Return a snapshot for another environment like this one: it shares nothing with this one, which goes on."""
        return snapshot

    def take_over(self, portable: Any) -> Any:
        """Return the snapshot, of this environment, that a `portable` of another one is; valid until the next one."""
        return portable

    def fingerprint(self) -> Hashable:
        """Return what the present state is known by in every environment like this one."""
        return self.key()

    def observation(self) -> Any:
        """What the environment (without wrappers) observes in the present state. BadValue where that is not known."""
        for name in OBSERVING:
            if callable(getattr(self.env, name, None)):
                return getattr(self.env, name)()
        if isinstance(getattr(self.env, "s", None), int | np.integer):
            return int(self.env.s)
        raise BadValue(
            f"what {type(self.env).__name__} observes in a state is not known",
            place="Considerate",
            remedy="give observe=, a function that makes an observation of the environment",
        )

    def advice(self, keys: Sequence[Hashable]) -> str:
        """Return what to do about too many states, some of which are given by their keys."""
        return "give a smaller environment"

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """What makes states continuous, in a few words, judged from the keys of some; empty where nothing does."""
        return ""

    def growing(self, path: Sequence[Hashable]) -> tuple[str, str]:
        """What is another one in each state of an endless path, and what to do about it; empty where nothing is."""
        return "", ""

    def describe(self, snapshot: Any) -> str:
        """Return a state in a few words, for messages."""
        text = ", ".join(f"{name} {value}" for name, value in self.words(self.state(snapshot)).items())
        return shorten(text, 120)


FAMILY = Contract[type[WorldFamily]]("world family", derives=WorldFamily)


def check_family(thing: Any) -> None:
    """Pass, or raise ContractBroken for the class of a family that caregrid could not use."""
    FAMILY.accept(thing)


FAMILIES: Registry[type[WorldFamily]] = Registry(
    "caregrid.wrapping.families",
    "world family",
    find_namesake_class,
    accept=FAMILY.accept,
    group="caregrid.world_families",
)


def family_of(env: Any) -> WorldFamily | None:
    """Return the family of an environment (without wrappers), None where none is known."""
    for kind in FAMILIES.loadable().values():
        if kind.applies(env):
            return kind(env)
    return None


def derives_from(env: Any, module: str, name: str) -> bool:
    """Return whether an object's class, or one it derives from, has this name in this module; nothing is imported."""
    return any(kind.__name__ == name and kind.__module__.startswith(module) for kind in type(env).__mro__)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
