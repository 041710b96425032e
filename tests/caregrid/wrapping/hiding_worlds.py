"""Environments that hide their state, each in another way.

All play one game. An episode has three steps; to wait costs 1, and taking gives 1, then -5, then 4. How often was
taken is what an environment hides. The optimum takes three times and earns 0; who does not see the hidden number
believes in 3.
"""

from __future__ import annotations

import collections
import contextvars
import copy
import functools
import io
import itertools
import os
import random
import secrets
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from random import randrange
from typing import Any, ClassVar

import gymnasium
import networkx
import numpy as np
from gymnasium.spaces import Discrete
from numpy import random as numpys

OPTIMUM = 0.0
TAKEN = (1.0, -5.0, 4.0)
counter = 0
numbers = {"taken": 0}
variable: contextvars.ContextVar[int] = contextvars.ContextVar("taken", default=0)
local = threading.local()


class Game(gymnasium.Env):
    """The game; subclasses say where the number lies: how it is read and written, or forgotten and counted."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = Discrete(4), Discrete(2)
        self.agent_time = 0

    def read(self) -> int:
        return self.taken

    def write(self, number: int) -> None:
        self.taken = number

    def forget(self) -> None:
        self.write(0)

    def count(self) -> None:
        self.write(self.read() + 1)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.agent_time = 0
        self.forget()
        return 0, {}

    def step(self, action: int) -> Any:
        self.agent_time += 1
        reward = -1.0
        if action == 1:
            reward = TAKEN[self.read() % 3]
            self.count()
        return self.agent_time, reward, self.agent_time == 3, False, {}


class InAnAttribute(Game):
    """Hidden from nobody."""


class InAClassAttribute(Game):
    total = 0

    def read(self) -> int:
        return self.total

    def write(self, number: int) -> None:
        InAClassAttribute.total = number


class InAListOfTheClass(Game):
    takes: ClassVar[list[int]] = []

    def forget(self) -> None:
        self.takes.clear()

    def read(self) -> int:
        return len(self.takes)

    def count(self) -> None:
        self.takes.append(1)


class InTheMetadata(Game):
    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "taken": 0}

    def read(self) -> int:
        return int(self.metadata["taken"])

    def write(self, number: int) -> None:
        self.metadata["taken"] = number


class InItsOwnMetadata(InTheMetadata):
    def __init__(self) -> None:
        super().__init__()
        self.metadata = {"render_modes": [], "taken": 0}  # type: ignore[misc]


class InAGlobalNumber(Game):
    def read(self) -> int:
        return counter

    def write(self, number: int) -> None:
        global counter
        counter = number


class InAGlobalDictionary(Game):
    def read(self) -> int:
        return numbers["taken"]

    def write(self, number: int) -> None:
        numbers["taken"] = number


class InGlobalsByName(Game):
    def read(self) -> int:
        return int(globals()["kept by name"])

    def write(self, number: int) -> None:
        globals()["kept by name"] = number


def make_counter() -> tuple[Callable[[], int], Callable[[int], None]]:
    number = 0

    def read() -> int:
        return number

    def write(value: int) -> None:
        nonlocal number
        number = value

    return read, write


class InAClosure(Game):
    def __init__(self) -> None:
        super().__init__()
        self.read_number, self.write_number = make_counter()

    def read(self) -> int:
        return self.read_number()

    def write(self, number: int) -> None:
        self.write_number(number)


class InAClosureOfTheClass(Game):
    read_number, write_number = map(staticmethod, make_counter())

    def read(self) -> int:
        return self.read_number()

    def write(self, number: int) -> None:
        self.write_number(number)


class InADefault(Game):
    def count(self, kept: list[int] = [0]) -> None:  # noqa: B006
        kept[0] += 1

    def read(self) -> int:
        return type(self).count.__defaults__[0][0]  # type: ignore[index]

    def forget(self) -> None:
        type(self).count.__defaults__[0][0] = 0  # type: ignore[index]


class InAKeywordDefault(Game):
    def count(self, *, kept: list[int] = [0]) -> None:  # noqa: B006
        kept[0] += 1

    def read(self) -> int:
        return type(self).count.__kwdefaults__["kept"][0]

    def forget(self) -> None:
        type(self).count.__kwdefaults__["kept"][0] = 0


class OnAFunction(Game):
    def read(self) -> int:
        return OnAFunction.read.taken  # type: ignore[attr-defined]

    def write(self, number: int) -> None:
        OnAFunction.read.taken = number  # type: ignore[attr-defined]


class InASlot(Game):
    __slots__ = ("taken",)


class InAPrivateSlot(Game):
    __slots__ = ("__number",)

    def read(self) -> int:
        return self.__number

    def write(self, number: int) -> None:
        self.__number = number


class Keeper:
    """Holds a number."""

    def __init__(self) -> None:
        self.taken = 0

    def add(self) -> None:
        self.taken += 1


class Slotted:
    __slots__ = ("taken",)

    def __init__(self) -> None:
        self.taken = 0


class InAnObject(Game):
    kept: Any
    kind: ClassVar[Any] = Keeper

    def forget(self) -> None:
        self.kept = self.kind()

    def read(self) -> int:
        return int(self.kept.taken)

    def count(self) -> None:
        self.kept.taken += 1


class InAnObjectWithSlots(InAnObject):
    kind = Slotted


class CopiedAfresh(Keeper):
    def __deepcopy__(self, memo: Any) -> CopiedAfresh:
        return CopiedAfresh()


class CopiedAsItself(Keeper):
    def __deepcopy__(self, memo: Any) -> CopiedAsItself:
        return self


class PickledAfresh(Keeper):
    def __reduce__(self) -> Any:
        return PickledAfresh, ()


class InAnObjectCopiedAfresh(InAnObject):
    kind = CopiedAfresh


class InAnObjectCopiedAsItself(InAnObject):
    kind = CopiedAsItself


class InAnObjectPickledAfresh(InAnObject):
    kind = PickledAfresh


class DictWithANumber(dict):  # type: ignore[type-arg]
    taken = 0


class ListWithANumber(list):  # type: ignore[type-arg]
    taken = 0


class OnADictionary(InAnObject):
    kind = DictWithANumber


class OnAList(InAnObject):
    kind = ListWithANumber


class InALockedObject(InAnObject):
    def forget(self) -> None:
        super().forget()
        self.kept.lock = threading.Lock()


class InABoundMethod(Game):
    """The keeper is reached by a method alone."""

    def forget(self) -> None:
        self.add = Keeper().add

    def read(self) -> int:
        return self.add.__self__.taken  # type: ignore[attr-defined,no-any-return]

    def count(self) -> None:
        self.add()


class InAMethodOfAList(Game):
    def forget(self) -> None:
        self.append = [].append  # type: ignore[var-annotated]

    def read(self) -> int:
        return len(self.append.__self__)  # type: ignore[attr-defined]

    def count(self) -> None:
        self.append(1)


class InAPartial(Game):
    def forget(self) -> None:
        self.add = functools.partial(list.append, [])

    def read(self) -> int:
        return len(self.add.args[0])

    def count(self) -> None:
        self.add(1)


class InACounterOfItertools(Game):
    def forget(self) -> None:
        self.numbers = itertools.count()

    def read(self) -> int:
        return next(copy.copy(self.numbers))

    def count(self) -> None:
        next(self.numbers)


class InAnIterator(Game):
    def forget(self) -> None:
        self.left = iter([0, 0, 0])

    def read(self) -> int:
        return 3 - self.left.__length_hint__()  # type: ignore[attr-defined,no-any-return]

    def count(self) -> None:
        next(self.left)


class InAGeneratorFunction(Game):
    """What it yields next is in its frame, which nobody can copy."""

    def forget(self) -> None:
        def amounts() -> Any:
            yield from TAKEN

        self.amounts = amounts()

    def step(self, action: int) -> Any:
        self.agent_time += 1
        reward = next(self.amounts) if action == 1 else -1.0
        return self.agent_time, reward, self.agent_time == 3, False, {}


class InAView(Game):
    """Of an array that was made once: two names for one memory."""

    def __init__(self) -> None:
        super().__init__()
        self.grid = np.zeros((3, 3), dtype=int)
        self.inside = self.grid[1:, ::-1].T

    def forget(self) -> None:
        self.grid[:] = 0

    def read(self) -> int:
        return int(self.grid[1, 2])

    def count(self) -> None:
        self.inside[0, 0] += 1


class InTheBufferOfAnArray(Game):
    """Two names for one memory that no copy knows."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = bytearray(4)
        self.seen = np.frombuffer(self.numbers, np.uint8)

    def forget(self) -> None:
        self.numbers[0] = 0

    def read(self) -> int:
        return int(self.seen[0])

    def count(self) -> None:
        self.numbers[0] += 1


