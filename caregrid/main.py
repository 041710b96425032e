"""The command `caregrid`: finds the commands, parses, prints, turns foreseen errors, and a user's own, into one line.

`--help` lists the commands in groups, as wide as the terminal. Shells complete commands, options, choices and
registered names (extra `completion`) with

    eval "$(register-python-argcomplete caregrid)"        in ~/.bashrc or ~/.zshrc

The shell then runs `caregrid` with _ARGCOMPLETE in its environment, and argcomplete reads the answer off the parser.

Results go to standard output, as text as wide as the terminal or as one JSON object, and warnings to standard error,
also where these are closed, full or of few letters."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper, UnsupportedOperation
from typing import Any, TextIO

from caregrid.command_line.help_text import help_text
from caregrid.command_line.operation import Operation
from caregrid.command_line.parser import DARK, JSON, CommandParser
from caregrid.command_line.words import UNLESS_JSON
from caregrid.operations import COMMANDS
from engine.errors import EXHAUSTED, RAISE_LIMITS, BadValue, CaregridError, MissingExtra, UnknownName, naming_options
from engine.plain_values import make_json_value
from engine.printable import fit_text, make_one_line, make_printable
from engine.user_code import describe_exception, is_raised_by_users, read_exception, users_warnings


def complete(parser: argparse.ArgumentParser) -> None:
    """Write what may follow to the shell and end the process. MissingExtra where argcomplete is absent."""
    try:
        import argcomplete
    except ImportError as error:
        remedy = "pip install 'caregrid[completion]'"
        raise MissingExtra("completion needs argcomplete", place="completion", remedy=remedy) from error
    argcomplete.autocomplete(parser)


GROUPS = (
    "Caring agents",
    "Self-reflection in extended environments",
    "Agents that may be copied",
    "Agents with an input terminal",
    "Look at worlds and episodes",
    "Experiments and benchmarks",
    "What there is, and whether it works",
)
NARROW, WIDE = 44, 100


def help_page(commands: Mapping[str, Operation]) -> str:
    """Return what `caregrid --help` prints: every command in its group, with the first sentence of its docstring."""
    width = min(WIDE, max(NARROW, shutil.get_terminal_size().columns))
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, operation in commands.items():
        groups.setdefault(operation.group, []).append(name)
    indent = max(map(len, commands), default=0) + 4
    about = "A gridworld safety simulator: agents that care, extended environments, copies, input terminals."
    lines = ["usage: caregrid COMMAND ...", "", *textwrap.wrap(about, width)]
    for group, names in groups.items():
        if names:
            lines += [
                "",
                f"{group}:",
                *(line for name in names for line in _lines(name, commands[name], indent, width)),
            ]
    last = (
        "caregrid COMMAND --help: its options. caregrid list: what there is. caregrid show NAME: a scenario, agent, "
        "experiment or any other name. caregrid --version: the version."
    )
    return "\n".join([*lines, "", *textwrap.wrap(last, width)]) + "\n"


def _lines(name: str, operation: Operation, indent: int, width: int) -> list[str]:
    start = f"  {name.replace('_', '-')}".ljust(indent)
    summary = operation.documentation.summary.rstrip(".")
    return textwrap.wrap(summary, width, initial_indent=start, subsequent_indent=" " * indent) or [start.rstrip()]


def every_parser() -> argparse.ArgumentParser:
    """Return a parser of all commands, for completion in shells."""
    parser = argparse.ArgumentParser(prog="caregrid", add_help=False)
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, operation in COMMANDS.loadable().items():
        commands._name_parser_map[name.replace("_", "-")] = CommandParser(operation)
    return parser


def _one_command(words: Sequence[str]) -> list[str]:
    """Commands of two words as one, `bench compare`: `bench-compare`; `help COMMAND` is its `--help`."""
    if words[:1] == ["help"]:
        return [*_one_command(words[1:]), "--help"]
    if len(words) > 1 and not words[1].startswith("-") and f"{words[0]}_{words[1]}" in COMMANDS:
        return [f"{words[0]}-{words[1]}", *words[2:]]
    return list(words)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code (0 done, 1 a check failed, 2 bad input, 130 interrupted)."""
    with naming_options(), users_warnings():
        code = with_standard_streams(lambda: _answer(sys.argv[1:] if arguments is None else arguments))
    if arguments is None:
        sys.unraisablehook = _say_what_is_raised_late
        _leave_threads(code)
    return code


