"""Plain episodes of an environment, compared with the table that a walk has made.

A walk puts an environment into states; a plain episode begins with `reset` and is only stepped. Where state hides, both
differ. An episode goes where the fewest have gone: to an action that none has taken yet, by the way on which the walk
found it, then on by the actions taken least, at last at random. Others follow a policy.

At each step the table says which states may follow, with which rewards and ends. Of all states in which the episode may
be, those remain whose transition fits; where none does, `ContractBroken` names state and action. A state that is known
by its mark is certain. Where a reset leads to a state that the table knows otherwise (an attribute that no reset puts
back), rewards and ends alone decide. Frequencies of chance are compared, too.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from engine.errors import ContractBroken
from engine.mdp.enumeration.linked_generators import seed_modules
from engine.mdp.enumeration.walk import Successor, Walk, WalkedState
from engine.mdp.mdp import Integers
from engine.printable import print_notice

FEWEST_STEPS = 600
MOST_STEPS = 10_000
STEPS_PER_ACTION = 2
"""For each action in each state; of a world whose code is known to hide nothing, the fewest steps are enough."""
LONGEST = 200
"""Steps of an episode that goes to no action."""
FURTHER = 10
"""Steps that an episode goes on once it has come to the action to which it was to go."""
MOST_FOLLOWED = 2_000
"""Steps by the policies of one coefficient, after which no further episode begins."""
MOST_DOUBTS = 100
"""Of more transitions that differ from the table's mean, the first are asked for again."""
MOST_CANDIDATES = 1_000
"""Of more states in which an episode may be, nothing more is asked."""
SAME = 1e-9
RARE = 7.0
"""Standard deviations; a frequency further off is no accident."""
COUNTED_OFTEN = 30


class PlainEnvironment(Protocol):
    """An environment that is reset and stepped, and never put into a state."""

    def begin(self, seed: int, number: int) -> None:
        """Reset it. number: of the episode; where chance is declared, what is drawn afterwards depends on it."""

    def act(self, action: int, number: float) -> tuple[tuple[float, ...], bool, bool]:
        """Take an action: the rewards, whether the episode has ended, whether it was cut. number: from [0, 1)."""

    def end(self) -> None:
        """Put back what lies outside the environment."""

    def read_mark(self) -> Hashable:
        """What the present state is known by in every environment like this one; None where that is not known."""


class ProvableWorld(Protocol):
    """A world whose table plain episodes can prove."""

    name: str
    actions: tuple[str, ...]
    time_limit: int

    def plain(self) -> PlainEnvironment | None:
        """Return an environment for plain episodes, None where there is nothing to step."""

    def mark(self, key: Hashable) -> Hashable:
        """Return what a state is known by in every environment like this one."""

    def starts_by_seed(self) -> Sequence[tuple[int, Hashable | None]]:
        """Seeds, each with the key of the state to which its reset leads; None where it may be any start state."""

    def successors(self, key: Any, action: int) -> Sequence[Successor]:
        """Return every transition that an action may cause."""

    def describe(self, key: Any) -> str:
        """Return a state in a few words."""

    def walking(self) -> AbstractContextManager[None]:
        """Return what `successors` is called within."""

    @property
    def is_known(self) -> bool:
        """Whether the code is known to hide nothing."""

    @property
    def exact_marks(self) -> bool:
        """Whether a reset always leads to a state that the table knows by the same mark."""

    @property
    def remedy(self) -> str:
        """What to do where the table is not the environment."""


@dataclass(frozen=True)
class Certificate:
    """How much of a wrapped world was compared with plain episodes of the environment, without a difference.

    Attributes
    ----------
    episodes, steps : int
        What was played, from `reset`, never restored.
    states_covered, states : int
        States in which an action was taken, of those in which one can be taken.
    actions_covered, actions : int
        Pairs of a state and an action, likewise.
    """

    episodes: int
    steps: int
    states_covered: int
    states: int
    actions_covered: int
    actions: int

    def text(self) -> str:
        """Return one sentence.

        Examples
        --------
        >>> Certificate(3, 20, 4, 4, 7, 8).text()
        '3 plain episodes of 20 steps agree with the table; they cover 4 of 4 states, 7 of 8 actions in them'
        """
        states = f"{self.states_covered:,} of {self.states:,} states"
        actions = f"{self.actions_covered:,} of {self.actions:,} actions in them"
        played = f"{self.episodes:,} plain episodes of {self.steps:,} steps"
        return f"{played} agree with the table; they cover {states}, {actions}"


