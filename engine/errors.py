"""Every error a user can cause, each naming the culprit, the place and the remedy in one line.

CaregridError                 the command line prints it in one line and exits with 2
├── BadValue                  a number or word outside its domain                       (also a ValueError)
├── UnknownName               a name no registry knows ("did you mean ...?")            (also a KeyError)
├── BadFile                   unreadable, corrupt, foreign or mismatching file          (also an OSError)
├── MissingExtra              an optional package is needed and absent                  (also an ImportError)
├── ContractBroken            a scenario, agent or environment breaks its contract
├── NoPlan                    a planning problem has no finite solution
└── MapError                  a drawing is not a legal map                              (also a ValueError)
    ├── RaggedRows  ├── UnknownGlyph  ├── MissingFeature
    ├── DuplicateFeature  └── UnreachableFeature

Callers who know only Python's own errors catch ours by those; `except OSError` and the like around our own calls must
therefore let a CaregridError pass that has said already what is wrong.
"""

from __future__ import annotations

import copy
import difflib
import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from engine.printable import make_one_line, shorten, show_value

LONGEST_NAME = 80
MOST_NAMES = 30
LONGEST_EXCERPT = 100
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
"""Files, processes or memory that the system has no more of."""
RAISE_LIMITS = "raise what ulimit shows, or end other programs"


class CaregridError(Exception):
    """An error that names its culprit and place and says what to do, in one line: "place: problem; remedy".

    Parameters
    ----------
    problem : str
        What is wrong, naming the culprit.
    place : str
        Where it is wrong: a file, an option, a parameter.
    remedy : str
        What to do instead. Each part is made one line of bounded length, since it may quote anything.

    Examples
    --------
    >>> print(BadValue("discount is 2", place="garden", remedy="choose one between 0 and 1"))
    garden: discount is 2; choose one between 0 and 1
    """

    def __init__(self, problem: str, *, place: str = "", remedy: str = "") -> None:
        self.problem = make_one_line(problem)
        self.place = make_one_line(place)
        self.remedy = make_one_line(remedy)
        where = f"{self.place}: " if place else ""
        what_to_do = f"; {self.remedy}" if remedy else ""
        super().__init__(f"{where}{self.problem}{what_to_do}")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.problem, self.place, self.remedy)

    def adding(self, remedy: str) -> CaregridError:
        """Return the same error with one more remedy."""
        return self._copy_with(self.place, "; ".join(filter(None, (self.remedy, remedy))))

    def move_to(self, place: str) -> CaregridError:
        """Return the same error at another place, whatever its class is made of."""
        return self._copy_with(place, self.remedy)

    def _copy_with(self, place: str, remedy: str) -> CaregridError:
        changed = copy.copy(self)
        CaregridError.__init__(changed, self.problem, place=place, remedy=remedy)
        return changed


def _rebuild(kind: type[CaregridError], problem: str, place: str, remedy: str) -> CaregridError:
    error = kind.__new__(kind)
    CaregridError.__init__(error, problem, place=place, remedy=remedy)
    return error


class BadValue(CaregridError, ValueError):
    """A number, word or range outside its domain."""


class BadFile(CaregridError, OSError):
    """A file that cannot be read or written, or that is corrupt, foreign or made for something else."""


class MissingExtra(CaregridError, ImportError):
    """An optional package is needed and not installed; a remedy that names an extra says how in a checkout."""

    def __init__(self, problem: str, *, place: str = "", remedy: str = "") -> None:
        tested = "; caregrid doctor prints it with the tested versions)"
        if (extra := re.search(r"caregrid\[(\w+)\]", remedy)) and tested not in remedy:
            remedy += f" (in a checkout -e '.[{extra[1]}]'{tested}"
        super().__init__(problem, place=place, remedy=remedy)


class ContractBroken(CaregridError):
    """A scenario, agent, environment or experiment breaks the contract of its kind."""


class NoPlan(CaregridError):
    """A planning problem without a finite solution, such as one whose goal cannot be reached."""


