"""The reference, made from the code.

It has the help of every command, as a terminal of 80 columns shows it; the schemas of JSON, field by field; what
`import caregrid` offers, what it returns, and what a new file starts from. What else the snippets of the documentation
import has a page of its own.

Nothing is listed by hand. What a file of one's own starts from is what the files of its kind import: a name that at
least five of them use, or half of them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import caregrid
from caregrid.command_line.help_text import help_text
from caregrid.kinds import KINDS, Kind, find_checker
from caregrid.operations import COMMANDS
from caregrid.schemas import SCHEMAS

ROOT = Path(__file__).resolve().parent.parent
OURS = tuple(path.parent.name for path in ROOT.glob("*/__init__.py"))
IMPORT = re.compile(r"^(?:>>> )?from ([\w.]+) import (\w+(?:, \w+)*)", flags=re.M)


def make_pages() -> dict[str, str]:
    """Return the generated pages."""
    pages = {
        "commands": _commands(),
        "schemas": _schemas(),
        "functions": _functions(),
        "results": _results(),
        "environments": _environments(),
        "kinds": _kinds(),
    }
    pages["further"] = _page("Further names", "What else the snippets of the documentation import.", further_names())
    return {f"reference/{name}.md": text for name, text in pages.items()}


def _page(title: str, introduction: str, entries: Iterator[str] | list[str]) -> str:
    return "\n".join([f"# {title}\n", f"{introduction}\n", *(f"::: {name}\n" for name in entries)])


def _commands() -> str:
    with mock.patch.dict(os.environ, COLUMNS="80"):
        parts = [f"## {name}\n\n```text\n{help_text(COMMANDS[name])}```\n" for name in COMMANDS.names()]
    return "\n".join(["# Commands\n", *parts])


def _schemas() -> str:
    parts = ["# Schemas of JSON\n", "What holds for all of them is said in [JSON for programs](../json.md).\n"]
    for name in SCHEMAS.names():
        rows = [f"| `{field}` | {_cell(meaning)} |" for field, meaning in SCHEMAS[name].fields().items()]
        head = f"## {name}\n\n{SCHEMAS.summary(name)}.\n\n| field | type and meaning |\n| --- | --- |"
        parts.append("\n".join([head, *rows]) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("[", "\\[").replace("<", "\\<").replace("*", "\\*")


def _functions() -> str:
    names = [name for name in caregrid.__all__ if not name.isupper()]
    text = "What `import caregrid` offers. The [results](results.md) of these functions have a page of their own."
    return _page("Functions and classes", text, [f"caregrid.{name}" for name in names])


def _results() -> str:
    elsewhere = {name for kind in KINDS.values() for name in starting_points(kind)}
    names = [name for name in classes_below("caregrid.programmes") if name not in elsewhere]
    return _page("Results", "What the [functions](functions.md) return.", names)


def _environments() -> str:
    text = (
        "The worlds through Gymnasium and PettingZoo. `import caregrid` registers every scenario and every extended "
        "environment as `caregrid/NAME-v0`."
    )
    return _page("Environments", text, classes_below("caregrid.gym"))


def classes_below(package: str) -> Iterator[str]:
    """Yield every public class below a package."""
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        for name, found in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(found) and found.__module__ == module.name and not name.startswith("_"):
                yield f"{module.name}.{name}"


def _kinds() -> str:
    parts = ["# What a file of your own starts from\n"]
    parts += ["Each kind of thing that can be added: what its files import, and the function that checks it.\n"]
    shown: set[str] = set()
    for kind in KINDS.values():
        names = starting_points(kind)
        parts += [
            f"## {kind.name}\n",
            f"`caregrid validate {kind.name} my_file:mine` checks one.\n" if kind.checker else "",
        ]
        parts += [f"[{name}][]\n" for name in names if name in shown]
        parts += [f"::: {name}\n    options: {{heading_level: 3}}\n" for name in names if name not in shown]
        shown |= set(names)
    return "\n".join(parts)


def starting_points(kind: Kind) -> list[str]:
    """Dotted names of the functions and classes that files of a kind are made of, its checker last."""
    registry = kind.light_registry()
    files = [registry.file(name) for name in registry.names() if name not in registry.find_installed()]
    counted = Counter(name for file in files for name in _imported(file, kind.packages))
    often = sorted(name for name, times in counted.items() if times >= min(5, len(files) / 2) and times > 1)
    found = [_origin(name) for name in often if _is_documented(_object(name))]
    checker = find_checker(kind)
    return list(dict.fromkeys([*found, *([f"{checker.__module__}.{checker.__name__}"] if checker else [])]))


def further_names() -> list[str]:
    """Functions and classes that snippets import, but for those that have a place elsewhere in the reference."""
    pages = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    imports = [found for page in pages for found in IMPORT.findall(page.read_text(encoding="utf-8"))]
    names = {f"{module}.{name}" for module, names in imports if module.startswith(OURS) for name in names.split(", ")}
    elsewhere = {name for kind in KINDS.values() for name in starting_points(kind)}
    return sorted({_origin(name) for name in names if _is_documented(_object(name))} - elsewhere)


def _imported(file: Path, entries: tuple[str, ...]) -> set[str]:
    """Names that a file imports from our packages, but for those of its own folder."""
    imports = [
        node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
    ]
    ours = [
        node for node in imports if (node.module or "").startswith(OURS) and not (node.module or "").startswith(entries)
    ]
    return {f"{node.module}.{alias.name}" for node in ours for alias in node.names}


def _object(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute, None)


def _origin(name: str) -> str:
    """Where a function or class is made, which may be another module than the one it is imported from."""
    found = _object(name)
    return f"{found.__module__}.{found.__name__}"


def _is_documented(found: Any) -> bool:
    return inspect.isclass(found) or inspect.isfunction(found)
