"""Environments as tables, in Python or JSON: the first matching row gives a slot's law, or a history's next state.

{"name": "...", "actions": [..], "init": [1], "z0": "...", "rewards": {observation: "p/q"},
 "rules": [[z, slot, action, [[probability, {slot: observation}], ...]], ...],
 "update": [[z, action, observation, z2], ...]}

rules  (z, slot, action) -> law, first match; no match is an error that names the three
update (z, action, observation) -> z2, first match; otherwise z stays

Probabilities and rewards are fractions written as strings (or integers). The first matching row wins, "*" matches
anything, {} is deletion. A file may also wrap the table: {"spec": table, "horizon": T, "discount": "p/q"}, with
"name", "doc" and known "values" beside it. JSON is read with every key once; each error names the place or the row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile, BadValue, did_you_mean
from engine.files import read_text
from engine.plain_values import MOST_DIGITS, parse_rational
from engine.printable import shorten, show_value
from engine.user_code import find_users_line
from multislot.errors import BadTable
from multislot.worlds.environment import CopyOutcome, HistoryBasedEnvironment, HistoryState, Label, Law, Slot, check_law

MOST_CHARACTERS_SHOWN = 60  # characters of a value in a message


def read_json(path: str | Path) -> Any:
    """Return the content of a JSON file; BadTable where it cannot be read."""
    try:
        text = read_text(path)
    except BadFile as error:
        raise BadTable(error.problem, place=error.place) from error
    try:
        return json.loads(text, object_pairs_hook=_refuse_repeated_keys)
    except json.JSONDecodeError as error:
        raise BadTable(f"not JSON: {error.msg}", place=f"{path}, line {error.lineno}") from error
    except KeyError as error:
        raise BadTable(f"key '{error.args[0]}' is written twice in one object", place=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise BadTable("a number too long, or brackets too deep, to be read", place=str(path)) from error


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, entry in pairs:
        if key in content:
            raise KeyError(key)
        content[key] = entry
    return content


def require_known_keys(content: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    """BadTable for a key that means nothing here."""
    for key in content:
        if key not in known:
            raise BadTable(f"unknown key '{key}'", place=place, remedy=did_you_mean(str(key), known))


def read_fraction(text: Any, place: str) -> Fraction:
    """Return a fraction of a file, written as text or an integer; BadTable."""
    if not isinstance(text, str | int) or isinstance(text, bool):
        raise BadTable(f"{show_json(text)} is not a fraction", place=place, remedy='write it as "p/q"')
    try:
        return parse_rational(text)
    except BadValue as error:
        problem = error.problem if "digits" in error.problem else f"{show_json(text)} is not a fraction"
        raise BadTable(problem, place=place, remedy='write it as "p/q"') from error


def show_json(value: Any) -> str:
    """Return a value of a table as its file writes it, `true` and "a"; what no file can hold, as Python writes it."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return show_value(value, MOST_CHARACTERS_SHOWN)
    return shorten(text, MOST_CHARACTERS_SHOWN)


ANY = "*"


class LawRow(NamedTuple):
    """One row of the rules; None matches anything."""

    state: str | None
    slot: Slot | None
    action: Label | None
    law: Law


class UpdateRow(NamedTuple):
    """One row of the update; None matches anything."""

    state: str | None
    action: Label | None
    observation: Label | None
    successor: str


def matches(pattern: tuple[object, ...], actual: tuple[object, ...]) -> bool:
    """Return whether every entry that is not None is equal."""
    return all(expected is None or expected == value for expected, value in zip(pattern, actual, strict=True))


@dataclass(frozen=True)
class TableEnvironment(HistoryBasedEnvironment):
    """A history-based environment as rows, of which the first matching one counts.

    first: the state of the empty history. rules: rows for the law of a slot. updates: rows for the next state; without
    a matching one the state stays as it is.
    """

    name: str
    actions: tuple[Label, ...]
    rewards: Mapping[Label, Fraction]
    initial: tuple[Slot, ...]
    first: str
    rules: tuple[LawRow, ...]
    updates: tuple[UpdateRow, ...]
    _laws: dict[tuple[str, Slot, Label], Law] = field(default_factory=dict, compare=False, repr=False)

    def where(self) -> str:
        """Its name: what is wrong with it is wrong in its rows."""
        return self.name

    def start(self) -> str:
        """Return the state of the empty history."""
        return self.first

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        """Return the successor in the first matching row, or the same state."""
        for row in self.updates:
            if matches(row[:3], (state, action, observation)):
                return row.successor
        return state

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """Return the law in the first matching row; BadTable where no row matches."""
        key = (str(state), slot, action)
        if key not in self._laws:
            self._laws[key] = self._first_match(key)
        return self._laws[key]

    def _first_match(self, key: tuple[str, Slot, Label]) -> Law:
        for row in self.rules:
            if matches(row[:3], key):
                return row.law
        state, slot, action = key
        raise BadTable(
            f"no rule for state {state!r}, slot {slot}, action {action!r}",
            place=self.name,
            remedy='add a row for it ("no copy" is the outcome {})',
        )


