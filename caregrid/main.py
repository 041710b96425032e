"""The command `caregrid`: finds the commands, parses, and turns foreseen errors, and a user's own, into one line.

`--help` lists the commands in groups, as wide as the terminal. Shells complete commands, options, choices and
registered names (extra `completion`) with

    eval "$(register-python-argcomplete caregrid)"        in ~/.bashrc or ~/.zshrc

The shell then runs `caregrid` with _ARGCOMPLETE in its environment, and argcomplete reads the answer off the parser.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

from caregrid.arguments.declaration import add_arguments, read_arguments
from caregrid.arguments.terminal_width import FittedHelp
from caregrid.commands import COMMANDS
from caregrid.standard_streams import with_standard_streams
from engine.errors import BadValue, CaregridError, MissingExtra, UnknownName, did_you_mean, naming_options
from engine.notices import users_warnings
from engine.printable import make_one_line, make_printable
from engine.user_code import describe_exception, is_raised_by_users, read_exception


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
ELSE = "More commands"
NARROW, WIDE = 44, 100


def help_page(commands: Mapping[str, ModuleType]) -> str:
    """The page. commands: name -> module, whose GROUP says where it is listed and whose first line what it does."""
    width = min(WIDE, max(NARROW, shutil.get_terminal_size().columns))
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, module in commands.items():
        groups.setdefault(getattr(module, "GROUP", ELSE), []).append(name)
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
    last = "caregrid COMMAND --help: its options. caregrid show NAME: a scenario, agent, experiment or any other name. "
    return "\n".join([*lines, "", *textwrap.wrap(last + "caregrid --version: the version.", width)]) + "\n"


def _lines(name: str, module: ModuleType, indent: int, width: int) -> list[str]:
    summary = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    start = f"  {name.replace('_', '-')}".ljust(indent)
    return textwrap.wrap(summary, width, initial_indent=start, subsequent_indent=" " * indent) or [start.rstrip()]


PLAINER = {"expected one argument": "it needs a value", "ignored explicit argument": "it takes no value; leave out"}
"""What argparse says, in other words."""
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
"""Files, processes or memory that the system has no more of."""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line on stderr; a prefix of an option is not taken for it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        for words, plainer in PLAINER.items():
            message = message.replace(f": {words}", f": {plainer}", 1)
        sys.stderr.write(f"{self.prog}: {make_one_line(message)} (see '{self.prog} --help')\n")
        raise SystemExit(2)

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse does, but a help that cannot be printed is not passed over."""
        (file or sys.stderr).write(message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does, but what it does not know is refused here, by the parser of the command."""
        given = list(sys.argv[1:] if args is None else args)
        known, left = super().parse_known_args(given, namespace)
        unknown = [word for word in left if word != "--"]
        if unknown:
            after = given[given.index("--") :] if "--" in given else []
            self.error(f"unrecognized arguments: {' '.join(unknown)}; {self._what_to_write(unknown, after)}")
        return known, []

    def _what_to_write(self, unknown: Sequence[str], after: Sequence[str]) -> str:
        """The remedy for words that the command does not know. after: the words from "--" on."""
        misspelt = next((word for word in unknown if word.startswith("--")), None)
        if misspelt is None:
            places = [str(each.metavar) for each in self._actions if not each.option_strings and each.metavar]
            return f"besides options it takes {' and '.join(places) or 'nothing'}"
        if misspelt in after:
            return "write options before '--'"
        shown = [name for each in self._actions if each.help != argparse.SUPPRESS for name in each.option_strings]
        return did_you_mean(misspelt.partition("=")[0], [name for name in shown if name.startswith("--")])


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The whole parser, or just the parser of one command."""
    parser = _Parser(prog="caregrid", add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--version", action="store_true")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name, module in ({only: COMMANDS[only]} if only else COMMANDS.loadable()).items():
        summary, _, rest = (module.__doc__ or "").partition("\n")
        sub = commands.add_parser(
            name.replace("_", "-"),
            description=f"{summary}\n{rest}",
            formatter_class=FittedHelp,
        )
        declaration = declaration_of(module)
        add_arguments(sub, declaration)
        sub.set_defaults(run=lambda given, module=module, kind=declaration: module.run(read_arguments(kind, given)))
    return parser


def declaration_of(module: ModuleType) -> type[Any]:
    """The class of arguments that a command's `run` takes."""
    declared: type[Any] = getattr(module, str(module.run.__annotations__["arguments"]))
    return declared


def _joined(words: Sequence[str]) -> list[str]:
    """Options spelled with "-", and glued to values that begin with a minus ("--care", "-1:1:0.1")."""
    joined: list[str] = []
    for word in words:
        if re.match(r"-(\d|\.\d|inf)", word) and joined and re.fullmatch(r"--[\w-]+", joined[-1]):
            joined[-1] += f"={word}"
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            joined.append(name.replace("_", "-") + equals + value)
        else:
            joined.append(word)
    return joined


def _one_command(words: Sequence[str]) -> list[str]:
    """Commands of two words as one: `bench compare` is the file `bench_compare`."""
    if len(words) > 1 and not words[1].startswith("-") and f"{words[0]}_{words[1]}" in COMMANDS:
        return [f"{words[0]}-{words[1]}", *words[2:]]
    return list(words)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code (0 done, 1 a check failed, 2 bad input, 130 interrupted)."""
    with naming_options(), users_warnings():
        return with_standard_streams(lambda: _answer(sys.argv[1:] if arguments is None else arguments))


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
    words = _one_command(_joined(arguments))
    first = next((word for word in words if not word.startswith("-")), None)
    try:
        _require_possible(words)
        if "_ARGCOMPLETE" in os.environ:  # a shell asks for what may follow
            complete(build_parser())
        if first is not None and first not in COMMANDS:
            names = [name.replace("_", "-") for name in COMMANDS.names()]
            raise UnknownName("command", first, names)
        if first is not None and words[0] in ("-h", "--help"):
            words = [first, "--help"]
        parser = build_parser(first)
        options = parser.parse_args(words)
        if options.version:
            from caregrid import __version__

            print(f"caregrid {__version__}")
            return 0
        if options.command is None or options.help:
            print(help_page(dict(COMMANDS.loadable())), end="")
            return 0
        code: int = options.run(options)
        return code
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
            reason = (
                f"{read_exception(error)}: the system gives no more; raise what ulimit shows, or end other programs"
            )
            sys.stderr.write(f"caregrid: {make_printable(reason)}\n")
            return 2
        sys.stderr.write(f"caregrid: {make_one_line(describe_exception(error))}; mend it there\n")
        return 2
