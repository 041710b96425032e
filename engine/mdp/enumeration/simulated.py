"""A world that can be put into a state and stepped, as one that can be walked through.

Every transition is sampled twice, with differently seeded generators; two samples that differ are refused. A generator
that was drawn from is noticed too; every draw of that step is then followed (`engine.mdp.enumeration.draws`), so that
rare chance is not missed. Each new state is saved and restored once, and must be known by the same key afterwards. A
key that hides a part of the state is noticed where two arrivals lead on differently.

Chance is declared by a function that gives every outcome of a step (`Chance`): `every_draw`, `random_seeds`, or one of
the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn, Protocol

import numpy as np

from engine.errors import BadValue, ContractBroken
from engine.mdp.enumeration.draws import DrawsDiffer, EveryDraw, NotFinite, WatchedGenerator, every_outcome
from engine.mdp.enumeration.frozen_values import freeze_value
from engine.mdp.enumeration.walk import Successor

SECOND_SEED = 1_000_003


class Simulator(Protocol):
    """A world that can be put into a state and stepped.

    name: for messages. actions: their names. rewards: how many a step gives. exact_keys: whether equal keys mean equal
    snapshots, so that no key can hide a part of the state.
    """

    name: str
    actions: tuple[str, ...]
    rewards: int
    exact_keys: bool

    def snapshot(self) -> Any:
        """Return the present state, so that nothing that happens later changes it."""

    def restore(self, snapshot: Any) -> None:
        """Go to the state of a snapshot, which stays as it is."""

    def key(self) -> Hashable:
        """Return what the present state is known by."""

    def step(self, action: int) -> tuple[tuple[float, ...], bool]:
        """Take an action: the rewards, and whether the episode has ended."""

    def use(self, generator: np.random.Generator) -> None:
        """Draw random numbers from this generator from now on."""

    def describe(self, key: Hashable) -> str:
        """Return a state in a few words, for messages."""

    def advice(self, keys: Sequence[Hashable]) -> str:
        """Return what to do about too many states, some of which are given."""

    def continuous(self, keys: Sequence[Hashable]) -> str:
        """Return what makes states continuous, in a few words, judged from some of them; empty where nothing does."""

    def growing(self, path: Sequence[Hashable]) -> tuple[str, str]:
        """What is another one in each state of an endless path, and what to do about it; empty where nothing is."""


class Run(Protocol):
    """Takes one step that draws from a generator; prepare: called just before it, with the state restored."""

    def __call__(self, generator: np.random.Generator, prepare: Callable[[], Any] | None = None) -> Successor: ...


Chance = Callable[[Run, Simulator, int], Iterable[Successor]]
"""Every outcome of a step: from a way to take it, the world in the state before, and the action."""


class Simulated:
    """The transitions of a simulator (an `engine.mdp.enumeration.walk.Explorable`).

    chance: how the outcomes of a step are found; None where every action has one, which is then checked.
    """

    def __init__(self, simulator: Simulator, chance: Chance | None = None) -> None:
        self.simulator, self._chance = simulator, chance
        self.name, self.actions, self.rewards = simulator.name, simulator.actions, simulator.rewards
        self.describe, self.advice = simulator.describe, simulator.advice
        self.continuous, self.growing = simulator.continuous, simulator.growing
        self._generators = [WatchedGenerator(np.random.PCG64(seed)) for seed in (0, SECOND_SEED)]
        self._snapshots: dict[Hashable, Any] = {}
        self._arrivals: dict[Hashable, Any] = {}
        self._found: dict[tuple[Hashable, int], Sequence[Successor]] = {}

    def remember(self) -> Hashable:
        """Return the key of the state in which the simulator is, to which it can go back from now on."""
        key = self.simulator.key()
        try:
            known = key in self._snapshots
        except TypeError:
            raise ContractBroken(
                f"its states are known by a {type(key).__name__}, which cannot be hashed",
                place=self.name,
                remedy="give fingerprint=, a function that makes a tuple of numbers or words of the environment",
            ) from None
        if not known:
            snapshot = self._snapshots[key] = self.simulator.snapshot()
            self.simulator.restore(snapshot)
            self._require_same(key, self.simulator.key())
        elif not self.simulator.exact_keys and key not in self._arrivals:
            arrival = self.simulator.snapshot()
            if freeze_value(arrival) != freeze_value(self._snapshots[key]):
                self._arrivals[key] = arrival
        return key

    def _require_same(self, key: Hashable, restored: Hashable) -> None:
        """ContractBroken where a state, saved and restored, is known by another key."""
        if key == restored:
            return
        parts = key if isinstance(key, tuple) else ()
        names = [part[0] for part, again in zip(parts, restored, strict=False) if part != again]  # type: ignore[call-overload]
        raise ContractBroken(
            "its state, saved and restored, is another one" + (f": {names[0]} differs" if names else ""),
            place=f"{self.name}, state {self.describe(key)}",
            remedy="give get_state= and set_state=",
        )

    def snapshot_of(self, key: Hashable) -> Any:
        """Return the snapshot that was first taken of a state."""
        return self._snapshots[key]

    def learn(self, keys: Sequence[Hashable], snapshots: Sequence[Any]) -> None:
        """Know states by their snapshots, which another simulator like this one took."""
        for key, snapshot in zip(keys, snapshots, strict=True):
            self._snapshots.setdefault(key, snapshot)

    def successors(self, key: Hashable, action: int) -> Sequence[Successor]:
        """Return what an action leads to; ContractBroken, naming the state, where it is not what was declared."""
        found = self._successors_from(self._snapshots[key], key, action)
        if not self.simulator.exact_keys:
            self._found[key, action] = found
        return found

    def repeat(self, key: Hashable, action: int) -> Iterator[tuple[Hashable, bool]]:
        """The states to which an action leads when it is repeated, without going back, and whether they are ends."""
        self.simulator.restore(self._snapshots[key])
        self.simulator.use(self._generators[0])
        while True:
            _, ended = self.simulator.step(action)
            yield self.simulator.key(), ended

    def require_keys_tell_states_apart(self) -> None:
        """ContractBroken where two ways of coming to a key lead on differently: the key hides a part of the state.

        Of each key one more arrival is tried, whose snapshot is another one; called when a walk is over.
        """
        for (key, action), found in list(self._found.items()):
            if key in self._arrivals and self._successors_from(self._arrivals[key], key, action) != found:
                problem = "its key hides a part of the state: two ways of coming here lead on differently"
                self._refuse(key, action, problem, "give a fingerprint= that tells them apart")

    def _successors_from(self, snapshot: Any, key: Hashable, action: int) -> Sequence[Successor]:
        if self._chance is None:
            return self._certain(key, snapshot, action)
        self.simulator.restore(snapshot)
        try:
            return list(self._chance(partial(self._run, snapshot, action), self.simulator, action))
        except (NotFinite, DrawsDiffer) as error:
            self._refuse_draws(key, action, error)

    def _run(
        self,
        snapshot: Any,
        action: int,
        generator: np.random.Generator,
        prepare: Callable[[], Any] | None = None,
    ) -> Successor:
        self.simulator.restore(snapshot)
        self.simulator.use(generator)
        if prepare is not None:
            prepare()
        reward, ended = self.simulator.step(action)
        return Successor(1.0, self.remember(), reward, ended)

    def _certain(self, key: Hashable, snapshot: Any, action: int) -> Sequence[Successor]:
        first, second = self._generators
        first.drew = second.drew = False
        successor = self._run(snapshot, action, first)
        again = self._run(snapshot, action, second)
        if first.drew or second.drew:
            self._require_one_outcome(key, snapshot, action)
        if successor != again:
            problem = "it is not deterministic: two samples differ"
            remedy = (
                "declare chance= or random_seeds=, or save and restore what is left out by get_state= and set_state="
            )
            self._refuse(key, action, problem, remedy)
        return (successor,)

    def _require_one_outcome(self, key: Hashable, snapshot: Any, action: int) -> None:
        remedy = "declare it: chance='every draw', or random_seeds="
        try:
            outcomes = every_outcome(lambda draws: self._run(snapshot, action, draws))
            _, first = next(outcomes)
            certain = all(successor == first for _, successor in outcomes)
        except (NotFinite, DrawsDiffer) as error:
            self._refuse_draws(key, action, error)
        if not certain:
            self._refuse(key, action, "chance: it has several outcomes", remedy)

    def _refuse_draws(self, key: Hashable, action: int, error: Exception) -> NoReturn:
        sampled = isinstance(error, NotFinite)
        remedy = "declare random_seeds=, which samples the chance" if sampled else "give get_state= and set_state="
        self._refuse(key, action, str(error), remedy)

    def _refuse(self, key: Hashable, action: int, problem: str, remedy: str) -> NoReturn:
        place = f"{self.name}, state {self.describe(key)}, action '{self.actions[action]}'"
        raise ContractBroken(problem, place=place, remedy=remedy)


def every_draw(run: Run, simulator: Simulator, action: int) -> Iterable[Successor]:
    """Return each outcome of each random draw, with its exact probability."""

    def follow(draws: EveryDraw) -> Successor:
        return run(draws)

    return [successor._replace(probability=probability) for probability, successor in every_outcome(follow)]


def random_seeds(seeds: Sequence[int]) -> Chance:
    """As many samples as there are seeds, all equally likely: an estimate of the chance, the same every time."""
    if not seeds:
        raise BadValue("no seeds", place="random_seeds", remedy="give one at least")

    def sample(run: Run, simulator: Simulator, action: int) -> Iterable[Successor]:
        for seed in seeds:
            generator = np.random.Generator(np.random.PCG64(seed))
            yield run(generator)._replace(probability=1.0 / len(seeds))

    return sample
