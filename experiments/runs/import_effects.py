"""What a module does when it is imported, beside binding names: calls, patches, registrations, loops that fill a table.

Definitions, imports and assignments to names count where their names are used. The other statements at the top of a
module count where the module is imported, and so do calls of decorators, whose arguments a registry may keep. What
stands under `if __name__ == "__main__"` or `if TYPE_CHECKING` does not.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import NamedTuple

from experiments.runs.bytecode import changes_globals

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
    """Whether a statement at the top of a module does nothing but bind names that stand in it."""
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
