"""Parameters of worlds: typed dataclass fields that read "0.4", "2/5", 0.4 or 2 exactly and know their own domain.

Every number is a `Fraction` or an `int`, since comparisons with the planned update and ties between plans are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, TypeVar

from engine.errors import BadValue, UnknownName

Made = TypeVar("Made", bound="Settings")


def exact(value: object, *, name: str = "number", place: str = "") -> Fraction:
    """A number written as text, int, Fraction or float (read by its shortest decimal form); BadValue otherwise."""
    try:
        if isinstance(value, bool):
            return Fraction(int(value))
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise BadValue(f"'{value}' is not a number for '{name}'", place=place, remedy="write 0.4, 2/5 or 2") from error


def number(
    default: str, says: str, *, least: str | None = None, most: str | None = None, symbol: str | None = None
) -> Any:
    """A dataclass field holding an exact rational; `symbol` is the source's letter, which names it too."""
    return field(default=Fraction(default), metadata=_domain(says, least, most, symbol, whole=False))


def whole(
    default: int, says: str, *, least: int | None = None, most: int | None = None, symbol: str | None = None
) -> Any:
    """A dataclass field holding an integer; `symbol` is the source's letter, which names it too."""
    return field(default=default, metadata=_domain(says, least, most, symbol, whole=True))


def _domain(says: str, least: object, most: object, symbol: str | None, *, whole: bool) -> dict[str, Any]:
    ends = [None if end is None else Fraction(str(end)) for end in (least, most)]
    return {"says": says, "least": ends[0], "most": ends[1], "whole": whole, "symbol": symbol}


@dataclass(frozen=True)
class Settings:
    """A frozen dataclass whose fields made by `number` and `whole` are converted and checked; BadValue otherwise."""

    def __post_init__(self) -> None:
        for name, domain in _fields(type(self)).items():
            object.__setattr__(self, name, _checked(getattr(self, name), name, domain, type(self).__name__))

    @classmethod
    def parameters(cls) -> dict[str, str]:
        """Parameter name -> what it means, with its default."""
        return {
            name: f"{_symbol(domain)}{domain['says']} (default {_default(cls, name)})"
            for name, domain in sorted(_fields(cls).items())
        }

    @classmethod
    def make(cls: type[Made], settings: Mapping[str, object]) -> Made:
        """Build from settings by name or symbol; UnknownName for a key that is neither."""
        named = cls.named(settings)
        refuse_unknown(named, _fields(cls), cls.__name__)
        return cls(**named)

    @classmethod
    def named(cls, settings: Mapping[str, object]) -> dict[str, Any]:
        """The settings with symbols of this class's parameters replaced by names; BadValue where both are given."""
        names = {domain["symbol"]: name for name, domain in _fields(cls).items()}
        for symbol in settings:
            if names.get(symbol, symbol) != symbol and names[symbol] in settings:
                raise BadValue(f"'{symbol}' and '{names[symbol]}' are one parameter", remedy="give one of them")
        return {names.get(key, key): value for key, value in settings.items()}


def refuse_unknown(settings: Iterable[str], known: Iterable[str], place: str) -> None:
    """UnknownName, with the nearest parameter, for the first setting that no parameter answers to."""
    names = set(known)
    for name in settings:
        if name not in names:
            raise UnknownName("parameter", name, names, place=place)


def _fields(cls: type) -> dict[str, Mapping[str, Any]]:
    return {entry.name: entry.metadata for entry in fields(cls) if "says" in entry.metadata}


def _symbol(domain: Mapping[str, Any]) -> str:
    return f"{domain['symbol']}: " if domain["symbol"] else ""


def _default(cls: type, name: str) -> object:
    return next(entry.default for entry in fields(cls) if entry.name == name)


def _checked(value: object, name: str, domain: Mapping[str, Any], place: str) -> Fraction | int:
    given = exact(value, name=name, place=place)
    least, most = domain["least"], domain["most"]
    if domain["whole"] and given.denominator != 1:
        raise BadValue(f"'{name}' is {value}, not a whole number", place=place, remedy="give an integer")
    if (least is not None and given < least) or (most is not None and given > most):
        ends = " and ".join(
            f"{word} {end}" for word, end in (("at least", least), ("at most", most)) if end is not None
        )
        raise BadValue(f"'{name}' is {value}", place=place, remedy=f"give a number {ends}")
    return int(given) if domain["whole"] else given
