"""State in, state out: gymnax, jumanji and pgx.

A state is a tree of arrays, and a step a pure function of state, action and random key. So nothing need be saved by
looking: each array is an attribute of `GameState`, under its own name ("pos", "snake.body"). Random keys among them
are no part of a state; each step is given a key. Chance has no say where nothing of a step's result is computed from
its key, which the traced step shows. Elsewhere it is taken with `MOST_TRIED` keys, and unless all lead alike they are
drawn; `random_seeds=` always samples them. The step says nothing about the law of what it draws.

In a game of pgx the others follow fixed policies of the state that they act in.
"""

from __future__ import annotations

import dataclasses
import math
import sys
import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from caregrid.wrapping.door import CountedActions, Door, choose_acting, choose_action, require_few_actions
from caregrid.wrapping.settings import WorldSettings
from engine.errors import BadValue
from engine.printable import show_value

__all__ = ["Gymnax", "Jumanji", "Pgx"]

KEYS = ("key", "rng", "_key", "_rng", "_rng_key", "rng_key", "prng_key")
"""What the random key in a state is called; other things are called so, too, such as the key to a door. Of any other
name it is one if a step draws from it."""
LARGEST_KEY = 2**31
MOST_KEPT = 20_000
"""Steps that are remembered, for each is asked for several times."""
MOST_TRIED = 1000
"""Keys with which a step is taken at once that computes something from its key."""
MOST_ALONE = 20
"""The same where jax cannot take them at once."""
MOST_MOVES = 10_000
"""Moves of others in a row after which they play among themselves."""


class Moment(NamedTuple):
    """What a step leads to. rewards: of every player. player: who acts next. mask: the actions that can be taken."""

    state: Any
    rewards: Any
    ended: Any
    cut: Any
    player: Any = 0
    mask: Any = None


class GameState:
    """The arrays of a state, by name."""


