"""Standard streams that are closed, full or of few letters: one line on stderr, and no file ever takes their place."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper, UnsupportedOperation
from typing import TextIO

LOST = 2  # the exit code where the results could not be printed


def with_standard_streams(answer: Callable[[], int]) -> int:
    """The exit code of `answer`, which may print; LOST where what it printed was not accepted.

    A reader who has seen enough, such as `head`, is not an error. Letters that the streams cannot encode are escaped.
    """
    _open_closed_streams()
    if _refusal(sys.stderr) is not None:
        _discard(sys.stderr)
    if getattr(sys.stdout, "errors", None) == "strict" and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = answer()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _discard(sys.stdout)
        return 0
    except OSError:
        reason = _refusal(sys.stdout)
        if reason is None:
            raise
        _discard(sys.stdout)
        sys.stderr.write(f"caregrid: standard output: {reason}; the results were not printed: direct them elsewhere\n")
        return LOST


def _open_closed_streams() -> None:
    """A closed descriptor would be that of the next file that is opened, and print into it; here it refuses writing."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            lowest = os.open(os.devnull, os.O_RDONLY)  # the lowest number that is free, this one
            os.set_inheritable(lowest, True)
            if getattr(sys, name) is None:
                mode = "w" if number else "r"
                setattr(sys, name, open(lowest, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _refusal(stream: TextIO) -> str | None:
    """Why a stream accepts nothing more; None where it does, or is not a file."""
    try:
        stream.flush()
        os.write(stream.fileno(), b"")
    except UnsupportedOperation:
        return None
    except OSError as error:
        return (error.strerror or "cannot be written").lower()
    return None


def _discard(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, so that the interpreter does not complain of it at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
