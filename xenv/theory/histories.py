"""Histories: plays <r_0, o_0, a_0, ..., r_k, o_k, a_k>, and prompts, plays that a reward and an observation follow.

Each is a tuple of its entries, in the paper's order, validated when it is made: rewards are `Fraction`s, observations
and actions natural numbers. S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement
learning", Definition 1 and Lemma 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn, Self

from engine.errors import BadValue
from engine.printable import shown_value
from xenv.theory.numbers import MOST_BITS, natural, rational

_WHAT = ("reward", "observation", "action")


class Percept(NamedTuple):
    """What an environment gives on each turn: a reward, which is rational, and an observation, a natural number."""

    reward: Fraction
    observation: int


class PlayedTurn(NamedTuple):
    """One turn of a play."""

    reward: Fraction
    observation: int
    action: int


class History(tuple[Any, ...]):
    """What plays and prompts have in common. entries: r_0, o_0, a_0, r_1, ...; BadValue names the first wrong one."""

    __slots__ = ()
    remainder = 0
    ends_in = ""

    def __new__(cls, entries: Iterable[Any] = ()) -> Self:
        if type(entries) is cls:
            return entries
        try:
            given = tuple(entries)
        except TypeError:
            _refuse(cls, f"{shown_value(entries)} is not a sequence")
        if len(given) % 3 != cls.remainder:
            _refuse(cls, f"{len(given)} entries")
        return tuple.__new__(cls, map(_validated, range(len(given)), given))

    @property
    def rewards(self) -> tuple[Fraction, ...]:
        """r_0, r_1, ..."""
        return self[0::3]

    @property
    def observations(self) -> tuple[int, ...]:
        """o_0, o_1, ..."""
        return self[1::3]

    @property
    def actions(self) -> tuple[int, ...]:
        """a_0, a_1, ..."""
        return self[2::3]


class Play(History):
    """An ROA-play: the empty sequence, or one that ends in an action."""

    __slots__ = ()
    ends_in = "triples (reward, observation, action)"

    @property
    def turns(self) -> list[PlayedTurn]:
        """The reward, observation and action of each turn."""
        return [PlayedTurn(*turn) for turn in zip(self.rewards, self.observations, self.actions, strict=True)]

    def prompt(self, percept: Percept) -> Prompt:
        """The prompt s r o that this play and a percept make."""
        return tuple.__new__(Prompt, (*self, rational(percept[0]), natural(percept[1], "observation")))

    def decomposed(self) -> tuple[Prompt, int]:
        """The prompt p and the action a with s = p a; BadValue for the empty play, which has none (Lemma 1)."""
        if not self:
            raise BadValue("the empty play has no last action", place="play", remedy="test 'if not play' first")
        return tuple.__new__(Prompt, self[:-1]), self[-1]


class Prompt(History):
    """An ROA-prompt: a play, a reward and an observation, to which an agent answers with an action."""

    __slots__ = ()
    remainder = 2
    ends_in = "a play, a reward and an observation"

    def play(self, action: int) -> Play:
        """The play p a that this prompt and an action make."""
        return tuple.__new__(Play, (*self, natural(action, "action")))

    def prefix(self, turns: int) -> Prompt:
        """The prompt of an earlier turn, 0, 1, ...: it is followed by that turn's action."""
        return tuple.__new__(Prompt, self[: 3 * turns + 2])

    @property
    def first(self) -> Prompt:
        """The first percept alone."""
        return self.prefix(0)


def _validated(place: int, entry: Any) -> Any:
    if place % 3 == 0:
        if type(entry) is Fraction and max(abs(entry.numerator), entry.denominator).bit_length() <= MOST_BITS:
            return entry
        return _entry(place, rational, entry)
    return entry if type(entry) is int and 0 <= entry < 2**62 else _entry(place, natural, entry)


def _entry(place: int, check: Any, entry: Any) -> Any:
    try:
        return check(entry, _WHAT[place % 3])
    except BadValue as error:
        raise BadValue(error.problem, place=f"turn {place // 3 + 1}", remedy=error.remedy) from None


def _refuse(kind: type[History], problem: str) -> NoReturn:
    raise BadValue(problem, place=kind.__name__.lower(), remedy=f"give {kind.ends_in}")