class _Functional(Door):
    """What the three share. Between two steps everything that changes lies in the attributes of `env`."""

    holds_state = False
    names_agent = False

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        self._given = given
        self.env = GameState()
        self._agent = 0
        self._others: tuple[int, ...] = ()
        self._policies: Mapping[str, Any] = {}
        self._generator = np.random.default_rng(0)
        self.action_space = CountedActions(self._count_actions())
        self._keys = frozenset(KEYS) | self._find_keys()
        self._begin = _compile(self._start)
        self._go = _compile(self._take)
        self._begin_often = _compile(lambda key: self._compare_all(self._start, key))
        self._move_often = _compile(
            lambda state, action, key: self._compare_all(lambda other: self._take(state, action, other), key)
        )
        self._samples = settings.random_seeds is not None
        self._start_is_drawn: bool | None = None  # until it is known
        self._step_uses_key: bool | None = None
        self._template: list[Any] = []
        self._known: dict[Any, Moment | None] = {}

    @property
    def unwrapped(self) -> Any:
        return self.env

    def title(self) -> str:
        return str(getattr(self._given, "name", "") or type(self._given).__name__)

    @abstractmethod
    def _count_actions(self) -> int:
        """Return how many actions there are."""

    @abstractmethod
    def _start(self, key: Any) -> Moment:
        """Begin an episode."""

    @abstractmethod
    def _move(self, state: Any, action: Any, key: Any) -> Moment:
        """Take an action."""

    def _take(self, state: Any, action: Any, key: Any) -> Moment:
        """Take an action; the random keys in the state follow from the one that is given."""
        leaves = [(name, leaf) for name, leaf in _list_leaves(state, "") if self._is_random_key(name, leaf)]
        named = {name: _make_key_like(leaf, key, number) for number, (name, leaf) in enumerate(leaves)}
        return self._move(_put_leaves(state, "", named), action, key)

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        if self._start_is_drawn is None:
            first = _make_key(0)
            self._start_is_drawn = self._is_used(self._start, first) and not bool(self._begin_often(first))
        number = 0
        if self._start_is_drawn:
            number = int(self._generator.integers(LARGEST_KEY)) if seed is None else seed
        moment = _fetch(self._begin(_make_key(number)))
        self._template = [moment.state]
        moment, gained = self._answer(moment, self._read_rewards(moment) * 0.0)
        if self._others:
            self.tell_early_rewards(gained[[self._agent, *self._others]].tolist())
        self._hold(moment)
        return None, {}

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        mask = self.available()
        allowed = action if mask is None or mask[action] else list(mask).index(True)
        moment = self._advance(self._rebuild(), allowed)
        moment, gained = self._answer(moment, self._read_rewards(moment))
        self._hold(moment)
        rewards = gained[[self._agent, *self._others]] if self.reward_names else gained.ravel()[0]
        ended = bool(moment.ended)
        return None, rewards, ended, bool(moment.cut) and not ended, {}

    def available(self) -> Sequence[bool] | None:
        mask = getattr(self.env, MASK, None)
        if mask is None or not mask.any():
            return None
        return [bool(allowed) for allowed in mask]

    def _advance(self, state: Any, action: int) -> Moment:
        """Return a step by any key where all lead alike, else by a key that is drawn."""
        leaves = [leaf for name, leaf in _list_leaves(state, "") if not self._is_random_key(name, leaf)]
        place = tuple(np.asarray(leaf).tobytes() for leaf in leaves), action
        if place not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[place] = self._find_certain(state, action, place)
        known = self._known[place]
        if known is not None:
            return known
        key = _make_key(int(self._generator.integers(LARGEST_KEY)))
        return _fetch(self._go(state, action, key))

    def _find_certain(self, state: Any, action: int, place: Any) -> Moment | None:
        """Return what a step leads to, None where that is drawn."""
        if self._step_uses_key is None:
            self._step_uses_key = self._is_used(self._take, state, action, _make_key(0))
        if not self._step_uses_key:
            return _fetch(self._go(state, action, _make_key(0)))
        if self._samples:
            return None
        key = _make_key(zlib.crc32(repr(place).encode()) % LARGEST_KEY)
        if not bool(self._move_often(state, action, key)):
            return None
        return _fetch(self._go(state, action, key))

    def _answer(self, moment: Moment, gained: Any) -> tuple[Moment, Any]:
        """Let others move until it is the agent's turn: the moment then, and everybody's rewards till then."""
        for _ in range(MOST_MOVES):
            player = int(moment.player)
            if player == self._agent or bool(moment.ended) or bool(moment.cut):
                return moment, gained
            possible = np.flatnonzero(np.asarray(moment.mask)).tolist()
            actions = range(self.action_space.n)
            policy = self._policies[str(player)]
            action = choose_action(policy, moment.state, actions, possible, self._generator, player)
            moment = self._advance(moment.state, action)
            gained = gained + self._read_rewards(moment)
        raise BadValue(f"{MOST_MOVES} moves of others in a row", place=self.title(), remedy="choose another agent=")

    def _read_rewards(self, moment: Moment) -> Any:
        return np.asarray(moment.rewards, dtype=np.float64)

    def _hold(self, moment: Moment) -> None:
        held = vars(self.env)
        held.clear()
        for name, leaf in _list_leaves(moment.state, ""):
            if not self._is_random_key(name, leaf):
                held[name] = np.asarray(leaf)
        if moment.mask is not None:
            held[MASK] = np.asarray(moment.mask)

    def _is_random_key(self, name: str, leaf: Any) -> bool:
        """Return whether a leaf is a random key: jax's own kind, or two or four numbers of 32 bits of such a name."""
        if str(getattr(leaf, "dtype", "")).startswith("key<"):
            return True
        return _may_be_key(leaf) and name.rpartition(".")[2] in self._keys

    def _find_keys(self) -> frozenset[str]:
        """Return the names of random keys in the state that are not called so.

        A step draws from them and puts others in their place, as its trace shows. What stays as it is belongs to the
        state, such as the key of a map that is drawn again in each step.
        """
        jax = _find_jax()
        if jax is None:
            return frozenset()
        key = _make_key(0)
        state = self._start(key).state
        leaves = {name: leaf for name, leaf in _list_leaves(state, "") if _may_be_key(leaf)}
        if not leaves:
            return frozenset()

        def move(action: Any, *keys: Any) -> list[Any]:
            moved = self._move(_put_leaves(state, "", dict(zip(leaves, keys, strict=True))), action, key)
            after = dict(_list_leaves(moved.state, ""))
            return [after[name] for name in leaves]

        traced = jax.make_jaxpr(move)(0, *leaves.values()).jaxpr
        pairs = zip(leaves, traced.invars[1:], traced.outvars, strict=True)
        drawn = [name for name, before, after in pairs if before is not after and _draws_from(traced, {id(before)})]
        return frozenset(name.rpartition(".")[2] for name in drawn)

    def _compare(self, first: Moment, second: Moment) -> Any:
        """Return whether two moments are the same but for random keys."""
        pairs = zip(_list_leaves(first, ""), _list_leaves(second, ""), strict=True)
        same: Any = True
        for (name, one), (_, other) in pairs:
            if not self._is_random_key(name, one):
                same = same & (one == other if np.ndim(one) == 0 else (one == other).all())
        return same

    def _compare_all(self, make: Callable[[Any], Moment], key: Any) -> Any:
        """Return whether every one of many keys, which follow from one, leads as that one does."""
        jax = _find_jax()
        first = make(key)
        if jax is None:
            numbers = np.random.default_rng(key).integers(LARGEST_KEY, size=MOST_ALONE)
            return all(bool(self._compare(first, make(_make_key(int(number))))) for number in numbers)
        return jax.vmap(lambda other: self._compare(first, make(other)))(jax.random.split(key, MOST_TRIED)).all()

    def _is_used(self, function: Callable[..., Moment], *arguments: Any) -> bool:
        """Return whether a result, but for random keys, is computed from the last argument; True where none sees it."""
        jax = _find_jax()
        if jax is None:
            return True

        def find_leaves(*given: Any) -> list[Any]:
            return [leaf for name, leaf in _list_leaves(function(*given), "") if not self._is_random_key(name, leaf)]

        traced = jax.make_jaxpr(find_leaves)(*arguments).jaxpr
        return any(_trace_use(traced, [variable is traced.invars[-1] for variable in traced.invars]))

    def _rebuild(self) -> Any:
        return _put_leaves(self._template[0], "", vars(self.env))


