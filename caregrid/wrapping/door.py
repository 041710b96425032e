"""Doors: worlds of other libraries, shown in the manner of Gymnasium, as one agent acts in them.

A new door is one class in a file of `caregrid/wrapping/doors/`. It is found by what it is given, without importing
the library. From there on everything is as with a Gymnasium environment: states are saved and restored, chance is
followed, and plain episodes prove the table (`caregrid.wrapping.worlds.SteppedWorld`).

Where others act, too, they follow fixed policies. A policy is a function of what the door says the other agent sees.
It gives an action, or the probabilities of all actions; the word "uniform" stands for all available actions with equal
probabilities.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.settings import EVERY_DRAW, UNIFORM, FixedPolicy, WorldSettings
from engine.contracts import Contract
from engine.errors import BadValue, UnknownName
from engine.printable import print_notice, show_value
from engine.registry import Registry, find_namesake_class
from engine.user_code import describe_place, user_code

MOST_ACTIONS = 10_000


def require_few_actions(count: int, place: str) -> int:
    """Return how many actions a world has; BadValue for more than MOST_ACTIONS."""
    if count > MOST_ACTIONS:
        raise BadValue(f"{count:,} actions", place=place, remedy=f"give at most {MOST_ACTIONS:,}")
    return count


class CountedActions:
    """An action space in the manner of Gymnasium: whole numbers below n."""

    def __init__(self, n: int) -> None:
        self.n = n


class Door(ABC):
    """A world of another library as one agent acts in it.

    env: what is inside, where its attributes are the state; a door without it has a `family`. Further data among the
    door's own attributes belongs to the state, unless `holds_state` is False.
    """

    holds_state: ClassVar[bool] = True
    names_agent: ClassVar[bool] = False
    """Whether the setting `agent` names the acting agent, not attributes."""
    chance: str | None = None
    """How chance is declared where the user says nothing."""
    seeds: str | None = None
    """How start states are found where the user says nothing."""
    reward_names: tuple[str, ...] = ()
    """Of several rewards."""
    action_space: Any
    _has_told = False

    @classmethod
    @abstractmethod
    def applies(cls, given: Any) -> bool:
        """Return whether something is of this library; called without importing it."""

    @abstractmethod
    def __init__(self, given: Any, settings: WorldSettings) -> None:
        """Look at it as the settings say."""

    @abstractmethod
    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; without a seed, generators go on drawing as they do."""

    @abstractmethod
    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act: observation, reward or rewards, whether the episode has ended, whether it was cut, nothing."""

    @property
    def unwrapped(self) -> Any:
        """What the user's functions are given."""
        return self

    def title(self) -> str:
        """Return what the world is called."""
        return type(self.unwrapped).__name__

    def actions(self) -> tuple[str, ...]:
        """Return the names of the actions; their numbers by default."""
        return tuple(map(str, range(int(self.action_space.n))))

    def time_limit(self) -> int | None:
        """Return the steps after which the library cuts an episode."""
        return None

    def family(self) -> WorldFamily | None:
        """Return how its states are saved; None for by its attributes."""
        return None

    def make_states(self, settings: WorldSettings) -> WorldFamily | None:
        """Return how states are saved that the user's get_state= and set_state= save; None for as everywhere."""
        return None

    def available(self) -> Sequence[bool] | None:
        """Which actions can be taken in the present state; None for all. Others do what the first of these does."""
        return None

    def ignored(self) -> Sequence[str]:
        """Attributes that are no part of the state, beside those that the user names."""
        return ()

    def tell_early_rewards(self, rewards: Sequence[float]) -> None:
        """Say once what others' moves earn before the agent's first one: no move of its own has it as a reward."""
        if any(rewards) and not self._has_told:
            self._has_told = True
            names = self.reward_names or ("the agent",)
            listed = ", ".join(f"{name} {amount:g}" for name, amount in zip(names, rewards, strict=False))
            print_notice(f"{self.title()}: left out is what is earned before the agent's first move: {listed}")

    def settle(self, settings: WorldSettings) -> WorldSettings:
        """Return the settings, with what the door knows where the user says nothing."""
        from dataclasses import replace

        if settings.chance is None and settings.random_seeds is None and self.chance is not None:
            settings = replace(settings, chance=self.chance)
        if tuple(settings.seeds) == WorldSettings.seeds and self.seeds is not None:
            settings = replace(settings, seeds=self.seeds)
        if self.names_agent:
            settings = replace(settings, agent=None)
        if self.ignored() and settings.get_state is None and settings.fingerprint is None:
            settings = replace(settings, ignore=(*settings.ignore, *self.ignored()))
        return settings


