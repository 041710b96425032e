"""Histories: plays <r_0, o_0, a_0, ..., r_k, o_k, a_k>, and prompts, plays that a reward and an observation follow.

Each is a tuple of its entries, in the paper's order, validated when it is made: rewards are `Fraction`s,
observations and actions natural numbers. Other histories can be made of one: with other rewards or observations,
after another play, backward. People write a play as "0,0,1;-1/2,0,1", two turns. S. A. Alexander, "Extending
environments to incentivize self-reflection in reinforcement learning", Definition 1, Lemma 1 and section 3.

Choices:
- a float is refused as a reward, since 0.1 is not 1/10; so is a truth value as any number
- numbers have at most `MOST_DIGITS` digits, so that every history can be printed
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn, Self

from engine.errors import BadValue
from engine.plain_values import MOST_DIGITS, parse_rational
from engine.printable import shorten, show_value
from engine.value_types import count_decimal_digits

MOST_BITS = int(MOST_DIGITS / 0.30103)


def as_natural(value: Any, what: str) -> int:
    """Return the value as a natural number; raise BadValue, naming what it is (such as "action"), otherwise."""
    number = _as_integer(value)
    if number is None or number < 0:
        raise BadValue(f"{what} {_show_number(value)} is not a natural number", remedy="give an integer from 0 on")
    _require_short(number, what)
    return number


def as_rational(value: Any, what: str = "reward") -> Fraction:
    """Return the value as a fraction; raise BadValue, naming what it is, unless it is an integer or a Fraction."""
    number = value if isinstance(value, Fraction) else _as_integer(value)
    if number is None:
        remedy = "give an integer or a Fraction, such as Fraction(1, 2)"
        raise BadValue(f"{what} {_show_number(value)} is not a rational number", remedy=remedy)
    _require_short(max(abs(number.numerator), number.denominator), what)
    return Fraction(number)


def _as_integer(value: Any) -> int | None:
    """Python's integer; None for a truth value and for what is not an integer."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _require_short(number: int, what: str) -> None:
    if number.bit_length() > MOST_BITS:
        problem = f"{what} has about {count_decimal_digits(number):,} digits"
        raise BadValue(problem, remedy=f"use numbers of at most {MOST_DIGITS:,}")


