"""The contract of a kind as a table, `Contract`, and one walker that reads it, `check_contract`.

    FILM_FORMAT = Contract("film format", instance_of=FilmFormat,
                           fields=(Field("modules", "expected a tuple of names", is_name_tuple),),
                           methods=(Method("encode(film)", "the bytes of a file", attribute="encoder"),))
    FORMATS = Registry("renderers.formats", "film format", accept=FILM_FORMAT.accept)

The walker looks at what a thing declares, and is cheap: every entry passes it when it is asked for, so that
`caregrid validate` and use accept the same things. A deep check (`check_scenario`, `check_agent`, ...) builds an
accepted thing as its users would and calls it. `DeclaredFunction` is the base of kinds whose entries are functions. All
raise ContractBroken for the first fault: the file and class, the method, what it returned, what was expected.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, NoReturn, TypeVar

from engine.errors import ContractBroken, add_article
from engine.printable import show_value
from engine.user_code import OWN_PACKAGES, describe_place, find_package, find_users_line, user_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST_RANGE = 10_000_000
READINGS = 6  # after which a value counts as one that does not change
STEADY_PACKAGES = ("builtins", "fractions", "types", "numpy", "gymnasium", *OWN_PACKAGES)  # their values stay the same
MISSPELT = 0.85  # how near a name is to another one, of 1, to be taken for it
Accepted = TypeVar("Accepted")


class Field(NamedTuple):
    """A value that a thing declares.

    name: of the attribute. remedy: what to declare, such as "expected a function". holds: whether a value is right.
    """

    name: str
    remedy: str
    holds: Callable[[Any], bool]


class Method(NamedTuple):
    """A method, or a function in an attribute, that a thing offers.

    call: how it is called, such as "step(state, action)". returns: what it returns, in words; "" where nothing is
    asked of that. holds: whether a value is so. attribute: where it is, by default under the name in `call`.
    """

    call: str
    returns: str = ""
    holds: Callable[[Any], bool] | None = None
    attribute: str = ""

    @property
    def name(self) -> str:
        """The attribute that holds it."""
        return self.attribute or self.call.partition("(")[0]

    @property
    def arguments(self) -> int:
        """With how many positional arguments it is called."""
        inside = self.call.partition("(")[2].rstrip(")")
        return len(inside.split(",")) if inside else 0

    def ask(self, owner: Any, *arguments: Any) -> Any:
        """Call it; raise ContractBroken where it raises or returns anything but what it should."""
        value = call_method(owner, self.name, *arguments)
        if self.holds is not None and not self.holds(value):
            refuse(owner, self.name, value, self.returns)
        return value


@dataclass(frozen=True)
class Contract(Generic[Accepted]):
    """What the entries of a kind must offer.

    kind: what an entry is called in messages. derives: the class that an entry is derived from, defining its abstract
    methods; what it overrides is called as the class says. instance_of: the class that an entry is an instance of.
    With neither, an entry is a function where a remedy says what to define, and else any object with the methods.
    called: how an entry itself is called, such as "MyEngine(options)" for a class. fields, methods: what an entry
    declares and offers beside. also: classes whose instances stand for entries, such as families of them, and are
    accepted as they are. place: where messages about fields say that they are, in words, by default the kind.
    convert: makes an entry of something else that users may write, such as a plain function, and leaves entries as
    they are. require: raises ContractBroken for what no row of the table says.
    """

    kind: str
    derives: type | None = None
    instance_of: type | None = None
    remedy: str = ""
    called: str = ""
    fields: tuple[Field, ...] = ()
    methods: tuple[Method, ...] = ()
    also: tuple[type, ...] = ()
    place: str | Callable[[Any], str] = ""
    convert: Callable[[Any], Any] | None = None
    require: Callable[[Any], None] | None = None

    def accept(self, thing: Any) -> Accepted:
        """Return a thing as the kind wants it; raise ContractBroken for the first row of the table that it breaks."""
        accepted: Accepted = check_contract(thing, self)
        return accepted


def check_contract(thing: Any, contract: Contract[Any]) -> Any:
    """Return a thing as its kind wants it; raise ContractBroken for the first row of the table that it breaks.

    What was returned once is returned as it is.
    """
    entry = thing if contract.convert is None else contract.convert(thing)
    if isinstance(entry, contract.also):
        return entry
    if contract.derives is not None:
        require_class(entry, contract.derives, contract.kind)
        require_overrides(entry, contract.derives)
    elif contract.instance_of is not None:
        require_instance(entry, contract.instance_of, contract.kind)
    elif contract.remedy:
        require_callable(entry, contract.kind, contract.remedy)
    else:
        require_methods(entry, [method.name for method in contract.methods], contract.kind)
    if contract.called:
        count = Method(contract.called).arguments
        if contract.derives is None:
            require_parameters(entry, count, contract.called)
        else:
            require_parameters(entry.__init__, 1 + count, contract.called)
    for field in contract.fields:
        if not field.holds(getattr(entry, field.name)):
            _refuse_declared(entry, field.name, field.remedy, contract)
    for method in contract.methods:
        function = getattr(entry, method.name)
        if not callable(function):
            without = "" if method.arguments else " without arguments"
            _refuse_declared(entry, method.name, f"expected a function{without}", contract)
        require_parameters(function, method.arguments, method.call)
    if contract.require is not None:
        contract.require(entry)
    return entry


def _refuse_declared(entry: Any, name: str, remedy: str, contract: Contract[Any]) -> NoReturn:
    place = contract.place(entry) if callable(contract.place) else contract.place or contract.kind
    raise ContractBroken(f"{name} is {show_value(getattr(entry, name))}", place=place, remedy=remedy)


def is_name_tuple(value: Any) -> bool:
    """Return whether a value is a tuple of texts that are not empty."""
    return isinstance(value, tuple) and all(isinstance(one, str) and one for one in value)


def is_mapping_of_texts(value: Any) -> bool:
    """Return whether a value is a mapping from texts to texts."""
    return isinstance(value, Mapping) and all(isinstance(one, str) for one in (*value, *value.values()))


def is_tuple_of(value: Any, kind: type) -> bool:
    """Return whether a value is a tuple of at least one instance of a class."""
    return isinstance(value, tuple) and bool(value) and all(isinstance(one, kind) for one in value)


def is_text(value: Any) -> bool:
    """Return whether a value is a text that is not empty."""
    return isinstance(value, str) and bool(value)


def require_class(thing: Any, base: type, kind: str) -> None:
    """Raise ContractBroken unless `thing` is a class derived from `base` that defines every abstract method.

    kind: what it should be, in words, such as "scenario".
    """
    if not (inspect.isclass(thing) and issubclass(thing, base)):
        raise ContractBroken(
            f"{show_value(thing)} is not {add_article(kind)}",
            place=describe_place(thing),
            remedy=f"derive a class from {base.__name__}",
        )
    missing = sorted(getattr(thing, "__abstractmethods__", ()))
    if missing:
        raise ContractBroken(
            f"no {_quote_names(missing)}",
            place=describe_place(thing),
            remedy=f"define what {base.__name__} leaves open",
        )


def require_instance(thing: Any, expected: type, kind: str) -> None:
    """Raise ContractBroken unless `thing` is an instance of the class `expected`."""
    if not isinstance(thing, expected):
        raise ContractBroken(
            f"{show_value(thing)} is not {add_article(kind)}",
            place=describe_place(thing),
            remedy=f"make {add_article(expected.__name__)}",
        )


def require_callable(thing: Any, kind: str, remedy: str) -> None:
    """Raise ContractBroken unless `thing` can be called. kind: what it should be, in words. remedy: what to define."""
    if not callable(thing):
        raise ContractBroken(
            f"{show_value(thing)} is not {add_article(kind)}", place=describe_place(thing), remedy=remedy
        )


def require_methods(thing: Any, methods: Iterable[str], kind: str) -> None:
    """Raise ContractBroken, naming the methods that are missing, unless `thing` has all of them.

    kind: what it should be, in words.
    """
    missing = [name for name in methods if not callable(getattr(thing, name, None))]
    if missing:
        raise ContractBroken(
            f"no {_quote_names(missing)}",
            place=describe_place(thing),
            remedy=f"{add_article(kind)} defines {_quote_names(methods)}",
        )


def require_parameters(function: Callable[..., Any], count: int, expected: str) -> None:
    """Raise ContractBroken unless a function can be called with `count` positional arguments.

    expected: the call in words, such as "step(state, action)". Functions that do not say are believed; those that
    would have to be awaited are refused.
    """
    if inspect.iscoroutinefunction(function):
        raise ContractBroken("is async", place=describe_place(function), remedy="write def in the place of async def")
    if not takes_arguments(function, count):
        problem = f"takes {inspect.signature(function)}"
        raise ContractBroken(problem, place=describe_place(function), remedy=f"it is called as {expected}")


def takes_arguments(function: Callable[..., Any], count: int) -> bool:
    """Return whether a function can be called with `count` positional arguments; one that does not say is believed."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def require_function(field: str, function: Any, count: int, expected: str) -> None:
    """Raise ContractBroken unless a field of a declaration holds a function of `count` positional arguments.

    expected: the call in words, such as "step(state, action)". A message names the line that makes the declaration.
    """
    if not callable(function):
        remedy = f"give a function that is called as {expected}"
        raise ContractBroken(f"{field} is {show_value(function)}", place=find_users_line(), remedy=remedy)
    require_parameters(function, count, expected)