def are_same(amounts: Sequence[float], others: Sequence[float]) -> bool:
    """Return whether rewards are equal up to rounding."""
    return all(abs(a - b) <= SAME * (1.0 + abs(a)) for a, b in zip(amounts, others, strict=True))


class PlainEpisodes:
    """Compares a world's walk with plain episodes; `certificate` says how much was compared so far."""

    def __init__(self, world: ProvableWorld, walked: Walk) -> None:
        self._world = world
        self._walk = walked
        self._plain = world.plain()
        self._generator = np.random.Generator(np.random.PCG64(0))
        states, actions = walked.probability.shape[:2]
        self._visits = np.zeros((states, actions), dtype=np.int64)
        self._terminal = walked.terminal
        self._number_of = {place: number for number, place in enumerate(walked.places)}
        self._marks: dict[WalkedState, list[int]] = {}
        for number, place in enumerate(walked.places):
            self._marks.setdefault(WalkedState(world.mark(place.key), place.ended), []).append(number)
        self._outcomes: dict[tuple[int, int], list[tuple[int, bool, tuple[float, ...]]]] = {}
        self._sums: dict[tuple[int, int], Any] = {}
        self._counts: dict[tuple[int, int], dict[int, int]] = {}
        self._doubts: set[tuple[tuple[int, ...], int, tuple[float, ...], bool]] = set()
        self._episodes = 0
        self._steps = 0
        self._cut_after = 0  # steps, of the first episode that its environment cut before the time limit

    @property
    def certificate(self) -> Certificate | None:
        """What was compared; None where there is nothing to step."""
        if self._plain is None:
            return None
        taken = self._visits > 0
        acting = int((~self._terminal).sum())
        covered = int(taken.any(axis=1).sum())
        return Certificate(
            self._episodes, self._steps, covered, acting, int(taken.sum()), acting * self._visits.shape[1]
        )

    def explore(self) -> None:
        """Play until every action was taken or the steps are used up. ContractBroken where the table is another one."""
        if self._plain is None:
            return
        open_pairs = int((~self._terminal).sum()) * self._visits.shape[1]
        wanted = 0 if self._world.is_known else STEPS_PER_ACTION * open_pairs
        budget = min(max(wanted, FEWEST_STEPS), MOST_STEPS)
        targets = _Ways(self._walk, self._visits, self._terminal)
        with self._playing():
            while self._steps < budget:
                way = next(targets, []) if self._episodes % 8 else []
                self._play(way, {}, min(FURTHER if way else LONGEST, budget - self._steps))
        if self._cut_after and not self._world.is_known:
            print_notice(
                f"{self._world.name}: its step cuts episodes (truncated), one after step {self._cut_after}: "
                "the table goes on after a cut; where that is an end, let step say terminated"
            )

    def follow(self, policies: Mapping[int, Integers], episodes: int = 3) -> None:
        """Follow from each reset the policy of the start that it leads to. ContractBroken where the table is another.

        policies: number of a start state -> int32[S], the action in each state, -1 for none. episodes: for each start.
        """
        if self._plain is not None:
            last = self._steps + MOST_FOLLOWED
            with self._playing():
                for _ in range(episodes * len(policies)):
                    if self._steps < last:
                        self._play([], policies, LONGEST)

    @contextmanager
    def _playing(self) -> Iterator[None]:
        """Episodes are played inside, then judged; global generators are afterwards as before."""
        assert self._plain is not None
        try:
            with seed_modules(self._episodes):
                yield
        finally:
            self._plain.end()
        self._judge()

    def _play(self, way: Sequence[int], policies: Mapping[int, Integers], longest: int) -> None:
        """One episode: along the way or by the start's policy, then by the actions taken least."""
        assert self._plain is not None
        seeds = self._world.starts_by_seed()
        seed, start = seeds[self._episodes % len(seeds)]
        self._plain.begin(seed, self._episodes)
        self._episodes += 1
        candidates, exact = self._begin_at(start)
        policy = next((policies[number] for number in candidates if number in policies), None)
        for step in range(len(way) + longest):
            action = self._choose(candidates, way, policy, step)
            rewards, ended, cut = self._plain.act(action, self._generator.random())
            self._steps += 1
            if len(candidates) == 1:
                self._visits[candidates[0], action] += 1
            candidates, exact = self._advance(candidates, exact, action, rewards, ended)
            if cut and not ended and step + 1 < self._world.time_limit:
                self._cut_after = self._cut_after or step + 1
            if ended or cut or not candidates:
                return

    def _begin_at(self, start: Hashable | None) -> tuple[list[int], bool]:
        """Return the states in which an episode may be after a reset, and whether its mark says so."""
        assert self._plain is not None
        walk = self._walk
        possible = np.flatnonzero(walk.start).tolist() if start is None else [self._number_of[WalkedState(start)]]
        mark = self._plain.read_mark()
        found = [number for number in self._marks.get(WalkedState(mark), ()) if number in possible]
        if self._world.exact_marks and mark is not None and not found:
            raise ContractBroken(
                "its reset does not always lead to the start of its table",
                place=self._world.name,
                remedy="let reset put back everything, and draw from self.np_random alone",
            )
        return (found[:1], True) if found else (possible, False)

    def _choose(self, candidates: Sequence[int], way: Sequence[int], policy: Integers | None, step: int) -> int:
        if policy is not None and policy[candidates[0]] >= 0:
            return int(policy[candidates[0]])
        if step < len(way):
            return way[step]
        if len(candidates) == 1 and self._generator.random() < 0.5:
            return int(self._visits[candidates[0]].argmin())
        return int(self._generator.integers(self._visits.shape[1]))

    def _advance(
        self, candidates: Sequence[int], exact: bool, action: int, rewards: tuple[float, ...], ended: bool
    ) -> tuple[list[int], bool]:
        """Return the states in which the episode may be after a step, and whether its mark says so."""
        assert self._plain is not None
        following: dict[int, bool] = {}  # and whether the reward is the table's
        for state in candidates:
            for target, ends, amounts in self._list_outcomes(state, action):
                if ends == ended:
                    following[target] = following.get(target, False) or are_same(amounts, rewards)
        mark = self._plain.read_mark()
        found = next((target for target in self._marks.get(WalkedState(mark, ended), ()) if target in following), None)
        if exact:
            before = self._sums.get((candidates[0], action), 0.0)
            with np.errstate(over="ignore"):  # a sum that no float holds tells nothing, and is no reason to warn
                self._sums[candidates[0], action] = before + np.array((1.0, *rewards))
        if mark is not None and found is not None:
            if not following[found]:
                self._doubts.add((tuple(candidates), action, rewards, ended))
            if exact:
                counts = self._counts.setdefault((candidates[0], action), {})
                counts[found] = counts.get(found, 0) + 1
            return [found], True
        if exact and mark is not None:
            self._refuse(
                candidates[0], action, _say(rewards, ended) + ", and a state that is none of those in its table"
            )
        fitting = [target for target, fits in following.items() if fits]
        if not fitting:
            self._doubts.add((tuple(candidates), action, rewards, ended))
            fitting = list(following)
        return ([] if len(fitting) > MOST_CANDIDATES else fitting), False

    def _list_outcomes(self, state: int, action: int) -> list[tuple[int, bool, tuple[float, ...]]]:
        """Return what the table says of an action: each next state, whether the episode ends there, the rewards."""
        known = self._outcomes.get((state, action))
        if known is None:
            walk = self._walk
            known = self._outcomes[state, action] = [
                (target, bool(self._terminal[target]), tuple(walk.reward[state, action, k].tolist()))
                for k, target in enumerate(walk.next_state[state, action].tolist())
                if walk.probability[state, action, k] > 0.0
            ]
        return known

    def _judge(self) -> None:
        """Ask again for transitions that did not fit: of several with one target the table holds the mean reward."""
        with self._world.walking():
            for candidates, action, rewards, ended in sorted(self._doubts)[:MOST_DOUBTS]:
                possible = [one for state in candidates for one in self._ask_again(state, action)]
                if not any(one.terminated == ended and are_same(one.reward, rewards) for one in possible):
                    self._refuse(candidates[0], action, _say(rewards, ended))
                if len(candidates) == 1:
                    self._compare_mean(candidates[0], action, possible)
        self._doubts.clear()
        self._compare_frequencies()

    def _ask_again(self, state: int, action: int) -> Sequence[Successor]:
        """Return the transitions of an action, which must be those of the table."""
        law = self._world.successors(self._walk.places[state].key, action)
        sums: dict[tuple[int, bool], Any] = {}
        for one in law:
            target = self._number_of.get(WalkedState(one.key, one.terminated), -1)
            total = sums.setdefault((target, one.terminated), np.zeros(1 + len(one.reward)))
            total += one.probability * np.array((1.0, *one.reward))
        held = self._list_outcomes(state, action)
        chances = self._walk.probability[state, action]
        expected = [(p, *(p * amount for amount in held[k][2])) for k, p in enumerate(chances[chances > 0.0].tolist())]
        found = [tuple(sums.get((target, ended), ())) for target, ended, _ in held]
        if not all(len(a) == len(b) and are_same(a, b) for a, b in zip(expected, found, strict=True)):
            self._refuse(state, action, "other outcomes when it was asked again")
        return law

    def _compare_mean(self, state: int, action: int, law: Sequence[Successor]) -> None:
        """The mean reward of the plain steps of an action, beside that of its outcomes."""
        count, *sums = np.ravel(self._sums.get((state, action), 0.0)).tolist()
        chances = np.array([one.probability for one in law])
        for column, total in enumerate(sums if count >= COUNTED_OFTEN else ()):
            amounts = np.array([one.reward[column] for one in law])
            mean = float(chances @ amounts)
            deviation = math.sqrt(float(chances @ (amounts - mean) ** 2) / count)
            slack = 3.0 * float(np.abs(amounts).max()) / count
            if abs(total / count - mean) > RARE * deviation + slack:
                self._refuse(state, action, f"a mean reward of {total / count:.4g} in {count:.0f} steps")

    def _compare_frequencies(self) -> None:
        total = expected = variance = 0.0
        for (state, action), counts in self._counts.items():
            chance = self._walk.probability[state, action]
            if chance.max() >= 1.0:
                continue
            n = sum(counts.values())
            for k in np.flatnonzero(chance > 0.0).tolist():
                seen, p = counts.get(int(self._walk.next_state[state, action, k]), 0), float(chance[k])
                if n >= COUNTED_OFTEN and abs(seen - n * p) > RARE * math.sqrt(n * p * (1 - p)) + 1:
                    self._refuse(
                        state, action, f"one outcome {seen} of {n} times, with probability {p:.4g} in the table"
                    )
            likeliest = int(chance.argmax())
            p = float(chance[likeliest])
            total += counts.get(int(self._walk.next_state[state, action, likeliest]), 0)
            expected += n * p
            variance += n * p * (1 - p)
        if abs(total - expected) > RARE * math.sqrt(variance) + 1:
            raise ContractBroken(
                f"in plain episodes the likeliest outcomes came {total:.0f} times in place of {expected:.0f}",
                place=self._world.name,
                remedy=self._world.remedy,
            )

    def _refuse(self, state: int, action: int, came: str) -> NoReturn:
        held = [_say(amounts, ends) for _, ends, amounts in self._list_outcomes(state, action)[:3]]
        where = f"state {self._world.describe(self._walk.places[state].key)}, action '{self._world.actions[action]}'"
        raise ContractBroken(
            f"a plain episode is another one than its table: it came to {came} in place of "
            + " or ".join(dict.fromkeys(held)),
            place=f"{self._world.name}, {where}",
            remedy=self._world.remedy,
        )


def _say(rewards: tuple[float, ...], ended: bool) -> str:
    amounts = ", ".join(f"{amount:g}" for amount in rewards)
    return f"reward {amounts}" + (" and the end" if ended else "")


class _Ways:
    """An iterator over ways to actions that no episode has taken yet, in mixed order."""

    def __init__(self, walked: Walk, visits: Any, terminal: Any) -> None:
        self._walk = walked
        self._visits = visits
        pairs = np.argwhere(~terminal[:, None] & np.ones(visits.shape[1], dtype=np.bool_))
        self._left = iter(np.random.Generator(np.random.PCG64(0)).permutation(pairs).tolist())

    def __iter__(self) -> _Ways:
        return self

    def __next__(self) -> list[int]:
        for state, action in self._left:
            if self._visits[state, action] == 0:
                way = [action]
                while self._walk.origin[state, 0] >= 0:
                    state, before = self._walk.origin[state].tolist()
                    way.append(before)
                return way[::-1]
        raise StopIteration
