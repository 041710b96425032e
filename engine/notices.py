"""Notices: one line on standard error, each once a run, whatever the number of workers.

They tell of old spellings and the like, and pass on the warnings of a user's own code, one for each line of code.
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

_printed: set[str] = set()


def in_worker() -> bool:
    """Return whether another process of ours has started this one."""
    from multiprocessing import current_process

    return current_process().name != "MainProcess"


def print_notice(text: str, subject: str = "") -> None:
    """Print a line on standard error, unless it was printed before or this is a worker of another process.

    subject: one line about it is enough, whatever its text; by default the text itself.
    """
    if (subject or text) not in _printed and not in_worker():
        _printed.add(subject or text)
        print(f"caregrid: {text}", file=sys.stderr)


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
