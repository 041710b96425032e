"""Worlds that are put into a state and stepped: Gymnasium's, with rewards of one number or several, and PettingZoo's.

What Gymnasium wraps around an environment when it makes one (checks, order, time limit) is stepped past; other wrappers
stay. An episode that a time limit cuts has not ended: the limit becomes the scenario's.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.worlds.world import Pixels
from craftworld.scenario import TIME_LIMIT
from engine.contracts import refuse
from engine.errors import CaregridError, ContractBroken
from engine.mdp.enumeration.frozen_value import frozen
from engine.mdp.enumeration.simulated import Chance, Simulated
from engine.mdp.enumeration.walk import Successor
from engine.user_code import place_of, raised_by_users, text_of, user_code

REMEDY = "it may be a state that only the next agent comes to: give others= of which none does, or mend step"
STANDARD_WRAPPERS = {"PassiveEnvChecker", "OrderEnforcing", "TimeLimit"}


class SteppedWorld:
    """env: what is reset and stepped. states: how its states are saved. seeds: of the resets, equally likely.

    reward_names: one name where a step gives one number. chance: how chance was declared. frame: snapshot -> picture.
    declared: the settings on which the table depends, as texts. actions: their names, by default as the states say.
    """

    discount: float | None = None

    def __init__(
        self,
        env: Any,
        states: WorldFamily,
        seeds: Sequence[int] = (0,),
        *,
        name: str,
        reward_names: tuple[str, ...] = ("reward",),
        chance: Chance | None = None,
        time_limit: int | None = None,
        frame: Callable[[Any], Pixels | None] | None = None,
        declared: Sequence[str] = (),
        actions: Sequence[str] = (),
    ) -> None:
        self.name, self.reward_names, self.rewards = name, reward_names, len(reward_names)
        self._env, self._states, self._seeds, self._frame = stepped_part(env), states, list(seeds), frame
        self._declared = list(declared)
        self._generators: list[tuple[Any, str]] = []
        self.exact_keys = states.exact_keys
        self.actions = tuple(actions) or states.actions()
        self.kind = kind_of(states)
        self._walked = Simulated(self, chance)
        self._starts = self._reset_once_a_seed()
        self.drawing = states.drawing()
        self.time_limit = time_limit or states.time_limit() or TIME_LIMIT

    def _reset_once_a_seed(self) -> Mapping[Hashable, float]:
        """Prepare the environment, reset it once a seed, and remember where that leads."""
        starts: dict[Hashable, float] = {}
        self._states.prepare()
        if self._env is self._states.env:
            self._states.skip_observations()
        with user_code(place_of(self._states.env)):
            for seed in self._seeds:
                reset(self._env, seed)
                self._states.begin()
                self._generators = self._generators or generators_in(layers(self._env))
                key = self._walked.remember()
                starts[key] = starts.get(key, 0.0) + 1.0 / len(self._seeds)
        return starts

    # what a Simulator does

    def snapshot(self) -> Any:
        return self._states.save()

    def restore(self, snapshot: Any) -> None:
        self._states.load(snapshot)

    def key(self) -> Hashable:
        return self._states.key()

    def use(self, generator: np.random.Generator) -> None:
        for holder, name in self._generators:
            setattr(holder, name, generator)

    def step(self, action: int) -> tuple[tuple[float, ...], bool]:
        given = self._env.step(action)
        try:
            _, reward, terminated, _, _ = given
            amounts = (float(reward),) if self.rewards == 1 else tuple([float(amount) for amount in reward])
        except (TypeError, ValueError):
            rewards = "a number" if self.rewards == 1 else f"{self.rewards} numbers"
            expected = f"(observation, reward, terminated, truncated, info), the reward being {rewards}"
            refuse(self._states.env, "step", given, expected)
        if self.rewards == 1:
            return (self._states.reward(amounts[0]),), bool(terminated)
        if len(amounts) != self.rewards:
            raise ContractBroken(
                f"a step gave {len(amounts)} rewards", place=self.name, remedy=f"give {self.rewards} in every step"
            )
        return amounts, bool(terminated)

    # what a WrappedWorld does

    def starts(self) -> Mapping[Hashable, float]:
        return self._starts

    def successors(self, key: Hashable, action: int) -> Sequence[Successor]:
        try:
            return self._walked.successors(key, action)
        except Exception as error:
            place = f"{self.name}, state {self.describe(key)}, action '{self.actions[action]}'"
            if not isinstance(error, CaregridError | MemoryError) and not raised_by_users(error):
                _refuse_failure("step", error, place, REMEDY)
            with user_code(f"{place_of(self._states.env)}, {place}"):
                raise
        except BaseException:
            with user_code(place_of(self._states.env)):
                raise

    def state_of(self, key: Hashable) -> Any:
        return self._states.state(self._walked.snapshot_of(key))

    def enter(self, state: Any) -> Hashable:
        return self._remembered(self._states.snapshot(state))

    def continued(self, key: Hashable, start: Hashable) -> Sequence[tuple[Hashable, float]]:
        snapshots = self._states.continued(self._walked.snapshot_of(key), self._walked.snapshot_of(start))
        return [(self._remembered(snapshot), chance) for snapshot, chance in snapshots]

    def words(self, key: Hashable) -> dict[str, Any]:
        return self._states.words(self.state_of(key))

    def frame(self, key: Hashable) -> Pixels | None:
        return None if self._frame is None else self._frame(self.state_of(key))

    def position(self, key: Hashable) -> tuple[int, int] | None:
        return self._states.position(self.state_of(key)) if self.drawing else None

    def with_agent_at(self, key: Hashable, cell: tuple[int, int]) -> Hashable | None:
        if not self.drawing:
            return None
        moved = self._states.with_agent_at(self.state_of(key), cell)
        return None if moved is None else self._states.snapshot(moved)

    def identity(self) -> list[str]:
        """The code of the environment's classes, its start states and how they were declared."""
        texts = [self.name, *self._declared, *self.actions, str(self.rewards)]
        texts += [repr(frozen(self.state_of(key))) for key in self._starts]
        for kind in type(self._states.env).__mro__:
            try:
                texts.append(Path(inspect.getfile(kind)).read_text(encoding="utf-8"))
            except (TypeError, OSError):
                texts.append(kind.__qualname__)
        return texts

    def finish(self) -> None:
        self._states.require_nothing_forgotten()
        self._walked.require_keys_tell_states_apart()

    def describe(self, key: Hashable) -> str:
        return self._states.describe(self._walked.snapshot_of(key))

    def advice(self, keys: Sequence[Hashable]) -> str:
        return self._states.advice(keys)

    def continuous(self, keys: Sequence[Hashable]) -> str:
        cause = self._states.continuous(keys)
        return f"{cause} (caregrid.Considerate learns in such worlds)" if cause else ""

    def _remembered(self, snapshot: Any) -> Hashable:
        self._states.load(snapshot)
        return self._walked.remember()


