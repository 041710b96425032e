"""A user's own code: objects named `module:attribute`, and what their exceptions and warnings say in one line.

A name stands for a public object that the module itself defines: no attribute of an attribute, nothing that it imports.
A person types such a name and means it; a file may come from anybody, and may name code only where the user says that
the file is trusted. Whoever reads a file resolves its names within `names_of_file`. The working directory is searched
after everything installed, so that a user's folder called `engine` hides nothing of ours. Whatever goes wrong inside a
user's code becomes a ContractBroken that names the user's file and line.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from engine.errors import BadFile, BadValue, CaregridError, ContractBroken, add_article, argument, did_you_mean
from engine.printable import make_printable, print_notice, shorten

LONGEST = 400  # characters of an exception's own text
MACHINERY = str(Path(__file__).resolve().parent)
OWN_PACKAGES = (
    "caregrid",
    "engine",
    "craftworld",
    "xenv",
    "multislot",
    "counterfactual",
    "renderers",
    "experiments",
)  # `caregrid.at_import`, which nothing can be imported before, has the same
OURS = str(Path(__file__).resolve().parents[1]) + os.sep
_other_registries: dict[str, str] = {}
_NAME = re.compile(r"([^\W\d][\w.]*):([^\W\d]\w*)")
_file: ContextVar[str] = ContextVar("names_of_file", default="")


def find_package(thing: Any) -> str:
    """Return the top-level package or module of a module, a class, a function, or of the class of an object."""
    while isinstance(thing, functools.partial):
        thing = thing.func
    own = "__name__" if isinstance(thing, ModuleType) else "__module__"
    return str(getattr(thing, own, None) or type(thing).__module__).partition(".")[0]


class UntrustedCode(BadFile):
    """A file names code, and the user has not said that the file is trusted."""


def register_other_registry(kind: str, module: str) -> None:
    """Let files name the attributes of a module of ours, which stand for entries of another library's registry."""
    _other_registries[kind] = module


@contextmanager
def names_of_file(path: str | Path, trust: bool = False) -> Iterator[None]:
    """Treat names as those of a file. trust: whether the user says that the code it names may be imported."""
    token = _file.set("" if trust else str(path))
    try:
        yield
    finally:
        _file.reset(token)


def require_trusted(name: str, kind: str) -> None:
    """Raise UntrustedCode where `module:attribute` stands in a file that is not trusted. kind: what is looked for."""
    path = _file.get()
    module = name.partition(":")[0]
    if path and _other_registries.get(kind) != module:
        raise UntrustedCode(
            f"it names code, {name}, for which the module '{module}' would be imported",
            place=path,
            remedy=f"add {argument('trust', True)} if you trust it",
        )


def require_trusted_content(content: Any, kind: str) -> None:
    """Raise UntrustedCode for the first `module:attribute` in the content of a file, before any name is resolved."""
    for name in find_code_names(content):
        require_trusted(name, kind)


def find_code_names(content: Any) -> Iterator[str]:
    """Find every `module:attribute` in a file's content, also inside longer texts.

    Names of another library's registry are not code.
    """
    if isinstance(content, str):
        spelled = "".join(content.split()).replace("-", "_")
        names = (found.group() for found in _NAME.finditer(spelled))
        yield from (name for name in names if name.partition(":")[0] not in _other_registries.values())
    elif isinstance(content, Mapping):
        for key, value in content.items():
            yield from find_code_names(key)
            yield from find_code_names(value)
    elif isinstance(content, list | tuple):
        for value in content:
            yield from find_code_names(value)


def names_user_code(name: str) -> bool:
    """Return whether a name looks like `module:attribute`: a dotted Python name, a colon, and a name without dots."""
    module, colon, attribute = name.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), attribute))


def load_user_code(name: str, kind: str) -> Any:
    """Import the object that `module:attribute` names.

    name: the module as Python imports it in the working directory, a colon, a public attribute that the module defines
    itself. kind: what it should be, for messages. Raises BadValue where the name is not of this form or nothing of the
    module's own is found, UntrustedCode where it comes from a file, ContractBroken where importing the module fails.
    """
    if not names_user_code(name):
        raise BadValue(
            f"'{name}' is not {add_article(kind)}", place=kind, remedy="write module:attribute for one of your own"
        )
    require_trusted(name, kind)
    module_name, _, attribute = name.partition(":")
    if attribute.startswith("_"):
        raise BadValue(f"'{attribute}' begins with '_', so it is not public", place=kind, remedy="name a public object")
    _refuse_standard(module_name, kind)
    module = _import_module(module_name, kind)
    if not hasattr(module, attribute):
        remedy = did_you_mean(attribute, _list_own_names(module))
        raise BadValue(f"no '{attribute}' in it", place=describe_place(module), remedy=remedy)
    found = getattr(module, attribute)
    if elsewhere := _describe_origin(module, attribute, found):
        remedy = "name an object in the file that defines it"
        raise BadValue(
            f"'{attribute}' is not defined there: it is {elsewhere}", place=describe_place(module), remedy=remedy
        )
    return found


