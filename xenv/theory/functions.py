"""Functions by name, for operators on environments: views of an observation, models of two, other rewards.

    modulo:8          o -> o mod 8                 a view: the part of a snapshot that a mirror shows
    over:8            o -> floor(o / 8)            the other part
    left, right       (s_1, s_2) -> s_1, s_2       models of two snapshots: what one eye sees
    times:1/1000      r -> r / 1000                other rewards
    within:1          r -> min(max(r, -1), 1)
    my_file:function:3                             a function of one's own; natural numbers come after its arguments

What a function of one's own returns is checked each time: an observation is a natural number, a reward is rational.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from engine.contracts import require_callable, require_parameters
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.plain_values import parse_rational
from engine.user_code import describe_place, load_user_code, names_user_code, user_code
from xenv.theory.histories import as_natural, as_rational, read_natural

Check = Callable[[Any], Any]
Shipped = Mapping[str, Callable[[str], Callable[..., Any]]]
"""Name -> what makes the function of the text after the name."""


def read_view(name: str) -> Callable[[int], int]:
    """Return the view of a name, a function from an observation to one."""
    return _read_function(name, "view", "view(observation)", 1, _VIEWS)


def read_model(name: str) -> Callable[[int, int], int]:
    """Return the model of a name, a function from two snapshots to an observation."""
    return _read_function(name, "model", "model(left, right)", 2, _MODELS)


def read_reward(name: str) -> Callable[[Fraction], Fraction]:
    """Return the reward function of a name, from a reward to a reward."""
    return _read_function(name, "reward function", "reward(reward)", 1, _REWARDS)


def check_observations(function: Callable[..., Any]) -> Callable[..., int]:
    """Return the function; it raises ContractBroken, naming the function, where it gives no natural number."""
    return _check_answers(function, lambda answer: as_natural(answer, "observation"))


def check_rewards(function: Callable[..., Any]) -> Callable[..., Fraction]:
    """Return the function; it raises ContractBroken, naming the function, where it gives no rational number."""
    return _check_answers(function, as_rational)


def _check_answers(function: Callable[..., Any], check: Check) -> Callable[..., Any]:
    @functools.wraps(function, updated=())
    def call_and_check(*arguments: Any) -> Any:
        with user_code(describe_place(function)):
            answer = function(*arguments)
        try:
            return check(answer)
        except BadValue as error:
            raise ContractBroken(error.problem, place=describe_place(function), remedy=error.remedy) from None

    return call_and_check


def _read_function(name: str, kind: str, call: str, arguments: int, shipped: Shipped) -> Callable[..., Any]:
    """Read NAME, NAME:ARGUMENT, MODULE:FUNCTION or MODULE:FUNCTION:NUMBERS."""
    word, _, rest = name.partition(":")
    if word in shipped:
        return shipped[word](rest)
    attribute, _, written = rest.partition(":")
    if not names_user_code(f"{word}:{attribute}"):
        raise UnknownName(kind, name, shipped)
    function: Callable[..., Any] = load_user_code(f"{word}:{attribute}", kind)
    require_callable(function, kind, f"define {call}")
    numbers = [read_natural(number) for number in written.split(",")] if written else []
    require_parameters(function, arguments + len(numbers), f"{call} with {len(numbers)} numbers after it")
    return bind_numbers(function, numbers, arguments)


def bind_numbers(function: Callable[..., Any], numbers: Sequence[int], arguments: int = 1) -> Callable[..., Any]:
    """Bind numbers to the parameters after the first ones; messages name the function itself."""

    @functools.wraps(function, updated=())
    def bound(*values: Any) -> Any:
        return function(*values, *numbers)

    parameters = [inspect.Parameter(f"value_{n}", inspect.Parameter.POSITIONAL_ONLY) for n in range(arguments)]
    bound.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return bound


def _read_positive(text: str) -> int:
    number = read_natural(text)
    if number == 0:
        raise BadValue("'0' is no divisor", place="view", remedy="write a natural number from 1 on, as in modulo:8")
    return number


def _make_modulo(text: str) -> Callable[[int], int]:
    divisor = _read_positive(text)
    return lambda observation: observation % divisor


def _make_over(text: str) -> Callable[[int], int]:
    divisor = _read_positive(text)
    return lambda observation: observation // divisor


def _make_times(text: str) -> Callable[[Fraction], Fraction]:
    factor = parse_rational(text, "factor")
    return lambda reward: factor * reward


def _make_within(text: str) -> Callable[[Fraction], Fraction]:
    bound = abs(parse_rational(text, "bound"))
    return lambda reward: min(max(reward, -bound), bound)


def _make_eye(place: int) -> Callable[[str], Callable[[int, int], int]]:
    def make(text: str) -> Callable[[int, int], int]:
        if text:
            raise BadValue("'left' and 'right' take no argument", place="model", remedy="write 'left' or 'right'")
        return lambda *snapshots: snapshots[place]

    return make


_VIEWS = {"modulo": _make_modulo, "over": _make_over}
_MODELS = {"left": _make_eye(0), "right": _make_eye(1)}
_REWARDS = {"times": _make_times, "within": _make_within}
