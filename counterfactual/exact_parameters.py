"""Parameters of worlds as exact numbers: dataclass fields that read "0.4", "2/5", 0.4 or 2 and know their own domain.

Every number is a `Fraction` or an `int`, because comparisons with the planned update and ties between plans are exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from engine.errors import BadValue, ContractBroken, UnknownName, did_you_mean
from engine.plain_values import parse_rational
from engine.user_code import describe_place

LARGEST_INTEGER = 10**9
FINEST = 10**9  # two probabilities and their complements fit 64 bits together
Parameters = TypeVar("Parameters", bound="ExactParameters")


def as_fraction(value: object, *, name: str = "number", place: str = "") -> Fraction:
    """Return a number as a Fraction; a float counts as its shortest decimal form, so that 0.1 is 1/10.

    value: text, int, Fraction or float. name, place: what is read and where, for messages. Raises BadValue for
    everything that is not a finite number or has more digits than `engine.plain_values` allows.
    """
    number = int(value) if isinstance(value, bool) else value
    return parse_rational(number, f"'{name}':", place, remedy="write 0.4, 2/5 or 2")


def rational(
    default: str,
    meaning: str,
    *,
    least: str | None = None,
    most: str | None = None,
    symbol: str | None = None,
    finest: int | None = None,
    needs: Sequence[str] = (),
) -> Any:
    """Return a dataclass field for an exact rational number.

    meaning: one line for people. least, most: the ends of its domain. symbol: the paper's letter, accepted as a name.
    finest: the largest denominator, for numbers that are counted in their parts, such as probabilities. needs: the
    parameters without which it has no effect, that is, while all of them are 0.
    """
    domain = _make_domain(meaning, least, most, symbol, integer=False) | {"finest": finest, "needs": tuple(needs)}
    return field(default=Fraction(default), metadata=domain)


def probability(default: str, meaning: str, *, symbol: str | None = None) -> Any:
    """Return a dataclass field for a probability; weights of outcomes are counted in its parts."""
    return rational(default, meaning, least="0", most="1", symbol=symbol, finest=FINEST)


def integer(
    default: int,
    meaning: str,
    *,
    least: int | None = None,
    most: int | None = None,
    symbol: str | None = None,
    needs: Sequence[str] = (),
) -> Any:
    """Return a dataclass field for an integer of at most `LARGEST_INTEGER`; the arguments are those of `rational`."""
    most = LARGEST_INTEGER if most is None else most
    least = -LARGEST_INTEGER if least is None else least
    domain = _make_domain(meaning, least, most, symbol, integer=True) | {"needs": tuple(needs)}
    return field(default=default, metadata=domain)


def _make_domain(meaning: str, least: object, most: object, symbol: str | None, *, integer: bool) -> dict[str, Any]:
    ends = [None if end is None else Fraction(str(end)) for end in (least, most)]
    return {"meaning": meaning, "least": ends[0], "most": ends[1], "integer": integer, "symbol": symbol}


@dataclass(frozen=True)
class ExactParameters:
    """A frozen dataclass whose `rational` and `integer` fields are converted and checked when it is made.

    optional_rules: name -> class of rules with parameters of their own; those that the settings turn on are handed to
    the field `rules`. Raises BadValue, naming the parameter and its domain, for a value that is not a number or lies
    outside.
    """

    optional_rules: ClassVar[Mapping[str, type[OptionalRule]]] = MappingProxyType({})

    def __post_init__(self) -> None:
        for name, domain in _get_domains(type(self)).items():
            object.__setattr__(self, name, _check_number(getattr(self, name), name, domain, _get_name(type(self))))

    @classmethod
    def parameters(cls) -> dict[str, str]:
        """Return parameter name -> what it means, its default and symbol; those of the optional rules come last."""
        own = {
            name: f"{domain['meaning']} (default {_get_default(cls, name)}{_describe_symbol(domain)})"
            for name, domain in sorted(_get_domains(cls).items())
        }
        return own | {name: text for rule in cls.optional_rules.values() for name, text in rule.parameters().items()}

    @classmethod
    def make(cls: type[Parameters], settings: Mapping[str, object]) -> Parameters:
        """Build from values by parameter name or symbol.

        Raises UnknownName for a key that is neither, BadValue for a value outside its domain.
        """
        kinds: list[type[ExactParameters]] = [cls, *cls.optional_rules.values()]
        named = dict(settings)
        for kind in kinds:
            named = _replace_symbols(kind, named)
        _refuse_unknown(named, cls)
        rules = [rule(**_select_own(rule, named)) for rule in cls.optional_rules.values()]
        active = tuple(rule for rule in rules if rule.active)
        made = cls(**_select_own(cls, named), **({"rules": active} if active else {}))
        parts: list[ExactParameters] = [made, *rules]
        for part in parts:
            _refuse_without_effect(part, named, _get_name(cls))
        return made


@dataclass(frozen=True)
class OptionalRule(ExactParameters, ABC):
    """A rule that extends a world; with the defaults of its parameters it is not active."""

    @property
    @abstractmethod
    def active(self) -> bool:
        """Whether the settings turn it on."""


def require_fields_with_defaults(kind: type[ExactParameters]) -> None:
    """ContractBroken unless the class is a dataclass that can be made without arguments."""
    undecorated = [name for name, value in vars(kind).items() if isinstance(value, Field)]
    if undecorated:
        raise ContractBroken(
            f"'{undecorated[0]}' is not a field yet",
            place=describe_place(kind),
            remedy="write @dataclass(frozen=True) above it",
        )
    names = [entry.name for entry in fields(kind)]
    for entry in fields(kind):
        for needed in entry.metadata.get("needs", ()):
            if needed not in names:
                problem = f"'{entry.name}' needs '{needed}', which is no parameter"
                raise ContractBroken(problem, place=describe_place(kind), remedy=did_you_mean(needed, names))
        if entry.default is MISSING and entry.default_factory is MISSING:
            raise ContractBroken(
                f"'{entry.name}' has no default",
                place=describe_place(kind),
                remedy="make it with integer() or rational()",
            )


def _replace_symbols(cls: type, settings: Mapping[str, object]) -> dict[str, Any]:
    """Return the settings with symbols of this class replaced by names; BadValue where both are given."""
    names = {domain["symbol"]: name for name, domain in _get_domains(cls).items()}
    for symbol in settings:
        if names.get(symbol, symbol) != symbol and names[symbol] in settings:
            raise BadValue(f"'{symbol}' and '{names[symbol]}' are one parameter", remedy="give one of them")
    return {names.get(key, key): value for key, value in settings.items()}


def _select_own(cls: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name in _get_domains(cls)}


def _refuse_unknown(settings: Iterable[str], cls: type[ExactParameters]) -> None:
    known = cls.parameters()
    for name in settings:
        if name not in known:
            raise UnknownName("parameter", name, known, place=_get_name(cls))


def _refuse_without_effect(part: ExactParameters, settings: Mapping[str, Any], place: str) -> None:
    """BadValue for a setting other than the default that does nothing: the parameters that it needs are 0.

    part: a world or one of its optional rules; a rule that is not active needs any parameter that turns it on.
    """
    kind = type(part)
    off = isinstance(part, OptionalRule) and not part.active
    changed = [name for name in _select_own(kind, settings) if getattr(part, name) != _get_default(kind, name)]
    for name in changed:
        needed = _get_domains(kind)[name]["needs"] or (_find_switches(kind, changed) if off else ())
        if off or (needed and not any(getattr(part, switch) for switch in needed)):
            remedy = f"set {' or '.join(map(repr, needed))}, too" if needed else "leave it out"
            raise BadValue(f"'{name}' has no effect: nothing turns it on", place=place, remedy=remedy)


def _find_switches(kind: type[ExactParameters], changed: Iterable[str]) -> list[str]:
    """Return the parameters, but for those changed, of which each alone turns a rule on."""
    return [name for name in _get_domains(kind) if name not in changed and _turns_on(kind, name)]


def _turns_on(kind: type[Any], name: str) -> bool:
    """Return whether a rule is active with 1 for this parameter alone."""
    try:
        return bool(kind(**{name: 1}).active)
    except BadValue:
        return False


def _get_name(cls: type) -> str:
    return str(getattr(cls, "name", cls.__name__))


def _get_domains(cls: type) -> dict[str, Mapping[str, Any]]:
    return {entry.name: entry.metadata for entry in fields(cls) if "meaning" in entry.metadata}


def _describe_symbol(domain: Mapping[str, Any]) -> str:
    return f"; also {domain['symbol']}" if domain["symbol"] else ""


def _get_default(cls: type, name: str) -> object:
    return next(entry.default for entry in fields(cls) if entry.name == name)


def _check_number(value: object, name: str, domain: Mapping[str, Any], place: str) -> Fraction | int:
    number = as_fraction(value, name=name, place=place)
    least, most = domain["least"], domain["most"]
    if domain["integer"] and number.denominator != 1:
        raise BadValue(f"{name} is {value}", place=place, remedy="give a whole number")
    if (least is not None and number < least) or (most is not None and number > most):
        kind = "a whole number" if domain["integer"] else "a number"
        ends = f"up to {most}" if least is None else f"from {least} on" if most is None else f"from {least} to {most}"
        raise BadValue(f"{name} is {value}", place=place, remedy=f"give {kind} {ends}")
    finest = domain.get("finest")
    if finest is not None and number.denominator > finest:
        problem = f"'{name}' is a fraction of {number.denominator:,} parts"
        raise BadValue(problem, place=place, remedy=f"give fewer decimals, at most {finest:,} parts")
    return int(number) if domain["integer"] else number