def require_overrides(thing: type, base: type) -> None:
    """Raise ContractBroken unless every public method of `base` that a class overrides can be called as there."""
    for name, method in inspect.getmembers(base, inspect.isfunction):
        own = getattr(thing, name, method)
        if name.startswith("_") or own is method:
            continue
        if not callable(own):
            raise ContractBroken(
                f"its '{name}' is not a method", place=describe_place(thing), remedy=f"define '{name}'"
            )
        parameters = list(inspect.signature(method).parameters)
        require_parameters(own, len(parameters), f"{name}({', '.join(parameters)})")
    refuse_misspelt(thing, base)


def refuse_misspelt(thing: type, base: type) -> None:
    """Raise ContractBroken for a method that only a misspelt override explains: near one of `base`, called by none."""
    methods = {name for name, each in vars(thing).items() if inspect.isfunction(each) and not name.startswith("_")}
    called = {name for method in vars(thing).values() for name in _list_names(method)}
    left = [name for name, _ in inspect.getmembers(base, inspect.isfunction) if name not in methods]
    for name in sorted(methods.difference(dir(base), called)):
        for near in difflib.get_close_matches(name, left, n=1, cutoff=MISSPELT):
            raise ContractBroken(
                f"nothing calls its '{name}'", place=describe_place(thing), remedy=f"did you mean '{near}'?"
            )


