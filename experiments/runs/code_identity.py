"""Which code makes an experiment's rows, by its meaning: what `run` and `together` reach, each part with a digest.

    part = "module.name": BLAKE2b(bytecode with its constants, defaults, closure, the names that it reaches)

The walk begins at `run` and follows names through modules, classes and their bases, closures, partials, containers and
objects, and imports inside functions, in the author's own modules and in ours. Of an installed package the version
counts. Of a registry those entries count whose names the settings or the code that was reached spell. Files that the
experiment declares, and those that a `Path` or a text of the author's modules names, count by their content.

Names may be looked up instead of written. A module of the author's that is used otherwise than for an attribute (by
`getattr`, or passed on), or that a text names beside `import_module`, counts as a whole; so does the module of a
function that uses `eval`, `exec` or `globals`. What the author's modules do when they are imported counts, too: see
`experiments/runs/bytecode.py`.

Comments, docstrings, layout, annotations and the names of local variables are not in it; the names of parameters are.

Choices
- Two identities differ where a part that both have differs, or the version of a package. Where only one of them
  has a part, another part that differs leads to it, or only one of them names it as an entry.
- The order of a dict's items counts as the author's module writes them: it may come from a set, and so differ from
  process to process.
- A module's value that functions of the module change, such as a cache in a dict, counts by the statements of the
  module that name it and by the functions and classes in it, which a decorator may have registered, not by its data.
- What has no meaning that can be read (a generator, an open file, an object that does not pickle) is noted as unknown.
- Of our own modules that load numba, scipy or the like, which takes longer than many a unit, the whole module counts,
  and is not imported.
- Bytecode of different releases of Python cannot be compared: there the versions differ, and nothing more is said.
"""

from __future__ import annotations

import ast
import contextlib
import copyreg
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import platform
import random
import sys
import sysconfig
import zlib
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from importlib.machinery import SourceFileLoader
from pathlib import Path, PurePath
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from engine.errors import BadFile, ContractBroken
from engine.registry import Registry, list_called_names, spell_name
from engine.user_code import OWN_PACKAGES, find_package, load_user_code, names_user_code
from experiments.provenance import digest_file
from experiments.runs.bytecode import (
    DIGITS,
    describe_code,
    digest_texts,
    list_bare_names,
    list_changed,
    list_imports,
    list_names,
    list_texts,
    read_effects,
)

MOST_NAMED = 3
LONGEST_WORD = 80
PYTHON = "python"
_OURS = Path(__file__).resolve().parents[2]


class CodeIdentity(NamedTuple):
    """What an experiment's rows are made by.

    parts: name -> digest. versions: of Python and of each installed package that is reached. unknown: name -> why
    nothing can be said about it.
    """

    parts: Mapping[str, str]
    versions: Mapping[str, str]
    unknown: Mapping[str, str]

    def as_dict(self) -> dict[str, Any]:
        """As a segment keeps it."""
        return {name: dict(sorted(value.items())) for name, value in self._asdict().items()}

    def differences(self, stored: CodeIdentity) -> list[str]:
        """In what a stored identity differs, a few words each; [] where it is the same code as far as one can know."""
        versions = [
            f"{name} was {theirs}, is {self.versions[name]}"
            for name, theirs in sorted(stored.versions.items())
            if self.versions.get(name, theirs) != theirs
        ]
        if self.versions.get(PYTHON) != stored.versions.get(PYTHON):
            return versions
        changed = [name for name, digest in stored.parts.items() if self.parts.get(name, digest) != digest]
        return [*sorted(changed, key=lambda name: (name.partition(".")[0] in OWN_PACKAGES, name)), *versions]


def read_code_identity(content: Any) -> CodeIdentity | None:
    """Return the identity that a segment or manifest holds; None where it holds none."""
    fields = [content.get(name) if isinstance(content, dict) else None for name in CodeIdentity._fields]
    if not all(isinstance(field, dict) and all(isinstance(one, str) for one in field.values()) for field in fields):
        return None
    parts, versions, unknown = ({**field} for field in fields if field is not None)
    return CodeIdentity(parts, versions, unknown)


class CodeLetter(NamedTuple):
    """The identity of a session's code, as it is sent to workers. content: packed; words, files: as it was made."""

    content: bytes
    words: tuple[str, ...]
    files: tuple[str | Path, ...]


def seal_code(code: CodeIdentity, words: Iterable[str], files: Iterable[str | Path]) -> CodeLetter:
    """Pack an identity; in this process it counts as compared."""
    letter = CodeLetter(zlib.compress(json.dumps(code).encode()), tuple(words), tuple(files))
    _compared.add(letter)
    return letter