class InAGraph(Game):
    """Whose `size` is a method."""

    def forget(self) -> None:
        self.graph = networkx.Graph()

    def read(self) -> int:
        return len(self.graph)

    def count(self) -> None:
        self.graph.add_node(len(self.graph))


class InADeque(Game):
    def forget(self) -> None:
        self.left = collections.deque(TAKEN)

    def read(self) -> int:
        return 3 - len(self.left)

    def count(self) -> None:
        self.left.popleft()


class InTheOrderOfADictionary(Game):
    def forget(self) -> None:
        self.amounts = dict.fromkeys((0, 1, 2))

    def read(self) -> int:
        return next(iter(self.amounts))

    def count(self) -> None:
        first = self.read()
        self.amounts[first] = self.amounts.pop(first)


class InAThreadsOwn(Game):
    def read(self) -> int:
        return int(local.taken)

    def write(self, number: int) -> None:
        local.taken = number


class InAContextVariable(Game):
    def read(self) -> int:
        return variable.get()

    def write(self, number: int) -> None:
        variable.set(number)


class InTheProcess(Game):
    def read(self) -> int:
        return int(os.environ["CAREGRID_TAKEN"])

    def write(self, number: int) -> None:
        os.environ["CAREGRID_TAKEN"] = str(number)


class OnAModuleOfPython(Game):
    def read(self) -> int:
        return sys.caregrid_taken  # type: ignore[attr-defined,no-any-return]

    def write(self, number: int) -> None:
        sys.caregrid_taken = number  # type: ignore[attr-defined]