def _list_names(method: Any) -> tuple[str, ...]:
    """Names in the code of a method or property."""
    function = getattr(method, "fget", None) or getattr(method, "__func__", method)
    return function.__code__.co_names if inspect.isfunction(function) else ()


def call_method(owner: Any, method: str, *arguments: Any, **settings: Any) -> Any:
    """Call a user's method; raise ContractBroken with the user's file and line where it raises.

    The method of a function is "__call__". A call that does not raise costs next to nothing.
    """
    try:
        return getattr(owner, method)(*arguments, **settings)
    except BaseException:
        with user_code(describe_place(owner) if method == "__call__" else f"{describe_place(owner)}, {method}"):
            raise


def require_steady(thing: Any, names: Iterable[str] = ()) -> None:
    """Raise ContractBroken where an attribute has another value when it is read again.

    Only a property, a class that answers for its attributes, and a container of a user's own can do so. names: of the
    attributes, beside those that the classes of ours declare from which the thing derives.
    """
    kind: Any = type(thing)
    for name in (*names, *_list_declared(kind)):
        if not _is_stored(thing, name):
            try:
                value = getattr(thing, name)
            except Exception:  # whoever needs it says so
                continue
            _require_repeated(thing, name, value, functools.partial(getattr, thing, name))


def call_steadily(owner: Any, method: str, read: Callable[[Any], Any] = lambda answer: answer) -> Any:
    """Call a method without arguments, as `call_method` does; ContractBroken where the answer differs when asked again.

    read: what of an answer is compared.
    """
    first = call_method(owner, method)
    if find_package(owner) not in OWN_PACKAGES:
        _require_repeated(owner, method, read(first), lambda: read(call_method(owner, method)))
    return first


