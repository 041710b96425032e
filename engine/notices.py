"""Notices about old spellings: one line on standard error, each once a run, whatever the number of workers."""

from __future__ import annotations

import sys

_given: set[str] = set()


def notice(text: str) -> None:
    """Print a line on standard error, unless it was printed before or this is a worker of another process."""
    from multiprocessing import current_process

    if text not in _given and current_process().name == "MainProcess":
        _given.add(text)
        print(f"caregrid: {text}", file=sys.stderr)
