"""States as the attributes of an environment: the default where nothing better is known.

A snapshot is a deep copy of every attribute that is data, of the environment and of the wrappers around it; windows,
spaces, generators and functions are shared. The key is the same values frozen. Attributes named in `ignore` are
restored, too, but belong to no key.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from types import SimpleNamespace
from typing import Any

from caregrid.wrapping.family import WorldFamily
from engine.errors import BadValue, ContractBroken, did_you_mean, with_article
from engine.mdp.enumeration.continuous import values_if_continuous
from engine.mdp.enumeration.frozen_value import frozen, is_opaque
from engine.mdp.enumeration.plain_copy import NotPlain, plain_copies

AGENT = "agent"
NOT_STATE = {"spec", "metadata", "render_mode", "env", "unwrapped", "_np_random_seed", "reward_range"} | {
    "_ezpickle_args",
    "_ezpickle_kwargs",
}
MOST_WORDS = 8


class AttributeState(SimpleNamespace):
    """The attributes of an environment in one state, by name."""

    def __init__(self, outer: list[dict[str, Any]], **own: Any) -> None:
        super().__init__(**own)
        self._outer = outer


class AttributeStates(WorldFamily):
    """env: the environment without wrappers. layers: every object whose attributes make up a state, `env` among them.

    ignore: names of attributes that are not part of a state, such as counters of steps. agent: names of those that are
    the agent's own, which the next agent has as at the start; by default all that begin with "agent". fingerprint: the
    user's key, made of the environment with its wrappers.
    """

    def __init__(
        self,
        env: Any,
        layers: Sequence[Any] = (),
        ignore: Sequence[str] = (),
        agent: Sequence[str] | None = None,
        fingerprint: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(env)
        self._layers = list(layers) or [env]
        self._ignore, self._fingerprint = set(ignore), fingerprint
        self.exact_keys = fingerprint is None and not ignore
        known = {name for layer in self._layers for name in vars(layer)}
        self._agent = sorted(name for name in known if name.startswith(AGENT)) if agent is None else list(agent)
        self._require_known(agent or ())

    def require_nothing_forgotten(self) -> None:
        """BadValue for an attribute to ignore that no step has ever made."""
        self._require_known(sorted(self._ignore))

    def _require_known(self, names: Sequence[str]) -> None:
        known = sorted({name for layer in self._layers for name in vars(layer)})
        for name in names:
            if name not in known:
                place = type(self.env).__name__
                raise BadValue(f"no attribute '{name}'", place=place, remedy=did_you_mean(name, known))

    @classmethod
    def applies(cls, env: Any) -> bool:
        return True

    def save(self) -> Any:
        return self._copied([self._data(layer) for layer in self._layers])

    def of_another(self, env: Any) -> WorldFamily:
        """The drawing environment takes the attributes of this one."""
        return AttributeStates(env.unwrapped)

    def load(self, snapshot: Any) -> None:
        for layer, part in zip(self._layers, self._copied(snapshot), strict=True):
            for name in self._data(layer).keys() - part.keys():
                delattr(layer, name)
            vars(layer).update(part)
            if "_elapsed_steps" in vars(layer):
                layer._elapsed_steps = 0

    def _copied(self, parts: Any) -> Any:
        """A deep copy in which what refers back to the environment refers to the one there is."""
        try:
            return [dict(zip(part, plain_copies(part.values()), strict=True)) for part in parts]
        except NotPlain:
            pass
        memo: dict[int, Any] = {id(layer): layer for layer in self._layers}
        for part in parts:
            for value in part.values():
                _share_opaque(value, memo, 0)
        return copy.deepcopy(parts, memo)

    def key(self) -> Hashable:
        if self._fingerprint is not None:
            given = self._fingerprint(self._layers[0])
            return frozen(given) if hasattr(given, "dtype") else given
        return tuple(
            (name, frozen(value))
            for layer in self._layers
            for name, value in sorted(self._data(layer).items())
            if name not in self._ignore and name != "_elapsed_steps"
        )

    def state(self, snapshot: Any) -> AttributeState:
        """A copy of the attributes, which the user's functions may change."""
        *outer, own = self._copied(snapshot)
        return AttributeState(outer, **own)

    def snapshot(self, state: Any) -> Any:
        """state: one that `state` has given, changed or not."""
        if not isinstance(state, AttributeState):
            raise ContractBroken(
                f"a continuation gave {with_article(type(state).__name__)}",
                place=type(self.env).__name__,
                remedy="change the state that it is given, and return that",
            )
        held = dict(vars(state))
        outer = held.pop("_outer")
        return self._copied([*outer, held][-len(self._layers) :])

    def continued(self, snapshot: Any, start: Any) -> list[tuple[Any, float]]:
        """The world as it was left, with the agent's attributes as at the start."""
        if not self._agent:
            raise BadValue(
                f"which attributes of {type(self.env).__name__} are the agent's is not known",
                place="others",
                remedy="give agent=('its', 'names'), or others=[caregrid.Other(continues=...)]",
            )
        changed, begin = self._copied(snapshot), self._copied(start)
        for part, first in zip(changed, begin, strict=True):
            part.update({name: first[name] for name in self._agent if name in first})
        return [(changed, 1.0)]

    def words(self, state: AttributeState) -> dict[str, Any]:
        """The attributes that are numbers or words, those that begin with "agent" first."""
        held = sorted(vars(state).items(), key=lambda pair: not pair[0].startswith(AGENT))
        plain = {name: value for name, value in held if _is_short(value) and name not in {*self._ignore, "_outer"}}
        return {name: _shown(value) for name, value in list(plain.items())[:MOST_WORDS]}

    def advice(self, keys: Sequence[Hashable]) -> str:
        """The attribute that takes most values among the states."""
        if self._fingerprint is not None:
            return "let fingerprint= leave out what keeps growing"
        values: dict[str, set[Hashable]] = {}
        for key in keys:
            for name, value in key:  # type: ignore[attr-defined]
                values.setdefault(name, set()).add(value)
        name = max(values, key=lambda each: len(values[each]))
        return (
            f"give ignore=('{name}',) if its attribute '{name}' ({len(values[name])} values) is not part of the state"
        )

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """An attribute with another fractional number in nearly every state; none where a fingerprint was given."""
        if self._fingerprint is not None:
            return ""
        columns: dict[str, list[Hashable]] = {}
        for key in keys:
            for name, value in key:  # type: ignore[attr-defined]
                columns.setdefault(name, []).append(value)
        taken = {name: values_if_continuous(column) for name, column in columns.items()}
        name = max(taken, key=lambda each: taken[each])
        return f"its attribute '{name}' took {taken[name]} values in {len(keys)} states" if taken[name] else ""

    def _data(self, layer: Any) -> dict[str, Any]:
        return {name: value for name, value in vars(layer).items() if name not in NOT_STATE and not is_opaque(value)}


def _share_opaque(value: Any, memo: dict[int, Any], depth: int) -> None:
    """Let a deep copy take windows, generators and functions as they are."""
    if is_opaque(value):
        memo[id(value)] = value
    elif depth < 4:
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
        parts = [*parts, *vars(value).values()] if hasattr(value, "__dict__") else parts
        for part in parts:
            _share_opaque(part, memo, depth + 1)


def _is_short(value: Any) -> bool:
    return (
        isinstance(value, int | float | str | bool)
        or (getattr(value, "size", 99) <= 8)
        or (isinstance(value, tuple | list | dict) and len(value) <= 8)
    )


def _shown(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value if isinstance(value, int | float | str) else str(value)
