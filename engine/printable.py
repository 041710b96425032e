"""Text from files and from users' code as a terminal can show it: nothing in it moves the cursor or changes colours.

Text that is wider than the terminal goes on below, indented to the column in which it broke.

A notice is one line on standard error, each once a run, whatever the number of workers.
"""

from __future__ import annotations

import re
import sys
import textwrap
import types

_KEPT = {"\n", "\t"}
_WITHOUT_KEPT = {ord(letter): None for letter in _KEPT}
LONGEST = 1200  # letters of one part of a message; the longest that any of ours needs are lists of names
LONGEST_WORD = 43  # of a word that was given where another was expected


def make_printable(text: str) -> str:
    r"""The text with control characters, lone surrogates and marks that turn its direction as escapes such as \x1b."""
    if text.translate(_WITHOUT_KEPT).isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in _KEPT or letter == "\xa0" else _escape(letter) for letter in text
    )


def make_one_line(text: str, longest: int = LONGEST) -> str:
    """The same in one line of bounded length, however long and however many lines it was: its middle is left out."""
    if len(text) > longest:
        text = f"{text[: longest * 2 // 3]} ... {text[-(longest // 3) :]}"
    return make_printable(text).replace("\n", "\\n").replace("\t", "\\t")


def shorten(text: str, longest: int = 60) -> str:
    """Return a text for messages: one of more than `longest` letters is cut, and ends in three dots."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def show_value(value: object, longest: int = 80) -> str:
    """Return a value as a message shows it, in one line; functions and classes by their names, without an address."""
    try:
        if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type):
            return f"the {'class' if isinstance(value, type) else 'function'} {value.__qualname__}"
        text = " ".join(repr(value).split())
    except KeyboardInterrupt:
        raise
    except BaseException:  # a user's own method may raise anything
        text = f"an object of type {name_type(value)} that cannot be printed"
    return shorten(text, longest)


def name_type(value: object) -> str:
    """Return the name of an object's class, which the class itself cannot withhold."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


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


NARROWEST, EXAMPLE = 40, "  caregrid "
COPIED = re.compile(r"\bpip (un)?install\b")
"""What people copy into a shell stays in one line."""


def fit_text(text: str, width: int) -> str:
    """Return the text with lines of at most that width, as far as single words and commands to copy allow."""
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