def _list_own_names(module: ModuleType) -> list[str]:
    """List the public names of a module's own objects."""
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    return [name for name, value in public.items() if not _describe_origin(module, name, value)]


def _describe_origin(module: ModuleType, name: str, found: Any) -> str:
    """Describe where an attribute comes from, such as `os:getcwd`; "" where the module defines it.

    Classes and functions say where they were defined. Other objects do not, so the module's source is read: what is
    assigned there is its own, unless the value is only the name of something imported.
    """
    if isinstance(found, ModuleType):
        return f"the module {found.__name__}"
    home, called = "", ""
    with suppress(Exception):  # an object of a user's own may have any attribute, or fail when asked
        home, called = str(found.__module__), str(found.__qualname__)
    home = home if called else ""
    bindings = _read_bindings(module)
    made_by_getattr = not home and name not in vars(module)
    if home == module.__name__ or bindings.get(name, "?") == "" or made_by_getattr or (not bindings and not home):
        return ""
    return f"{home}:{called}" if home else f"imported from {bindings.get(name, 'elsewhere')}"


def _read_bindings(module: ModuleType) -> dict[str, str]:
    """Read name -> from where a module's source imports it, "" where it is defined there; {} without source."""
    with suppress(Exception):
        tree = ast.parse(module.__spec__.loader.get_source(module.__name__))  # type: ignore[union-attr]
        return dict(_collect_bindings(tree, {}))
    return {}


def _collect_bindings(node: ast.AST, known: dict[str, str]) -> dict[str, str]:
    """Add to `known` the names that the statements of a block bind, except inside functions and classes."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Import | ast.ImportFrom):
            origin = getattr(part, "module", None)
            known |= {alias.asname or alias.name.partition(".")[0]: origin or alias.name for alias in part.names}
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            known[part.name] = ""
        elif isinstance(part, ast.Assign | ast.AnnAssign):
            root: Any = part.value
            while isinstance(root, ast.Attribute):
                root = root.value
            origin = known.get(root.id, "") if isinstance(root, ast.Name) else ""
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            known |= {each.id: origin for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            known[part.id] = ""
        elif not isinstance(part, ast.Lambda | ast.expr_context):
            _collect_bindings(part, known)
    return known


def _refuse_standard(name: str, kind: str) -> None:
    """Raise BadValue, before any import, for a module of Python itself, which holds nothing of a kind of ours."""
    top = name.partition(".")[0]
    spec = importlib.util.find_spec(top) if top in sys.stdlib_module_names else None
    if spec is None or (spec.has_location and spec.origin and is_users_file(spec.origin)):
        return
    _refuse_hidden(name, spec.origin if spec.has_location else None)
    raise BadValue(f"'{top}' is a module of Python itself", place=kind, remedy="name a module of your own")


def _import_module(name: str, kind: str) -> ModuleType:
    directory = os.getcwd()
    if directory not in sys.path:
        sys.path.append(directory)
    importlib.invalidate_caches()
    with user_code(f"{kind} in {name}"):
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            top = name.split(".")[0]
            remedy = f"write '{top}', without .py" if os.path.isfile(name) else f"run where {top}.py is"
            raise BadValue(f"no module '{name}' here", place=kind, remedy=remedy) from None
        except (BadValue, ContractBroken) as error:
            if ".py" in error.place:
                raise
            place = ", ".join(filter(None, (find_raising_line(error), error.place)))
            raise error.move_to(place) from error
    _refuse_hidden(name, getattr(module, "__file__", None))
    return module


def _refuse_hidden(name: str, loaded: str | None) -> None:
    """Raise BadValue where the working directory holds a file of this name but another one is loaded."""
    own = Path(os.getcwd(), *name.split(".")).with_suffix(".py")
    if os.path.isfile(own) and (loaded is None or not own.samefile(loaded)):
        raise BadValue(
            f"'{own.name}' is hidden by the module '{name}' at {loaded or 'the interpreter'}", remedy="rename your file"
        )


@contextmanager
def user_code(place: str) -> Iterator[None]:
    """Turn whatever a user's code raises into ContractBroken: place, exception, and the user's file and line.

    Where a method's result fails later, in our code, the remedy is the checker. Our own errors pass as they are, and so
    do KeyboardInterrupt, errors of memory and the end of a generator, but not SystemExit.
    """
    try:
        yield
    except (CaregridError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        if isinstance(error, GeneratorExit) and not is_raised_by_users(error):
            raise
        file = place.partition(",")[0]
        elsewhere = (
            file.endswith(".py") and not is_raised_by_users(error) and not find_raising_line(error).startswith(file)
        )
        remedy = "'caregrid validate' names the method" if elsewhere else "mend it there"
        if "truth value of an array" in read_exception(error):
            remedy = "write where(condition, yes, no) in place of if; a scenario may say one_by_one = True instead"
        raise ContractBroken(describe_exception(error), place=place, remedy=remedy) from error


def describe_exception(error: BaseException) -> str:
    """Describe an exception by the deepest line of the user's own: `kitchen.py, line 12: ValueError: no key`."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    text, place = read_exception(error), find_raising_line(error)
    where = f"{place}: " if place else ""
    return f"{where}{type(error).__name__}{': ' if text else ''}{text}"