TIME = "time"
MASK = "can_take"
"""The attribute that says which actions can be taken."""


class Gymnax(_Functional):
    """An environment of gymnax, or its pair with parameters as `gymnax.make` gives it.

    The clock `time` is a part of its state, so that an episode ends where gymnax cuts it; `ignore=("time",)` leaves
    both out.
    """

    @classmethod
    def applies(cls, given: Any) -> bool:
        env = given[0] if isinstance(given, tuple) and len(given) == 2 else given
        return all(callable(getattr(env, name, None)) for name in ("step_env", "reset_env", "action_space"))

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        env, self._parameters = given if isinstance(given, tuple) else (given, given.default_params)
        self._is_timed = TIME not in settings.ignore
        super().__init__(env, settings)

    def _count_actions(self) -> int:
        return _count(self._given.action_space(self._parameters), self.title())

    def _start(self, key: Any) -> Moment:
        _, state = self._given.reset_env(key, self._parameters)
        return Moment(state, 0.0, False, False)

    def _move(self, state: Any, action: Any, key: Any) -> Moment:
        _, state, reward, done, *_ = self._given.step_env(key, state, action, self._parameters)
        cuts = getattr(self._given, "is_truncated", None)
        if cuts is not None and self._is_timed:  # the clock is a part of the state: the episode is over
            done = done | cuts(state, self._parameters)
        return Moment(state, reward, done, False)