TABLE_KEYS = ("name", "actions", "rewards", "rules")
OPTIONAL_KEYS = ("init", "z0", "update", "doc")
WRAPPING_KEYS = ("spec", "name", "doc", "horizon", "discount", "values", "known")


def table_environment(**entries: Any) -> TableEnvironment:
    """Return an environment written down in the table format, as keyword arguments; BadTable names the line, too."""
    try:
        return parse_table(entries, str(entries.get("name", "table")))
    except BadTable as error:
        raise error.move_to(", ".join(filter(None, (find_users_line(), error.place)))) from error


def parse_table(content: Any, place: str) -> TableEnvironment:
    """Return the environment of a parsed JSON object, by itself or under "spec"; BadTable names what is wrong."""
    if isinstance(content, Mapping) and "spec" in content:
        require_known_keys(content, WRAPPING_KEYS, place)
        content = content["spec"]
    if not isinstance(content, Mapping):
        raise BadTable("a table is one JSON object", place=place, remedy="write {" + ", ".join(TABLE_KEYS) + "}")
    require_known_keys(content, TABLE_KEYS + OPTIONAL_KEYS, place)
    for key in TABLE_KEYS:
        if key not in content:
            raise BadTable(f"no '{key}'", place=place, remedy=f'add "{key}"')
    return _Reader(content, place).read_environment()


class AskedInFile(NamedTuple):
    """The horizon and the discount that a file sets; None where it sets none."""

    horizon: int | None = None
    discount: Fraction | None = None


def read_asked(content: Any, place: str) -> AskedInFile:
    """Return the "horizon" and "discount" of a parsed file, which must be written exactly as they count; BadTable."""
    if not isinstance(content, Mapping):
        return AskedInFile()
    horizon, discount = content.get("horizon"), content.get("discount")
    if "horizon" in content and (not isinstance(horizon, int) or isinstance(horizon, bool) or horizon < 0):
        raise BadTable(f"'horizon' is {show_json(horizon)}", place=place, remedy="write an integer >= 0")
    if "discount" in content and not isinstance(discount, str):
        raise BadTable(f"'discount' is {show_json(discount)}", place=place, remedy='write it as text, "p/q"')
    return AskedInFile(horizon, read_fraction(discount, f"{place}, discount") if "discount" in content else None)


