"""How states are saved where no family is known: by attributes, by the user's functions.

`AttributeStates` is the default. A snapshot is a deep copy of every attribute and slot that is data, of the environment
and of the wrappers around it, and of the places outside in which state hides (`caregrid.wrapping.hidden_state`);
windows, spaces, generators and functions are shared. The key is the same values frozen. Attributes named in `ignore`
are restored, too, but belong to no key. `LayeredStates` adds this to a family, whose states say nothing of what is
around the environment. `UsersStates` calls the user's `get_state(env)`
and `set_state(env, state)`.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import MethodType, SimpleNamespace
from typing import Any

from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.hidden_state import Hidden
from engine.contracts import require_parameters
from engine.errors import BadValue, CaregridError, ContractBroken, add_article, did_you_mean
from engine.mdp.enumeration.frozen_values import (
    ATOMS,
    NotPlain,
    copy_plain_values,
    copy_views,
    freeze_value,
    is_opaque,
    list_slots,
    read_attributes,
)
from engine.mdp.enumeration.walk import FIRST_LOOK, count_continuous_values
from engine.user_code import describe_place, user_code

AGENT = "agent"
NOT_STATE = {"spec", "metadata", "render_mode", "env", "unwrapped", "_np_random_seed", "reward_range"} | {
    "_ezpickle_args",
    "_ezpickle_kwargs",
}
MOST_WORDS = 8


def save_state(states: WorldFamily) -> Any:
    """The snapshot of the present state; ContractBroken where none can be taken."""
    try:
        return states.save()
    except CaregridError:
        raise
    except Exception as error:
        raise ContractBroken(
            f"its state cannot be saved: {type(error).__name__}: {' '.join(str(error).split())[:120]}",
            place=describe_place(states.env),
            remedy="give get_state= and set_state=",
        ) from error


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
        layers: Sequence[Any] | None = None,
        ignore: Sequence[str] = (),
        agent: Sequence[str] | None = None,
        fingerprint: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(env)
        self._layers = [env] if layers is None else list(layers)
        self._ignore = set(ignore)
        self._fingerprint = fingerprint
        self.exact_keys = fingerprint is None and not ignore
        known = self._list_names()
        self._agent = sorted(name for name in known if name.startswith(AGENT)) if agent is None else list(agent)
        self._require_known(agent or ())

    def require_nothing_forgotten(self) -> None:
        """BadValue for an attribute to ignore that no step has ever made."""
        self._require_known(sorted(self._ignore))

    def _require_known(self, names: Sequence[str]) -> None:
        known = self._list_names()
        for name in names:
            if name not in known:
                place = type(self.env).__name__
                raise BadValue(f"no attribute '{name}'", place=place, remedy=did_you_mean(name, known))

    def _list_names(self) -> list[str]:
        """Of all attributes and places, without those that no state holds."""
        return sorted({name for layer in self._layers for name in _read_layer(layer)})

    @classmethod
    def applies(cls, env: Any) -> bool:
        return True

    def save(self) -> Any:
        return self._copy_parts([self._data(layer) for layer in self._layers])

    def of_another(self, env: Any) -> WorldFamily:
        """The drawing environment takes the attributes of this one."""
        return AttributeStates(env.unwrapped)

    def load(self, snapshot: Any) -> None:
        for layer, part in zip(self._layers, self._copy_parts(snapshot), strict=True):
            if isinstance(layer, Hidden):
                layer.write(part)
                continue
            added = [pair for pair in _read_layer(layer).items() if pair[0] not in part]
            for name, value in added:
                if self._is_data(name, value):
                    delattr(layer, name)
            held = getattr(layer, "__dict__", {})
            for name, value in part.items():
                if name in held:
                    held[name] = value
                else:
                    object.__setattr__(layer, name, value)
            if "_elapsed_steps" in held:
                held["_elapsed_steps"] = 0

    def _copy_parts(self, parts: Any) -> Any:
        """A deep copy in which what refers back to the environment refers to the one there is."""
        try:
            copied = iter(copy_plain_values(value for part in parts for value in part.values()))
            return [dict(zip(part, copied, strict=False)) for part in parts]
        except NotPlain:
            pass
        held = list(iterate_parts(parts))
        memo = {id(each): each for each in [*self._layers, *filter(is_opaque, held)]}
        copy_views(held, memo)
        return copy.deepcopy(parts, memo)

    def key(self) -> Hashable:
        if self._fingerprint is not None:
            given = self._fingerprint(next(layer for layer in self._layers if not isinstance(layer, Hidden)))
            return freeze_value(given) if hasattr(given, "dtype") else given
        return tuple(
            (name, freeze_value(value, self._layers))
            for layer in self._layers
            for name, value in sorted(self._data(layer).items())
            if name not in self._ignore and name != "_elapsed_steps"
        )

    def state(self, snapshot: Any) -> AttributeState:
        """A copy of the attributes, which the user's functions may change."""
        *outer, own = self._copy_parts(snapshot)
        return AttributeState(outer, **own)

    def snapshot(self, state: Any) -> Any:
        """state: one that `state` has given, changed or not."""
        if not isinstance(state, AttributeState):
            raise ContractBroken(
                f"a continuation gave {add_article(type(state).__name__)}",
                place=type(self.env).__name__,
                remedy="change the state that it is given, and return that",
            )
        held = dict(vars(state))
        outer = held.pop("_outer")
        return self._copy_parts([*outer, held][-len(self._layers) :])

    def list_continuations(self, snapshot: Any, start: Any) -> list[tuple[Any, float]]:
        """The world as it was left, with the agent's attributes as at the start."""
        if not self._agent:
            raise BadValue(
                f"which attributes of {type(self.env).__name__} are the agent's is not known",
                place="others",
                remedy="give agent=('its', 'names'), or others=[caregrid.Other(continues=...)]",
            )
        changed = self._copy_parts(snapshot)
        begin = self._copy_parts(start)
        for part, first in zip(changed, begin, strict=True):
            part.update({name: first[name] for name in self._agent if name in first})
        return [(changed, 1.0)]

    def words(self, state: AttributeState) -> dict[str, Any]:
        """The attributes that are numbers or words, those that begin with "agent" first; else what objects hold."""
        held = sorted(vars(state).items(), key=lambda pair: not pair[0].startswith(AGENT))
        shown = [(name, value) for name, value in held if name not in {*self._ignore, "_outer"}]
        plain = {name: value for name, value in shown if _is_short(value)}
        if not plain:
            inner = [(f"{name}.{part}", value) for name, one in shown for part, value in read_attributes(one).items()]
            plain = {name: value for name, value in inner if _is_short(value)}
        return {name: _write_value(value) for name, value in list(plain.items())[:MOST_WORDS]}

    def advice(self, keys: Sequence[Hashable]) -> str:
        """The attribute that takes most values among the states; an array is what a world is about."""
        if self._fingerprint is not None:
            return "let fingerprint= leave out what keeps growing"
        values: dict[str, set[Hashable]] = {}
        for key in keys:
            for name, value in key:  # type: ignore[attr-defined]
                values.setdefault(name, set()).add(value)
        name = max(values, key=lambda each: len(values[each]))
        taken = f"its attribute '{name}' ({len(values[name])} values)"
        if any(isinstance(value, tuple) and value[:1] == ("array",) for value in values[name]):
            return f"make a smaller world: {taken} is what differs most"
        return f"give ignore=('{name}',) if {taken} is not part of the state"

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """An attribute with another fractional number in nearly every state; none where a fingerprint was given."""
        if self._fingerprint is not None:
            return ""
        columns: dict[str, list[Hashable]] = {}
        for key in keys:
            for name, value in key:  # type: ignore[attr-defined]
                columns.setdefault(name, []).append(value)
        taken = {name: count_continuous_values(column, min(len(keys), FIRST_LOOK)) for name, column in columns.items()}
        name = max(taken, key=lambda each: taken[each])
        return f"its attribute '{name}' took {taken[name]} values in {len(keys)} states" if taken[name] else ""

    def growing(self, path: Sequence[Hashable]) -> tuple[str, str]:
        """The attributes that are other ones in each state of an endless path."""
        if self._fingerprint is not None:
            return "", "let fingerprint= leave out what keeps growing"
        columns: dict[str, list[Hashable]] = {}
        for key in path:
            for name, value in key:  # type: ignore[attr-defined]
                columns.setdefault(name, []).append(value)
        names = [name for name, column in columns.items() if len(set(column)) > len(path) // 2]
        if len(path) < FIRST_LOOK:  # so few states prove nothing of what merely changes
            names = [name for name in names if _rises(columns[name])]
        if not names:
            return "", ""
        listed = ", ".join(f"'{name}'" for name in names)
        verb = "grows" if len(names) == 1 else "grow"
        if any(isinstance(columns[name][-1], float) for name in names):
            return f"{listed} {verb} along a path: its states are continuous", (
                f"bound what can be reached, or give ignore=({listed},) if it is not part of the state"
            )
        return f"{listed} {verb} along every path", f"ignore it with ignore=({listed},) unless the world depends on it"

    def _data(self, layer: Any) -> dict[str, Any]:
        """What a layer holds that is data."""
        return {name: value for name, value in _read_layer(layer).items() if self._is_data(name, value)}

    def _is_data(self, name: str, value: Any) -> bool:
        """Return whether an attribute of a layer is data; its own methods are none."""
        return (
            name not in NOT_STATE
            and not is_opaque(value)
            and not (type(value) is MethodType and any(value.__self__ is one for one in self._layers))
        )


def _rises(column: Sequence[Hashable]) -> bool:
    """Whether each number, or each text or list by its length, is larger than the one before."""
    sizes = [value if isinstance(value, int | float) else len(str(value)) for value in column]
    return all(before < after for before, after in itertools.pairwise(sizes))


def holds_data(layer: Any) -> bool:
    """Whether an object has attributes that may be a part of a state."""
    return any(name not in NOT_STATE and not is_opaque(value) for name, value in _read_layer(layer).items())


def _read_layer(layer: Any) -> dict[str, Any]:
    if isinstance(layer, Hidden):
        return layer.read()
    return read_attributes(layer) if list_slots(type(layer)) else vars(layer)  # type: ignore[arg-type]


OF_THE_FAMILY = (
    *("actions", "drawing", "observation", "position", "prepare", "reward", "reward_names", "skip_observations"),
    *("time_limit", "words", "with_agent_at", "require_nothing_forgotten"),
)
"""What a family says of states alone, so that nothing around them changes it."""


class LayeredStates(WorldFamily):
    """family: of the environment without wrappers. around: what else belongs to a state, by its attributes.

    A state is the family's; what is around it stays as it was left. A state that a user's function gives has it as at
    the start.
    """

    def __init__(self, family: WorldFamily, around: AttributeStates) -> None:
        super().__init__(family.env)
        self._family = family
        self._around = around
        self._start: Any = None
        self.exact_keys = family.exact_keys and around.exact_keys
        for name in OF_THE_FAMILY:
            setattr(self, name, getattr(family, name))

    @classmethod
    def applies(cls, env: Any) -> bool:
        return True

    def begin(self) -> None:
        self._family.begin()
        self._start = self._around.save()

    def save(self) -> Any:
        return self._family.save(), self._around.save()

    def load(self, snapshot: Any) -> None:
        self._family.load(snapshot[0])
        self._around.load(snapshot[1])

    def key(self) -> Hashable:
        return self._family.key(), self._around.key()

    def mark(self, key: Any) -> Hashable:
        return self._family.mark(key[0]), key[1]

    def state(self, snapshot: Any) -> Any:
        return self._family.state(snapshot[0])

    def snapshot(self, state: Any) -> Any:
        return self._family.snapshot(state), self._start

    def list_continuations(self, snapshot: Any, start: Any) -> list[tuple[Any, float]]:
        return [
            ((begin, snapshot[1]), chance) for begin, chance in self._family.list_continuations(snapshot[0], start[0])
        ]

    def of_another(self, env: Any) -> WorldFamily:
        """What is around an environment that draws does not show."""
        return self._family.of_another(env)

    def portable(self, snapshot: Any) -> Any:
        return self._family.portable(snapshot[0]), self._around.portable(snapshot[1])

    def take_over(self, portable: Any) -> Any:
        return self._family.take_over(portable[0]), self._around.take_over(portable[1])

    def fingerprint(self) -> Hashable:
        return self._family.fingerprint(), self._around.fingerprint()

    def advice(self, keys: Sequence[Any]) -> str:
        return self._around.advice([key[1] for key in keys])

    def continuous(self, keys: Sequence[Any]) -> str:
        return self._around.continuous([key[1] for key in keys])

    def growing(self, path: Sequence[Any]) -> tuple[str, str]:
        return self._around.growing([key[1] for key in path])


def iterate_parts(value: Any, levels: int = 6) -> Iterator[Any]:
    """A value and what it holds, some levels deep; not what windows, generators and functions hold."""
    seen: dict[int, Any] = {}
    level = [value]
    for _ in range(levels):
        following = []
        for each in level:
            yield each
            for part in () if is_opaque(each) else _list_parts(each):
                if type(part) not in ATOMS and id(part) not in seen:
                    seen[id(part)] = part
                    following.append(part)
        level = following


def _list_parts(value: Any) -> list[Any]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
    return [*parts, *_read_layer(value).values()] if hasattr(value, "__dict__") else list(parts)


def _is_short(value: Any) -> bool:
    size = getattr(value, "size", None)  # of an array; elsewhere it may be a method
    return (
        isinstance(value, int | float | str | bool)
        or (isinstance(size, int) and size <= 8)
        or (isinstance(value, tuple | list | dict) and len(value) <= 8)
    )


def _write_value(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value if isinstance(value, int | float | str) else str(value)


class UsersStates(WorldFamily):
    """env: what the two functions are given. fingerprint: the key of the environment; by default the state itself."""

    def __init__(
        self,
        env: Any,
        get_state: Callable[[Any], Any] | None,
        set_state: Callable[[Any, Any], Any] | None,
        fingerprint: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(getattr(env, "unwrapped", env))
        if get_state is None or set_state is None:
            missing = "get_state" if get_state is None else "set_state"
            raise BadValue(f"no {missing}", place="wrap", remedy="give get_state= and set_state= together, or neither")
        require_parameters(get_state, 1, "get_state(env)")
        require_parameters(set_state, 2, "set_state(env, state)")
        self._outermost = env
        self._get = get_state
        self._set = set_state
        self._fingerprint = fingerprint
        self.exact_keys = fingerprint is None

    @classmethod
    def applies(cls, env: Any) -> bool:
        return True

    def save(self) -> Any:
        return self._get(self._outermost)

    def load(self, snapshot: Any) -> None:
        self._set(self._outermost, snapshot)

    def portable(self, snapshot: Any) -> Any:
        return copy.deepcopy(snapshot)

    def key(self) -> Hashable:
        given = self._get(self._outermost) if self._fingerprint is None else self._fingerprint(self._outermost)
        return freeze_value(given) if hasattr(given, "dtype") else given

    def advice(self, keys: Sequence[Hashable]) -> str:
        return "let get_state leave out what keeps growing, such as a counter of steps"

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """Where get_state's values hold another fractional number in nearly every state."""
        taken = 0 if self._fingerprint is not None else count_continuous_values(keys, min(len(keys), FIRST_LOOK))
        return f"what get_state gives took {taken} values in {len(keys)} states" if taken else ""

    def growing(self, path: Sequence[Hashable]) -> tuple[str, str]:
        """Nobody knows the parts of a user's state by name."""
        return "", "let get_state leave out what keeps growing, such as a counter of steps"

    def require_round_trip(self) -> None:
        """ContractBroken where the present state, saved and restored, is another one."""
        with user_code(describe_place(self._get)):
            snapshot = self.save()
            before = self.key()
            self.load(snapshot)
            after = self.key()
        if before != after:
            raise ContractBroken(
                "get_state gives another state after set_state",
                place=describe_place(self._set),
                remedy="restore everything that get_state saves",
            )
