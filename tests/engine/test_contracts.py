"""What checkers are made of: each requirement passes what keeps it and names, in one line, what does not."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import pytest

from engine.contracts import (
    Contract,
    Field,
    Method,
    call_method,
    call_steadily,
    check_contract,
    is_text,
    read_array,
    refuse,
    require_class,
    require_function,
    require_instance,
    require_methods,
    require_overrides,
    require_parameters,
    require_steady,
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


class Needy(Watch):
    def __init__(self, battery: int) -> None: ...


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


@dataclass(frozen=True)
class Alarm:
    ring: Any
    name: Any = "bell"


def _make_alarm(thing: Any) -> Any:
    return Alarm(thing) if isinstance(thing, FunctionType) else thing


def _require_loud(alarm: Alarm) -> None:
    if alarm.name == "whisper":
        raise ContractBroken("nobody hears it", place=alarm.name, remedy="ring")


ALARM = Contract[Alarm](
    "alarm",
    instance_of=Alarm,
    fields=(Field("name", "expected a text", is_text),),
    methods=(Method("ring(times)", attribute="ring"),),
    also=(tuple,),
    convert=_make_alarm,
    require=_require_loud,
)
CLOCK = Contract[type[Clock]]("clock", derives=Clock, called="Clock()")
TICKING = Contract[Any]("ticker", methods=(Method("tick(seconds)"), Method("reset()")))
SIREN = Contract[Callable[..., Any]]("siren", remedy="define a function", called="siren(seconds, pitch)")
LOUD = Method("tick(seconds)", "a number below 1", lambda value: value < 1.0)
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
    "an entry of another class": (lambda: check_contract(3, ALARM), r"3 is not an alarm; make an Alarm"),
    "a field of another kind": (lambda: ALARM.accept(Alarm(_ring, "")), r"alarm: name is ''; expected a text"),
    "a function that is none": (lambda: ALARM.accept(Alarm("ding")), r"alarm: ring is 'ding'; expected a function$"),
    "a function converted, of other parameters": (lambda: ALARM.accept(_ring_twice), r"it is called as ring\(times\)"),
    "what no row says": (lambda: ALARM.accept(Alarm(_ring, "whisper")), r"whisper: nobody hears it; ring"),
    "a class made of more": (lambda: CLOCK.accept(Needy), r"takes \(self, battery.*; it is called as Clock\(\)"),
    "an override, by a contract": (lambda: CLOCK.accept(Narrow), r"it is called as tick\(self, seconds\)"),
    "an object without a method": (lambda: TICKING.accept(3), r"no 'tick', 'reset'; a ticker defines 'tick', 'reset'"),
    "an object with other methods": (lambda: TICKING.accept(Narrow()), r"it is called as tick\(seconds\)"),
    "nothing to call": (lambda: SIREN.accept(3), r"3 is not a siren; define a function"),
    "a function called with more": (lambda: SIREN.accept(_ring), r"it is called as siren\(seconds, pitch\)"),
    "an answer of another kind": (
        lambda: LOUD.ask(Watch(), 0.5),
        HERE + r"Watch: tick gave 2\.0; expected a number below 1",
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


def _ring(times: int) -> None: ...


def _ring_twice(once: int, twice: int) -> None: ...


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


def test_what_a_contract_accepts_it_accepts_again() -> None:
    alarm = ALARM.accept(_ring)
    assert alarm == Alarm(_ring)
    assert ALARM.accept(alarm) is alarm
    assert ALARM.accept((alarm,)) == (alarm,)  # of a class that stands for entries
    assert CLOCK.accept(Watch) is Watch
    assert TICKING.accept(watch := Watch()) is watch
    assert SIREN.accept(max) is max
    assert LOUD.ask(Watch(), 4.0) == 0.25
    assert [(method.name, method.arguments) for method in ALARM.methods] == [("ring", 1)]


def test_our_own_errors_pass_as_they_are() -> None:
    class Picky(Watch):
        def tick(self, seconds: float) -> float:
            raise BadValue("seconds", place="tick")

    with pytest.raises(BadValue, match=r"^tick: seconds$"):
        call_method(Picky(), "tick", 1.0)


def test_a_range_beyond_memory_is_no_array() -> None:
    assert read_array(range(10**12)).dtype == object
    assert read_array(range(3)).tolist() == [0, 1, 2]


class CountingRewards(dict[str, int]):
    """Its values are what is stored and how often they have been asked for."""

    def __init__(self, **rewards: int) -> None:
        super().__init__(**rewards)
        self.asked = itertools.count()

    def items(self) -> Any:
        return [(name, reward + next(self.asked)) for name, reward in super().items()]


class CachingRewards(dict[str, int]):
    """A count of readings is no reward."""

    def items(self) -> Any:
        self.read = getattr(self, "read", 0) + 1
        return super().items()


class Fickle:
    name, plain = "fickle", [1, 2]

    def __init__(self) -> None:
        self.count = itertools.count()
        self.counting, self.caching = CountingRewards(a=1), CachingRewards(a=1)

    rewards = property(lambda self: {"a": next(self.count)})
    same = property(lambda self: {"a": [1, 2.0]})
    raising = property(lambda self: 1 // 0)

    def __getattr__(self, name: str) -> Any:
        if name != "answered":
            raise AttributeError(name)
        return next(self.count)

    def starts(self) -> dict[int, float]:
        return {next(self.count) % 2: 1.0}

    def steady(self) -> dict[int, float]:
        return {0: 1.0}


def test_an_attribute_that_changes_between_two_readings_is_refused() -> None:
    require_steady(Fickle(), ("name", "plain", "same", "raising", "missing", "caching"))
    for name in ("rewards", "counting", "answered"):
        with pytest.raises(ContractBroken, match=rf"{HERE}Fickle: its '{name}' is .* when it is read again; let it be"):
            require_steady(Fickle(), (name,))


def test_a_method_that_answers_otherwise_when_it_is_asked_again_is_refused() -> None:
    assert call_steadily(Fickle(), "steady") == {0: 1.0}
    assert call_steadily(Fickle(), "starts", len) == {0: 1.0}
    with pytest.raises(ContractBroken, match=rf"{HERE}Fickle: its 'starts' is \{{0: 1.0\}}, and \{{1: 1.0\}} when it"):
        call_steadily(Fickle(), "starts")
