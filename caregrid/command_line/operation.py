"""An operation: one typed function, from which its command, help, checks and completion are made.

    @operation(group="Self-reflection in extended environments")
    def theory(example: str, agent: str = "always:0", *, turns: HistoryTurns = 20) -> TheoryResult:
        \"\"\"Let an agent interact with an example of the formal theory, exactly.

        Parameters
        ----------
        example : str
            A name, such as deja_vu.
        \"\"\"

A parameter without default is given by its place on the command line, and so are `*several`; each other one by an
option of its name: a flag where it is True or False, repeatable where it is a tuple. A `Word` in an annotation says
what else a command line needs. Docstrings have numpydoc's sections: the text, and a text for each parameter.

Annotations are read with `engine.value_types`: the same types read words and check the arguments of Python callers.
`check_arguments` refuses arguments of the wrong type in one line before anything is done, also in functions that are
no operations. A number of numpy's becomes Python's own. A parameter is looked at where its annotation is made of value
types alone; `**options: Unpack[RunOptions]` has the annotations of that class. Where a call fails and one of its
arguments cannot even be looked at, that argument is named.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import numbers
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ParamSpec, TypeVar, Unpack, get_args, get_origin

from engine.errors import BadValue, CaregridError, ContractBroken, did_you_mean
from engine.files import keep_sources
from engine.plain_values import make_python_value
from engine.printable import name_type, show_value
from engine.user_code import describe_exception, describe_place
from engine.value_types import FLAG, ValueType, annotations_of, check, value_types

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


@dataclass(frozen=True)
class Documentation:
    """summary: the first sentence. text: what follows it, up to the first section. parameters: name -> text."""

    summary: str
    text: str
    parameters: dict[str, str] = field(default_factory=dict)


def read_documentation(docstring: str) -> Documentation:
    """Read a docstring: its summary, its text, and its section Parameters."""
    parts = SECTION.split(inspect.cleandoc(docstring))
    summary, _, text = parts[0].partition("\n\n")
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    return Documentation(" ".join(summary.split()), text.strip("\n"), _definitions(sections.get("Parameters", "")))


def _definitions(section: str) -> dict[str, str]:
    """Name -> text of a list of definitions; "a, b : int" defines both."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.strip("\n").split("\n"):
        if line and not line[0].isspace():
            names = [name.strip().lstrip("*") for name in line.partition(" :")[0].split(",")]
            found |= dict.fromkeys(names, "")
        else:
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    return found


WRITTEN = ("out", "record")
"""The parameters of all operations that name what is written."""
NO_DEFAULT: Any = inspect.Parameter.empty
MAKERS: dict[str, str] = {}
"""Name -> "module:function" that makes a parameter from words of its own, such as a problem from --map and --set."""


@dataclass(frozen=True)
class Word:
    """How a parameter stands on the command line; each field has a rule where it is left out.

    metavar: what stands for the value in help. kinds: of entries whose names a shell offers. option: the spelling,
    where Python reserves the word. by_place: given by its place although it has a default. default: in place of the
    Python default. hidden: not on the command line. several: whether it may be given several times. needed: whether the
    command line must give it. made_by: the function of MAKERS whose parameters stand in the place of this one and whose
    result it is; of these, only and without choose some, required are those that have no default here; only chooses
    fields of `**options`, too. lazy: the
    parameter is a `functools.partial` of the maker with the words that were given, to be called when it is needed.
    """

    metavar: str = ""
    kinds: tuple[str, ...] = ()
    option: str = ""
    by_place: bool = False
    default: Any = NO_DEFAULT
    hidden: bool = False
    several: bool = False
    needed: bool = False
    made_by: str = ""
    lazy: bool = False
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    def parts(self) -> list[Parameter]:
        """Return the parameters of the function in `made_by` that the command line shows."""
        every = [part for part in parameters_of(find_maker(self.made_by)) if not part.word.hidden]
        shown = [part for part in every if part.name not in self.without and part.name in (self.only or (part.name,))]
        return [replace(part, default=NO_DEFAULT) if part.name in self.required else part for part in shown]