_compared: set[CodeLetter] = set()


def require_same_code(letter: CodeLetter, *functions: Callable[..., Any] | None) -> None:
    """Compare what is loaded here with a session's code, once in a process; ContractBroken where it is other code."""
    if letter in _compared:
        return
    theirs = CodeIdentity(*json.loads(zlib.decompress(letter.content)))
    ours = identify_code(*functions, files=letter.files, words=letter.words)
    if differences := ours.differences(theirs):
        raise ContractBroken(
            f"the worker {platform.node()}-{os.getpid()} has loaded other code than this session: "
            f"{list_few(differences)}",
            place=find_package(functions[0]),
            remedy="start workers anew after a change, with the same files on every machine",
        )
    _compared.add(letter)


def list_few(differences: Iterable[str]) -> str:
    """Return the first of these, and how many more there are."""
    listed = list(differences)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more


def identify_code(
    *functions: Callable[..., Any] | None, files: Iterable[str | Path] = (), words: Iterable[str] = ()
) -> CodeIdentity:
    """The identity of what makes rows. files: data that it reads. words: in the settings, which may name entries."""
    walk = _Walk(functions)
    for word in words:
        walk.describe(word)
    for number, function in enumerate(each for each in functions if each is not None):
        walk.add_root(function, number)
    for file in files:
        walk.add_file(Path(file))
    walk.finish()
    versions = {PYTHON: platform.python_version(), **walk.versions}
    return CodeIdentity(walk.parts, versions, walk.unknown)


def digest_authors_code(*things: Any) -> str:
    """Return a digest of the author's own code that these objects are made of, or that names among them lead to."""
    names = [each for each in things if isinstance(each, str)]
    objects = [each for each in things if each is not None and not isinstance(each, str)]
    code = identify_code(functools.partial(tuple, objects), words=names)
    own = {name: digest for name, digest in code.parts.items() if name.partition(".")[0] not in OWN_PACKAGES}
    return digest_texts([json.dumps(own, sort_keys=True)])


# ---- the walk over objects ----

HEAVY = frozenset(("gymnasium", "numba", "scipy"))
PLAIN = (type(None), bool, int, float, complex, bytes, type(Ellipsis), type(NotImplemented), range)
NOT_THE_AUTHORS = """
    __doc__ __module__ __qualname__ __name__ __dict__ __weakref__ __annotations__ __annotate__ __annotate_func__
    __annotations_cache__ __firstlineno__ __static_attributes__ __abstractmethods__ _abc_impl __parameters__
    __orig_bases__ __slotnames__ __dataclass_fields__ __file__ __cached__ __spec__ __loader__ __builtins__
    __package__ __path__"""