def answer(operation: Operation, words: Sequence[str]) -> int:
    """Read the words of a command line, call the operation, print what it returns; return the exit code."""
    values = CommandParser(operation).values(words)
    if values is None:
        print(help_text(operation), end="")
        return 0
    as_json, dark = (bool(values.pop(name, False)) for name in (JSON, DARK))
    if as_json:
        values = {name: value for name, value in values.items() if value is not UNLESS_JSON}
    else:
        values = {name: True if value is UNLESS_JSON else value for name, value in values.items()}
    try:
        with contextlib.ExitStack() as look:
            if dark:
                from renderers.drawing.palette import dark_pictures

                look.enter_context(dark_pictures())
            result = operation.call(values)
    except CaregridError as error:
        if not hasattr(error, "output"):  # unlike a run that is not finished, which has rows
            raise
        result = error
    return print_result(operation, result, as_json)


def _say_what_is_raised_late(raised: sys.UnraisableHookArgs) -> None:
    """Say in one line what an object of a user's raises when the process ends and it is deleted."""
    if raised.exc_value is None or not is_raised_by_users(raised.exc_value):
        sys.__unraisablehook__(raised)
    else:
        sys.stderr.write(f"caregrid: {make_one_line(describe_exception(raised.exc_value))}; mend it there\n")


def _leave_threads(code: int) -> None:
    """End the process now where a user's code has left threads running, for which Python would wait for ever."""
    if all(thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _require_possible(words: Sequence[str]) -> None:
    """BadValue for what no command line can hold and no file can be named: NUL, and half of a pair of surrogates."""
    for word in words:
        try:
            possible = b"\0" not in os.fsencode(word)
        except UnicodeEncodeError:
            possible = False
        if not possible:
            raise BadValue(f"'{word}' cannot be an argument", place="command line", remedy="write it as text")


def _answer(arguments: Sequence[str]) -> int:
    try:
        words = _one_command(arguments)
        first = next((word for word in words if not word.startswith("-")), None)
        _require_possible(words)
        if "_ARGCOMPLETE" in os.environ:  # a shell asks for what may follow
            complete(every_parser())
        if first is not None and first not in COMMANDS:
            names = [name.replace("_", "-") for name in COMMANDS.names()]
            raise UnknownName("command", first, names)
        if "--version" in words[:1]:
            from caregrid import __version__

            print(f"caregrid {__version__}")
            return 0
        if first is None:
            if unknown := [word for word in words if word not in ("-h", "--help")]:
                raise BadValue(f"unknown option '{unknown[0]}'", remedy="see 'caregrid --help'")
            print(help_page(COMMANDS.loadable()), end="")
            return 0
        words.remove(first)
        return answer(COMMANDS[first], words)
    except CaregridError as error:
        sys.stderr.write(f"caregrid: {make_printable(str(error))}\n")
        return 2
    except KeyboardInterrupt as error:
        sys.stderr.write(f"caregrid: interrupted{make_printable(read_exception(error))}\n")
        return 130
    except BaseException as error:
        if isinstance(error, SystemExit) and not is_raised_by_users(error):
            return error.code if isinstance(error.code, int) else 2
        if not is_raised_by_users(error):
            if not isinstance(error, OSError) or error.errno not in EXHAUSTED:
                raise
            reason = f"{read_exception(error)}: the system gives no more; {RAISE_LIMITS}"
            sys.stderr.write(f"caregrid: {make_printable(reason)}\n")
            return 2
        sys.stderr.write(f"caregrid: {make_one_line(describe_exception(error))}; mend it there\n")
        return 2


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


def print_text(text: str) -> None:
    """Print a text, fitted where it goes to a terminal, or where COLUMNS says how wide it should be."""
    width_is_given = os.environ.get("COLUMNS", "").isdecimal()
    print(fit_text(text, shutil.get_terminal_size().columns) if width_is_given or sys.stdout.isatty() else text)


LOST = 2  # the exit code where the results could not be printed


def with_standard_streams(answer: Callable[[], int]) -> int:
    """Return the exit code of `answer`, which may print; LOST where what it printed was not accepted.

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
    """Discard what a stream still holds, so that the interpreter does not complain about it when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