@dataclass(frozen=True)
class Parameter:
    """A parameter as the command line and the help see it.

    name: in Python. types: what it may be; none for an object. default: `NO_DEFAULT` where it must be given. several:
    whether it is a tuple of words. word: what the command line needs beside. text: its documentation. variadic: whether
    Python takes any number of them, `*name`.
    """

    name: str
    types: tuple[ValueType, ...]
    default: Any
    several: bool
    word: Word
    text: str
    keyword_only: bool
    variadic: bool = False

    @property
    def is_flag(self) -> bool:
        """Whether it is an option without a value."""
        return self.types == (FLAG,)

    @property
    def by_place(self) -> bool:
        """Whether it is given by its place."""
        return self.word.by_place or self.variadic or (self.required and not self.keyword_only)

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is NO_DEFAULT

    @property
    def spelling(self) -> str:
        """The option, such as --others-steps, or what stands for an argument that is given by its place."""
        if self.by_place:
            return self.metavar
        return self.word.option or f"--{self.name.replace('_', '-')}"

    @property
    def metavar(self) -> str:
        """What stands for the value in help."""
        return self.word.metavar or (self.types[0].metavar if self.types else self.name.upper())


@dataclass(frozen=True)
class Operation:
    """What a command is made of.

    function: the Python function. group: where `caregrid --help` lists it. schema: of its JSON. instead: options of
    the command line alone, each a name in MAKERS: the command prints what that function returns, with the options that
    it takes, in place of the operation's result. It is a flag, or takes the value of the function's parameter of that
    name. pictures: whether it shows or writes pictures, so that the command has --dark.
    """

    function: Callable[..., Any]
    group: str
    schema: str
    instead: tuple[str, ...] = ()
    pictures: bool = False

    @property
    def name(self) -> str:
        """The command, such as best_responses."""
        return self.function.__name__.rstrip("_")

    @functools.cached_property
    def documentation(self) -> Documentation:
        """The docstring, in sections."""
        return read_documentation(self.function.__doc__ or "")

    @functools.cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What the command line takes: the function's own parameters, and those that help to make one of them."""
        shown = [parameter for parameter in self._all if not parameter.word.hidden]
        own = [parameter for parameter in shown if not parameter.word.made_by]
        parts = [part for parameter in shown if parameter.word.made_by for part in parameter.word.parts()]
        return (*own, *parts, *map(_make_option, self.instead))

    @functools.cached_property
    def _all(self) -> list[Parameter]:
        return parameters_of(self.function)

    @functools.cached_property
    def prints_json(self) -> bool:
        """Whether it has a result; what is shown in a window has none."""
        return annotations_of(inspect.unwrap(self.function)).get("return") is not None

    def call(self, values: Mapping[str, Any]) -> Any:
        """Call the function; no file that it reads is one that it writes.

        values: those of the command line, by the names of `parameters`.
        """
        with keep_sources(values.get(name) for name in WRITTEN):
            return self._call(values)

    def _call(self, values: Mapping[str, Any]) -> Any:
        if flag := next((name for name in self.instead if values.get(name)), None):
            return _bind(find_maker(flag), parameters_of(find_maker(flag)), values)()
        arguments: dict[str, Any] = {}
        for parameter in self._all:
            if parameter.word.made_by:
                make = _bind(find_maker(parameter.word.made_by), parameter.word.parts(), values)
                arguments[parameter.name] = make if parameter.word.lazy else make()
            elif parameter.name in values:
                arguments[parameter.name] = values[parameter.name]
        several = next((arguments.pop(one.name, ()) for one in self._all if one.variadic), ())
        return self.function(*several, **arguments)


def accept_operation(thing: Any) -> Operation:
    """Return the operation of a function, or one itself; ContractBroken for anything else."""
    declared = thing if isinstance(thing, Operation) else getattr(thing, "operation", None)
    if not isinstance(declared, Operation):
        remedy = "decorate a function: @operation(group=...)"
        raise ContractBroken(f"{show_value(thing)} is not an operation", place=describe_place(thing), remedy=remedy)
    return declared


def _bind(
    function: Callable[..., Any], parameters: Sequence[Parameter], values: Mapping[str, Any]
) -> functools.partial[Any]:
    """Return a function with those of the values that are its parameters, to be called without arguments."""
    names = {parameter.name for parameter in parameters}
    return functools.partial(function, **{name: value for name, value in values.items() if name in names})


def _make_option(name: str) -> Parameter:
    """The option that asks for what a function of MAKERS returns: its own parameter, or a flag with its summary."""
    for parameter in parameters_of(find_maker(name)):
        if parameter.name == name:
            return replace(parameter, default=None, keyword_only=True)
    summary = read_documentation(find_maker(name).__doc__ or "").summary
    return Parameter(name, (FLAG,), False, False, Word(), summary, keyword_only=True)


