"""Generators of every kind that draw from one source, which can be exchanged: how chance in a foreign world is steered.

A world may draw from numpy's generators, new or old, from `random.Random`, or from the global ones of the modules
`random` and `numpy.random`. Each is replaced once by a linked generator; a step then draws from whatever the source
holds, a seeded generator or one that follows every draw (`engine.mdp.enumeration.draws`).

A generator that is seeded during a step draws from that seed until the step is over: that is no chance. A generator of
a class of a user's own keeps its methods and attributes: what they draw comes from the source. So does what is drawn
from the system (`secrets`, `os.urandom`).
"""

from __future__ import annotations

import functools
import os
import random
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, MethodType
from typing import Any, NoReturn, TypeVar

import numpy as np

from engine.errors import ContractBroken
from engine.mdp.enumeration.draws import DRAWS, NotFinite
from engine.user_code import describe_place

_Answer = TypeVar("_Answer")
AnyGenerator = np.random.Generator | np.random.RandomState | random.Random
"""The kinds of generators."""
OWN_SEED = "_own"
SEEDS_APART = 1_000_003
"""How far apart the seeds of two generators of one world are."""
OLD_NAMES = {
    "random_sample": "random",
    "ranf": "random",
    "sample": "random",
    "randint": "integers",
}
"""Draws of a `RandomState` that a `Generator` calls otherwise."""


SEEDING = ("seed", "ranf", "sample", "get_state", "set_state", "getstate", "setstate")
"""Functions of the modules that are no methods of their generator everywhere."""


class DrawSource:
    """What linked generators draw from. runs: how often it was exchanged.

    is_stepping: whether the world is, so that what is drawn from the system belongs to it; a copy may draw, too.
    """

    is_stepping = False

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        self.runs = 0

    def use(self, generator: np.random.Generator) -> None:
        """Draw from this generator from now on."""
        self.generator = generator
        self.runs += 1

    def step(self, call: Callable[..., _Answer], *arguments: Any) -> _Answer:
        """Call a method of the world: what is drawn from the system meanwhile is its own."""
        self.is_stepping = True
        try:
            return call(*arguments)
        finally:
            self.is_stepping = False


class LinkedGenerator(np.random.Generator):
    """numpy's `Generator`, linked."""

    def __init__(self, source: DrawSource) -> None:
        super().__init__(np.random.PCG64(0))
        self._source = source

    def __deepcopy__(self, memo: Any) -> LinkedGenerator:
        return self

    __copy__ = __deepcopy__


def _draw_from_source(name: str) -> property:
    return property(lambda linked: getattr(linked._source.generator, name))


for _name in DRAWS:
    setattr(LinkedGenerator, _name, _draw_from_source(_name))


class _Reseeding:
    """What a linked generator of an older kind does where it is seeded: it draws from its own seed in this run."""

    _source: DrawSource
    _own: tuple[int, Any] | None = None

    def _own_generator(self) -> Any:
        """Return the generator of a seed that was set in this run; None without."""
        return self._own[1] if self._own is not None and self._own[0] == self._source.runs else None

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    __copy__ = __deepcopy__


class LinkedRandom(_Reseeding, random.Random):
    """Python's `Random`, linked. All its draws are made of `random` and `_randbelow`."""

    def __init__(self, source: DrawSource) -> None:
        super().__init__(0)
        self._source = source

    def __new__(cls, *_: Any) -> LinkedRandom:
        return super().__new__(cls)

    def random(self) -> float:
        own = self._own_generator()
        drawn: float = self._source.generator.random() if own is None else own.random()
        return drawn

    def getrandbits(self, k: int) -> int:
        own = self._own_generator()
        if own is not None:
            return int(own.getrandbits(k))
        if k > 32:
            return (self.getrandbits(k - 32) << 32) | self.getrandbits(32)
        return int(self._source.generator.integers(2**k))

    def _randbelow(self, n: int) -> int:
        own = self._own_generator()
        return int(self._source.generator.integers(n) if own is None else own.randrange(n))

    def seed(self, *seeds: Any, **settings: Any) -> None:
        if hasattr(self, "_source"):  # not while it is made
            self._own = self._source.runs, random.Random(*seeds, **settings)

    def getstate(self) -> Any:
        _refuse_reading()

    def setstate(self, state: Any) -> None:
        self.seed(0)
        self._own_generator().setstate(state)


class LinkedRandomState(_Reseeding, np.random.RandomState):
    """numpy's older generator, linked."""

    def __init__(self, source: DrawSource) -> None:
        super().__init__(0)
        self._source = source

    def _find_draw(self, name: str) -> Any:
        """Return the method of this name, of its own seed or of the source."""
        own = self._own_generator()
        if own is not None:
            return getattr(own, name)
        generator = self._source.generator
        if name in ("rand", "randn"):
            draw = generator.random if name == "rand" else generator.standard_normal
            return lambda *shape: draw(shape or None)
        if name == "random_integers":
            return lambda low, high=None, size=None: generator.integers(
                1 if high is None else low, low if high is None else high, size=size, endpoint=True
            )
        if name in ("get_state", "tomaxint"):
            return _refuse_reading
        return getattr(generator, OLD_NAMES.get(name, name))

    def seed(self, seed: Any = None) -> None:
        self._own = self._source.runs, np.random.RandomState(seed)

    def set_state(self, state: Any) -> None:
        self.seed(0)
        self._own_generator().set_state(state)


def _refuse_reading(*_: Any) -> NoReturn:
    raise NotFinite("it reads the state of its generator")