class UnknownName(CaregridError, KeyError):
    """A name that is not registered; the message offers the nearest ones. A KeyError, since registries are mappings."""

    __str__ = Exception.__str__  # a KeyError would show the message in quotes

    def __init__(self, kind: str, name: str, known: Iterable[str], *, place: str = "") -> None:
        choices = sorted(known)
        text = name if isinstance(name, str) else show_value(name)
        shown = shorten(" ".join(text.split()), LONGEST_NAME)
        super().__init__(f"unknown {kind} '{shown}'", place=place, remedy=did_you_mean(shown, choices))


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Return the remedy for a misspelt or shortened name: the nearest choices, or all of them where none is near.

    Capitals and the dashes of options do not count.
    """
    known = list(choices)
    by_small_letters = {choice.lower().lstrip("-"): choice for choice in known}
    sought = name.lower().lstrip("-")
    close = [choice for choice in by_small_letters if len(sought) > 1 and choice.startswith(sought)][:3]
    close = close or difflib.get_close_matches(sought, by_small_letters, n=3)
    near = [by_small_letters[choice] for choice in close]
    if near:
        return "did you mean " + " or ".join(f"'{choice}'" for choice in near) + "?"
    more = f" and {len(known) - MOST_NAMES} more" if len(known) > MOST_NAMES else ""
    return f"choose from {', '.join(known[:MOST_NAMES])}{more}" if known else "there are none"


_options_named: ContextVar[bool] = ContextVar("options_named", default=False)


@contextmanager
def naming_options() -> Iterator[None]:
    """Let messages name the options of a command line, in place of arguments of functions."""
    token = _options_named.set(True)
    try:
        yield
    finally:
        _options_named.reset(token)


def argument(name: str, value: object = None, *, option: str = "") -> str:
    """Name an argument in a message: `unit_timeout`, and on the command line `--unit-timeout`.

    value: a value to show, `engine='dask'`, and on the command line `--engine dask`; True for an option without values.
    option: the spelling on the command line where it differs from the name.
    """
    if not _options_named.get():
        return name if value is None else f"{name}={value!r}"
    spelled = option or f"--{name.replace('_', '-')}"
    return spelled if value in (None, True) else f"{spelled} {value}"


def add_article(noun: str) -> str:
    """Put the article before a noun: `a number`, `an environment`."""
    return f"{'an' if noun[0] in 'AEIOUaeiou' else 'a'} {noun}"


class MapError(CaregridError, ValueError):
    """A drawing that is not a legal map; the message shows the line with a caret under the culprit."""

    def __init__(
        self, problem: str, *, place: str = "", remedy: str = "", line: str = "", column: int | None = None
    ) -> None:
        super().__init__(problem, place=place, remedy=remedy)
        self.line, self.column = line, column

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_map, (type(self), self.problem, self.place, self.remedy, self.line, self.column)

    def excerpt(self) -> str:
        """Return the offending line, or the part of a long one around the column, with a caret under the column."""
        if not self.line:
            return ""
        first = max((self.column or 0) - LONGEST_EXCERPT // 2, 0)
        part = self.line[first : first + LONGEST_EXCERPT]
        return part if self.column is None else f"{part}\n{' ' * (self.column - first)}^"

    def __str__(self) -> str:
        drawn = self.excerpt()
        return super().__str__() + (f"\n{drawn}" if drawn else "")


def _rebuild_map(
    kind: type[MapError], problem: str, place: str, remedy: str, line: str, column: int | None
) -> MapError:
    return kind(problem, place=place, remedy=remedy, line=line, column=column)


class RaggedRows(MapError):
    """Rows of a drawing differ in length."""


class UnknownGlyph(MapError):
    """A glyph that the legend does not explain."""


class MissingFeature(MapError):
    """A feature that the world needs is not on the map."""


class DuplicateFeature(MapError):
    """A feature that must be unique is drawn more than once."""


class UnreachableFeature(MapError):
    """A feature that cannot be reached from where it must be."""
