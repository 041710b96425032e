"""What a function does, by its bytecode: the same for another layout, other comments and other names of locals.

    instruction = operation, with its constant, name, variable or place to jump to in place of a number

Instructions that only layout brings about are left out, and so are docstrings. Variables of closures are numbered by
the order in which they are first used, for their own order is that of the alphabet. What a function imports, and what
it changes, are read from the same instructions.

A module has effects when it is imported, beside binding names: calls, patches, registrations, loops that fill a table.
Definitions, imports and assignments to names count where their names are used. The other statements at the top of a
module count where the module is imported, and so do calls of decorators, whose arguments a registry may keep. What
stands under `if __name__ == "__main__"` or `if TYPE_CHECKING` does not."""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import hashlib
import importlib.util
import inspect
import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

DIGITS = 16


def digest_texts(texts: Iterable[str]) -> str:
    """Return a digest of texts in their order."""
    content = "\0".join(texts).encode("utf-8", "backslashreplace")
    return hashlib.blake2b(content, digest_size=DIGITS // 2).hexdigest()


SKIPPED = frozenset(dis.opmap.get(name, -1) for name in ("NOP", "MAKE_CELL", "COPY_FREE_VARS", "LOAD_CLOSURE"))
JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
BACKWARD = frozenset(number for name, number in dis.opmap.items() if "BACKWARD" in name)
BRANCHES = frozenset(name for name in dis.opmap if "JUMP" in name and "_IF_" in name and "BACKWARD" not in name)
FALSE_JUMPS = frozenset(name for name in dis.opmap if name.endswith(("JUMP_IF_FALSE", "JUMP_FORWARD_IF_FALSE")))
CONSTANTS, NAMES = frozenset(dis.hasconst), frozenset(dis.hasname)
CONSTANT_NAMES = frozenset(dis.opname[opcode] for opcode in CONSTANTS)
NAME_NAMES = frozenset(dis.opname[opcode] for opcode in NAMES)
IMPORT = dis.opmap["IMPORT_NAME"]
LOCALS = frozenset(dis.haslocal) | frozenset(dis.hasfree)
FLAGS_BESIDE_NAMES = {"LOAD_GLOBAL": 1} | (
    {"LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 2} if sys.version_info >= (3, 12) else {}
)
SHIFTS = {dis.opmap[name]: bits for name, bits in FLAGS_BESIDE_NAMES.items() if name in dis.opmap}
NOT_MEANT = ("__doc__", "__firstlineno__", "__static_attributes__", "__qualname__")
MEANT = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE
ATTRIBUTES = frozenset(("LOAD_ATTR", "LOAD_METHOD"))
RUN_AT_DEFINITION = frozenset(("__init_subclass__", "__set_name__"))
METHODS_THAT_CHANGE = """
    append add update setdefault pop popitem clear extend insert remove discard appendleft popleft"""
CHANGING = frozenset(METHODS_THAT_CHANGE.split())


class _Step(NamedTuple):
    """One instruction. meaning: its constant, name, variable or place to jump to; None where it has only a number."""

    name: str
    number: int
    meaning: Any


class _Bytecode(NamedTuple):
    """The instructions of a function without those that layout brings about; places: offset -> steps before it."""

    steps: list[_Step]
    places: dict[int, int]


@functools.lru_cache(maxsize=1 << 14)
def _decode(key: int, code: CodeType) -> _Bytecode:
    """key: `id(code)`, so that equal code of another place is decoded anew."""
    variables = [*code.co_varnames, *(name for name in code.co_cellvars if name not in code.co_varnames)]
    variables += code.co_freevars
    steps: list[_Step] = []
    places: dict[int, int] = {}
    content = code.co_code
    high = 0
    for offset in range(0, len(content), 2):
        places[offset] = len(steps)
        opcode = content[offset]
        number = content[offset + 1] | high
        if opcode == dis.EXTENDED_ARG:
            high = number << 8
            continue
        high = 0
        if opcode == 0 or opcode in SKIPPED:  # 0: room for what the interpreter notes
            continue
        meaning: Any = None
        if opcode in CONSTANTS:
            meaning = code.co_consts[number]
        elif opcode in NAMES:
            meaning = code.co_names[number >> SHIFTS.get(opcode, 0)]
        elif opcode in JUMPS:
            after = offset + 2
            while content[after : after + 1] == b"\0":
                after += 2
            meaning = after - 2 * number if opcode in BACKWARD else after + 2 * number
        elif opcode in LOCALS:
            meaning = variables[number] if number < len(variables) else None
        steps.append(_Step(dis.opname[opcode], number, meaning))
    places[len(content)] = len(steps)
    return _Bytecode(steps, places)


def describe_code(code: CodeType, order: dict[str, int]) -> str:
    """Instructions with their constants and names, the same for another layout and for other names of locals.

    order: the variables of closures by the order in which they are first used; filled.
    """
    return _describe_whole(id(code), code) if not order and not code.co_freevars else _describe_steps(code, order)


@functools.lru_cache(maxsize=1 << 14)
def _describe_whole(key: int, code: CodeType) -> str:
    """key: as in `_decode`."""
    return _describe_steps(code, {})


def _describe_steps(code: CodeType, order: dict[str, int]) -> str:
    arguments = code.co_argcount + code.co_kwonlyargcount
    arguments += sum(bool(code.co_flags & flag) for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS))
    texts = [f"{code.co_argcount} {code.co_posonlyargcount} {code.co_kwonlyargcount} {code.co_flags & MEANT}"]
    texts += code.co_varnames[code.co_posonlyargcount : arguments]
    steps, places = _decode(id(code), code)
    shared = {*code.co_cellvars, *code.co_freevars}
    inner = {name: number for name, number in order.items() if name not in code.co_cellvars}
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        name, number, meaning = step
        if meaning is None and name not in CONSTANT_NAMES:
            texts.append(f"{name} {number}")
        elif name in CONSTANT_NAMES:
            if isinstance(meaning, CodeType):
                texts += [name, describe_code(meaning, inner)]
            elif following is None or following.name != "STORE_NAME" or following.meaning not in NOT_MEANT:
                texts.append(f"{name} {_write_constant(meaning)}")
        elif type(meaning) is int:
            texts.append(f"{name} to {places[meaning]}")
        elif name not in NAME_NAMES:
            variable = f"cell {inner.setdefault(meaning, len(inner))}" if meaning in shared else number
            texts.append(f"{name} {variable}")
        else:
            texts.append(f"{name} {meaning}")
    for entry in dis._parse_exception_table(code):  # type: ignore[attr-defined]
        texts.append(f"{places[entry.start]} {places[entry.end]} {places[entry.target]} {entry.depth} {entry.lasti}")
    order.update((name, number) for name, number in inner.items() if name not in code.co_cellvars)
    return digest_texts(texts)


def _write_constant(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_write_constant, value))})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_write_constant, value)))}}}"
    return f"{type(value).__name__} {value!r}"