class _Reader:
    """One pass over a table; knows the labels, so that "0" in one place and 0 in another are the same."""

    def __init__(self, content: Mapping[str, Any], place: str) -> None:
        self.content = content
        self.place = place
        self.actions = {str(label): label for label in self._read_labels("actions", content["actions"])}
        if len(self.actions) != len(content["actions"]):
            raise BadTable("an action is listed twice", place=place, remedy="list every action once")
        self.observations: dict[str, Label] = {
            str(label): label for label in self._read_labels("rewards", self._read_rewards())
        }
        for label in self._list_observed_labels():
            if str(label) in self.observations and self.observations[str(label)] == str(label):
                self.observations[str(label)] = label
        pay = self._read_rewards().items()
        self.rewards = {self.observations[o]: read_fraction(r, f"{place}, rewards, {show_json(o)}") for o, r in pay}

    def read_environment(self) -> TableEnvironment:
        """Return the environment that the rows describe."""
        content = self.content
        rules = tuple(self._read_rule(row, k) for k, row in enumerate(self._read_rows("rules")))
        updates = tuple(self._read_update(row, k) for k, row in enumerate(self._read_rows("update")))
        first = content.get("z0", rules[0].state if rules else None)
        if first is None:
            raise BadTable("no 'z0'", place=self.place, remedy='add the first state as "z0"')
        initial = content.get("init", [1])
        if not isinstance(initial, list) or not all(_is_slot(slot) for slot in initial) or not initial:
            raise BadTable(f"'init' is {show_json(initial)}", place=self.place, remedy="list slots >= 1")
        name = str(content["name"])
        actions = tuple(self.actions.values())
        return TableEnvironment(name, actions, self.rewards, tuple(sorted(set(initial))), str(first), rules, updates)

    def _read_rewards(self) -> Mapping[str, Any]:
        rewards = self.content["rewards"]
        if not isinstance(rewards, Mapping) or not rewards:
            raise BadTable("'rewards' is not an object", place=self.place, remedy='write {observation: "p/q"}')
        return rewards

    def _list_observed_labels(self) -> list[Label]:
        """Return every observation in the rules, as far as the rows are well formed."""
        rows = [row for row in self._read_rows("rules") if isinstance(row, list) and len(row) == 4]
        outcomes = [outcome for row in rows if isinstance(row[3], list) for outcome in row[3]]
        pairs = [o for o in outcomes if isinstance(o, list) and len(o) == 2 and isinstance(o[1], Mapping)]
        return [label for _, copies in pairs for label in copies.values()]

    def _read_labels(self, key: str, labels: Any) -> list[Label]:
        if not isinstance(labels, Sequence | Mapping) or isinstance(labels, str) or not labels:
            raise BadTable(f"'{key}' is {show_json(labels)}", place=self.place, remedy="list at least one")
        for label in labels:
            if isinstance(label, bool) or not isinstance(label, str | int) or str(label) == ANY:
                raise BadTable(
                    f"{show_json(label)} in '{key}' is not a label", place=self.place, remedy="use words or integers"
                )
            if any(mark in str(label) for mark in ",;"):
                raise BadTable(
                    f"{show_json(label)} in '{key}' holds ',' or ';'", place=self.place, remedy="leave them out"
                )
        return list(labels)

    def _read_rows(self, key: str) -> list[Any]:
        rows = self.content.get(key, [])
        if not isinstance(rows, list):
            raise BadTable(f"'{key}' is not a list of rows", place=self.place, remedy="write [[...], ...]")
        return rows

    def _read_rule(self, row: Any, k: int) -> LawRow:
        place = f"{self.place}, rules, row {k}"
        if not isinstance(row, list) or len(row) != 4 or not isinstance(row[3], list):
            raise BadTable("not a rule", place=place, remedy="write [z, slot, action, [[probability, copies], ...]]")
        state, slot, action, outcomes = row
        if slot != ANY and not _is_slot(slot):
            raise BadTable(f"slot {show_json(slot)} is not an integer >= 1", place=place, remedy="number slots from 1")
        law = tuple(self._read_outcome(outcome, place) for outcome in outcomes)
        check_law(law, self.rewards, place)
        return LawRow(
            _parse_state(state), None if slot == ANY else slot, self._find_label(action, self.actions, place), law
        )

    def _read_outcome(self, outcome: Any, place: str) -> CopyOutcome:
        if not isinstance(outcome, list) or len(outcome) != 2 or not isinstance(outcome[1], Mapping):
            raise BadTable("not an outcome", place=place, remedy="write [probability, {slot: observation}]")
        copies: dict[Slot, Label] = {}
        for slot, observation in outcome[1].items():
            if not str(slot).isdecimal() or len(str(slot)) > MOST_DIGITS or int(slot) < 1:
                problem = f"copy slot {show_json(slot)} is not an integer >= 1 of up to {MOST_DIGITS:,} digits"
                raise BadTable(problem, place=place, remedy="number slots from 1")
            known = self._find_label(observation, self.observations, place)
            if known is None or int(slot) in copies:
                raise BadTable(
                    f"copy slot {slot}: {show_json(observation)}", place=place, remedy="give each copy one observation"
                )
            copies[int(slot)] = known
        return CopyOutcome(read_fraction(outcome[0], place), copies)

    def _read_update(self, row: Any, k: int) -> UpdateRow:
        place = f"{self.place}, update, row {k}"
        if not isinstance(row, list) or len(row) != 4:
            raise BadTable("not an update", place=place, remedy="write [z, action, observation, z2]")
        state, action, observation, successor = row
        if successor == ANY:
            raise BadTable("'*' as the next state", place=place, remedy="name the state, or leave the row out to stay")
        wanted = self._find_label(action, self.actions, place), self._find_label(observation, self.observations, place)
        return UpdateRow(_parse_state(state), *wanted, str(successor))

    def _find_label(self, label: Any, known: Mapping[str, Label], place: str) -> Label | None:
        if label == ANY:
            return None
        if isinstance(label, bool) or str(label) not in known:
            what = "action" if known is self.actions else "observation"
            raise BadTable(f"unknown {what} {show_json(label)}", place=place, remedy=did_you_mean(str(label), known))
        return known[str(label)]


def _parse_state(label: Any) -> str | None:
    return None if label == ANY else str(label)


def _is_slot(slot: Any) -> bool:
    return isinstance(slot, int) and not isinstance(slot, bool) and slot >= 1
