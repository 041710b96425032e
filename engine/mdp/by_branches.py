"""Rules for one state, asked about many at once: states that take the same way through a rule are one question.

    if state.cell == 3: ...        asked about columns, both answers are true of some states

A rule gets a state whose fields are `NumberPerState`s. Arithmetic and comparisons give columns again.
Where the rule needs one answer, such as the truth of an `if` or the place in a list, and the states differ, they are
divided by their answers, and the rule is asked about each part anew. What is left is a few parts, in each of which the
rule took one way. A column knows what has the same result for all numbers as for each: no powers, no remainders of
fractions, no sums over it. Whatever else a rule does ends the attempt, and the caller asks about each state alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.printable import print_notice
from engine.user_code import describe_place

MOST_PARTS = 400
LEAST_ROWS = 8  # per part, on average, or asking about each state alone is as fast
MANY = 100  # of which three are compared with the plain rule, else one
EXACT = 1 << 53  # integers up to here are floats, too
BITS = (operator.and_, operator.or_, operator.xor)
WHOLE_ONLY = (*BITS, operator.floordiv, operator.mod)


class StatesAlike(NamedTuple):
    """States that a rule answers alike. rows: their numbers. answer: numbers, or columns of them, as the rule gave."""

    rows: NDArray[np.int64]
    answer: Any


class NotByBranches(Exception):
    """A rule cannot be asked about many states at once."""


class _Divided(Exception):
    """The states of a part differ where a rule needs one answer. answers: one per state of the part."""

    def __init__(self, answers: NDArray[Any]) -> None:
        super().__init__("states differ")
        self.answers = answers


class _Question:
    """One call of a rule. stop: what it stopped at, kept here in case the rule catches it."""

    stop: Exception | None = None


class NumberPerState:
    """A number per state, which a rule takes for one number."""

    __slots__ = ("question", "values")
    __array_ufunc__ = None  # arrays leave operations with a column to the column

    def __init__(self, values: NDArray[Any], question: _Question) -> None:
        self.values, self.question = values, question

    def look_up(self, table: NDArray[Any], *index: Any) -> NumberPerState:
        """Return the entry of a table of integers or truth values for each number, at a further index."""
        found = table[(self.values, *index)]
        return NumberPerState(found if found.dtype == np.bool_ else found.astype(np.int64), self.question)

    def stop(self, reason: Exception) -> NoReturn:
        """Stop the call of the rule."""
        self.question.stop = reason
        raise reason

    def _answer(self) -> Any:
        """Return the one number of all states, as Python's; stop where they differ."""
        if self.values.dtype == np.float64:  # whose zeros have signs
            self.stop(NotByBranches())
        if (self.values != self.values[0]).any():
            self.stop(_Divided(self.values))
        return self.values[0].item()

    def __bool__(self) -> bool:
        return bool(NumberPerState(self.values != 0, self.question)._answer())

    def __index__(self) -> int:
        return operator.index(self._answer())

    def __int__(self) -> int:
        return int(self._answer())

    def __float__(self) -> float:
        return float(self._answer())

    def __hash__(self) -> int:
        number: int | float = self._answer()
        return number.__hash__()

    def __repr__(self) -> str:
        return repr(self._answer())

    def __format__(self, form: str) -> str:
        return format(self._answer(), form)


def _compute(function: Callable[..., Any], *, reflected: bool = False) -> Callable[..., Any]:
    def compute(self: NumberPerState, *others: Any) -> Any:
        numbers = [_read_operand(each) for each in (self, *others)]
        if any(each is None for each in numbers):
            return NotImplemented
        if reflected:
            numbers.reverse()
        bits = function in BITS
        if not (bits and all(each.dtype == np.bool_ for each in numbers)):
            numbers = [each.astype(np.int64) if each.dtype == np.bool_ else each for each in numbers]
        if not _is_like_python(function, numbers):
            self.stop(NotByBranches())
        try:
            with np.errstate(all="raise"):
                return NumberPerState(np.asarray(function(*numbers)), self.question)
        except ArithmeticError:
            self.stop(NotByBranches())

    return compute


def _read_operand(value: Any) -> Any:
    """Return an operand as an array of numbers; None where it is none."""
    if isinstance(value, NumberPerState):
        return value.values
    if type(value) in (bool, int, float) and not (type(value) is int and value.bit_length() > 62):
        return np.asarray(value)
    return np.asarray(value) if isinstance(value, np.bool_ | np.int64 | np.float64) else None


def _is_like_python(function: Callable[..., Any], numbers: list[NDArray[Any]]) -> bool:
    """Return whether an operation on arrays gives the numbers that Python gives."""
    whole = [each for each in numbers if each.dtype != np.float64]
    if function in WHOLE_ONLY and len(whole) < len(numbers):
        return False
    largest = [max(abs(int(each.min())), abs(int(each.max()))) for each in whole]
    if function is operator.mul and len(whole) == 2 and largest[0] * largest[1] >= EXACT:
        return False
    return all(each < EXACT for each in largest)