def kind_of(states: WorldFamily) -> str:
    """What kind of states these are: two environments of one kind understand each other's."""
    return f"{type(states).__name__} of {type(states.env).__qualname__}"


def reset(env: Any, seed: int) -> None:
    """Reset an environment; ContractBroken for what its own code, not the user's, raises."""
    try:
        env.reset(seed=int(seed))
    except Exception as error:
        if isinstance(error, CaregridError | MemoryError) or raised_by_users(error):
            raise
        _refuse_failure("reset", error, place_of(env.unwrapped), "mend it, or choose another environment")


def _refuse_failure(method: str, error: Exception, place: str, remedy: str) -> NoReturn:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    said = ": ".join(filter(None, (type(error).__name__, text_of(error))))
    raise ContractBroken(
        f"its {method} fails at {Path(frame.filename).name}, line {frame.lineno}: {said}", place=place, remedy=remedy
    ) from error


def generators_in(parts: Sequence[Any]) -> list[tuple[Any, str]]:
    """Where an environment and what it wraps keep their generators: objects and attributes."""
    found = [(part, "_np_random") for part in parts[-1:] if hasattr(type(part), "_np_random")]
    for part in parts:
        held = [name for name, value in vars(part).items() if isinstance(value, np.random.Generator)]
        found += [(part, name) for name in held if (part, name) not in found]
    return found


def layers(env: Any) -> list[Any]:
    """An environment and what it wraps, from the outside in."""
    result = [env]
    while "env" in vars(result[-1]):
        result.append(result[-1].env)
    return result


def stepped_part(env: Any) -> Any:
    """The environment without Gymnasium's standard wrappers, where there are no others."""
    every = layers(env)
    standard = all(type(layer).__name__ in STANDARD_WRAPPERS for layer in every[:-1])
    return every[-1] if standard else env