def _show_number(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"of about {count_decimal_digits(value):,} digits"
    return show_value(value)


_WHAT = ("reward", "observation", "action")


class Percept(NamedTuple):
    """The answer of an environment to a play: a reward, which is rational, and an observation, a natural number."""

    reward: Fraction
    observation: int


class PlayedTurn(NamedTuple):
    """One turn of a play."""

    reward: Fraction
    observation: int
    action: int


class History(tuple[Any, ...]):
    """A play or a prompt. entries: r_0, o_0, a_0, r_1, ...; BadValue names the first wrong one."""

    __slots__ = ()
    remainder = 0
    ends_in = ""

    def __new__(cls, entries: Iterable[Any] = ()) -> Self:
        if type(entries) is cls:
            return entries
        try:
            given = tuple(entries)
        except TypeError:
            _refuse_history(cls, f"{show_value(entries)} is not a sequence")
        if len(given) % 3 != cls.remainder:
            _refuse_history(cls, f"{len(given)} entries")
        return tuple.__new__(cls, map(_validate_entry, range(len(given)), given))

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
    """An ROA-play: the empty sequence, or one that ends in an action.

    Parameters
    ----------
    entries : iterable
        r_0, o_0, a_0, r_1, ..., a_k: rewards are integers or fractions, observations and actions natural numbers.

    Raises
    ------
    BadValue
        If an entry is of another kind, or the number of entries is not a multiple of 3.

    Examples
    --------
    >>> play = Play((0, 0, 1, -1, 2, 0))
    >>> play.actions
    (1, 0)
    >>> prompt, action = play.decompose()
    >>> prompt.observations, action
    ((0, 2), 0)
    """

    __slots__ = ()
    ends_in = "triples (reward, observation, action)"

    @property
    def turns(self) -> list[PlayedTurn]:
        """Return the reward, observation and action of each turn."""
        return [PlayedTurn(*turn) for turn in zip(self.rewards, self.observations, self.actions, strict=True)]

    def prompt(self, percept: Percept) -> Prompt:
        """Return the prompt s r o that this play and a percept make."""
        return tuple.__new__(Prompt, (*self, as_rational(percept[0]), as_natural(percept[1], "observation")))

    def decompose(self) -> tuple[Prompt, int]:
        """Return the prompt p and the action a with s = p a (Lemma 1); raise BadValue for the empty play."""
        if not self:
            raise BadValue("the empty play has no last action", place="play", remedy="test 'if not play' first")
        return tuple.__new__(Prompt, self[:-1]), self[-1]


class Prompt(History):
    """An ROA-prompt: a play, a reward and an observation, to which an agent answers with an action.

    Parameters
    ----------
    entries : iterable
        r_0, o_0, a_0, ..., r_n, o_n, of the kinds that `Play` has.

    Raises
    ------
    BadValue
        If an entry is of another kind, or the number of entries is not 2 more than a multiple of 3.

    Examples
    --------
    >>> Prompt((0, 5)).play(1).turns
    [PlayedTurn(reward=Fraction(0, 1), observation=5, action=1)]
    """

    __slots__ = ()
    remainder = 2
    ends_in = "a play, a reward and an observation"

    def play(self, action: int) -> Play:
        """Return the play p a that this prompt and an action make."""
        return tuple.__new__(Play, (*self, as_natural(action, "action")))

    def prefix(self, turns: int) -> Prompt:
        """Return the prompt of an earlier turn, 0, 1, ...: it is followed by that turn's action."""
        return tuple.__new__(Prompt, self[: 3 * turns + 2])

    @property
    def first(self) -> Prompt:
        """Return the first percept alone."""
        return self.prefix(0)


def _validate_entry(place: int, entry: Any) -> Any:
    if place % 3 == 0:
        if type(entry) is Fraction and max(abs(entry.numerator), entry.denominator).bit_length() <= MOST_BITS:
            return entry
        return _check_entry(place, as_rational, entry)
    return entry if type(entry) is int and 0 <= entry < 2**62 else _check_entry(place, as_natural, entry)


def _check_entry(place: int, check: Any, entry: Any) -> Any:
    try:
        return check(entry, _WHAT[place % 3])
    except BadValue as error:
        raise BadValue(error.problem, place=f"turn {place // 3 + 1}", remedy=error.remedy) from None


def _refuse_history(kind: type[History], problem: str) -> NoReturn:
    raise BadValue(problem, place=kind.__name__.lower(), remedy=f"give {kind.ends_in}")


def with_rewards(prompt: Prompt, reward: Callable[[Fraction], Fraction | int]) -> Prompt:
    """Return the prompt with every reward replaced; p^0 is `with_rewards(p, lambda reward: 0)`."""
    entries = list(prompt)
    entries[0::3] = map(reward, prompt.rewards)
    return Prompt(entries)


def with_observations(prompt: Prompt, observation: Callable[[int], int]) -> Prompt:
    """Return the prompt with every observation replaced."""
    entries = list(prompt)
    entries[1::3] = map(observation, prompt.observations)
    return Prompt(entries)


def prepend_play(earlier: Play, prompt: Prompt) -> Prompt:
    """Return the prompt p_0 p that has another play before it."""
    return tuple.__new__(Prompt, (*earlier, *prompt))


def reverse_prompt(prompt: Prompt) -> Prompt:
    """<r_n, o_n, a_{n-1}, ..., r_1, o_1, a_0, r_0, o_0>: percepts and actions in reverse."""
    entries = list(prompt)
    entries[0::3], entries[1::3], entries[2::3] = prompt.rewards[::-1], prompt.observations[::-1], prompt.actions[::-1]
    return tuple.__new__(Prompt, entries)


def read_play(text: str) -> Play:
    """Read a play from a text, turns joined by ";" and entries by ","; raise BadValue for anything else."""
    entries: list[object] = []
    for turn in filter(None, text.split(";")):
        numbers = turn.split(",")
        if len(numbers) != 3:
            raise BadValue(f"'{turn}' is not a turn", place="play", remedy="write reward,observation,action;...")
        reward, *naturals = numbers
        entries += [parse_rational(reward, "reward"), *(read_natural(number) for number in naturals)]
    return Play(entries)


def as_exact_reward(reward: float) -> Fraction:
    """Return a practical agent's reward as a fraction: exactly what the float is."""
    return Fraction(reward)


def read_natural(text: str) -> int:
    """Read a natural number from a text; raise BadValue for anything else."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > MOST_DIGITS:
        remedy = f"write at most {MOST_DIGITS:,} digits"
        raise BadValue(f"'{shorten(text, 40)}' is not a natural number", remedy=remedy)
    return int(digits)
