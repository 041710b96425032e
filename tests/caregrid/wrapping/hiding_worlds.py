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
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from random import randrange
from typing import Any, ClassVar

import gymnasium
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
    """The game; subclasses say where `taken` lies."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = Discrete(4), Discrete(2)
        self.agent_time = 0

    def forget(self) -> None:
        self.taken = 0

    def read(self) -> int:
        return self.taken

    def count(self) -> None:
        self.taken += 1

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

    def forget(self) -> None:
        InAClassAttribute.total = 0

    def read(self) -> int:
        return self.total

    def count(self) -> None:
        InAClassAttribute.total += 1


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

    def forget(self) -> None:
        self.metadata["taken"] = 0

    def read(self) -> int:
        return int(self.metadata["taken"])

    def count(self) -> None:
        self.metadata["taken"] += 1


class InItsOwnMetadata(InTheMetadata):
    def __init__(self) -> None:
        super().__init__()
        self.metadata = {"render_modes": [], "taken": 0}  # type: ignore[misc]


class InAGlobalNumber(Game):
    def forget(self) -> None:
        global counter
        counter = 0

    def read(self) -> int:
        return counter

    def count(self) -> None:
        global counter
        counter += 1


class InAGlobalDictionary(Game):
    def forget(self) -> None:
        numbers["taken"] = 0

    def read(self) -> int:
        return numbers["taken"]

    def count(self) -> None:
        numbers["taken"] += 1


class InGlobalsByName(Game):
    def forget(self) -> None:
        globals()["kept by name"] = 0

    def read(self) -> int:
        return int(globals()["kept by name"])

    def count(self) -> None:
        globals()["kept by name"] += 1


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

    def forget(self) -> None:
        self.write_number(0)

    def read(self) -> int:
        return self.read_number()

    def count(self) -> None:
        self.write_number(self.read_number() + 1)


class InAClosureOfTheClass(Game):
    read_number, write_number = map(staticmethod, make_counter())

    def forget(self) -> None:
        self.write_number(0)

    def read(self) -> int:
        return self.read_number()

    def count(self) -> None:
        self.write_number(self.read_number() + 1)


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
    def count(self) -> None:
        OnAFunction.count.taken += 1  # type: ignore[attr-defined]

    def read(self) -> int:
        return OnAFunction.count.taken  # type: ignore[attr-defined]

    def forget(self) -> None:
        OnAFunction.count.taken = 0  # type: ignore[attr-defined]


class InASlot(Game):
    __slots__ = ("taken",)


class InAPrivateSlot(Game):
    __slots__ = ("__number",)

    def forget(self) -> None:
        self.__number = 0

    def read(self) -> int:
        return self.__number

    def count(self) -> None:
        self.__number += 1


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
    def forget(self) -> None:
        local.taken = 0

    def read(self) -> int:
        return int(local.taken)

    def count(self) -> None:
        local.taken += 1


class InAContextVariable(Game):
    def forget(self) -> None:
        variable.set(0)

    def read(self) -> int:
        return variable.get()

    def count(self) -> None:
        variable.set(variable.get() + 1)


class InTheProcess(Game):
    def forget(self) -> None:
        os.environ["CAREGRID_TAKEN"] = "0"

    def read(self) -> int:
        return int(os.environ["CAREGRID_TAKEN"])

    def count(self) -> None:
        os.environ["CAREGRID_TAKEN"] = str(self.read() + 1)


class OnAModuleOfPython(Game):
    def forget(self) -> None:
        sys.caregrid_taken = 0  # type: ignore[attr-defined]

    def read(self) -> int:
        return sys.caregrid_taken  # type: ignore[attr-defined,no-any-return]

    def count(self) -> None:
        sys.caregrid_taken += 1  # type: ignore[attr-defined]


outside: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


class InAWeakDictionary(Game):
    def forget(self) -> None:
        outside[self] = 0

    def read(self) -> int:
        return outside[self]

    def count(self) -> None:
        outside[self] += 1


class InASpace(Game):
    def forget(self) -> None:
        self.observation_space.taken = 0  # type: ignore[attr-defined]

    def read(self) -> int:
        return self.observation_space.taken  # type: ignore[attr-defined,no-any-return]

    def count(self) -> None:
        self.observation_space.taken += 1  # type: ignore[attr-defined]


class InItsSpecification(Game):
    def forget(self) -> None:
        self.spec = 0  # type: ignore[assignment]

    def read(self) -> int:
        return self.spec  # type: ignore[return-value]

    def count(self) -> None:
        self.spec += 1  # type: ignore[operator]


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


class InATorchTensor(Game):
    def forget(self) -> None:
        import torch

        self.kept = torch.zeros(1)

    def read(self) -> int:
        return int(self.kept)

    def count(self) -> None:
        self.kept += 1


class InAFile(Game):
    path = ""

    def forget(self) -> None:
        self.write(0)

    def write(self, number: int) -> None:
        Path(self.path).write_text(str(number), encoding="utf-8")

    def read(self) -> int:
        return int(Path(self.path).read_text(encoding="utf-8"))

    def count(self) -> None:
        self.write(self.read() + 1)


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


HIDING: list[Any] = [
    InAnAttribute,
    InAClassAttribute,
    InAListOfTheClass,
    InTheMetadata,
    InItsOwnMetadata,
    InAGlobalNumber,
    InAGlobalDictionary,
    InGlobalsByName,
    InAClosure,
    InAClosureOfTheClass,
    InADefault,
    InAKeywordDefault,
    OnAFunction,
    InASlot,
    InAPrivateSlot,
    InAnObject,
    InAnObjectWithSlots,
    InAnObjectCopiedAfresh,
    InAnObjectCopiedAsItself,
    InAnObjectPickledAfresh,
    OnADictionary,
    OnAList,
    InALockedObject,
    InABoundMethod,
    InAMethodOfAList,
    InAPartial,
    InACounterOfItertools,
    InAnIterator,
    InAGeneratorFunction,
    InADeque,
    InTheOrderOfADictionary,
    InAThreadsOwn,
    InAContextVariable,
    InTheProcess,
    OnAModuleOfPython,
    InAWeakDictionary,
    InASpace,
    InItsSpecification,
    InItsGenerator,
    InAFile,
    InATextStream,
    make_remembering,
    make_global_remembering,
    AcrossEpisodes,
    EveryThirdEpisode,
]


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


class ByItsGenerator(Bet):
    pass


class ByItsGeneratorsIntegers(Bet):
    def is_lucky(self) -> bool:
        return int(self.np_random.integers(4)) == 0


class ByPythonsModule(Bet):
    def is_lucky(self) -> bool:
        return random.random() < 0.25


class ByAChoiceOfPython(Bet):
    def is_lucky(self) -> bool:
        return random.choice("abcd") == "a"


class ByAnImportedFunction(Bet):
    def is_lucky(self) -> bool:
        return randrange(4) == 0


class ByNumpysModule(Bet):
    def is_lucky(self) -> bool:
        return bool(numpys.rand() < 0.25)  # noqa: NPY002


class ByRandintOfNumpy(Bet):
    def is_lucky(self) -> bool:
        return bool(numpys.randint(0, 4) == 0)  # noqa: NPY002


class ByPythonsRandom(Bet):
    def prepare(self) -> None:
        self.dice = random.Random(3)

    def is_lucky(self) -> bool:
        return self.dice.randint(1, 4) == 1


class ByNumpysRandomState(Bet):
    def prepare(self) -> None:
        self.dice = np.random.RandomState(3)

    def is_lucky(self) -> bool:
        return bool(self.dice.random_sample() < 0.25)


class ByAMethodOfAGenerator(Bet):
    def prepare(self) -> None:
        self.draw = np.random.Generator(np.random.PCG64(1)).random

    def is_lucky(self) -> bool:
        return bool(self.draw() < 0.25)


class Dice:
    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(2))


class ByAnObjectsGenerator(Bet):
    def prepare(self) -> None:
        self.parts = {"dice": [Dice()]}

    def is_lucky(self) -> bool:
        return bool(self.parts["dice"][0].generator.random() < 0.25)


class ByAGeneratorInATuple(Bet):
    def prepare(self) -> None:
        self.parts = (1, random.Random(2))

    def is_lucky(self) -> bool:
        return self.parts[1].random() < 0.25


class ByTheClasssGenerator(Bet):
    dice = random.Random(5)

    def is_lucky(self) -> bool:
        return self.dice.random() < 0.25


dice = np.random.Generator(np.random.PCG64(7))


class ByAGlobalGenerator(Bet):
    def is_lucky(self) -> bool:
        return bool(dice.random() < 0.25)


def make_luck() -> Callable[[], bool]:
    generator = random.Random(8)
    return lambda: generator.random() < 0.25


class ByAClosuresGenerator(Bet):
    def prepare(self) -> None:
        self.luck = make_luck()

    def is_lucky(self) -> bool:
        return self.luck()


class ByASlot(Bet):
    __slots__ = ("generator",)

    def prepare(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(4))

    def is_lucky(self) -> bool:
        return bool(self.generator.random() < 0.25)


class BySamplesOfASpace(Bet):
    def is_lucky(self) -> bool:
        return int(self.outcomes.sample()) == 0

    def prepare(self) -> None:
        self.outcomes = Discrete(4, seed=1)


class ByTwoGenerators(Bet):
    def is_lucky(self) -> bool:
        return bool(self.np_random.random() < 0.5) and random.random() < 0.5


class ByAFreshGenerator(Bet):
    def is_lucky(self) -> bool:
        return bool(np.random.default_rng().random() < 0.25)


class ByTheSystem(Bet):
    def is_lucky(self) -> bool:
        return os.urandom(1)[0] < 64


class ByASystemRandom(Bet):
    def prepare(self) -> None:
        self.dice = random.SystemRandom()

    def is_lucky(self) -> bool:
        return self.dice.random() < 0.25


class ByTheClock(Bet):
    def is_lucky(self) -> bool:
        return time.perf_counter_ns() % 4 == 0


class ByANormalNumber(Bet):
    def is_lucky(self) -> bool:
        return bool(self.np_random.normal() < -0.6744897501960817)


class ByAHelpersFunction(Bet):
    """The function is bound where nobody looks."""

    def is_lucky(self) -> bool:
        return bound[0]() < 0.25


bound = (random.random,)


class ByRareChance(Bet):
    """With probability 1/1000, 1000: two samples hardly ever show it."""

    def step(self, action: int) -> Any:
        self.agent_time = 1
        lucky = random.random() < 0.001
        return 1, (1000.0 if lucky else 0.0) if action == 1 else MAXIMUM, True, False, {}


CHANCE: list[Any] = [
    ByItsGenerator,
    ByItsGeneratorsIntegers,
    ByPythonsModule,
    ByAChoiceOfPython,
    ByAnImportedFunction,
    ByNumpysModule,
    ByRandintOfNumpy,
    ByPythonsRandom,
    ByNumpysRandomState,
    ByAMethodOfAGenerator,
    ByAnObjectsGenerator,
    ByAGeneratorInATuple,
    ByTheClasssGenerator,
    ByAGlobalGenerator,
    ByAClosuresGenerator,
    ByASlot,
    BySamplesOfASpace,
    ByTwoGenerators,
    ByAFreshGenerator,
    ByTheSystem,
    ByASystemRandom,
    ByTheClock,
    ByANormalNumber,
    ByAHelpersFunction,
    ByRareChance,
]