def _define(name: str, function: Callable[..., Any]) -> None:
    setattr(NumberPerState, f"__{name}__", _compute(function))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor"):
    _define(_name.strip("_"), getattr(operator, _name))
    setattr(NumberPerState, f"__r{_name.strip('_')}__", _compute(getattr(operator, _name), reflected=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs"):
    _define(_name, getattr(operator, _name))


def ask_by_branches(ask: Callable[..., Any], arguments: tuple[Any, ...], count: int) -> list[StatesAlike]:
    """Return the parts of the states that a rule answers alike, by their first states.

    ask: the rule. arguments: its arguments, of which arrays and NamedTuples of arrays stand for the states. count: the
    number of states. Raises NotByBranches where it cannot be asked so, or answers some states otherwise alone.
    """
    waiting, parts = [np.arange(count)], list[StatesAlike]()
    asked, most = 0, min(MOST_PARTS, count // LEAST_ROWS)
    while waiting:
        asked += 1
        if asked + len(waiting) > 2 * most:
            raise NotByBranches
        rows, question = waiting.pop(), _Question()
        try:
            answer = ask(*(_take(each, rows, question) for each in arguments))
        except Exception as error:
            question.stop = question.stop or error
        if question.stop is None:
            _require_same_alone(ask, arguments, rows, answer)
            parts.append(StatesAlike(rows, answer))
        elif isinstance(question.stop, _Divided):
            waiting += [rows[question.stop.answers == one] for one in np.unique(question.stop.answers)]
        else:
            raise NotByBranches from question.stop
    return sorted(parts, key=lambda part: int(part.rows[0]))


def is_columns(value: Any) -> bool:
    """Return whether a value is a state whose fields are arrays, one number per state."""
    return hasattr(value, "_fields") and isinstance(value[0], np.ndarray)


def _take(value: Any, rows: NDArray[np.int64], question: _Question) -> Any:
    if isinstance(value, np.ndarray):
        return NumberPerState(value[rows], question)
    return type(value)._make(NumberPerState(field[rows], question) for field in value) if is_columns(value) else value


def take_alone(value: Any, row: int) -> Any:
    """Return one of the states, in plain numbers; anything else as it is."""
    if isinstance(value, np.ndarray):
        return value[row].item()
    return type(value)._make(field[row].item() for field in value) if is_columns(value) else value


def spread(values: Sequence[Any], parts: Sequence[StatesAlike], count: int) -> NDArray[Any]:
    """Return one column of the values that parts of the states have, which are numbers or columns of them."""
    arrays = [np.asarray(each.values if isinstance(each, NumberPerState) else each) for each in values]
    column = np.empty(count, np.result_type(*(each.dtype for each in arrays)))
    for array, part in zip(arrays, parts, strict=True):
        column[part.rows] = array
    return column


def answer_and_tell(owner: Any, rule: str, failure: Exception | None, answer: Callable[[], Any]) -> Any:
    """Return what a rule of a user's own answers that was asked about columns in vain, and print one line about it.

    owner: whose rule it is. failure: what columns came to. Raises what the rule raises of one state where it chooses by
    the truth of columns, and otherwise the failure, for then it may be meant for columns.
    """
    try:
        given = answer()
    except Exception as error:
        raise error if failure is None or "truth value of an array" in str(failure) else failure from None
    if failure is None:  # a number for all states, which is no slower
        return given
    place = describe_place(owner)
    print_notice(
        f"{place}: rules such as {rule} are written for one state, and asked so: 4 to 15 times as slow as with"
        " where(condition, yes, no) in place of if",
        subject=f"rules of {place}",
    )
    return given


def _require_same_alone(ask: Callable[..., Any], arguments: tuple[Any, ...], rows: Any, answer: Any) -> None:
    """Raise NotByBranches where the plain rule answers a state of the part otherwise."""
    last = len(rows) - 1
    for at in {0, last // 2, last} if last > MANY else {last // 2}:
        alone = ask(*(take_alone(each, int(rows[at])) for each in arguments))
        for one, other in zip(_flatten(alone), _flatten(answer, at), strict=True):
            if type(one) is not type(other) or not (one == other or (one != one and other != other)):
                raise NotByBranches


def _flatten(answer: Any, at: int = 0) -> Iterator[Any]:
    """Yield the type and the numbers of an answer, of the state at a place; a column's number is Python's."""
    if isinstance(answer, tuple | list):
        yield type(answer), len(answer)
        for each in answer:
            yield from _flatten(each, at)
    elif isinstance(answer, NumberPerState):
        yield answer.values[at].item()
    else:
        yield answer.item() if isinstance(answer, np.generic) else answer
