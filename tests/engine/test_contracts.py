"""What checkers are made of: each requirement passes what keeps it and names, in one line, what does not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import pytest

from engine.contracts import (
    call_method,
    read_array,
    refuse,
    require_class,
    require_function,
    require_instance,
    require_methods,
    require_overrides,
    require_parameters,
)
from engine.errors import BadValue, ContractBroken

HERE = r"test_contracts\.py, class "


class Clock(ABC):
    @abstractmethod
    def tick(self, seconds: float) -> float: ...

    @abstractmethod
    def reset(self) -> None: ...

    def name(self) -> str:
        return "clock"


class Watch(Clock):
    def tick(self, seconds: float) -> float:
        return 1.0 / seconds

    def reset(self) -> None: ...


class Stopped(Clock):
    def tick(self, seconds: float) -> float:
        return 0.0


class Renamed(Watch):
    name = "watch"  # type: ignore[assignment]


class Narrow(Watch):
    def tick(self) -> float:  # type: ignore[override]
        return 1.0


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "another class": (
        lambda: require_class(int, Clock, "clock"),
        r"the class int is not a clock; derive a class from Clock",
    ),
    "an object": (
        lambda: require_class(Watch(), Clock, "clock"),
        HERE + "Watch: .* is not a clock; derive a class from Clock",
    ),
    "a function": (
        lambda: require_class(_fails, Clock, "clock"),
        HERE.replace("class ", "") + "function _fails: the function _fails is not a clock",
    ),
    "an open method": (
        lambda: require_class(Stopped, Clock, "clock"),
        HERE + "Stopped: no 'reset'; define what Clock leaves",
    ),
    "no instance": (lambda: require_instance(Watch, Clock, "clock"), HERE + "Watch: .* is not a clock; make a Clock"),
    "no methods": (
        lambda: require_methods(3, ("tick", "reset"), "clock"),
        r"no 'tick', 'reset'; a clock defines 'tick', 'reset'",
    ),
    "another number of parameters": (
        lambda: require_parameters(Narrow().tick, 1, "tick(seconds)"),
        r"test_contracts\.py, function Narrow\.tick: takes \(\).*; it is called as tick\(seconds\)",
    ),
    "no function": (
        lambda: require_function("tick", 3, 1, "tick(seconds)"),
        r"tick is 3; give a function that is called as tick\(seconds\)",
    ),
    "a function of other parameters": (
        lambda: require_function("tick", lambda: 1.0, 1, "tick(seconds)"),
        r"it is called as tick\(seconds\)",
    ),
    "an override that is not a method": (
        lambda: require_overrides(Renamed, Clock),
        HERE + r"Renamed: its 'name' is not a method; define 'name'",
    ),
    "an override of other parameters": (
        lambda: require_overrides(Narrow, Clock),
        r"function Narrow\.tick: takes \(self\).*; it is called as tick\(self, seconds\)",
    ),
    "an exception": (
        lambda: call_method(Watch(), "tick", 0),
        HERE + r"Watch, tick: test_contracts\.py, line \d+: ZeroDivisionError: .*; mend it there",
    ),
    "an exception of a function": (
        lambda: call_method(_fails, "__call__", 2),
        r"test_contracts\.py, function _fails: test_contracts\.py, line \d+: KeyError: 2; mend it there",
    ),
    "a wrong value": (
        lambda: refuse(Watch(), "tick", "soon", "a number"),
        HERE + r"Watch: tick gave 'soon'; expected a number",
    ),
    "a long value": (
        lambda: refuse(Watch(), "tick", "x" * 500, "a number"),
        r"tick gave 'x{76}\.\.\.; expected a number",
    ),
    "a value that cannot be printed": (
        lambda: refuse(Watch(), "tick", Unprintable(), "a number"),
        r"tick gave an object of type Unprintable that cannot be printed; expected",
    ),
}


def _fails(number: int) -> None:
    raise KeyError(number)


@pytest.mark.parametrize("what", REFUSED)
def test_what_breaks_a_contract_is_named_in_one_line(what: str) -> None:
    check, message = REFUSED[what]
    with pytest.raises(ContractBroken, match=message) as caught:
        check()
    assert "\n" not in str(caught.value)


def test_what_keeps_a_contract_passes() -> None:
    require_class(Watch, Clock, "clock")
    require_instance(Watch(), Clock, "clock")
    require_methods(Watch(), ("tick", "reset"), "clock")
    require_parameters(Watch().tick, 1, "tick(seconds)")
    require_parameters(max, 2, "max(one, other)")  # does not say what it takes, and is believed
    require_function("tick", Watch().tick, 1, "tick(seconds)")
    require_overrides(Watch, Clock)
    assert call_method(Watch(), "tick", 4.0) == 0.25


def test_our_own_errors_pass_as_they_are() -> None:
    class Picky(Watch):
        def tick(self, seconds: float) -> float:
            raise BadValue("seconds", place="tick")

    with pytest.raises(BadValue, match=r"^tick: seconds$"):
        call_method(Picky(), "tick", 1.0)


def test_a_range_beyond_memory_is_no_array() -> None:
    assert read_array(range(10**12)).dtype == object
    assert read_array(range(3)).tolist() == [0, 1, 2]