def _require_repeated(thing: Any, name: str, value: Any, read: Callable[[], Any]) -> None:
    """Raise ContractBroken where something is not the same each time that it is read."""
    before = _freeze(value)
    for again in (read() for _ in range(READINGS - 1)):
        if _freeze(again) != before:
            raise ContractBroken(
                f"its '{name}' is {show_value(value)}, and {show_value(again)} when it is read again",
                place=describe_place(thing),
                remedy="let it be one value, such as an attribute that __init__ gives",
            )


def _freeze(value: Any) -> Any:
    """Return what a value is equal by; what is no data, such as a function, is not compared.

    What a mapping is made of may change as it is read, such as a count of readings; its entries may not.
    """
    from engine.mdp.enumeration.frozen_values import freeze_value, is_opaque

    if is_opaque(value):  # spaces of Gymnasium are equal where they hold the same
        return value if any("__eq__" in vars(base) for base in type(value).__mro__[:-1]) else None
    return freeze_value(dict(value.items()) if isinstance(value, Mapping) else value)


@functools.lru_cache(maxsize=4096)
def _list_declared(kind: type) -> tuple[str, ...]:
    """Return the attributes that the classes of ours declare from which a class derives, but for methods."""
    names: dict[str, None] = {}
    for base in kind.__mro__:
        if find_package(base) in OWN_PACKAGES:
            named = (*vars(base).get("__annotations__", ()), *vars(base))
            names |= dict.fromkeys(name for name in named if not name.startswith("_"))
    return tuple(name for name in names if not callable(getattr(kind, name, None)))


def _is_stored(thing: Any, name: str) -> bool:
    """Return whether an attribute is a property of ours, or a stored value whose class no user has written."""
    if find_package(type(thing).__getattribute__) != "builtins":
        return False
    held = inspect.getattr_static(thing, name, None)
    if hasattr(type(held), "__get__"):
        computes = getattr(held, "fget", None) or getattr(held, "func", None)
        return computes is not None and find_package(computes) in OWN_PACKAGES
    return held is not None and find_package(type(held)) in STEADY_PACKAGES


def read_array(value: Any) -> NDArray[Any]:
    """Return a value as an array, of dtype object where it is no array, such as rows of different lengths.

    A range too long for memory is no array either.
    """
    import numpy as np

    try:
        if isinstance(value, range) and len(value) > LONGEST_RANGE:
            raise ValueError("too long")
        return np.asarray(value)
    except Exception:
        none = np.empty((), dtype=object)
        none[()] = value
        return none


def refuse(owner: Any, method: str, given: Any, expected: str) -> NoReturn:
    """Raise ContractBroken: `kitchen.py, class Kitchen: step gave 3; expected a pair`.

    owner: the object whose method it is. given: the value that it returned. expected: the right value, in words.
    """
    raise ContractBroken(
        f"{method} gave {show_value(given)}", place=describe_place(owner), remedy=f"expected {expected}"
    )


def _quote_names(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


DeclaredKind = TypeVar("DeclaredKind", bound="DeclaredFunction")


@dataclass(frozen=True)
class DeclaredFunction:
    """Base of the kinds that are functions; a subclass is used as a decorator.

    Raises ContractBroken unless the function can be called with the kind's arguments.
    kind: what an entry is called in messages. arguments: the names of the function's arguments.
    """

    function: Callable[..., Any]

    kind: ClassVar[str]
    arguments: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        require_parameters(self.function, len(self.arguments), f"{self.name}({', '.join(self.arguments)})")
        object.__setattr__(self, "__doc__", self.function.__doc__)
        object.__setattr__(self, "__module__", self.function.__module__)

    __wrapped__ = property(attrgetter("function"))  # what messages name

    @property
    def name(self) -> str:
        """The function's name."""
        return str(getattr(self.function, "__name__", "function"))

    def call(self, *arguments: Any) -> Any:
        """Return what the function returns; ContractBroken, with the file and line, where it raises."""
        with user_code(describe_place(self.function)):
            return self.function(*arguments)

    @classmethod
    def accept(cls: type[DeclaredKind], thing: Any) -> DeclaredKind:
        """Return the declaration, or a plain function made one; ContractBroken for everything else."""
        made = cls(thing) if inspect.isfunction(thing) else thing
        return Contract[DeclaredKind](cls.kind, instance_of=cls).accept(made)


def takes_argument(function: Callable[..., Any], name: str) -> bool:
    """Return whether a function declares an argument of that name."""
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