def _list_inner_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_inner_code(constant)


def list_texts(code: CodeType) -> Iterator[str]:
    """Yield the texts among the constants of a function."""
    for inner in _list_inner_code(code):
        yield from (constant for constant in inner.co_consts[1:] if isinstance(constant, str))
        yield from (one for each in inner.co_consts if isinstance(each, tuple) for one in each if isinstance(one, str))


def list_names(code: CodeType) -> set[str]:
    """Return the names of globals and attributes that a function uses."""
    return {name for inner in _list_inner_code(code) for name in inner.co_names}


def list_bare_names(code: CodeType) -> set[str]:
    """Return the names of globals, and of modules that the code imports, which it uses otherwise than for an attribute.

    A module that is passed on, returned or looked into by `getattr` may be used for anything in it.
    """
    found: set[str] = set()
    for inner in _list_inner_code(code):
        steps = _decode(id(inner), inner).steps
        imported = {
            store.meaning: step.meaning
            for step, store in itertools.pairwise(steps)
            if step.name == "IMPORT_NAME" and store.name.startswith("STORE_")
        }
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            if step.name.startswith("LOAD_") and (following is None or following.name not in ATTRIBUTES):
                if step.name in ("LOAD_GLOBAL", "LOAD_NAME"):
                    found.add(step.meaning)
                elif step.name not in NAME_NAMES and step.name not in CONSTANT_NAMES and step.meaning in imported:
                    found.add(imported[step.meaning])
    return found