class Jumanji(_Functional):
    """An environment of jumanji."""

    @classmethod
    def applies(cls, given: Any) -> bool:
        has_spec = hasattr(given, "action_spec") and not callable(given.action_spec)
        return has_spec and all(callable(getattr(given, name, None)) for name in ("reset", "step"))

    def _count_actions(self) -> int:
        spec = self._given.action_spec
        if not hasattr(spec, "num_values"):
            problem = f"its actions are {show_value(spec)}"
            raise BadValue(problem, place=self.title(), remedy="give a finite number of actions")
        if np.ndim(spec.num_values) == 0:
            return int(spec.num_values)
        self._shape = tuple(int(n) for n in np.ravel(spec.num_values))
        return require_few_actions(math.prod(self._shape), self.title())

    _shape: tuple[int, ...] = ()

    def actions(self) -> tuple[str, ...]:
        if not self._shape:
            return super().actions()
        return tuple(",".join(map(str, each)) for each in np.ndindex(*self._shape))

    def _start(self, key: Any) -> Moment:
        return self._read(*self._given.reset(key))

    def _move(self, state: Any, action: Any, key: Any) -> Moment:
        if self._shape:
            places = []
            for size in reversed(self._shape):
                places.append(action % size)
                action = action // size
            action = _stack(*reversed(places))
        return self._read(*self._given.step(state, action))

    def _read(self, state: Any, shown: Any) -> Moment:
        mask = getattr(shown.observation, "action_mask", None)
        over, goes_on = shown.step_type == 2, shown.discount != 0
        flat = None if mask is None or np.size(mask) != self.action_space.n else mask.reshape(-1)
        return Moment(state, shown.reward, over & ~goes_on, over & goes_on, 0, flat)


class Pgx(_Functional):
    """A game of pgx; others follow policies of its state."""

    names_agent = True

    @classmethod
    def applies(cls, given: Any) -> bool:
        return all(hasattr(given, name) for name in ("init", "step", "num_actions", "num_players"))

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        super().__init__(given, settings)
        players = range(int(given.num_players))
        self._agent = int(choose_acting(players, settings))
        self._others = tuple(player for player in players if player != self._agent)
        self._policies = settings.name_policies(players)
        self.reward_names = tuple(map(str, (self._agent, *self._others))) if self._others else ()
        self.chance = "every draw" if self._others else None

    def title(self) -> str:
        return str(self._given.id)

    def _count_actions(self) -> int:
        return int(self._given.num_actions)

    def _start(self, key: Any) -> Moment:
        return self._read(self._given.init(key))

    def _move(self, state: Any, action: Any, key: Any) -> Moment:
        return self._read(self._given.step(state, action, key))

    def _read(self, state: Any) -> Moment:
        mask = state.legal_action_mask
        return Moment(state, state.rewards, state.terminated, state.truncated, state.current_player, mask)

    def _hold(self, moment: Moment) -> None:
        super()._hold(moment)
        for name in ("observation", "legal_action_mask", "rewards"):  # they follow from the rest, or from the past
            vars(self.env).pop(name, None)


def _count(space: Any, place: str) -> int:
    if not hasattr(space, "n"):
        problem = f"its actions are {show_value(space)}"
        raise BadValue(problem, place=place, remedy="give a finite number of actions")
    return int(space.n)


