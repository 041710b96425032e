"""A command line answered by an operation: read the words, call the function, print what it returns."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from caregrid.command_line.help_text import help_text
from caregrid.command_line.operation import Operation
from caregrid.command_line.parser import JSON, CommandParser
from caregrid.command_line.terminal_width import print_text


def answer(operation: Operation, words: Sequence[str]) -> int:
    """Run one operation with the words of a command line; return the exit code."""
    values = CommandParser(operation).values(words)
    if values is None:
        print(help_text(operation), end="")
        return 0
    as_json = bool(values.pop(JSON, False))
    if as_json:
        values = {name: value for name, value in values.items() if value is not UNLESS_JSON}
    else:
        values = {name: True if value is UNLESS_JSON else value for name, value in values.items()}
    from caregrid.runs.execution import RunNotFinished

    try:
        result = operation.call(values)
    except RunNotFinished as error:
        return _report_unfinished(error, as_json)
    return print_result(operation, result, as_json)


UNLESS_JSON = object()
"""The default of an `out` that is True, results/..., but None where JSON on stdout is all that is asked for."""


def print_result(operation: Operation, result: Any, as_json: bool) -> int:
    """Print a result as text or as JSON, its warning on stderr; return its exit code, 0 where it has none.

    A result may have `json_warning` where that of its JSON is another one than `warning`.
    """
    if result is None:
        return 0
    if isinstance(result, int):
        return result
    warning = getattr(result, "warning", None)
    if as_json:
        warning = getattr(result, "json_warning", warning)
    if warning:
        sys.stderr.write(f"caregrid: {warning}\n")
    if as_json:
        print_json(getattr(result, "schema", operation.schema), result.output())
    elif text := result.output_text():
        print(text) if result.as_wide_as_terminal else print_text(text)
    return int(getattr(result, "exit_code", 0))


def print_json(schema: str, content: Mapping[str, Any]) -> None:
    """Print an output in one line: `schema` and `version`, then the content, whose fields that schema names.

    nan and infinite numbers are null, fractions text; see docs/json.md.
    """
    from caregrid.schemas import SCHEMAS
    from engine.plain_values import make_json_value

    print(json.dumps({**SCHEMAS[schema].heading(), **make_json_value(content)}, allow_nan=False))


def _report_unfinished(error: Any, as_json: bool) -> int:
    """Say why a run is not complete, and how to go on; print what was finished as JSON; the exit code.

    A shard that has all of its units is done, whatever others do.
    """
    summary = error.summary
    if as_json:
        print_json("run_unfinished", error.output())
    if summary.exit_code == 0:
        if not as_json:
            print_text(summary.sentence())
        return 0
    for failure in summary.failures[:1]:
        sys.stderr.write(f"caregrid: failed: {dict(failure.setting)}: {failure.reason}\n")
    how_to_go_on = "the same command goes on" if summary.kept else "with --out DIR the same command would go on"
    sys.stderr.write(f"caregrid: {summary.sentence()}; {how_to_go_on}\n")
    return int(summary.exit_code)