def list_imports(code: CodeType, module: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the modules that a function imports when it runs, each with the names that it takes from it.

    What stands under `if TYPE_CHECKING` is never imported.
    """
    found = []
    for inner in _list_inner_code(code):
        if IMPORT not in inner.co_code[::2]:
            continue
        steps, places = _decode(id(inner), inner)
        runs_from = 0
        for number, (level, names, step) in enumerate(zip(steps, steps[1:], steps[2:], strict=False)):
            if level.meaning == "TYPE_CHECKING" and names.name in FALSE_JUMPS:
                runs_from = places[names.meaning]
            if step.name == "IMPORT_NAME" and number >= runs_from:
                level_number = level.number if level.meaning is None else level.meaning
                package = str(module.get("__package__") or "")
                with contextlib.suppress(ImportError):
                    full = importlib.util.resolve_name("." * level_number + step.meaning, package)
                    found.append((full, tuple(names.meaning or ())))
    return found


STORES = frozenset(
    dis.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_ATTR")
)


def list_changed(module: ModuleType | None) -> frozenset[str]:
    """Return the values of a module that its own functions change when they run.

    "NAME" of the module, "Class.NAME" of a class, ".NAME" what is changed as an attribute of some object.
    """
    return frozenset() if module is None else _scan_module(module, len(vars(module)))


@functools.lru_cache(maxsize=4096)
def _scan_module(module: ModuleType, size: int) -> frozenset[str]:
    """size: how many names it has, so that more of them are looked at anew."""
    changed: set[str] = set()
    for value in list(vars(module).values()):
        for function in _list_functions(value):
            if function.__module__ == module.__name__ and function.__name__ not in RUN_AT_DEFINITION:
                for code in _list_inner_code(function.__code__):
                    changed |= _list_stores(code)
    return frozenset(changed)


def changes_globals(value: Any) -> bool:
    """Return whether a function, or one of a class's, changes a value of its module when it runs."""
    codes = [code for function in _list_functions(value) for code in _list_inner_code(function.__code__)]
    return any(not name.startswith(".") for code in codes for name in _list_stores(code))


def _list_functions(value: Any) -> list[FunctionType]:
    value = getattr(value, "__wrapped__", getattr(value, "py_func", value))
    if isinstance(value, FunctionType):
        return [value]
    if isinstance(value, type):
        members = (getattr(member, "__func__", getattr(member, "fget", member)) for member in vars(value).values())
        return [member for member in members if isinstance(member, FunctionType)]
    return []


def _list_stores(code: CodeType) -> set[str]:
    """Return what a function assigns to, or whose items, attributes or content it changes, as in `list_changed`."""
    if not STORES & {*code.co_code[::2]} and not CHANGING & {*code.co_names}:
        return set()
    found: set[str] = set()
    decoded = _decode(id(code), code)
    for place, step in enumerate(decoded.steps):
        if step.name in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            found.add(step.meaning)
        elif step.name == "STORE_ATTR":
            owner = _find_pushing(decoded, place, 1)
            if owner is not None and owner.name == "LOAD_GLOBAL":
                found.add(f"{owner.meaning}.{step.meaning}")
            elif owner is not None and (owner.meaning in ("cls", "__class__") or owner.name.startswith("CALL")):
                found.add(f".{step.meaning}")
        elif step.name in ("STORE_SUBSCR", "DELETE_SUBSCR"):
            found |= _name_changed(_find_pushing(decoded, place, 2))
        elif step.name in ("LOAD_METHOD", "LOAD_ATTR") and step.meaning in CHANGING:
            found |= _name_changed(decoded.steps[place - 1])
    return found


def _name_changed(container: _Step | None) -> set[str]:
    """Return how a container is named that was pushed by a step; a local variable's name does not count."""
    if container is None or container.name not in ("LOAD_GLOBAL", "LOAD_ATTR"):
        return set()
    return {container.meaning if container.name == "LOAD_GLOBAL" else f".{container.meaning}"}


def _find_pushing(decoded: _Bytecode, end: int, depth: int) -> _Step | None:
    """The step before `end` that pushed what lies so deep on the stack, 1 for the top; None where a loop is between.

    Of an expression with two branches one is passed over: both leave the same on the stack.
    """
    steps, places = decoded
    place = end
    while place > 0:
        place -= 1
        step = steps[place]
        jumps = step.name == "JUMP_FORWARD"
        if jumps:  # the end of the first branch; the second one, passed already, is where the condition leads to
            starts = [
                at for at in range(place) if steps[at].name in BRANCHES and places[steps[at].meaning] == place + 1
            ]
            if not starts:
                return None
            place = starts[-1]
            step = steps[place]
        opcode = dis.opmap[step.name]
        if opcode in JUMPS and step.name not in BRANCHES:
            return None
        if step.name == "SWAP":
            depth = {1: step.number, step.number: 1}.get(depth, depth)
            continue
        if step.name == "COPY":
            depth = step.number if depth == 1 else depth - 1
            continue
        number = step.number if opcode >= dis.HAVE_ARGUMENT else None
        effect = dis.stack_effect(opcode, number, jump=jumps)
        keeps = step.name in BRANCHES or step.name.startswith(("STORE", "DELETE", "POP"))
        pushed = 0 if keeps else max(1, effect)
        if depth <= pushed:
            return step
        depth -= effect
    return None


BINDING = (
    ast.FunctionDef
    | ast.AsyncFunctionDef
    | ast.ClassDef
    | ast.Import
    | ast.ImportFrom
    | ast.Pass
    | ast.AnnAssign
    | ast.Global
)
NOT_WHEN_IMPORTED = frozenset(("__name__", "TYPE_CHECKING"))


class Effects(NamedTuple):
    """code: of the statements with an effect, None where there are none. imported: what it may import, in full."""

    code: CodeType | None
    imported: tuple[str, ...]


def read_effects(module: ModuleType) -> Effects:
    """Read them from the module's source; none where it has no source, as cells of a notebook."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return Effects(None, ())
    statements = [one for one in tree.body if not _only_binds(one) or _calls_what_changes(one, module)]
    calls: list[ast.stmt] = [
        ast.Expr(decorator)
        for one in tree.body
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for decorator in one.decorator_list
        if isinstance(decorator, ast.Call)
    ]
    whole = ast.fix_missing_locations(ast.Module([*statements, *calls], []))
    code = compile(whole, module.__name__, "exec") if whole.body else None
    return Effects(code, tuple(one for one in dict.fromkeys(_list_imported(tree, module)) if one in sys.modules))


def _list_imported(tree: ast.Module, module: ModuleType) -> Iterator[str]:
    """The packages that a module is in, and what its import statements may name, those within functions included."""
    parents = module.__name__.split(".")
    yield from (".".join(parents[:depth]) for depth in range(1, len(parents)))
    package = (module.__package__ or "").split(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))


def _calls_what_changes(statement: ast.stmt, module: ModuleType) -> bool:
    """Whether an assignment calls a function or class that changes a global of its module, such as a registry."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    called = [
        node.func.id for node in ast.walk(statement) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    return any(changes_globals(vars(module).get(name)) for name in called)


def _only_binds(statement: ast.stmt) -> bool:
    """Return whether a statement at the top of a module does nothing but bind names that stand in it."""
    if isinstance(statement, BINDING):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Assign):
        return all(map(_is_name, statement.targets))
    if isinstance(statement, ast.If):
        used = {node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)}
        return bool(used & NOT_WHEN_IMPORTED) or all(map(_only_binds, [*statement.body, *statement.orelse]))
    if isinstance(statement, ast.Try):
        handled = [one for handler in statement.handlers for one in handler.body]
        return all(map(_only_binds, [*statement.body, *handled, *statement.orelse, *statement.finalbody]))
    return False


def _is_name(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_name, target.elts))
    return isinstance(target, ast.Name)
