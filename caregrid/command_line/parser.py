"""The words of a command line as values: a parser made from an operation's parameters, and what it says of mistakes.

argparse splits the words; values are read by `engine.value_types`, as Python's arguments are checked. A prefix of an
option is not taken for it, "-" and "_" are the same in options, and complaints are one line.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from caregrid.command_line.operation import NO_DEFAULT, Operation, Parameter, suggest_parameter
from engine.errors import BadValue
from engine.printable import make_one_line
from engine.value_types import read

JSON = "json"
DARK = "dark"


class CommandParser(argparse.ArgumentParser):
    """The parser of one command. operation: what it is of."""

    def __init__(self, operation: Operation) -> None:
        name = operation.name.replace("_", "-")
        super().__init__(prog=f"caregrid {name}", add_help=False, allow_abbrev=False)
        self.operation = operation
        self.add_argument("-h", "--help", action="store_true")
        for parameter in operation.parameters:
            _add(self, parameter)
        if operation.pictures:
            self.add_argument("--dark", action="store_true", dest=DARK)
        if operation.prints_json:
            self.add_argument("--json", action="store_true", dest=JSON)

    def values(self, words: Sequence[str]) -> dict[str, Any] | None:
        """Return the values that words stand for, by the names of parameters; None where help is asked for.

        Raises SystemExit, with the complaint on stderr, for words that cannot be read.
        """
        words = join_option_values(words)
        if "-h" in words or "--help" in words:
            return None
        known, unknown = self.parse_known_args(words)
        if unknown := [word for word in unknown if word != "--"]:
            self.error(f"unrecognized arguments: {' '.join(unknown)}; {self._what_to_write(unknown, words)}")
        given = {name: value for name, value in vars(known).items() if value not in (None, False, [])}
        found: dict[str, Any] = {name: True for name in (JSON, DARK) if given.get(name)}
        for parameter in self.operation.parameters:
            if parameter.name in given:
                found[parameter.name] = self._read(parameter, given[parameter.name])
            elif parameter.required:
                self.error(f"the following arguments are required: {parameter.spelling}")
            elif parameter.word.default is not NO_DEFAULT:
                found[parameter.name] = parameter.default
        return {name: value for name, value in found.items() if value is not None}

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Return the value of an option; "--" after "=" is one, which argparse would take for none."""
        if action.option_strings and arg_strings == ["--"] and action.nargs is None:
            return arg_strings[0]
        return super()._get_values(action, arg_strings)

    def _read(self, parameter: Parameter, given: Any) -> Any:
        if parameter.is_flag:
            return True
        try:
            if parameter.several:
                return tuple(read(parameter.spelling, word, parameter.types) for word in given)
            return read(parameter.spelling, given, parameter.types)
        except BadValue as error:
            self.error(str(error))

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, in one line, and end with exit code 2."""
        message = message.replace(": expected one argument", " needs a value")
        message = message.replace(": ignored explicit argument", " takes no value; leave out")
        sys.stderr.write(
            f"{self.prog}: {make_one_line(message.removeprefix('argument '))} (see '{self.prog} --help')\n"
        )
        raise SystemExit(2)

    def _what_to_write(self, unknown: Sequence[str], words: Sequence[str]) -> str:
        """Return the remedy for words that the command does not know."""
        after = words[words.index("--") :] if "--" in words else []
        misspelt = next((word for word in unknown if word.startswith("--")), None)
        if misspelt is None:
            places = [parameter.spelling for parameter in self.operation.parameters if parameter.by_place]
            return f"besides options it takes {' and '.join(places) or 'nothing'}"
        if misspelt in after:
            return "write options before '--'"
        options = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        return suggest_parameter(misspelt.partition("=")[0], options)


def _add(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    """Teach a parser an option, or an argument by its place."""
    if parameter.by_place:
        count = "*" if parameter.several else "?"
        action = parser.add_argument(parameter.name, nargs=count, metavar=parameter.metavar)
    elif parameter.is_flag:
        parser.add_argument(parameter.spelling, dest=parameter.name, action="store_true")
        return
    else:
        kind = "append" if parameter.several else "store"
        action = parser.add_argument(parameter.spelling, dest=parameter.name, action=kind, metavar=parameter.metavar)
    if parameter.word.kinds:
        action.completer = NamesOfKinds(parameter.word.kinds)  # type: ignore[attr-defined]
    elif choices := [word for kind in parameter.types for word in kind.schema.get("enum", ())]:
        action.completer = lambda prefix="", **_: choices  # type: ignore[attr-defined]


def join_option_values(words: Sequence[str]) -> list[str]:
    """Options spelled with "-", and joined to values that begin with a minus ("--care", "-1:1:0.1")."""
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


class NamesOfKinds:
    """What a shell is offered: names of some kinds of entries, without importing any; after a comma the next one.

    Where the command line names a kind, names of that kind alone; of "kinds", the names of the kinds themselves.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = tuple(kinds)

    def __call__(self, prefix: str = "", parsed_args: argparse.Namespace | None = None, **_: Any) -> list[str]:
        from caregrid.kinds import KINDS, find_kind

        before, comma, _last = prefix.rpartition(",")
        if self._kinds == ("kinds",):
            return sorted(KINDS)
        named = getattr(parsed_args, "kind", None)
        kinds = [named] if named in KINDS else self._kinds
        names = {name for kind in kinds for name in find_kind(kind).light_registry()}
        return [f"{before}{comma}{name}" for name in sorted(names)]