outside: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


class InAWeakDictionary(Game):
    def read(self) -> int:
        return outside[self]

    def write(self, number: int) -> None:
        outside[self] = number


class InASpace(Game):
    def read(self) -> int:
        return self.observation_space.taken  # type: ignore[attr-defined,no-any-return]

    def write(self, number: int) -> None:
        self.observation_space.taken = number  # type: ignore[attr-defined]


class InItsSpecification(Game):
    def read(self) -> int:
        return self.spec  # type: ignore[return-value]

    def write(self, number: int) -> None:
        self.spec = number  # type: ignore[assignment]


class InItsGenerator(Game):
    """The number is how often its own generator was drawn from."""

    def forget(self) -> None:
        self._np_random = np.random.Generator(np.random.PCG64(5))

    def read(self) -> int:
        def draw(generator: Any) -> int:
            return int(generator.integers(2**62))

        fresh = np.random.Generator(np.random.PCG64(5))
        drawn = [draw(fresh) for _ in range(4)]
        return drawn.index(draw(copy.deepcopy(self.np_random)))

    def count(self) -> None:
        self.np_random.integers(2**62)


class InAFile(Game):
    path = ""

    def read(self) -> int:
        return int(Path(self.path).read_text(encoding="utf-8"))

    def write(self, number: int) -> None:
        Path(self.path).write_text(str(number), encoding="utf-8")


class InATextStream(Game):
    """The number is where a stream is."""

    def forget(self) -> None:
        self.stream = io.StringIO("abcdef")

    def read(self) -> int:
        return self.stream.tell()

    def count(self) -> None:
        self.stream.read(1)


class Remembering(gymnasium.Wrapper):  # type: ignore[type-arg]
    """A wrapper that pays by how often was taken before; the environment inside pays nothing else."""

    def reset(self, **settings: Any) -> Any:
        self.taken = 0
        return super().reset(**settings)

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        if action == 1:
            reward = TAKEN[self.taken % 3]
            self.taken += 1
        return observation, reward, terminated, truncated, info


class Waiting(Game):
    """Every step costs 1."""

    def step(self, action: int) -> Any:
        return super().step(0)


class Board(Game):
    """A board without a game: every step costs 1."""

    def __init__(self) -> None:
        super().__init__()
        self.board = [0]

    def forget(self) -> None:
        self.board[0] = 0

    def step(self, action: int) -> Any:
        return super().step(0)


