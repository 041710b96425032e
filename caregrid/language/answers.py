"""An action read from an answer: the last line that begins `ACTION:` names it, whole, as it was listed.

Answers are read by lines, not by a regular expression, which may find an action in the middle of another word or line.
There are no aliases and no guesses: what is not one of the names is no answer. Lines end at a line feed, a carriage
return or both, at nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

ACTION, PLAN, ANSWER = "ACTION:", "PLAN:", "ANSWER:"


def find_last_line(answer: str, mark: str) -> str | None:
    """Return what follows a mark in the last line that begins with it, without blanks; None without such a line."""
    for line in reversed(answer.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        said = line.strip(" \t")
        if said.startswith(mark):
            return said.removeprefix(mark).strip(" \t")
    return None


def read_action(answer: str, actions: Sequence[str], mark: str = ACTION) -> str | None:
    """Return the action that an answer names, None where it names none of them.

    Examples
    --------
    >>> read_action("I go up.\\nACTION: up", ["up", "down"])
    'up'
    >>> read_action("ACTION: up or down", ["up", "down"]) is None
    True
    """
    said = find_last_line(answer, mark)
    return said if said in actions else None


def read_plan(answer: str, actions: Sequence[str]) -> list[str] | None:
    """Return the actions of the last line that begins `PLAN:`, separated by commas; None unless all are known."""
    said = find_last_line(answer, PLAN)
    names = [name.strip(" \t") for name in said.split(",")] if said else []
    return names if names and all(name in actions for name in names) else None
