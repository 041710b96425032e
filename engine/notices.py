"""Notices: one line on standard error, each once a run, whatever the number of workers.

They are about old spellings and the like, and what a user's own code warns of, of which a line of code says one thing.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from engine.printable import make_printable
from engine.user_code import is_users_file, read_exception

_given: set[str] = set()


def in_worker() -> bool:
    """Whether this is a process that another one of ours has started."""
    from multiprocessing import current_process

    return current_process().name != "MainProcess"


def print_notice(text: str, subject: str = "") -> None:
    """Print a line on standard error, unless it was printed before or this is a worker of another process.

    subject: of which one line is enough, whatever its text.
    """
    if (subject or text) not in _given and not in_worker():
        _given.add(subject or text)
        print(f"caregrid: {text}", file=sys.stderr)


@contextmanager
def users_warnings(tell: Callable[[str, str], None] = print_notice) -> Iterator[None]:
    """Within it, what a user's own files warn of is told in one line, once a line of code; other warnings are as ever.

    tell: takes `kitchen.py, line 12: UserWarning: no key` and its subject, which is all but the last part.
    """
    others, told = warnings.showwarning, set[str]()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not is_users_file(filename) or file is not None:
            others(message, category, filename, lineno, file, line)
        elif (subject := f"{Path(filename).name}, line {lineno}: {category.__name__}") not in told:
            told.add(subject)
            text = read_exception(message) if isinstance(message, Warning) else message
            tell(make_printable(f"{subject}: {text}"), subject)

    warnings.showwarning = show
    try:
        yield
    finally:
        if warnings.showwarning is show:
            warnings.showwarning = others