class LooksInside(Remembering):
    """The number is on the board of the environment inside, which the wrapper holds, too."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.held = env.board

    def step(self, action: Any) -> Any:
        observation, reward, *rest = self.env.step(action)
        if action == 1:
            reward = TAKEN[self.unwrapped.board[0] % 3]  # type: ignore[attr-defined]
            self.held[0] += 1
        return observation, reward, *rest


class AcrossEpisodes(Game):
    """What is taken is never given back: the second episode is another one."""

    taken = 0

    def forget(self) -> None:
        pass


class EveryThirdEpisode(Game):
    """Taking pays differently in every third episode."""

    episodes = 0

    def forget(self) -> None:
        self.taken = 0
        self.episodes += 1

    def read(self) -> int:
        return self.taken + (2 if self.episodes % 3 == 0 else 0)


def make_remembering() -> Any:
    return Remembering(Waiting())


def make_looking_inside() -> Any:
    return LooksInside(Board())


def make_global_remembering() -> Any:
    return GlobalRemembering(Waiting())


class GlobalRemembering(gymnasium.Wrapper):  # type: ignore[type-arg]
    """The same with the number in the wrapper's class."""

    taken = 0

    def reset(self, **settings: Any) -> Any:
        GlobalRemembering.taken = 0
        return super().reset(**settings)

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        if action == 1:
            reward = TAKEN[GlobalRemembering.taken % 3]
            GlobalRemembering.taken += 1
        return observation, reward, terminated, truncated, info


LATE_OPTIMUM = 4.0


class Late:
    """The game with its reward at the end alone: nothing, -5, 4 or 2, by how often was taken.

    No step shows then what it has counted, so that two samples of a step are equal whatever hides.
    """

    agent_time: int
    read: Callable[[], int]
    count: Callable[[], None]

    def step(self, action: int) -> Any:
        self.agent_time += 1
        if action == 1:
            self.count()
        is_over = self.agent_time == 3
        return 0, (0.0, -5.0, LATE_OPTIMUM, 2.0)[self.read() % 4] if is_over else 0.0, is_over, False, {}


def list_below(base: type) -> list[Any]:
    """The classes derived from a base, in turn."""
    return [kind for derived in base.__subclasses__() for kind in (derived, *list_below(derived))]


HIDING = [kind for kind in list_below(Game) if kind not in (Waiting, Board)]
HIDING += [make_remembering, make_looking_inside, make_global_remembering]


# Chance that hides: one step, after which it is over. To wait gives .9; to play gives 4 with probability 1/4.
CHANCE_OPTIMUM = 1.0
MAXIMUM = 0.9


