"""Names in files: a file may name registered entries, and code only where the user says that the file is trusted.

A person types `module:attribute` and means it; a file may come from anybody. Whoever reads a file resolves its names
within `names_of_file`; `engine.user_code.load_user_code`, which imports all such names, asks here first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from engine.errors import BadFile, argument

_other_registries: dict[str, str] = {}
_NAME = re.compile(r"([^\W\d][\w.]*):([^\W\d]\w*)")
_file: ContextVar[str] = ContextVar("names_of_file", default="")


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