def _list_leaves(tree: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of a tree, by their names."""
    for part, value in _list_parts(tree):
        full = f"{name}.{part}" if name else part
        if _list_parts(value):
            yield from _list_leaves(value, full)
        elif value is not None:
            yield full, value


def _may_be_key(leaf: Any) -> bool:
    """Return whether a leaf has the form of random keys without a type of their own: two or four numbers of 32 bits."""
    return str(getattr(leaf, "dtype", "")) == "uint32" and getattr(leaf, "shape", ())[-1:] in ((2,), (4,))


def _list_parts(tree: Any) -> list[tuple[str, Any]]:
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [(field.name, getattr(tree, field.name)) for field in dataclasses.fields(tree)]
    if hasattr(tree, "_asdict"):
        return list(tree._asdict().items())
    if isinstance(tree, Mapping):
        return [(str(key), value) for key, value in tree.items()]
    return [(str(n), value) for n, value in enumerate(tree)] if isinstance(tree, list | tuple) else []


def _put_leaves(tree: Any, name: str, leaves: Mapping[str, Any]) -> Any:
    """Return the tree with other arrays in place of those that are named."""
    parts = _list_parts(tree)
    if not parts:
        return leaves.get(name, tree)
    changed = {part: _put_leaves(value, f"{name}.{part}" if name else part, leaves) for part, value in parts}
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return dataclasses.replace(tree, **changed)
    if hasattr(tree, "_replace"):
        return tree._replace(**changed)
    if isinstance(tree, Mapping):
        return type(tree)({key: changed[str(key)] for key in tree})  # type: ignore[call-arg]
    return type(tree)(changed.values())


ONE_CALL = ("jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat", "checkpoint")
"""Calls of a traced function with the same arguments."""


def _trace_use(traced: Any, used: Sequence[bool]) -> list[bool]:
    """Return which results of a traced function are computed from the arguments that are marked."""
    marked = {id(variable) for variable, mark in zip(traced.invars, used, strict=True) if mark}
    for step in traced.eqns:
        given = [id(variable) in marked for variable in step.invars]
        inner = step.params.get("jaxpr", step.params.get("call_jaxpr"))
        inner = getattr(inner, "jaxpr", inner)  # of a closed one
        results = [any(given)] * len(step.outvars)
        if step.primitive.name in ONE_CALL and len(getattr(inner, "invars", ())) == len(given):
            results = _trace_use(inner, given)
        marked.update(id(variable) for variable, mark in zip(step.outvars, results, strict=True) if mark)
    return [id(variable) in marked for variable in traced.outvars]


def _draws_from(traced: Any, marked: set[int]) -> bool:
    """Return whether a traced function makes a random key of what is computed from the variables that are marked."""
    for step in traced.eqns:
        if not any(id(variable) in marked for variable in step.invars):
            continue
        if step.primitive.name == "random_wrap":
            return True
        marked.update(map(id, step.outvars))
        for value in step.params.values():
            for part in value if isinstance(value, tuple | list) else (value,):
                inner: Any = getattr(part, "jaxpr", part)  # of a closed one
                if not hasattr(inner, "eqns"):
                    continue
                matched = len(inner.invars) == len(step.invars)
                pairs = zip(step.invars, inner.invars, strict=True) if matched else ()
                within = {id(one) for given, one in pairs if id(given) in marked} or set(map(id, inner.invars))
                if _draws_from(inner, within):
                    return True
    return False


def _find_jax() -> Any:
    """jax, where the game has brought it."""
    return sys.modules.get("jax")


def _compile(function: Callable[..., Any]) -> Callable[..., Any]:
    jax = _find_jax()
    return function if jax is None else jax.jit(function)


def _fetch(moment: Moment) -> Moment:
    jax = _find_jax()
    return moment if jax is None else jax.device_get(moment)


def _make_key(seed: int) -> Any:
    jax = _find_jax()
    return np.array([0, seed], dtype=np.uint32) if jax is None else np.asarray(jax.random.PRNGKey(seed))


def _make_key_like(leaf: Any, key: Any, number: int) -> Any:
    """Return the random key with a number that follows from a key, in the form of the one that it stands for."""
    jax = _find_jax()
    if jax is None:
        return key
    own = jax.random.fold_in(key, number)
    if str(leaf.dtype) != "uint32":
        own = jax.random.wrap_key_data(own)
        return own if not leaf.shape else jax.random.split(own, leaf.shape)
    parts = jax.random.split(own, max(leaf.size // own.size, 1))
    return parts.reshape(leaf.shape)


def _stack(*parts: Any) -> Any:
    jax = _find_jax()
    return np.stack(parts) if jax is None else jax.numpy.stack(parts)