class Bet(gymnasium.Env):
    """Playing gives 4 with probability 1/4; subclasses say what draws."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = Discrete(2), Discrete(2)
        self.agent_time = 0
        self.prepare()

    def prepare(self) -> None:
        pass

    def is_lucky(self) -> bool:
        return bool(self.np_random.random() < 0.25)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.agent_time = 0
        return 0, {}

    def step(self, action: int) -> Any:
        self.agent_time = 1
        return 1, (4.0 if self.is_lucky() else 0.0) if action == 1 else MAXIMUM, True, False, {}


class Dice:
    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(2))


dice = np.random.Generator(np.random.PCG64(7))
bound = (random.random,)  # where nobody looks


def make_luck() -> Callable[[], bool]:
    generator = random.Random(8)
    return lambda: generator.random() < 0.25


def make_bet(name: str, is_lucky: Callable[[Any], bool], **held: Any) -> None:
    """A class of bets, by what says whether one is lucky. held: its attributes, each with what makes it."""

    def prepare(self: Any) -> None:
        for attribute, make in held.items():
            setattr(self, attribute, make())

    globals()[name] = type(name, (Bet,), {"__module__": __name__, "is_lucky": is_lucky, "prepare": prepare})


make_bet("ByItsGenerator", Bet.is_lucky)
make_bet("ByItsGeneratorsIntegers", lambda self: int(self.np_random.integers(4)) == 0)
make_bet("ByPythonsModule", lambda self: random.random() < 0.25)
make_bet("ByAChoiceOfPython", lambda self: random.choice("abcd") == "a")
make_bet("ByAnImportedFunction", lambda self: randrange(4) == 0)
make_bet("ByNumpysModule", lambda self: bool(numpys.rand() < 0.25))  # noqa: NPY002
make_bet("ByRandintOfNumpy", lambda self: bool(numpys.randint(0, 4) == 0))  # noqa: NPY002
make_bet("ByPythonsRandom", lambda self: self.dice.randint(1, 4) == 1, dice=lambda: random.Random(3))
make_bet("ByNumpysRandomState", lambda self: bool(self.dice.random_sample() < 0.25), dice=lambda: numpys.RandomState(3))
make_bet("ByAMethodOfAGenerator", lambda self: bool(self.draw() < 0.25), draw=lambda: np.random.default_rng(1).random)
make_bet(
    "ByAnObjectsGenerator",
    lambda self: bool(self.parts["dice"][0].generator.random() < 0.25),
    parts=lambda: {"dice": [Dice()]},
)
make_bet("ByAGeneratorInATuple", lambda self: self.parts[1].random() < 0.25, parts=lambda: (1, random.Random(2)))
make_bet("ByAGlobalGenerator", lambda self: bool(dice.random() < 0.25))
make_bet("ByAClosuresGenerator", lambda self: self.luck(), luck=make_luck)
make_bet("BySamplesOfASpace", lambda self: int(self.outcomes.sample()) == 0, outcomes=lambda: Discrete(4, seed=1))
make_bet("ByTwoGenerators", lambda self: bool(self.np_random.random() < 0.5) and random.random() < 0.5)
make_bet("ByAFreshGenerator", lambda self: bool(np.random.default_rng().random() < 0.25))
make_bet("ByTheSystem", lambda self: os.urandom(1)[0] < 64)
make_bet("ByASystemRandom", lambda self: self.dice.random() < 0.25, dice=random.SystemRandom)
make_bet("ByTheClock", lambda self: time.perf_counter_ns() % 4 == 0)
make_bet("ByANormalNumber", lambda self: bool(self.np_random.normal() < -0.6744897501960817))
make_bet("ByAHelpersFunction", lambda self: bound[0]() < 0.25)


class HalvingRandom(random.Random):
    """Its numbers are below 1/2."""

    def random(self) -> float:
        return super().random() * 0.5


class HalvingGenerator(np.random.Generator):
    def random(self, *_: Any, **__: Any) -> Any:
        return super().random() * 0.5

    def is_lucky(self) -> bool:
        return bool(self.random() < 0.125)


make_bet("ByARandomOfItsOwn", lambda self: self.dice.random() < 0.125, dice=lambda: HalvingRandom(3))
make_bet("ByAGeneratorOfItsOwn", lambda self: self.dice.is_lucky(), dice=lambda: HalvingGenerator(np.random.PCG64(1)))
make_bet("BySecrets", lambda self: secrets.randbelow(4) == 0)
make_bet("ByTwoNumbersAtOnce", lambda self: bool((self.np_random.random(2) < 0.5).all()))
make_bet("ByIntegersBelowBounds", lambda self: int(self.np_random.integers(0, [2, 2]).sum()) == 0)
make_bet("BySmallIntegers", lambda self: bool(self.np_random.integers(252, 256, 1, dtype=np.uint8) + np.uint8(4) == 0))
make_bet("ByAnOrderOfColumns", lambda self: int(self.np_random.permutation(np.arange(4)[None], axis=1)[0, 0]) == 0)
make_bet("ByNumbersDrawnInto", lambda self: bool(self.np_random.random(out=np.zeros(1))[0] < 0.25))


class ByTheClasssGenerator(Bet):
    dice = random.Random(5)

    def is_lucky(self) -> bool:
        return self.dice.random() < 0.25


class ByASlot(Bet):
    __slots__ = ("generator",)

    def prepare(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(4))

    def is_lucky(self) -> bool:
        return bool(self.generator.random() < 0.25)


class ByRareChance(Bet):
    """With probability 1/1000, 1000: two samples hardly ever show it."""

    def step(self, action: int) -> Any:
        self.agent_time = 1
        lucky = random.random() < 0.001
        return 1, (1000.0 if lucky else 0.0) if action == 1 else MAXIMUM, True, False, {}


class ByRareChanceOfTheSystem(ByRareChance):
    """What no generator draws, and two samples hardly ever show."""

    def step(self, action: int) -> Any:
        self.agent_time = 1
        lucky = int.from_bytes(os.urandom(4), "big") % 1000 == 0
        return 1, (1000.0 if lucky else 0.0) if action == 1 else MAXIMUM, True, False, {}


CHANCE = list_below(Bet)
BETS = {kind.__name__: kind for kind in CHANCE}
