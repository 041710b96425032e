"""States by some of their fields in words, as `Scenario.describe` gives them: {"cell": [5, 1], "fence": "yes"}.

Words fit every state that has these fields; {} fits all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from craftworld.scenario import Scenario
from engine.errors import BadFile
from engine.files import read_text
from engine.mdp.mdp import TabularMDP
from engine.plain_values import make_json_value
from engine.printable import show_value


class DescribedStates:
    """Some states of a table, found by words. numbers: int64[n], theirs in the table."""

    def __init__(self, scenario: Scenario, table: TabularMDP, numbers: NDArray[np.int64]) -> None:
        self.numbers = numbers
        described = [scenario.describe(table.states[number]) for number in numbers.tolist()]
        self._example = described[0] if described else {}
        self._columns = {
            name: np.array([spell_words(words.get(name)) for words in described]) for name in self._example
        }

    def find(self, words: Any, place: str) -> NDArray[np.int64]:
        """Find the numbers of the states that words fit; BadFile, naming the place, where they fit none."""
        if not isinstance(words, dict) or not set(words) <= set(self._columns):
            remedy = f"name fields of a state: {', '.join(self._columns)}"
            raise BadFile(f"state is {show_value(words)}", place=place, remedy=remedy)
        matches = [self._columns[name] == spell_words(value) for name, value in words.items()]
        found = self.numbers[np.logical_and.reduce(matches, axis=0)] if matches else self.numbers
        if not len(found):
            remedy = f"write it like {json.dumps(self._example)}"
            raise BadFile(f"no state is {show_value(words)}", place=place, remedy=remedy)
        return found

    def find_one(self, words: Any, place: str) -> int:
        """Find the number of the only state that words fit; BadFile where there are several, or none."""
        found = self.find(words, place)
        if len(found) > 1:
            remedy = f"name more of {', '.join(self._columns)}"
            raise BadFile(f"{len(found)} states are {show_value(words)}", place=place, remedy=remedy)
        return int(found[0])


def read_json(path: str | Path, what: str, remedy: str) -> Any:
    """Return what a file of JSON holds; BadFile for another one."""
    try:
        return json.loads(read_text(path, remedy=f"name a file of {what}"))
    except (ValueError, RecursionError) as error:
        raise BadFile(f"it is not JSON: {error}", place=str(path), remedy=remedy) from None


def parse_entries(content: Any, name: str, place: str, remedy: str) -> Sequence[Any]:
    """Return the list that an object of JSON holds under its only name; BadFile for anything else."""
    if not isinstance(content, dict) or set(content) != {name} or not isinstance(content[name], list):
        raise BadFile(f"it holds no {name}", place=place, remedy=remedy)
    if not content[name]:
        raise BadFile(f"its list of {name} is empty", place=place, remedy=remedy)
    entries: list[Any] = content[name]
    return entries


def spell_words(words: Any) -> str:
    """Return one spelling of words."""
    return json.dumps(make_json_value(words), sort_keys=True, default=repr)