MADE_BY_PYTHON = frozenset(NOT_THE_AUTHORS.split())
LOOK_UP_ANYTHING = frozenset(("eval", "exec", "globals"))
IMPORT_ANYTHING = frozenset(("import_module", "__import__"))
NAME_MODULES = IMPORT_ANYTHING | {"modules", "run_module"}
CODE = (type, FunctionType, functools.partial)
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: not one of the interpreter's own
MADE_BY_INTERPRETER = (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
WITHOUT_ROWS = ("experiments.runs.engines",)
"""Registries whose entries decide where and when something is computed, never what it gives."""
FILLED_BY_READING = frozenset(("defaultdict", "ContextVar", "_local"))
STATE_ONLY = (
    "_thread.lock",
    "_thread.RLock",
    "_thread._local",
    "_contextvars.ContextVar",
    "logging.Logger",
    "random.SystemRandom",
)


GLOBAL_GENERATORS = (random.random.__self__, np.random.random.__self__)  # type: ignore[attr-defined]


@runtime_checkable
class DecidingParts(Protocol):
    """An object that says which of its parts decide an experiment's rows; the others may change as it is used."""

    def deciding_parts(self) -> tuple[Any, ...]:
        """Return the parts that decide."""


class _Unknowable(Exception):
    """Something has no meaning that can be read."""


class _Walk:
    """What was reached so far, and what waits to be described."""

    def __init__(self, functions: Iterable[Callable[..., Any] | None]) -> None:
        self.parts: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        self.unknown: dict[str, str] = {}
        self._waiting: list[tuple[str, Any]] = []
        self._named: dict[str, Any] = {}
        self._described: dict[tuple[int, str], tuple[Any, str]] = {}
        self._open: dict[int, int] = {}
        self._lowest = 0
        self._words: set[str] = set()
        self._own_names: set[str] = set()
        self._registries: dict[str, Registry[Any]] = {}
        self._entries: dict[str, frozenset[str]] = {}
        self._modules: dict[str, bool] = {}  # the author's that were reached -> whether their effects were described
        self._own = {*OWN_PACKAGES, *(find_package(function) for function in functions if function is not None)}

    def note_word(self, word: str) -> None:
        """Note a text that may be the name of a registry's entry."""
        if len(word) <= LONGEST_WORD:
            self._words.add(spell_name(word))

    def _note_own_name(self, word: str) -> None:
        """Have what a user's `module:attribute` names described, too."""
        if word not in self._own_names and names_user_code(word):
            self._own_names.add(word)
            with contextlib.suppress(Exception):  # whoever uses the name says what is wrong with it
                self._refer_entry(f"'{word}'", load_user_code(word, "name"))

    def _note_file(self, word: str, folder: Path) -> None:
        """Have a file's content count where a text of the author's code names one, from here or the code's folder."""
        if "." in word and len(word) <= LONGEST_WORD and word.isprintable():
            for place in {Path(word), folder / word}:
                if place.is_file():
                    self.parts[f"file {place.name}"] = digest_file(place)[:DIGITS]

    def add_root(self, function: Any, number: int) -> None:
        """Begin with a function, a partial of one, or anything else that can be called."""
        self._describe_part(("what runs a unit", "what runs units together")[min(number, 1)], function, self.describe)

    def add_file(self, path: Path) -> None:
        """Add the content of a file of data; BadFile where it cannot be read."""
        content = digest_file(path)
        if not content:
            raise BadFile("a declared file cannot be read", place=str(path), remedy="see `files` of the experiment")
        self.parts[f"file {path.name}"] = content[:DIGITS]

    def finish(self) -> None:
        """Describe what waits, then the entries of registries that are named, until nothing new is reached."""
        entered: set[tuple[str, str]] = set()
        while self._waiting:
            while self._waiting:
                while self._waiting:
                    name, value = self._waiting.pop()
                    self._describe_part(name, value, self._describe_body)
                self._add_effects_of_imports()
            for package, registry in sorted(self._registries.items()):
                for word in sorted(self._words & self._entries[package]):
                    if (package, word) not in entered:
                        entered.add((package, word))
                        self._add_entry(registry, word)

    def _add_effects_of_imports(self) -> None:
        """Describe what the author's modules do when they are imported, and reach the modules that they import."""
        while names := [name for name, described in self._modules.items() if not described]:
            for name in names:
                self._modules[name] = True
                module = sys.modules[name]
                effects = read_effects(module)
                for imported in effects.imported:
                    self._reach_module(imported)
                if effects.code is not None:
                    function = FunctionType(effects.code, vars(module))
                    self._describe_part(f"{name} (when it is imported)", function, self._describe_function)

    def _reach_module(self, name: str) -> None:
        if name not in self._modules and name in sys.modules and self._is_authors(name):
            self._modules[name] = False

    def _add_entry(self, registry: Registry[Any], word: str) -> None:
        try:
            self._refer_entry(f"{registry.kind} '{word}'", registry[word])
        except Exception:  # a unit that uses it fails
            self.parts[f"{registry.kind} '{word}'"] = "cannot be loaded"

    def _refer_entry(self, name: str, entry: Any) -> None:
        """Have an entry described under its own name, or this one."""
        self._own.add(find_package(entry))
        self._named[name] = entry
        self._waiting.append((name, entry))

    def _describe_part(self, name: str, value: Any, describe: Callable[[Any], str]) -> None:
        try:
            self.parts[name] = digest_texts([describe(value)])
        except _Unknowable as reason:
            self.unknown[name] = str(reason)
        except RecursionError:
            self.unknown[name] = "it is nested too deeply"
        except Exception as error:  # whatever an object of the author's raises when it is looked at
            self.unknown[name] = f"looking at it raised {type(error).__name__}"

    def _describe_body(self, value: Any) -> str:
        """Return the description of a part itself, where others only refer to it."""
        if isinstance(value, FunctionType):
            return self._describe_function(value)
        if isinstance(value, type) and self._is_walked(value.__module__):
            return self._describe_class(value)
        return self.describe(value)

    def describe(self, value: Any) -> str:
        """Return a short text that is the same for values of the same meaning."""
        if isinstance(value, str) and type(value) is str:
            for name in list_called_names(value):
                self.note_word(name)
                self._note_own_name(name)
            if self._modules:
                self._note_file(value, Path())
            return f"str {_shorten_place(value)!r}"
        if isinstance(value, PLAIN) and type(value) in PLAIN:
            return f"{type(value).__name__} {value!r}"
        return self._once(value, self._describe_compound)

    def _once(self, value: Any, describe: Callable[[Any], str]) -> str:
        """Describe an object, once where nothing in it refers to what is around it."""
        key = (id(value), describe.__name__)
        known = self._described.get(key)
        if known is not None:
            return known[1]
        depth = len(self._open)
        if id(value) in self._open:
            self._lowest = min(self._lowest, self._open[id(value)])
            return f"{depth - self._open[id(value)]} above"
        outer, self._lowest = self._lowest, depth
        self._open[id(value)] = depth
        try:
            text = describe(value)
            if self._lowest >= depth:  # nothing in it refers to what is around it
                self._described[key] = (value, text)
        finally:
            del self._open[id(value)]
            self._lowest = min(outer, self._lowest)
        return text

    def _describe_compound(self, value: Any) -> str:
        kind = type(value)
        if kind in (tuple, list):
            return digest_texts([kind.__name__, *map(self.describe, value)])
        if kind in (dict, MappingProxyType):
            return digest_texts(["dict", *sorted(digest_texts(map(self.describe, pair)) for pair in value.items())])
        if kind in (set, frozenset):
            return digest_texts(["set", *sorted(map(self.describe, value))])
        if isinstance(value, ModuleType):
            name = self._note_module(value.__name__)
            return self._follow_whole(value) if self._is_authors(name) else f"module {name}"
        if isinstance(value, type):
            if self._is_walked(value.__module__):
                return self._refer(value)
            return self._name_installed(value) if _is_found_by_name(value) else self._describe_class(value)
        if isinstance(value, FunctionType):
            return self._refer(value) if self._is_walked(value.__module__) else self._name_installed(value)
        if isinstance(value, functools.partial):
            return digest_texts(["partial", *map(self.describe, (value.func, value.args, value.keywords))])
        if isinstance(value, MethodType):
            return digest_texts(["method", self.describe(value.__func__), self.describe(value.__self__)])
        if isinstance(value, staticmethod | classmethod):
            return digest_texts([kind.__name__, self.describe(value.__func__)])
        if isinstance(value, property):
            return digest_texts(["property", *map(self.describe, (value.fget, value.fset, value.fdel))])
        if isinstance(value, functools.cached_property):
            return digest_texts(["cached property", self.describe(value.func)])
        if isinstance(value, Registry):
            key = f"{value.package} {value.kind}"
            if key not in self._registries:
                self._registries[key] = value
                self._entries[key] = frozenset(() if value.package in WITHOUT_ROWS else value.names())
            return f"registry {value.package}"
        if isinstance(plain := getattr(value, "py_func", None), FunctionType):  # compiled by numba
            options = getattr(value, "targetoptions", {})
            return digest_texts(["compiled", self.describe(plain), self.describe(options), self.describe(kind)])
        if isinstance(plain := getattr(getattr(value, "_dispatcher", None), "py_func", None), FunctionType):
            return digest_texts(["ufunc", self.describe(plain), self.describe(kind)])
        if isinstance(wrapped := getattr(value, "__wrapped__", None), FunctionType) and not hasattr(value, "__dict__"):
            return digest_texts(["wrapper", self.describe(wrapped)])
        if kind.__name__ == "_lru_cache_wrapper" and isinstance(wrapped, FunctionType):
            return digest_texts(["cached", self.describe(wrapped)])
        return self._describe_object(value)

    def _describe_object(self, value: Any) -> str:
        """Return an object of any class: an array, an enum's member, a path, what pickling would keep."""
        kind = type(value)
        if isinstance(value, Enum):
            return digest_texts([self.describe(kind), value.name, self.describe(value.value)])
        if isinstance(value, PurePath):
            return self._describe_path(value)
        if isinstance(value, BuiltinFunctionType) and not isinstance(value.__self__, ModuleType | type | None):
            return digest_texts(["bound", value.__name__, self.describe(value.__self__)])
        if isinstance(value, np.ufunc) and getattr(sys.modules["numpy"], value.__name__, None) is not value:
            if not (top := _find_ufunc(value)):
                raise _Unknowable(f"a ufunc, {value.__name__}, does not say of what it was made")
            return f"installed {self._note_module(top)}.{value.__name__}"
        if isinstance(value, MADE_BY_INTERPRETER):
            return self._name_installed(value)
        if f"{kind.__module__}.{kind.__name__}" in STATE_ONLY:
            return f"a {kind.__name__}"
        if kind.__module__ == "numpy" and hasattr(value, "tobytes"):
            return self._describe_array(value)
        if kind.__module__.startswith("scipy.sparse") and hasattr(value, "tocoo"):  # the rest is what it has found out
            entries = value.tocoo(copy=True)
            entries.sum_duplicates()
            coordinates = np.array([entries.row, entries.col])
            return digest_texts([self.describe(kind), *map(self.describe, (value.shape, coordinates, entries.data))])
        if isinstance(value, CodeType):
            return _digest_module(value)
        if inspect.isgenerator(value) or inspect.iscoroutine(value) or inspect.isframe(value):
            raise _Unknowable(f"a {kind.__name__} is what it is only while it lives")
        if kind.__module__.partition(".")[0] in OWN_PACKAGES and hasattr(value, "identity") and _holds_words(value):
            return digest_texts([self.describe(kind), self.describe(dict(value.identity()))])
        if isinstance(value, DecidingParts):
            return digest_texts([self.describe(kind), self.describe(value.deciding_parts())])
        if any(value is each for each in GLOBAL_GENERATORS):
            return "a global generator"
        try:
            reducer = copyreg.dispatch_table.get(kind)
            reduced = reducer(value) if reducer else value.__reduce_ex__(4)
        except Exception:
            raise _Unknowable(f"an object of {kind.__name__} does not say what it holds") from None
        if isinstance(reduced, str):
            return f"{kind.__module__}.{reduced}"
        make, arguments, *more = reduced
        state = _leave_out_cached(value, more[0]) if more else None
        listed = [list(each) if each is not None else None for each in more[1:3]]
        return digest_texts(map(self.describe, [kind, make, arguments, state, *listed]))

    def _describe_array(self, value: Any) -> str:
        self._note_module("numpy")
        if value.dtype.hasobject:
            return digest_texts(["objects", str(value.shape), self.describe(value.tolist())])
        content = hashlib.blake2b(value.tobytes(), digest_size=DIGITS // 2).hexdigest()
        return f"array {value.dtype.str} {value.shape} {content}"

    def _describe_path(self, value: PurePath) -> str:
        place = _shorten_place(str(value))
        if isinstance(value, Path) and value.is_file():
            return f"file {value.name} {digest_file(value)}"
        return f"path {place}"

    def _refer(self, value: Any) -> str:
        """Refer to a function or class by its name, and have it described as a part; what has no name stands here."""
        name = f"{value.__module__}.{value.__qualname__}"
        self._reach_module(value.__module__)
        if "<" in value.__qualname__:
            return self._describe_body(value)
        while self._named.get(name, value) is not value:
            name += "'"
        if name not in self._named:
            self._named[name] = value
            self._waiting.append((name, value))
        return f"of {name}"

    def _name_installed(self, value: Any) -> str:
        module = getattr(value, "__module__", None) or getattr(getattr(value, "__objclass__", None), "__module__", "")
        self._note_module(str(module or "builtins"))
        return f"installed {module}.{getattr(value, '__qualname__', getattr(value, '__name__', type(value).__name__))}"

    # ---- functions and classes ----

    def _describe_function(self, function: FunctionType) -> str:
        names = [name for name in sorted(list_names(function.__code__)) if name in function.__globals__]
        reached = [self._follow_global(function, name) for name in names if name not in MADE_BY_PYTHON]
        if self._is_authors(function.__module__):
            reached += self._follow_what_is_looked_up(function)
        for module, taken in list_imports(function.__code__, function.__globals__):
            reached.append(self._follow_import(module, taken, function.__code__))
        cells = {
            name: _read_cell(cell)
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        }
        order: dict[str, int] = {}
        code = describe_code(function.__code__, order)
        closure = [self.describe(cells[name]) for name in sorted(cells, key=lambda name: order.get(name, -1))]
        for word in list_texts(function.__code__):
            self.note_word(word)
        attributes = {name: value for name, value in vars(function).items() if name != "__wrapped__"}
        rest = [function.__defaults__, function.__kwdefaults__, attributes]
        return digest_texts(["function", code, *reached, *closure, *map(self.describe, rest)])

    def _follow_what_is_looked_up(self, function: FunctionType) -> list[str]:
        """What a function of the author's may use without naming it: whole modules, files, docstrings, subclasses."""
        code, names = function.__code__, list_names(function.__code__)
        bare, texts = list_bare_names(code), [*list_texts(code)]
        home = sys.modules.get(str(function.__globals__.get("__name__", "")))
        whole = [function.__globals__.get(name, sys.modules.get(name)) for name in sorted(bare)]
        if home is not None and bare & LOOK_UP_ANYTHING - vars(home).keys():
            whole += [home, *(one for _, one in sorted(vars(home).items()) if isinstance(one, ModuleType))]
        reached = [self.describe(one) for one in whole if isinstance(one, ModuleType)]
        if names & NAME_MODULES:
            texts += [one for name in sorted(names) if isinstance(one := function.__globals__.get(name), str)]
            spelled = [text for text in texts if text.isascii() and _find_places(text.partition(".")[0])]
            modules = [_import_spelled(one) for one in spelled if self._is_authors(one)]
            reached += [self._follow_whole(one) for one in modules if one is not None]
            if not spelled and names & IMPORT_ANYTHING:
                raise _Unknowable("it imports by a name that is not written in it")
        folder = Path(str(function.__globals__.get("__file__", ""))).parent
        for text in texts:
            self._note_file(text, folder)
        if "__doc__" in names:
            reached.append(self.describe([function.__doc__, function.__globals__.get("__doc__")]))
        if "__subclasses__" in names:
            kinds = [one for name in sorted(names) if isinstance(one := function.__globals__.get(name), type)]
            reached += [self.describe(one) for kind in kinds for one in _list_subclasses(kind)]
        return reached

    def _describe_class(self, kind: type) -> str:
        compiled = getattr(kind, "class_type", None)  # a jitclass of numba
        if isinstance(methods := getattr(compiled, "methods", None), dict):
            return digest_texts(["jitclass", self.describe(methods), str(getattr(compiled, "struct", ""))])
        texts = ["class", *map(self.describe, kind.__mro__[1:]), self.describe(type(kind))]
        state = list_changed(sys.modules.get(kind.__module__))
        for name, member in sorted(vars(kind).items()):
            if name in MADE_BY_PYTHON:
                continue
            texts.append(name)
            if f"{kind.__name__}.{name}" in state or (f".{name}" in state and not callable(member)):
                texts.append(self.describe(_list_code(member, kind.__module__)))
                if self._is_authors(kind.__module__):
                    texts += _list_statements(sys.modules[kind.__module__], name, kind.__qualname__.split("."))
            else:
                texts.append(self._describe_member(member))
        return digest_texts(texts)

    def _describe_member(self, member: Any) -> str:
        """Return a member of a class; its own functions are parts of the class."""
        if isinstance(member, FunctionType) and self._is_walked(member.__module__):
            return self._once(member, self._describe_function)
        return self.describe(member)

    def _follow_global(self, function: FunctionType, name: str) -> str:
        """Return what a function uses by a name of its module."""
        value = function.__globals__[name]
        if isinstance(value, ModuleType):
            return f"{name}: {self._follow_module(value, function.__code__)}"
        return self._refer_by_name(str(function.__globals__.get("__name__", "")), name, value)

    def _refer_by_name(self, home: str, name: str, value: Any) -> str:
        """Refer to a value by its name, and have it described as a part; functions and classes have their own names."""
        if isinstance(value, type | FunctionType) and "<" not in value.__qualname__:
            return f"{name}: {self.describe(value)}"
        part = f"{home}.{name}"
        self._reach_module(home)
        if part not in self._named:
            self._named[part] = value
            if type(value).__name__ in FILLED_BY_READING or name in list_changed(sys.modules.get(home)):
                self.parts[part] = digest_texts(_list_statements(sys.modules[home], name))
                value = _list_code(value, home)
                part = f"{part} (its functions)"
            self._waiting.append((part, value))
            if isinstance(value, dict) and home in sys.modules and home.partition(".")[0] not in OWN_PACKAGES:
                self.parts[f"{part} (its order)"] = digest_texts(_list_statements(sys.modules[home], name))
        return f"{name}: of {part}"

    def _follow_module(self, module: ModuleType, code: CodeType) -> str:
        """Return what a function uses of a module by attributes."""
        self._note_module(module.__name__)
        if not self._is_walked(module.__name__):
            return f"module {module.__name__}"
        return self._follow_names(module, list_names(code) - {module.__name__.rpartition(".")[2]})

    def _follow_whole(self, module: ModuleType) -> str:
        """Return all that a module of the author's holds."""
        names = [name for name, value in vars(module).items() if not isinstance(value, ModuleType)]
        return self._follow_names(module, {*names})

    def _follow_names(self, module: ModuleType, names: set[str]) -> str:
        reached = []
        for name in sorted((names | {"__getattr__"}) & vars(module).keys() - MADE_BY_PYTHON):
            value = vars(module)[name]
            if not isinstance(value, ModuleType):
                reached.append(self._refer_by_name(module.__name__, name, value))
            elif value is not module and self._is_walked(self._note_module(value.__name__)):
                reached.append(f"{name}: {self._follow_names(value, names - {name})}")
        return digest_texts([module.__name__, *reached])

    def _follow_import(self, name: str, names: tuple[str, ...], code: CodeType) -> str:
        """Return what an import inside a function brings; what is installed is not imported for this."""
        self._note_module(name)
        if not self._is_walked(name):
            return f"module {name}"
        if loaded := _digest_heavy(name):
            self.parts |= {f"module {one}": digest for one, digest in loaded.items()}
            return f"module {name}"
        try:
            module = importlib.import_module(name)
            for one in names:
                if one != "*" and not hasattr(module, one):
                    importlib.import_module(f"{name}.{one}")
        except ImportError:
            return f"no module {name}"
        except Exception as error:
            self.unknown[name] = f"importing it raised {type(error).__name__}"
            return f"module {name}"
        below = [vars(module)[one] for one in names if isinstance(vars(module).get(one), ModuleType)]
        reached = [self._follow_module(one, code) for one in below]
        return digest_texts([*reached, self._follow_names(module, set(names) or list_names(code))])

    # ---- modules ----

    def _is_walked(self, module: str | None) -> bool:
        """Return whether a module is the author's or ours, and not part of Python or installed."""
        top = str(module or "").partition(".")[0]
        return top in self._own or _is_written_here(top)

    def _is_authors(self, module: str | None) -> bool:
        """Return whether a module is neither ours nor a part of Python nor installed."""
        return str(module or "").partition(".")[0] not in OWN_PACKAGES and self._is_walked(module)

    def _note_module(self, name: str) -> str:
        """Note the version of an installed package, or the content of the author's own compiled module."""
        self._reach_module(name)
        top = name.partition(".")[0]
        if self._is_walked(name):
            file = getattr(sys.modules.get(name), "__file__", None)
            if file and not file.endswith((".py", ".pyc")):
                self.parts[name] = digest_file(file)[:DIGITS]
        elif top and top not in sys.stdlib_module_names and (version := _find_version(top)):
            self.versions[top] = version
        return name


def _import_spelled(name: str) -> ModuleType | None:
    """Return the module that a text names; None for a text that only begins like one."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
    except Exception as error:
        raise _Unknowable(f"importing {name} raised {type(error).__name__}") from None


def _list_subclasses(kind: type) -> list[type]:
    """Return the subclasses of a class that still are what their names say, in the order of their names."""
    found: dict[str, type] = {}
    subclasses: list[type] = type.__subclasses__(kind)
    for below in subclasses:
        if _is_found_by_name(below):
            found |= {f"{one.__module__}.{one.__qualname__}": one for one in (below, *_list_subclasses(below))}
    return [found[name] for name in sorted(found)]


def _is_found_by_name(kind: type) -> bool:
    """Return whether a class is what its name stands for; one made by a call of the author's may not be."""
    if not kind.__flags__ & HEAP_TYPE or "<" in kind.__qualname__:
        return True
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def _find_ufunc(value: np.ufunc) -> str:
    """Return the installed package that has a ufunc, "" where none that is loaded has."""
    modules = [name for name in ("scipy.special",) if name in sys.modules]
    return next((name for name in modules if getattr(sys.modules[name], value.__name__, None) is value), "")


@functools.cache
def _is_written_here(top: str) -> bool:
    """Return whether a top-level package or module is neither a part of Python nor installed."""
    if top == "__main__":
        return True
    if not top or top in sys.stdlib_module_names or top in sys.builtin_module_names:
        return False
    places = [os.path.realpath(place) for place in _find_places(top)]
    if not places:
        return top in sys.modules  # one that was made by hand
    paths = sysconfig.get_paths()
    installed = tuple(os.path.realpath(paths[key]) + os.sep for key in ("stdlib", "platstdlib", "purelib", "platlib"))
    return not any(
        place.startswith(installed) or {"site-packages", "dist-packages"} & {*Path(place).parts} for place in places
    )


def _find_places(top: str) -> list[str]:
    """Return the folders or the file of a top-level package or module, which is not imported for this."""
    module = sys.modules.get(top)
    if module is not None:
        places = [*(vars(module).get("__path__") or ()), vars(module).get("__file__")]
    else:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):
            spec = None
        places = [*(spec.submodule_search_locations or ()), spec.origin] if spec else []
    return [place for place in places if place]


@functools.cache
def _find_version(top: str) -> str:
    """Return the version of the distribution that a package comes from, "" where nobody says."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(top)
    module = sys.modules.get(top)
    if module is not None and isinstance(getattr(module, "__version__", None), str):
        return str(module.__version__)
    if module is None and _find_places(top) == []:
        return ""
    names = importlib.metadata.packages_distributions().get(top, ())
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in sorted(set(names)))


def _digest_module(code: CodeType) -> str:
    """Return a digest of a whole module, its docstrings included, which takes less time than its meaning."""
    constants = [_digest_module(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    plain = [one if not one.startswith("frozenset(") else "".join(sorted(one)) for one in constants]
    return digest_texts([code.co_code.hex(), *code.co_names, *plain])


@functools.cache
def _digest_heavy(name: str) -> dict[str, str]:
    """The digests of a module of ours and of those of ours that it loads, where one loads what is HEAVY; else nothing.

    Such modules count as a whole, for importing them takes longer than many a unit.
    """
    found: dict[str, CodeType] = {}
    waiting = [name]
    heavy = False
    while waiting:
        module = waiting.pop()
        if module.partition(".")[0] not in OWN_PACKAGES or module in found:
            heavy = heavy or module.partition(".")[0] in HEAVY
            continue
        code, imported = _read_module(module)
        if code is not None:
            found[module] = code
            waiting += imported
    return {module: _digest_module(code) for module, code in found.items()} if heavy else {}


@functools.cache
def _read_module(name: str) -> tuple[CodeType | None, tuple[str, ...]]:
    """Return the code of a module of ours, None where there is no such file, and what it imports at its top."""
    file = _OURS.joinpath(*name.split("."))
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    code = SourceFileLoader(name, str(file)).get_code(name) if file.is_file() else None
    if code is None:
        return None, ()
    top = code.replace(co_consts=tuple(None if isinstance(one, CodeType) else one for one in code.co_consts))
    return code, tuple(
        module
        for taken, names in list_imports(top, {"__package__": name})
        for module in (taken, *(f"{taken}.{one}" for one in names))
    )


def _shorten_place(text: str) -> str:
    """Return a text with the folders of this machine left out, so that it is the same on another one."""
    if os.sep not in text:
        return text
    for place in sorted({os.getcwd(), *filter(os.path.isabs, sys.path)}, key=len, reverse=True):
        if len(place) > 1 and (text == place or text.startswith(place + os.sep)):
            return "..." + text[len(place) :]
    return text


def _leave_out_cached(value: Any, state: Any) -> Any:
    """Return the state of an object without what its cached properties have computed."""
    if not isinstance(state, dict):
        return state
    kind = type(value)
    return {
        name: one
        for name, one in state.items()
        if not isinstance(getattr(kind, str(name), None), functools.cached_property)
    }


def _holds_words(value: Any) -> bool:
    """Return whether an object of ours holds but words and numbers, which its `identity` spells in one way."""
    return all(isinstance(one, str | int | float | tuple | None) for one in vars(value).values())


def _read_cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _list_statements(module: ModuleType, name: str, within: Iterable[str] = ()) -> list[str]:
    """The statements of a module that give a name its first content, without their layout. within: nested classes."""
    try:
        body = ast.parse(inspect.getsource(module)).body
    except (OSError, TypeError, SyntaxError):
        return ["changes"]
    for outer in within:
        body = [one for each in body if isinstance(each, ast.ClassDef) and each.name == outer for one in each.body]
    statements = [one for one in body if not isinstance(one, ast.FunctionDef | ast.ClassDef | ast.Import)]
    return ["changes", *(ast.dump(one) for one in statements if _mentions(one, name))]


def _list_code(value: Any, module: str) -> list[Any]:
    """Return the functions and classes in what changes: those that a decorator has registered, not what a cache keeps.

    A module of ours registers nothing so: what it keeps is a cache, of the author's classes at times.
    """
    if module.partition(".")[0] in OWN_PACKAGES:
        return []
    entries = list(value.items()) if isinstance(value, dict) else [(None, one) for one in _list_items(value)]
    return [(name, code) for name, one in entries for code in _list_items(one) if isinstance(code, CODE)]


def _list_items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def _mentions(statement: ast.stmt, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement))