OLD_DRAWS = OLD_NAMES.keys() | {
    name for name in vars(np.random.RandomState) if not name.startswith("_") and name not in ("seed", "set_state")
}
for _name in OLD_DRAWS:
    setattr(LinkedRandomState, _name, property(functools.partial(LinkedRandomState._find_draw, name=_name)))

MODULE_DRAWS: tuple[tuple[Any, Any], ...] = ((random, random.random.__self__), (np.random, np.random.random.__self__))  # type: ignore[attr-defined]
"""The modules with a global generator, and it."""
SYSTEM_DRAWS = (secrets, secrets.choice.__self__)  # type: ignore[attr-defined]


BYTES = (
    "random bytes of the system, which numpy.random.seed(N) and RandomState(N) draw, too, though they do not use them: "
    "a default_rng(N) draws none"
)


def is_generator(value: Any) -> bool:
    """Return whether a value is a generator of random numbers, of any kind."""
    return isinstance(value, AnyGenerator)


def find_drawing_generator(value: Any) -> Any:
    """Return the generator that a value is, or whose method it is; None for anything else."""
    if is_generator(value):
        return value
    owner = getattr(value, "__self__", None) if isinstance(value, BuiltinFunctionType | MethodType) else None
    return owner if is_generator(owner) else None


def link(value: Any, source: DrawSource) -> Any:
    """Return the linked form of a generator, or of a method of one."""
    if isinstance(value, BuiltinFunctionType | MethodType):
        return _call_by_name(link(value.__self__, source), value.__name__)
    if isinstance(value, LinkedGenerator | LinkedRandom | LinkedRandomState):
        return value
    kind = next(linked for known, linked in LINKED.items() if isinstance(value, known))
    made = kind(source)
    own: Any = type(value)
    if own not in (*LINKED, random.SystemRandom):
        made.__class__ = _derive_linked(own, kind)
        vars(made).update((name, part) for name, part in vars(value).items() if name not in OF_RANDOM)
    return made


OF_RANDOM = {"gauss_next"}
"""Attributes that Python's own `Random` has."""
LINKED: dict[type, Any] = {
    np.random.Generator: LinkedGenerator,
    np.random.RandomState: LinkedRandomState,
    random.Random: LinkedRandom,
}


@functools.cache
def _derive_linked(kind: Any, linked: Any) -> Any:
    """A class of generators of a user's own, whose draws come from the source where it calls those of its base."""
    try:
        made = type(kind.__name__, (kind, linked), {"__module__": kind.__module__, "__slots__": ()})
        linked(DrawSource(np.random.Generator(np.random.PCG64(0)))).__class__ = made
    except TypeError as error:
        raise ContractBroken(
            f"a generator of the class {kind.__qualname__} cannot be followed",
            place=describe_place(kind),
            remedy="draw from self.np_random",
        ) from error
    return made


def _call_by_name(linked: Any, name: str) -> Callable[..., Any]:
    """Return a method of a linked generator that draws from what the source holds when it is called."""

    def draw(*arguments: Any, **settings: Any) -> Any:
        return getattr(linked, name)(*arguments, **settings)

    return draw


def reseed(generators: Iterable[Any], seed: int) -> None:
    """Let generators of any kind draw from another seed, each its own numbers: of the same ones two dice fall alike."""
    for place, generator in enumerate(generators):
        own = seed + place * SEEDS_APART
        if isinstance(generator, LinkedGenerator | LinkedRandom | LinkedRandomState):
            generator._source.use(np.random.Generator(np.random.PCG64(own)))
        elif isinstance(generator, np.random.Generator):
            generator.bit_generator.state = type(generator.bit_generator)(own).state
        else:
            generator.seed(own)


@contextmanager
def link_modules(source: DrawSource) -> Iterator[Callable[[], bool]]:
    """The functions of `random` and `numpy.random` draw from a source inside.

    Gives a function that says whether a global generator was drawn from all the same, by a way that is not linked.
    """
    changed: list[tuple[Any, str, Any]] = []
    for module, generator in (*MODULE_DRAWS, SYSTEM_DRAWS):
        linked = link(generator, source)
        for name, value in list(vars(module).items()):
            if value is generator or getattr(value, "__self__", None) is generator or name in SEEDING:
                changed.append((module, name, value))
                setattr(module, name, linked if value is generator else _call_by_name(linked, name))

    system = os.urandom

    def urandom(size: int) -> bytes:
        if not source.is_stepping:
            return system(size)
        if size == 1:
            return bytes([int(source.generator.integers(256))])
        try:
            return bytes(source.generator.bytes(size))
        except NotFinite:
            raise NotFinite(BYTES) from None

    for module, name in ((os, "urandom"), (random, "_urandom")):
        changed.append((module, name, getattr(module, name)))
        setattr(module, name, urandom)
    fresh = np.random.default_rng

    def default_rng(seed: Any = None) -> Any:
        return LinkedGenerator(source) if seed is None else fresh(seed)

    changed.append((np.random, "default_rng", fresh))
    np.random.default_rng = default_rng
    before = _read_global_states()
    try:
        yield lambda: _read_global_states() != before
    finally:
        for module, name, value in changed:
            setattr(module, name, value)


@contextmanager
def seed_modules(seed: int) -> Iterator[None]:
    """The global generators of `random` and `numpy.random` draw from a seed inside, and are afterwards as before."""
    python, numpy = (generator for _, generator in MODULE_DRAWS)
    before = python.getstate(), numpy.get_state()
    python.seed(seed)
    numpy.seed(seed)
    try:
        yield
    finally:
        python.setstate(before[0])
        numpy.set_state(before[1])


def _read_global_states() -> Any:
    python, numpy = (generator for _, generator in MODULE_DRAWS)
    kind, keys, *rest = numpy.get_state()
    return python.getstate(), kind, keys.tobytes(), rest
