"""Two digests of an experiment's code: of the source that makes its rows, and of the code that a process has loaded.

    source = BLAKE2b(of the syntax trees of `run` and of all that it reaches by name, without comments and docstrings)
    loaded = "PYTHON:BLAKE2b(bytecode and constants of a function, and of the author's own functions that it reaches)"

Source: names are followed through the module of `run` and through the author's own modules: those below the same
top-level package or, for a plain file, in the same folder; of a module that is imported as `worlds`, what is used
of it (`worlds.size`). Layout, comments, claims and figures are left out, so that only a change that may change rows
changes the digest. Data files and names made at run time are not seen.

Loaded: a worker knows by it that it runs the code of the session. The source beside a running worker may have been
changed since the worker loaded it; what is loaded decides. Digests of different releases of Python cannot be
compared.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import platform
import symtable
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

DIGITS = 32
WHOLE = ""  # in place of a part of a name
_OURS = Path(__file__).resolve().parents[3]


def digest_source(*functions: Callable[..., Any] | None) -> str:
    """The digest of functions; "" where the source of one cannot be read, as of one typed into a Python session."""
    digests = [_digest_source_of(function) for function in functions if function is not None]
    return "".join(digests[:1]) if len(digests) < 2 else _join_digests(digests)


def _join_digests(digests: list[str]) -> str:
    return hashlib.blake2b(" ".join(digests).encode(), digest_size=DIGITS // 2).hexdigest() if all(digests) else ""


def _digest_source_of(run: Callable[..., Any]) -> str:
    function = run
    words = ""
    while isinstance(function, functools.partial):
        words += repr(sorted(function.keywords)) if function.keywords else ""
        function = function.func
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    file = getattr(module, "__file__", None)
    name = getattr(function, "__qualname__", "")
    if file is None or not name or "<" in name or not inspect.isroutine(function):
        return ""
    return _digest_reached(str(Path(file).resolve()), module.__name__ if module else "", name.partition(".")[0], words)


@functools.lru_cache(maxsize=64)
def _digest_reached(file: str, module: str, name: str, words: str) -> str:
    reached = _Reached(find_authors_root(Path(file), module), module)
    reached.follow(Path(file), name)
    if not reached.found:
        return ""
    text = "\n".join([words, *(f"{key}: {shape}" for key, shape in sorted(reached.found.items()))])
    return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=DIGITS // 2).hexdigest()


def find_authors_root(file: Path, module: str) -> Path:
    """Below what a module's author has written: its top-level package, or for a plain file its folder.

    Of an entry of ours it is the entry's own folder, and of a plain file beside installed packages the file alone.
    """
    if _OURS in file.parents:
        return file.parent
    depth = module.count(".") + (file.name == "__init__.py")
    if depth:
        return file.parents[depth - 1]
    return file if file.parent.name in ("site-packages", "dist-packages") else file.parent


class _Reached:
    """What was reached so far. found: "file: name" -> shape of its definition."""

    def __init__(self, root: Path, module: str) -> None:
        self.root = root
        self.found: dict[str, str] = {}
        self._start = _OURS if _OURS in root.parents else root.parent if "." in module else root
        self._definitions: dict[Path, dict[str, list[ast.stmt]]] = {}

    def follow(self, file: Path, name: str) -> None:
        """Note the definition of a module's name, then whatever that names."""
        waiting: list[tuple[Path, str, str]] = [(file, name, WHOLE)]
        seen = set(waiting)
        while waiting:
            file, name, part = waiting.pop()
            names = self._read_definitions(file)
            statements = names.get(name) or names.get("*", [])  # else it comes from `from worlds import *`, if at all
            if not statements:
                continue
            key = f"{file.relative_to(self.root).as_posix() if self.root in file.parents else file.name}: {name}"
            self.found[key] = repr([_simplify_tree(statement) for statement in statements])
            for statement in statements:
                reached = {
                    *self._find_imports(file, statement, name, part),
                    *((file, *used) for used in _list_used_names(statement)),
                }
                waiting += reached - seen
                seen |= reached

    def _find_imports(self, file: Path, statement: ast.stmt, name: str, part: str) -> Iterator[tuple[Path, str, str]]:
        """What a statement imports from the author's own modules: names, each with the part of it that is used.

        name: which name the statement defines. part: what of it is used.
        """
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    dotted = node.module or ""
                    if (other := self._find_module(file, dotted, node.level)) is not None:
                        yield other, name if alias.name == "*" else alias.name, part
                    if (other := self._find_module(file, f"{dotted}.{alias.name}".strip("."), node.level)) is not None:
                        yield from self._find_parts(other, part if node is statement else WHOLE)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if (other := self._find_module(file, alias.name, 0)) is not None:
                        is_alone = node is statement and (alias.asname or "." not in alias.name)
                        yield from self._find_parts(other, part if is_alone else WHOLE)

    def _find_parts(self, file: Path, part: str) -> Iterator[tuple[Path, str, str]]:
        """One name of a module, or all of its names where it has no such name or is used as a whole."""
        names = self._read_definitions(file)
        yield from ((file, name, WHOLE) for name in ([part] if part in names else names))

    def _find_module(self, file: Path, dotted: str, level: int) -> Path | None:
        """The author's own file of a module, None where it is somebody else's."""
        start = file.parents[level - 1] if level else self._start
        place = start.joinpath(*dotted.split(".")) if dotted else start
        for candidate in (place.with_suffix(".py"), place / "__init__.py"):
            if candidate.is_file() and (candidate == file or self.root in candidate.parents):
                return candidate
        return None

    def _read_definitions(self, file: Path) -> dict[str, list[ast.stmt]]:
        """The top-level statements of a module by the names that they define; those of none are left out."""
        if file not in self._definitions:
            defined: dict[str, list[ast.stmt]] = {}
            try:
                statements = ast.parse(file.read_bytes()).body
            except (OSError, SyntaxError, ValueError):
                statements = []
            for statement in _split_imports(statements):
                for name in _list_defined_names(statement):
                    defined.setdefault(name, []).append(statement)
            self._definitions[file] = defined
        return self._definitions[file]