def read_exception(error: BaseException) -> str:
    """Read the text of an exception, in one line of bounded length."""
    try:
        text = " ".join(str(error).split())
    except BaseException:
        return "an exception that cannot be printed"
    listed = LISTED_NAMES.fullmatch(text[:20_000])
    if listed is not None and len(names := re.findall(r"[\w./:-]+", listed["names"])) >= MOST_LISTED:
        text = f"{listed['head'].rstrip(' .')}; {did_you_mean(listed['name'], names)}"
    return shorten(text, LONGEST)


LISTED_NAMES = re.compile(
    r"(?P<head>.*\b[Uu]n\w+ .*'(?P<name>[^']+)'[^:]*?)[.,;] *"
    r"(?:[Aa]vailable|[Kk]nown|[Rr]egistered)[^:]*: *(?P<names>.+)"
)
"""How libraries refuse a name: `Unknown game 'go_fsh'. Available games are: ...`, all of them."""
MOST_LISTED = 10


def is_raised_by_users(error: BaseException) -> bool:
    """Return whether an exception passed through a line of the user's own."""
    return any(is_users_file(frame.filename) for frame in traceback.extract_tb(error.__traceback__))


def find_raising_line(error: BaseException) -> str:
    """Find where an exception was raised, `kitchen.py, line 12`: the deepest line that is the user's own, or "".

    Without one, as for a contributor's entry among ours, the deepest line that is not this package's machinery.
    """
    every = list(traceback.extract_tb(error.__traceback__))
    users = [frame for frame in every if is_users_file(frame.filename)]
    frames = users or [frame for frame in every if _is_entry(frame.filename)] or every
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""


def find_users_line() -> str:
    """Find the innermost line now being run that is the user's own, `kitchen.py, line 12`, or "".

    Without one, as for a contributor's entry among ours, the innermost line of a module that is being imported.
    """
    every = traceback.extract_stack()[::-1]
    users = [frame for frame in every if is_users_file(frame.filename)]
    entries = [frame for frame in every if frame.name == "<module>" and _is_entry(frame.filename)]
    return next((f"{Path(frame.filename).name}, line {frame.lineno}" for frame in users or entries), "")


def is_users(thing: Any) -> bool:
    """Return whether the class of an object is written in a file of a user's own."""
    return is_users_file(getattr(sys.modules.get(type(thing).__module__), "__file__", None) or "<no file>")


def is_users_file(filename: str) -> bool:
    """Return whether a file is neither installed, as the command itself is, nor one of this repository."""
    path = os.path.abspath(filename)
    if os.path.dirname(path) == os.path.dirname(sys.executable):
        return False
    installed = f"{os.sep}site-packages{os.sep}" in path or path.startswith(os.path.dirname(os.__file__) + os.sep)
    return not filename.startswith("<") and not path.startswith(OURS) and not installed


def _is_entry(filename: str) -> bool:
    """Return whether a file may be an entry of ours: of this repository, but not of this package, nor the command."""
    path = os.path.abspath(filename)
    if os.path.dirname(path) == os.path.dirname(sys.executable):
        return False
    return not filename.startswith("<") and path.startswith(OURS) and not path.startswith(f"{MACHINERY}{os.sep}")


def describe_place(thing: Any) -> str:
    """Describe, for messages, where a class, function, module or object was written: `kitchen.py, class Kitchen`."""
    if isinstance(thing, ModuleType):
        return Path(getattr(thing, "__file__", None) or thing.__name__).name
    with suppress(Exception):  # an object of a user's own may have any attribute, or fail when asked
        thing = inspect.unwrap(thing, stop=inspect.isclass)  # what a decorator made of a thing is where the thing is
    subject = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
    word = "class" if inspect.isclass(subject) else "function"
    module = sys.modules.get(getattr(subject, "__module__", "") or "")
    file = getattr(module, "__file__", None)
    name = getattr(subject, "__qualname__", type(thing).__name__)
    return f"{Path(file).name}, {word} {name}" if file else f"{word} {name}"


@contextmanager
def users_warnings(tell: Callable[[str, str], None] = print_notice) -> Iterator[None]:
    """Pass on the warnings of a user's own files, one line each, once a line of code; leave other warnings as they are.

    tell: takes `kitchen.py, line 12: UserWarning: no key` and its subject, which is all but the last part.
    """
    show_others = warnings.showwarning
    told: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not is_users_file(filename) or file is not None:
            show_others(message, category, filename, lineno, file, line)
        elif (subject := f"{Path(filename).name}, line {lineno}: {category.__name__}") not in told:
            told.add(subject)
            text = read_exception(message) if isinstance(message, Warning) else message
            tell(make_printable(f"{subject}: {text}"), subject)

    warnings.showwarning = show
    try:
        yield
    finally:
        if warnings.showwarning is show:
            warnings.showwarning = show_others
