"""Text from files and from users' code as a terminal can show it: nothing in it moves the cursor or changes colours."""

from __future__ import annotations

_KEPT = {"\n", "\t"}


def printable(text: str) -> str:
    r"""The text with control characters, lone surrogates and marks that turn its direction as escapes such as \x1b."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in _KEPT or letter == "\xa0" else _escaped(letter) for letter in text
    )


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
