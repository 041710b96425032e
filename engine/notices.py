"""Notices about old spellings: one line on standard error, each once a process."""

from __future__ import annotations

import sys

_given: set[str] = set()


def notice(text: str) -> None:
    """Print a line on standard error, unless it was printed before."""
    if text not in _given:
        _given.add(text)
        print(f"caregrid: {text}", file=sys.stderr)
