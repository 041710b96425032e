"""JANI: models of automata as JSON, read and written, as far as PRISM's language goes.

Read: `mdp` and `dtmc` models, constants, bounded integers and truth values, functions of numbers, automata with
locations and edges, synchronisation vectors, transient variables: a truth value is a label, a number per reward.
Refused, each in one line: time, arrays, datatypes, several initial states. Reference: the JANI specification,
jani-spec.org.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from caregrid.tables.decision_table import DecisionTable
from caregrid.tables.expressions import FUNCTIONS, Expression, Scope
from caregrid.tables.prism import spell_actions, split_rewards
from caregrid.tables.symbolic_model import (
    DISCOUNT,
    START_DRAW,
    TERMINAL,
    Command,
    RewardItem,
    SymbolicModel,
    Synchronisation,
    Update,
    Variable,
)
from engine.errors import BadFile
from engine.printable import show_value

OPERATIONS = {
    "∧": "and",
    "∨": "or",
    "⇒": "implies",
    "=": "=",
    "≠": "!=",
    "<": "<",
    "≤": "<=",
    ">": ">",
    "≥": ">=",
    "+": "+",
    "*": "*",
    "/": "/",
    "%": "mod",
    "pow": "pow",
    "log": "log",
    "min": "min",
    "max": "max",
}
ALONE = {"¬": "not", "floor": "floor", "ceil": "ceil", "abs": "abs", "exp": "exp"}
TRUE = Expression("literal", (True,), "")


def read_jani(text: str, file: str, constants: Mapping[str, Any], discount: float | None = None) -> SymbolicModel:
    """Read a model. constants: values of those that the file leaves open; discount: of the constant of this name, where
    it is open. Raises BadFile, naming file and place.
    """
    try:
        content = json.loads(text, parse_constant=lambda word: float("nan"))
    except RecursionError as error:
        raise BadFile("JSON that is nested too deeply", place=file, remedy="write a flatter model") from error
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        place = f"{file}, line {line}" if line else file
        raise BadFile(f"not JSON: {error}", place=place, remedy="see docs/tables.md") from error
    return _Reader(file, constants, discount).read(content)


class _Reader:
    """One pass over the parts of a model; `where` is the path of a part, such as automata[0].edges[2]."""

    def __init__(self, file: str, constants: Mapping[str, Any], discount: float | None) -> None:
        self.discount = discount
        self.file = file
        self.given = dict(constants)
        self.model = SymbolicModel(Scope(file))
        self.rewards: list[str] = []
        self.labels: list[str] = []
        self.depth = 0

    def refuse(self, problem: str, where: str, remedy: str) -> BadFile:
        return BadFile(problem, place=f"{self.file}, {where}", remedy=remedy)

    def field(self, part: Any, name: str, kind: type, where: str, default: Any = ...) -> Any:
        """Return a field of an object; BadFile where it is missing or of another kind."""
        if not isinstance(part, dict):
            raise self.refuse(f"{show_value(part)}, where an object is expected", where, "write {...}")
        value = part.get(name, default)
        if value is ... or (value is not default and not isinstance(value, kind)):
            words = {"str": "a text", "list": "a list", "dict": "an object"}[kind.__name__]
            shown = "nothing" if value is ... else show_value(value)
            raise self.refuse(f"'{name}' is {shown}", where, f"give it {words}")
        return value

    def read(self, content: Any) -> SymbolicModel:
        where = "the model"
        kind = self.field(content, "type", str, where)
        if kind not in ("mdp", "dtmc"):
            what = "a POMDP, in which the agent does not see the state" if "pomdp" in kind else f"the kind {kind!r}"
            raise self.refuse(what, "type", "give an mdp or a dtmc")
        self.model.kind = kind
        for name in self.field(content, "features", list, where, []):
            if name in ("arrays", "datatypes", "functions", "hyperbolic-functions", "trigonometric-functions"):
                raise self.refuse(f"the feature {show_value(name)}", "features", "write the model without it")
        for number, part in enumerate(self.field(content, "constants", list, where, [])):
            self._read_constant(part, f"constants[{number}]")
        if self.given:
            raise BadFile(f"no open constant '{next(iter(self.given))}'", place=self.file, remedy="leave it out")
        self._require_true(content, "restrict-initial", where)
        for number, part in enumerate(self.field(content, "variables", list, where, [])):
            self._read_variable(part, f"variables[{number}]", {})
        self.model.rewards = {name: [] for name in self.rewards}
        automata = self.field(content, "automata", list, where)
        places = {self.field(part, "name", str, f"automata[{n}]"): n for n, part in enumerate(automata)}
        system = self.field(content, "system", dict, where)
        elements = self.field(system, "elements", list, "system")
        order = []
        for number, part in enumerate(elements):
            at = f"system.elements[{number}]"
            name = self.field(part, "automaton", str, at)
            if name not in places or name in order or part.get("input-enable"):
                raise self.refuse(f"{show_value(name)} cannot run here", at, "name each automaton once")
            order.append(name)
            self._read_automaton(automata[places[name]], f"automata[{places[name]}]")
        for number, part in enumerate(self.field(system, "syncs", list, "system", [])):
            self._read_synchronisation(part, f"system.syncs[{number}]", len(order))
        self._keep_synchronised()
        return self.model

    def _require_true(self, part: Mapping[str, Any], name: str, where: str) -> None:
        if name in part and self.field(part, name, dict, where).get("exp") is not True:
            raise self.refuse(f"'{name}'", where, "give every variable its initial-value, and leave this out")

    def _new_name(self, part: Any, where: str) -> str:
        name: str = self.field(part, "name", str, where)
        scope = self.model.scope
        if name in scope.variables or name in scope.constants or name in self.rewards or name in self.labels:
            raise self.refuse(f"{show_value(name)} is declared twice", where, "rename one")
        return name

    def _read_constant(self, part: Any, where: str) -> None:
        name = self._new_name(part, where)
        kind = part.get("type")
        if "value" not in part and name == DISCOUNT and self.discount is not None:
            self.given.setdefault(name, self.discount)
        if "value" not in part and name not in self.given:
            remedy = f"set it: --set {name}=1, in Python {name}=1"
            raise self.refuse(f"the constant '{name}' has no value", where, remedy)
        if "value" in part:
            value = self.model.scope.value(self._expression(part["value"], where))
        else:
            value = self.given.pop(name)
        fits = {"int": type(value) is int, "bool": type(value) is bool, "real": type(value) in (int, float)}
        base = kind.get("base") if isinstance(kind, dict) else kind
        if not isinstance(base, str) or not fits.get(base, False):
            raise self.refuse(f"the constant '{name}' is {value!r}", where, "give it a value of its type")
        self.model.scope.constants[name] = float(value) if base == "real" else value

    def _read_variable(self, part: Any, where: str, renamed: dict[str, str]) -> None:
        name = self._new_name(part, where)
        kind = part.get("type")
        scope = self.model.scope
        if part.get("transient") is True:
            first = part.get("initial-value")
            if kind == "bool":
                if first not in (False, None):
                    raise self.refuse(f"the label '{name}' begins with true", where, "begin with false")
                self.labels.append(name)
                return
            if (kind not in ("real", "int") and not isinstance(kind, dict)) or (first is not None and first != 0):
                raise self.refuse(f"the transient variable '{name}'", where, "make it a real that begins with 0")
            self.rewards.append(name)
            return
        if "initial-value" not in part:
            raise self.refuse(f"'{name}' has no initial value", where, 'write "initial-value": 0')
        if kind == "bool":
            low, high, plain = 0, 1, "bool"
        elif isinstance(kind, dict) and kind.get("kind") == "bounded" and kind.get("base") == "int":
            low, high = (
                scope.value(self._expression(kind.get(bound), where), "int") for bound in ("lower-bound", "upper-bound")
            )
            plain = "int"
        else:
            raise self.refuse(f"'{name}' is of the type {show_value(kind)}", where, "make it a bounded int, or a bool")
        first = scope.value(self._expression(part["initial-value"], where), plain)
        if plain == "int" and not low <= first <= high:
            raise self.refuse(f"'{name}' begins with {first}, outside {low}..{high}", where, "begin within its bounds")
        self._add(Variable(name, plain, low, high, first))

    def _add(self, variable: Variable) -> None:
        self.model.scope.variables[variable.name] = (len(self.model.variables), variable.kind)
        self.model.variables.append(variable)

    def _read_automaton(self, part: Any, where: str) -> None:
        name = self.field(part, "name", str, where)
        self._require_true(part, "restrict-initial", where)
        for number, one in enumerate(self.field(part, "variables", list, where, [])):
            self._read_variable(one, f"{where}.variables[{number}]", {})
        for reward in self.rewards:
            self.model.rewards.setdefault(reward, [])
        listed = self.field(part, "locations", list, where)
        locations: dict[str, int] = {}
        for number, one in enumerate(listed):
            place = self.field(one, "name", str, f"{where}.locations[{number}]")
            if place in locations:
                raise self.refuse(f"two locations {show_value(place)}", where, "rename one")
            locations[place] = number
        first = self.field(part, "initial-locations", list, where)
        if len(first) != 1 or not isinstance(first[0], str) or first[0] not in locations:
            raise self.refuse(f"initial-locations are {show_value(first)}", where, "name one of the locations")
        at = ""
        if len(locations) > 1:
            at = f"{name}.location"
            if at in self.model.scope.variables:
                raise self.refuse(f"{show_value(at)} is declared twice", where, "rename the automaton")
            self._add(Variable(at, "int", 0, len(locations) - 1, locations[first[0]]))
        for number, one in enumerate(listed):
            self._read_location(one, f"{where}.locations[{number}]", self._stands_at(at, number))
        edges = self.field(part, "edges", list, where)
        module = [self._read_edge(one, f"{where}.edges[{number}]", at, locations) for number, one in enumerate(edges)]
        self.model.modules.append(module)

    def _stands_at(self, at: str, number: int) -> Expression:
        """Return whether an automaton stands at a location. at: the variable of its location, "" where it has one."""
        if not at:
            return TRUE
        return Expression("=", (Expression("name", (at,), ""), Expression("literal", (number,), "")), "")

    def _read_location(self, part: Any, where: str, here: Expression) -> None:
        if "time-progress" in part:
            raise self.refuse("'time-progress'", where, "give an mdp, in which there is no time")
        for number, one in enumerate(self.field(part, "transient-values", list, where, [])):
            place = f"{where}.transient-values[{number}]"
            name = self.field(one, "ref", str, place)
            value = self._expression(one.get("value"), place)
            if name in self.labels:
                holds = value if here is TRUE else Expression("and", (here, value), place)
                before = self.model.labels.get(name)
                self.model.labels[name] = holds if before is None else Expression("or", (before, holds), place)
            elif name in self.rewards:
                self.model.rewards[name].append(RewardItem(name, None, here, value))
            else:
                raise self.refuse(f"no transient variable {show_value(name)}", place, "declare it")

    def _read_edge(self, part: Any, where: str, at: str, locations: Mapping[str, int]) -> Command:
        place = self.field(part, "location", str, where)
        if place not in locations:
            raise self.refuse(f"no location {show_value(place)}", where, "name one of the automaton's")
        if "rate" in part:
            raise self.refuse("'rate'", where, "give an mdp, in which there is no time")
        guard = self._stands_at(at, locations[place])
        if "guard" in part:
            own = self._expression(self.field(part, "guard", dict, where).get("exp"), f"{where}.guard")
            guard = own if guard is TRUE else Expression("and", (guard, own), where)
        every = self.field(part, "assignments", list, where, [])
        updates = []
        destinations = self.field(part, "destinations", list, where)
        if not destinations:
            raise self.refuse("no destinations", where, "give one")
        for number, one in enumerate(destinations):
            there = f"{where}.destinations[{number}]"
            target = self.field(one, "location", str, there)
            if target not in locations:
                raise self.refuse(f"no location {show_value(target)}", there, "name one of the automaton's")
            probability = None
            if "probability" in one:
                probability = self._expression(self.field(one, "probability", dict, there).get("exp"), there)
            assigned, gained = self._read_assignments(
                [*every, *self.field(one, "assignments", list, there, [])], f"{there}.assignments"
            )
            if at:
                assigned.append((at, Expression("literal", (locations[target],), there)))
            updates.append(Update(probability, tuple(assigned), tuple(gained)))
        if len(updates) > 1 and any(update.probability is None for update in updates):
            raise self.refuse("a destination without probability", where, "give each one")
        return Command(self.field(part, "action", str, where, ""), guard, tuple(updates), where)

    def _read_assignments(
        self, listed: Sequence[Any], where: str
    ) -> tuple[list[tuple[str, Expression]], list[tuple[str, Expression]]]:
        assigned: list[tuple[str, Expression]] = []
        gained: list[tuple[str, Expression]] = []
        for number, one in enumerate(listed):
            at = f"{where}[{number}]"
            name = self.field(one, "ref", str, at)
            if one.get("index", 0) != 0:
                raise self.refuse("an assignment with an index", at, "assign everything at once")
            value = self._expression(one.get("value"), at)
            if name in self.labels:
                raise self.refuse(f"the label '{name}' is set on an edge", at, "set it at a location")
            (gained if name in self.rewards else assigned).append((name, value._replace(line=at)))
        return assigned, gained

    def _read_synchronisation(self, part: Any, where: str, count: int) -> None:
        listed = self.field(part, "synchronise", list, where)
        if len(listed) != count or not all(isinstance(one, str | None) for one in listed):
            raise self.refuse(f"synchronise is {show_value(listed)}", where, f"give {count} actions, or null")
        pairs = tuple((number, action) for number, action in enumerate(listed) if action is not None)
        if not pairs:
            raise self.refuse("nothing is synchronised", where, "name an action")
        name = self.field(part, "result", str, where, "")
        if len(self.model.synchronised) >= 10_000:
            raise self.refuse("more than 10,000 synchronisations", where, "write a smaller model")
        self.model.synchronised.append(Synchronisation(name, pairs))

    def _keep_synchronised(self) -> None:
        """Drop edges whose action no synchronisation names: such an action never happens. An automaton that is alone
        needs no synchronisation.
        """
        if not self.model.synchronised:
            if len(self.model.modules) > 1 and any(one.action for module in self.model.modules for one in module):
                remedy = "give 'syncs', without which no named action happens"
                raise self.refuse("named actions, and nothing is synchronised", "system", remedy)
            return
        named = {pair for one in self.model.synchronised for pair in one.parts}
        self.model.modules = [
            [one for one in module if not one.action or (number, one.action) in named]
            for number, module in enumerate(self.model.modules)
        ]

    def _expression(self, part: Any, where: str) -> Expression:
        self.depth += 1
        if self.depth > 100:
            raise self.refuse("more than 100 expressions within each other", where, "write a flatter one")
        made = self._read_expression(part, where)
        self.depth -= 1
        return made

    def _read_expression(self, part: Any, where: str) -> Expression:
        if isinstance(part, bool | int | float):
            if not abs(part) <= 1e15:
                raise self.refuse(f"the number {part!r:.40}", where, "write a smaller one")
            return Expression("literal", (part,), where)
        if isinstance(part, str):
            return Expression("name", (part,), where)
        name = self.field(part, "op", str, where)
        if name == "ite":
            return Expression("ite", tuple(self._expression(part.get(f), where) for f in ("if", "then", "else")), where)
        if name in ALONE:
            return Expression(ALONE[name], (self._expression(part.get("exp"), where),), where)
        sides = [self._expression(part.get(side), where) for side in ("left", "right")]
        if name == "-":
            return Expression("-", tuple(sides), where)
        if name not in OPERATIONS:
            known = ", ".join([*OPERATIONS, *ALONE, "ite"])
            raise self.refuse(f"unknown operation {show_value(name)}", where, f"use {known}")
        return Expression(OPERATIONS[name], tuple(sides), where)


assert set(OPERATIONS.values()) | set(ALONE.values()) <= {
    *FUNCTIONS, "and", "or", "implies", "=", "!=", "<", "<=", ">", ">=", "not",
}  # fmt: skip


def write_jani(table: DecisionTable) -> str:
    """Write a table as one automaton with a variable `s`, the number of a state, as `write_prism` does."""
    count = len(table.states)
    actions = spell_actions(table.actions)
    begins = np.flatnonzero(table.start)
    drawn = len(begins) > 1
    rewards = split_rewards(table)
    ends = np.flatnonzero(table.terminal)
    edges = []
    if drawn:
        edges.append(_make_edge("", count, [(n, table.start[n], {}) for n in begins]))
    for state, action in np.argwhere(table.available):
        if table.terminal[state]:
            continue
        gains = {name: float(amount[state, action]) for name, amount in rewards.items() if amount[state, action]}
        pairs = zip(table.next_state[state, action], table.probability[state, action], strict=True)
        edges.append(_make_edge(actions[action], state, [(to, chance, gains) for to, chance in pairs if chance > 0.0]))
    edges += [_make_edge("", state, [(state, 1.0, {})]) for state in ends]
    real: dict[str, Any] = {"type": "real", "transient": True, "initial-value": 0.0}
    label: dict[str, Any] = {"type": "bool", "transient": True, "initial-value": False}
    transient = [{"ref": TERMINAL, "value": _any_of(ends)}]
    if drawn:
        transient.append({"ref": START_DRAW, "value": _any_of([count])})
    bounds = {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": count if drawn else count - 1}
    first = count if drawn else int(begins[0])
    model = {
        "jani-version": 1,
        "name": table.name,
        "type": "mdp",
        "metadata": {"description": "written by caregrid"},
        "actions": [{"name": name} for name in actions],
        "constants": [{"name": "discount", "type": "real", "value": table.discount}],
        "variables": [
            {"name": "s", "type": bounds, "initial-value": first},
            *({"name": name, **real} for name in rewards),
            *({"name": each["ref"], **label} for each in transient),
        ],
        "properties": [],
        "automata": [
            {
                "name": "world",
                "locations": [{"name": "l", "transient-values": transient}],
                "initial-locations": ["l"],
                "edges": edges,
            }
        ],
        "system": {
            "elements": [{"automaton": "world"}],
            "syncs": [{"synchronise": [name], "result": name} for name in actions],
        },
    }
    return json.dumps(model, ensure_ascii=False, indent=1) + "\n"


def _any_of(states: Any) -> Any:
    """Return the expression that `s` is one of some states, as a balanced tree."""
    if len(states) == 0:
        return False
    if len(states) == 1:
        return {"op": "=", "left": "s", "right": int(states[0])}
    half = len(states) // 2
    return {"op": "∨", "left": _any_of(states[:half]), "right": _any_of(states[half:])}


def _make_edge(action: str, state: Any, outcomes: Any) -> dict[str, Any]:
    destinations = [
        {
            "location": "l",
            "probability": {"exp": float(chance)},
            "assignments": [
                {"ref": "s", "value": int(target)},
                *({"ref": name, "value": gain} for name, gain in gains.items()),
            ],
        }
        for target, chance, gains in outcomes
    ]
    named = {"action": action} if action else {}
    guard = {"op": "=", "left": "s", "right": int(state)}
    return {"location": "l", **named, "guard": {"exp": guard}, "destinations": destinations}