def operation(
    *, group: str, schema: str = "", instead: Sequence[str] = (), pictures: bool = False
) -> Callable[[Callable[Arguments, Returned]], Callable[Arguments, Returned]]:
    """Make a function an operation: its arguments are checked, and a command is made from it.

    Parameters
    ----------
    group : str
        Where `caregrid --help` lists the command.
    schema : str
        The entry of `caregrid list schemas` that its JSON has; the command's name by default.
    instead : texts
        Options of the command line alone, names in MAKERS: what such a function returns is printed instead.
    pictures : bool
        Whether it shows or writes pictures: the command has --dark, as Python has `caregrid.dark_pictures`.
    """

    def declare(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
        made = check_arguments(function)
        vars(made)["operation"] = Operation(
            made, group, schema or function.__name__.rstrip("_"), tuple(instead), pictures
        )
        return made

    return declare


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a function in their order, the fields of an `Unpack`ed class of options at the end."""
    function = inspect.unwrap(function)
    annotations = annotations_of(function)
    texts = read_documentation(function.__doc__ or "").parameters
    found: list[Parameter] = []
    for name, one in inspect.signature(function).parameters.items():
        annotation = annotations.get(name)
        if one.kind is one.VAR_KEYWORD:
            options, said = _unpack(annotation)
            texts = read_documentation(said).parameters | texts
            found += [
                _parameter(key, kind, None, texts.get(key, ""), keyword_only=True) for key, kind in options.items()
            ]
        elif one.kind is one.VAR_POSITIONAL:
            each = _parameter(name, annotation, (), texts.get(name, ""), keyword_only=False)
            found.append(replace(each, several=True, variadic=True))
        else:
            found.append(_parameter(name, annotation, one.default, texts.get(name, ""), one.kind is one.KEYWORD_ONLY))
    return found


def _parameter(name: str, annotation: Any, default: Any, text: str, keyword_only: bool) -> Parameter:
    word = next((part for part in get_args(annotation) if isinstance(part, Word)), Word())
    plain = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    listed = get_origin(plain) is tuple and get_args(plain)[1:] == (...,)
    types = value_types(get_args(plain)[0] if listed else annotation)
    used = NO_DEFAULT if word.needed else default if word.default is NO_DEFAULT else word.default
    return Parameter(name, types, used, listed or word.several, word, text, keyword_only or word.needed)


def find_maker(name: str) -> Callable[..., Any]:
    """Return the function of MAKERS that has a name."""
    module, _, function = MAKERS[name].partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


DEEPEST = 2
LARGEST = 1000
_LOOKS: dict[str, Callable[[object], object]] = {
    "whose class cannot be read": lambda value: (value.__class__, isinstance(value, str)),
    "whose attributes cannot be read": lambda value: hasattr(value, "name"),
    "that cannot be compared": lambda value: value == "",
    "that cannot be hashed": lambda value: {value},
}


OTHER_WORDS = {
    "between": ("care_min", "care_max"),
    "care_range": ("care_min", "care_max"),
    "confirm": ("yes",),
    "confirmed": ("yes",),
    "cores": ("workers",),
    "cpus": ("workers",),
    "effort": ("yes", "quiet"),
    "file": ("out",),
    "gamma": ("discount",),
    "jobs": ("workers",),
    "n_jobs": ("workers",),
    "options": ("set",),
    "output": ("out",),
    "params": ("set",),
    "processes": ("workers",),
    "progress": ("quiet",),
    "settings": ("set",),
    "silent": ("quiet",),
    "timeout": ("unit_timeout",),
    "verbose": ("quiet",),
    "world": ("scenario",),
}
"""Words that other programs and people use -> ours, for the remedy of a parameter that does not exist."""


def suggest_parameter(name: str, parameters: Iterable[str]) -> str:
    """The remedy for a parameter, or an option, that does not exist: one of that meaning, or those spelled alike."""
    by_word = {parameter.lstrip("-").replace("-", "_"): parameter for parameter in parameters}
    others = OTHER_WORDS.get(name.lower().lstrip("-").replace("-", "_"), ())
    if meant := [by_word[word] for word in others if word in by_word]:
        return "did you mean " + " and ".join(f"'{parameter}'" for parameter in meant) + "?"
    return did_you_mean(name, by_word.values())


def check_arguments(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """The function, refusing arguments whose plain type is not the annotated one: BadValue names the parameter."""
    signature = inspect.signature(function)
    several = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD), "")
    in_a_row = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_POSITIONAL), "")

    @functools.cache
    def read_allowed() -> tuple[dict[str, tuple[ValueType, ...]], tuple[str, ...]]:
        """The types of each parameter, and the names of all, none where any name is taken; read at the first call."""
        annotations = annotations_of(function)
        unpacked, _ = _unpack(annotations.get(several))
        types = {name: value_types(kind) for name, kind in {**annotations, **unpacked}.items()}
        names = [name for name in signature.parameters if name != several]
        return types, () if several and not unpacked else (*names, *unpacked)

    def plain(name: str, value: Any) -> Any:
        if name == several:
            return value  # a dictionary, of which each is looked at
        if name == in_a_row and isinstance(value, tuple):
            return tuple(plain_one(name, each) for each in value)
        return plain_one(name, value)

    def plain_one(name: str, value: Any) -> Any:
        kinds = read_allowed()[0].get(name, () if name in signature.parameters else read_allowed()[0].get(several, ()))
        check(name, value, kinds, function.__name__)
        if isinstance(value, numbers.Real) and any(kind.schema.get("type") == "number" for kind in kinds):
            return value if isinstance(value, int | float) and type(value).__module__ == "builtins" else float(value)
        if hasattr(type(value), "__index__") and any(kind.schema.get("type") == "integer" for kind in kinds):
            return value if isinstance(value, bool) else operator.index(value)
        return make_python_value(value) if kinds else value

    @functools.wraps(function)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        names = read_allowed()[1]
        if names and (unknown := next((name for name in named if name not in names), None)):
            remedy = suggest_parameter(unknown, [name for name in names if name != "self"])
            raise TypeError(f"{function.__qualname__}: got an unexpected keyword argument '{unknown}'; {remedy}")
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{function.__qualname__}: {error}") from None
        options = bound.arguments.get(several, {})
        try:
            for values in (bound.arguments, options):
                for name, value in values.items():
                    values[name] = plain(name, value)
            return function(*bound.args, **bound.kwargs)
        except CaregridError:
            raise
        except Exception as error:
            for name, value in {**bound.arguments, **options}.items():
                if failure := _find_failure(value):
                    raise BadValue(f"{name} is {failure}", place=function.__name__, remedy="mend it there") from error
            raise

    return call


class ChecksArguments:
    """A class whose public methods, and those of the classes that derive from it, check their arguments so."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, method in list(vars(cls).items()):
            function = method.__func__ if isinstance(method, classmethod) else method
            if name.startswith("_") or not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
                continue
            if len(inspect.signature(function).parameters) > 1:
                checked = check_arguments(function)
                setattr(cls, name, classmethod(checked) if isinstance(method, classmethod) else checked)


def _unpack(annotation: Any) -> tuple[dict[str, Any], str]:
    """The fields of the class in `Unpack[CLASS]` with their annotations, and its docstring; nothing of other keywords.

    Each may be left out. `Unpack[Annotated[CLASS, Word(only=...)]]` has some of them alone.
    """
    if get_origin(annotation) is not Unpack:
        return {}, ""
    [options] = get_args(annotation)
    plain, only = options, ()
    if get_origin(options) is Annotated:
        plain, word = get_args(options)
        only = word.only
    fields = annotations_of(plain)
    return {name: fields[name] for name in only or fields}, plain.__doc__ or ""


def _find_failure(value: object, depth: int = DEEPEST) -> str:
    """Return which object, of what is given or of its entries, raises when it is looked at, and what; "" for none."""
    if type(value) in (list, tuple, set, frozenset, dict):
        return _find_failure_within(value, depth)
    for what, look in _LOOKS.items():
        try:
            look(value)
        except TypeError as error:
            if "hash" not in what:  # lists and the like have none
                return _describe_failure(value, what, error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a user's own method may raise anything
            return _describe_failure(value, what, error)
    return ""


def _find_failure_within(value: object, depth: int) -> str:
    if not depth or not isinstance(value, list | tuple | set | frozenset | dict) or len(value) > LARGEST:
        return ""
    entries = [*value, *value.values()] if isinstance(value, dict) else [*value]
    return next(filter(None, (_find_failure(entry, depth - 1) for entry in entries)), "")


def _describe_failure(value: object, what: str, error: BaseException) -> str:
    return f"an object of type {name_type(value)} {what}: {describe_exception(error)}"