def _list_used_names(statement: ast.stmt) -> set[tuple[str, str]]:
    """The names that a top-level statement takes from its module, each with what of it is used (`name.part`)."""
    scopes = [symtable.symtable(ast.unparse(statement), "statement", "exec")]
    free = set[str]()
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        is_open = scope.get_type() in ("module", "class")
        symbols = scope.get_symbols()
        free |= {each.get_name() for each in symbols if each.is_global() or (is_open and each.is_referenced())}
    parts = {id(node.value): node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id in free]
    return {(node.id, parts.get(id(node), WHOLE)) for node in names}


def _split_imports(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, with an import of several names as one of each: another name beside it changes nothing."""
    for statement in statements:
        if isinstance(statement, ast.Import):
            yield from (ast.Import(names=[alias]) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            one_each = (ast.ImportFrom(statement.module, [alias], statement.level) for alias in statement.names)
            yield from one_each
        else:
            yield statement


def _list_defined_names(statement: ast.stmt) -> set[str]:
    """The names that a top-level statement gives a meaning; statements below `if` and `try` give theirs."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    inner = [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.stmt)]
    return _list_assigned_names(statement).union(*(_list_defined_names(node) for node in inner))


def _list_assigned_names(node: ast.AST) -> set[str]:
    """The names to which a node assigns; variables of comprehensions and of functions are their own."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Store) else set()
    own = isinstance(node, ast.comprehension | ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return set() if own else set[str]().union(*map(_list_assigned_names, ast.iter_child_nodes(node)))


def _simplify_tree(node: Any) -> Any:
    """A syntax tree as plain data, the same in every release of Python that reads it: no empty fields, no docstring."""
    if isinstance(node, list):
        return [_simplify_tree(entry) for entry in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = {name: value for name, value in ast.iter_fields(node) if value not in (None, [])}
    for unneeded in ("ctx", "kind", "type_comment"):
        fields.pop(unneeded, None)
    body = fields.get("body")
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
        fields["body"] = body[1:] if isinstance(body, list) else body
    return [type(node).__name__, *((name, _simplify_tree(value)) for name, value in sorted(fields.items()))]


def digest_loaded_code(*functions: Callable[..., Any] | None) -> str:
    """The digest of functions, those of partials among them; what is no Python function adds nothing."""
    return _digest_code_below(tuple(plain for function in functions for plain in _list_functions(function)))


@functools.lru_cache(maxsize=64)
def _digest_code_below(functions: tuple[FunctionType, ...]) -> str:
    seen: dict[str, str] = {}
    waiting = list(functions)
    roots = [find_authors_root(file, function.__module__) for function in waiting if (file := _find_file(function))]
    while waiting:
        function = waiting.pop()
        name = f"{function.__module__}.{function.__qualname__}"
        if name in seen:
            continue
        seen[name] = repr((_describe_code(function.__code__), _write_plain(function.__defaults__)))
        for used, value in _list_used_values(function, roots):
            if _is_numeric(value):
                seen[f"{name}.{used}"] = _write_plain(value)
            waiting += [reached for reached in _list_functions(value) if _is_below(_find_file(reached), roots)]
    text = "\n".join(f"{name}: {shape}" for name, shape in sorted(seen.items()))
    return f"{platform.python_version()}:{hashlib.blake2b(text.encode(), digest_size=DIGITS // 2).hexdigest()}"


def is_other_code(ours: str, theirs: str) -> bool:
    """Whether two digests are surely of different code."""
    return ours != theirs and ours.partition(":")[0] == theirs.partition(":")[0]


def _list_functions(value: Any) -> list[FunctionType]:
    """The Python functions that a value is or holds: of a partial, a compiled function, a class."""
    while isinstance(value, functools.partial):
        value = value.func
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        return [value]
    if isinstance(value, type):
        members = (getattr(member, "__func__", getattr(member, "fget", member)) for member in vars(value).values())
        return [member for member in members if isinstance(member, FunctionType)]
    return []


def _is_numeric(value: Any) -> bool:
    """Whether a module's value is a number or a tuple of them; words may be paths, which differ between machines."""
    return all(map(_is_numeric, value)) if isinstance(value, tuple) else isinstance(value, int | float)


def _list_used_values(function: FunctionType, roots: list[Path]) -> Iterator[tuple[str, Any]]:
    """The values of a module that a function uses by name, and those of the author's own modules (`worlds.size`)."""
    names = sorted(_list_code_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        yield name, value
        if isinstance(value, ModuleType) and _is_below(_resolve_path(value), roots):
            yield from ((f"{name}.{part}", vars(value)[part]) for part in names if part in vars(value))


def _find_file(function: FunctionType) -> Path | None:
    """The file of a function's module."""
    return _resolve_path(sys.modules.get(function.__module__ or ""))


def _resolve_path(module: ModuleType | None) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if file else None


def _is_below(file: Path | None, roots: list[Path]) -> bool:
    return file is not None and any(root == file or root in file.parents for root in roots)


def _list_code_names(code: CodeType) -> set[str]:
    """Every name that a function or a function inside it uses."""
    return set(code.co_names).union(*(_list_code_names(inner) for inner in _list_inner_code(code)))


def _list_inner_code(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def _describe_code(code: CodeType) -> Any:
    """Bytecode, names and constants; no file, line or docstring."""
    documented = code.co_consts[:1] if code.co_consts and isinstance(code.co_consts[0], str) else ()
    constants = [_write_plain(constant) for constant in code.co_consts if constant not in documented]
    return code.co_code.hex(), code.co_names, constants, [_describe_code(inner) for inner in _list_inner_code(code)]


def _write_plain(value: Any) -> str:
    """A value's text where that is the same in every process, else the name of its class."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_write_plain, value))})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_write_plain, value)))}}}"
    return repr(value) if value is None or isinstance(value, str | int | float | bytes) else type(value).__name__
