"""Results on standard output and warnings on standard error, also where these are closed, full or of few letters.

A result is text as wide as the terminal, whose long lines go on below, indented to the column in which they broke; or
one JSON object.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping
from io import TextIOWrapper, UnsupportedOperation
from typing import Any, TextIO

from caregrid.command_line.operation import Operation
from engine.plain_values import make_json_value
from engine.printable import make_printable


def print_result(operation: Operation, result: Any, as_json: bool) -> int:
    """Print a result as text or as JSON, its warning on stderr; return its exit code, 0 where it has none.

    A result may have `json_warning` where that of its JSON is another one than `warning`. Each line of a warning is one
    of stderr.
    """
    if result is None:
        return 0
    if isinstance(result, int):
        return result
    warning = getattr(result, "warning", None)
    if as_json:
        warning = getattr(result, "json_warning", warning)
    for line in (warning or "").splitlines():
        sys.stderr.write(f"caregrid: {make_printable(line)}\n")
    if as_json:
        print_json(getattr(result, "schema", operation.schema), result.output())
    elif text := result.output_text():
        print(text) if result.as_wide_as_terminal else print_text(make_printable(text))
    return int(getattr(result, "exit_code", 0))


def print_json(schema: str, content: Mapping[str, Any]) -> None:
    """Print an output in one line: `schema` and `version`, then the content, whose fields that schema names.

    nan and infinite numbers are null, fractions text; see docs/json.md.
    """
    from caregrid.schemas import SCHEMAS

    print(json.dumps({**SCHEMAS[schema].heading(), **make_json_value(content)}, allow_nan=False))


NARROWEST, EXAMPLE = 40, "  caregrid "
COPIED = re.compile(r"\bpip (un)?install\b")
"""What people copy into a shell stays in one line."""


def print_text(text: str) -> None:
    """Print a text, fitted where it goes to a terminal, or where COLUMNS says how wide it should be."""
    width_is_given = os.environ.get("COLUMNS", "").isdecimal()
    print(fit_text(text, shutil.get_terminal_size().columns) if width_is_given or sys.stdout.isatty() else text)


def fit_text(text: str, width: int) -> str:
    """The text with lines of at most that width, as far as single words and commands to copy allow."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line, max(width, NARROWEST)))


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width or COPIED.search(line):
        return [line]
    columns = [gap.end() for gap in re.finditer(r"(?<=\S)\s{2,}(?=\S)", line) if gap.end() <= width // 2]
    indent = " " * (columns[-1] if columns else len(line) - len(line.lstrip()) + 2)
    return _wrap_line(line, width, indent)


def _wrap_line(line: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def fit_examples(paragraph: str, width: int) -> list[str]:
    """Break commands into lines of at most a width; a backslash at their ends lets them be copied."""
    lines: list[str] = []
    for line in paragraph.split("\n"):
        if not line.startswith(EXAMPLE):
            lines += _parts(line, width)
            continue
        parts = _wrap_line(line, width - len(" \\"), " " * 6)
        lines += [f"{part} \\" for part in parts[:-1]] + parts[-1:]
    return lines


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