def choose_acting(names: Sequence[Any], settings: WorldSettings) -> Any:
    """The acting agent, by default the first; UnknownName for an unknown agent, BadValue without policies."""
    known = {str(name): name for name in names}
    policies = settings.name_policies(names)
    named = settings.policies if isinstance(settings.policies, Mapping) else ()
    wanted = [*([] if settings.agent is None else [settings.agent]), *named]
    for name in wanted:
        if not isinstance(name, str | int) or str(name) not in known:
            raise UnknownName("agent", str(name)[:60], list(known), place="wrap")
    acting = names[0] if settings.agent is None else known[str(settings.agent)]
    missing = [name for name in known if name not in policies and name != str(acting)]
    if missing:
        raise BadValue(
            f"no policy for {', '.join(missing)}",
            place="policies",
            remedy=f"give policies={{agent: function of what it observes, or '{UNIFORM}'}}",
        )
    return acting


def choose_action(
    policy: FixedPolicy | str,
    shown: Any,
    actions: Sequence[Any],
    possible: Collection[Any],
    generator: np.random.Generator,
    name: Any,
) -> Any:
    """What another agent does: its policy's action, or one that is drawn by the policy's probabilities.

    shown: what the policy is given. actions: all, in the order of the probabilities. possible: those that can be taken.
    BadValue, naming the policy, for anything else.
    """
    if policy == UNIFORM:
        listed = [action for action in actions if action in possible]
        return listed[int(generator.integers(len(listed)))] if len(listed) > 1 else listed[0]
    assert callable(policy)
    place = describe_place(policy)
    with user_code(place):
        given = policy(shown)
    remedy = f"give one of its actions, or {len(actions)} probabilities"
    if len(possible) < len(actions):
        remedy += f", above 0 for {', '.join(map(str, possible))} alone, which can be taken there"
    if isinstance(given, Mapping):
        law = {action: float(chance) for action, chance in given.items()}
        weights = [law.get(action, 0.0) for action in actions]
        strange = [action for action in law if action not in actions]
    elif np.ndim(given) == 1 and len(given) == len(actions) and np.asarray(given).dtype.kind == "f":
        weights, strange = [float(chance) for chance in given], []
    else:
        if np.ndim(given) != 0 or given not in possible:
            raise BadValue(f"the policy of {name} gave {show_value(given)}", place=place, remedy=remedy)
        return given
    takes_impossible = any(w > 0.0 and a not in possible for w, a in zip(weights, actions, strict=True))
    if strange or takes_impossible or min(weights) < 0.0 or not abs(sum(weights) - 1.0) <= 1e-9:
        raise BadValue(f"the policy of {name} gave {show_value(given)}", place=place, remedy=remedy)
    chosen = [n for n, weight in enumerate(weights) if weight > 0.0]
    if len(chosen) == 1:
        return actions[chosen[0]]
    return actions[int(generator.choice(len(weights), p=np.array(weights) / sum(weights)))]


DOOR = Contract[type[Door]]("world door", derives=Door)
DOORS: Registry[type[Door]] = Registry(
    "caregrid.wrapping.doors", "world door", find_namesake_class, accept=DOOR.accept, group="caregrid.world_doors"
)


def check_door(thing: Any) -> None:
    """Pass, or raise ContractBroken for the class of a door that caregrid could not use."""
    DOOR.accept(thing)


def find_door(given: Any) -> type[Door] | None:
    """The door through which something comes; None where it needs none, or none is known."""
    return next((door for door in DOORS.loadable().values() if door.applies(given)), None)


__all__ = [
    "DOORS",
    "EVERY_DRAW",
    "CountedActions",
    "Door",
    "check_door",
    "choose_acting",
    "choose_action",
    "find_door",
]
