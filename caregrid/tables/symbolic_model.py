"""A model of modules with guarded commands, as PRISM and JANI have it, and the enumeration of its states.

Modules run side by side. A command without a synchronised action moves one module; those of one synchronised action
move together, and their probabilities multiply. In a `dtmc` the enabled choices of a state are equally likely.

Choices
-------
A state ends the episode where the label "terminal" (or the one that is named) holds. Without such a label it is a state
that nothing leaves and that is rewarded with 0 for ever. Choices of one state with one name become `name`, `name_2`;
those without a name are called `tau`. A deadlock has the choice `tau`, which stays, as PRISM repairs it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from caregrid.tables.decision_table import DecisionTable
from caregrid.tables.expressions import NUMBERS, Compiled, Expression, Scope, State
from engine.errors import BadFile, did_you_mean
from engine.mdp.columns import CERTAIN
from engine.mdp.tabulate import require_memory

TERMINAL = "terminal"
DISCOUNT = "discount"
START_DRAW = "start_draw"
SILENT = "tau"
MOST_CHOICES = 10_000  # of a state, and outcomes of a choice
OUTCOMES_PER_STATE = 200  # on average


class Variable(NamedTuple):
    """A variable of the state. kind: "int" or "bool". low, high: the bounds of an integer."""

    name: str
    kind: str
    low: int
    high: int
    initial: Any


class Update(NamedTuple):
    """What a command does with a probability. assignments: (variable, expression, line). gains: reward -> amount."""

    probability: Expression | None
    assignments: tuple[tuple[str, Expression], ...]
    gains: tuple[tuple[str, Expression], ...] = ()


class Command(NamedTuple):
    """Where the guard holds, one of the updates may happen. action: "" for none."""

    action: str
    guard: Expression
    updates: tuple[Update, ...]
    line: str


class RewardItem(NamedTuple):
    """What a reward structure adds where the guard holds. action: None for a state, "" for commands without name."""

    reward: str
    action: str | None
    guard: Expression
    amount: Expression


class Synchronisation(NamedTuple):
    """Commands that move together: (number of the module, action) of each, and what the choice is called."""

    name: str
    parts: tuple[tuple[int, str], ...]


@dataclass
class SymbolicModel:
    """A model as it is written. scope: its names. rewards: their names in order. labels: name -> expression."""

    scope: Scope
    kind: str = "mdp"
    variables: list[Variable] = field(default_factory=list)
    modules: list[list[Command]] = field(default_factory=list)
    synchronised: list[Synchronisation] = field(default_factory=list)
    labels: dict[str, Expression] = field(default_factory=dict)
    rewards: dict[str, list[RewardItem]] = field(default_factory=dict)


class NextState(NamedTuple):
    """A next state of a choice. gain: what each reward adds in it."""

    probability: float
    state: State
    gain: tuple[float, ...]


class _Guarded(NamedTuple):
    number: int
    guard: Compiled
    item: Any


class _Index:
    """Guarded items by the value of the variable on which most of them depend, so that few are tried in a state."""

    def __init__(self, guarded: Iterable[tuple[Compiled, Any]]) -> None:
        items = [_Guarded(number, guard, item) for number, (guard, item) in enumerate(guarded)]
        conditions = [dict(each.guard.conjuncts or filter(None, [each.guard.equals])) for each in items]
        counts: dict[int, int] = {}
        for place in itertools.chain.from_iterable(conditions):
            counts[place] = counts.get(place, 0) + 1
        self.place = max(counts, key=lambda place: counts[place], default=-1)
        self.known: dict[Any, list[_Guarded]] = {}
        self.rest: list[_Guarded] = []
        for each, condition in zip(items, conditions, strict=True):
            at = self.known.setdefault(condition[self.place], []) if self.place in condition else self.rest
            at.append(each)

    def list_enabled(self, state: State) -> list[Any]:
        """Return the items whose guards hold, in order."""
        tried = self.known.get(state[self.place], []) if self.place >= 0 else []
        if self.rest:
            tried = sorted([*tried, *self.rest], key=lambda each: each.number)
        return [each.item for each in tried if each.guard.of(state)]


class _ReadyUpdate(NamedTuple):
    probability: Callable[[State], Any]
    assignments: tuple[tuple[int, Callable[[State], Any], str], ...]
    gains: tuple[tuple[int, Callable[[State], Any]], ...]


class _ReadyCommand(NamedTuple):
    action: str
    updates: tuple[_ReadyUpdate, ...]
    line: str


class Explorer:
    """The states of a model and the choices in each, enumerated breadth first."""

    def __init__(self, model: SymbolicModel, terminal: str) -> None:
        self.model = model
        self.scope = model.scope
        self.names = list(model.rewards)
        number = {name: place for place, name in enumerate(self.names)}
        self._commands = [
            _Index((self.scope.compile(one.guard, "bool"), self._prepare(one, number)) for one in module)
            for module in model.modules
        ]
        items = [item for listed in model.rewards.values() for item in listed]
        self._rewards = _Index(
            (
                self.scope.compile(item.guard, "bool"),
                (number[item.reward], item.action, self.scope.compile(item.amount, *NUMBERS).of, item.amount.line),
            )
            for item in items
        )
        if terminal and terminal not in model.labels:
            remedy = did_you_mean(terminal, model.labels)
            raise BadFile(f"no label '{terminal}'", place=self.scope.file, remedy=remedy)
        labels = {name: self.scope.compile(label, "bool").of for name, label in model.labels.items()}
        self.is_terminal = labels.get(terminal or TERMINAL)
        self.is_draw = labels.get(START_DRAW)
        self._joint = {pair for each in model.synchronised for pair in each.parts}

    def _prepare(self, command: Command, number: Mapping[str, int]) -> _ReadyCommand:
        updates = []
        for update in command.updates:
            chance = update.probability
            probability = (lambda state: 1.0) if chance is None else self.scope.compile(chance, *NUMBERS).of
            assignments, seen = [], set()
            for name, expression in update.assignments:
                if name not in self.scope.variables:
                    raise self.scope.refuse(
                        f"unknown variable '{name}'", expression.line, did_you_mean(name, self.scope.variables)
                    )
                place, kind = self.scope.variables[name]
                if place in seen:
                    raise self.scope.refuse(f"'{name}' is assigned twice", expression.line, "assign it once")
                seen.add(place)
                assignments.append((place, self.scope.compile(expression, kind).of, expression.line))
            gains = tuple((number[name], self.scope.compile(gain, *NUMBERS).of) for name, gain in update.gains)
            updates.append(_ReadyUpdate(probability, tuple(assignments), gains))
        return _ReadyCommand(command.action, tuple(updates), command.line)

    def choices(self, state: State) -> list[tuple[str, list[NextState]]]:
        """Return the choices of a state by name; none in a deadlock."""
        enabled = [index.list_enabled(state) for index in self._commands]
        found: list[tuple[str, tuple[_ReadyCommand, ...]]] = []
        for module, commands in enumerate(enabled):
            found += [(one.action, (one,)) for one in commands if (module, one.action) not in self._joint]
        for joint in self.model.synchronised:
            listed = [[one for one in enabled[module] if one.action == action] for module, action in joint.parts]
            if math.prod(map(len, listed)) > MOST_CHOICES:
                raise self._too_many("choices in a state", listed[0][0].line)
            found += [(joint.name, together) for together in itertools.product(*listed)]
        if len(found) > MOST_CHOICES:
            raise self._too_many("choices in a state", found[0][1][0].line)
        rewarded = self._rewards.list_enabled(state)
        result = [(name, self._outcomes(state, name, together, rewarded)) for name, together in found]
        if self.model.kind == "dtmc" and len(result) > 1:
            share = 1.0 / len(result)
            mixed = [one._replace(probability=one.probability * share) for _, each in result for one in each]
            return [(SILENT, mixed)]
        return result

    def _outcomes(
        self, state: State, name: str, together: tuple[_ReadyCommand, ...], rewarded: Sequence[Any]
    ) -> list[NextState]:
        if math.prod(len(one.updates) for one in together) > MOST_CHOICES:
            raise self._too_many("outcomes of a choice", together[0].line)
        gain = [0.0] * len(self.names)
        for number, action, amount, line in rewarded:
            if action is None or action == name:
                gain[number] += self._finite(amount(state), line)
        laws = [self._evaluate_chances(state, one) for one in together]
        return [
            self._apply(state, [update for update, _ in each], math.prod(chance for _, chance in each), gain, together)
            for each in itertools.product(*laws)
        ]

    def _evaluate_chances(self, state: State, command: _ReadyCommand) -> list[tuple[_ReadyUpdate, float]]:
        """Return the updates that may happen, with their probabilities; the others need not be possible."""
        law = [(update, self._finite(update.probability(state), command.line)) for update in command.updates]
        if any(chance < 0.0 for _, chance in law):
            problem = f"a probability of {min(chance for _, chance in law):g}"
            raise self.scope.refuse(problem, command.line, "give none below 0")
        total = sum(chance for _, chance in law)
        if not abs(total - 1.0) <= CERTAIN:
            problem = f"probabilities that sum to {total:.12g} in state {self.describe(state)}"
            raise self.scope.refuse(problem, command.line, "make them sum to 1")
        return [(update, chance) for update, chance in law if chance > 0.0]

    def _apply(
        self,
        state: State,
        combined: Sequence[_ReadyUpdate],
        probability: float,
        gain: list[float],
        together: tuple[_ReadyCommand, ...],
    ) -> NextState:
        after, added, seen = list(state), list(gain), set()
        for update in combined:
            for place, value, at in update.assignments:
                if len(combined) > 1 and place in seen:
                    name = self.model.variables[place].name
                    raise self.scope.refuse(f"two modules assign '{name}' at once", at, "let one of them assign it")
                seen.add(place)
                after[place] = self._admit(place, value(state), at)
            for number, amount in update.gains:
                added[number] += self._finite(amount(state), together[0].line)
        return NextState(probability, tuple(after), tuple(added))

    def _finite(self, value: float, line: str) -> float:
        if not math.isfinite(value):
            raise self.scope.refuse(f"the number {value}", line, "give finite numbers")
        return float(value)

    def _admit(self, place: int, value: Any, line: str) -> Any:
        variable = self.model.variables[place]
        if variable.kind == "int" and not variable.low <= value <= variable.high:
            problem = f"{variable.name} becomes {value}, outside {variable.low}..{variable.high}"
            raise self.scope.refuse(problem, line, "widen its range, or guard the command")
        return value

    def describe(self, state: State) -> dict[str, Any]:
        """Return a state in words."""
        return {variable.name: value for variable, value in zip(self.model.variables, state, strict=True)}

    def _too_many(self, what: str, line: str) -> BadFile:
        return self.scope.refuse(f"more than {MOST_CHOICES:,} {what}", line, "write a smaller model")


def enumerate_model(model: SymbolicModel, name: str, terminal: str, most_states: int) -> DecisionTable:
    """Return the table of a model; BadFile where it has more states than that, or breaks a rule of its language."""
    if not model.variables:
        raise BadFile("a model without variables", place=model.scope.file, remedy="declare one in a module")
    if not model.rewards:
        remedy = "declare one for the agent, and one for others"
        raise BadFile("a model without rewards", place=model.scope.file, remedy=remedy)
    explorer = Explorer(model, terminal)
    first: State = tuple(variable.initial for variable in model.variables)
    beginning = [(1.0, first)]
    if explorer.is_draw is not None and explorer.is_draw(first):
        drawn = explorer.choices(first)
        if len(drawn) != 1:
            raise BadFile(
                f"{len(drawn)} choices where the start is drawn", place=model.scope.file, remedy="write one command"
            )
        beginning = [(one.probability, one.state) for one in drawn[0][1]]
    numbers = {state: number for number, state in enumerate(dict.fromkeys(state for _, state in beginning))}
    states = list(numbers)
    rows: list[list[tuple[str, list[NextState]]]] = []
    outcomes = 0
    for state in states:  # the list grows meanwhile
        over = explorer.is_terminal is not None and explorer.is_terminal(state)
        row = [] if over else explorer.choices(state)
        if not row and not over:
            stay = explorer._outcomes(
                state, SILENT, (_ReadyCommand("", (_ReadyUpdate(lambda s: 1.0, (), ()),), ""),), []
            )
            gain = [0.0] * len(explorer.names)
            for number, action, amount, line in explorer._rewards.list_enabled(state):
                if action is None:
                    gain[number] += explorer._finite(amount(state), line)
            row = [(SILENT, [stay[0]._replace(gain=tuple(gain))])]
        for _, each in row:
            outcomes += len(each)
            for one in each:
                if one.state not in numbers:
                    numbers[one.state] = len(states)
                    states.append(one.state)
        if len(states) > most_states or outcomes > OUTCOMES_PER_STATE * most_states:
            size = math.prod(v.high - v.low + 1 if v.kind == "int" else 2 for v in model.variables)
            what = f"{most_states:,} states" if len(states) > most_states else f"{outcomes:,} outcomes"
            problem = f"more than {what} (its variables have {_write_size(size)} combinations)"
            raise BadFile(problem, place=model.scope.file, remedy="raise most_states, or write a smaller model")
        rows.append(row)
    start = np.zeros(len(states))
    for probability, state in beginning:
        start[numbers[state]] += probability
    discount = model.scope.constants.get(DISCOUNT, 1.0)
    if isinstance(discount, bool) or not 0.0 <= discount <= 1.0:
        raise BadFile(f"discount is {discount}", place=model.scope.file, remedy="choose one between 0 and 1")
    return _fill(explorer, name, states, numbers, rows, start, float(discount))


def _write_size(size: int) -> str:
    return f"{size:,}" if size < 10**15 else f"about 10^{len(str(size)) - 1}"


def _fill(
    explorer: Explorer,
    name: str,
    states: list[State],
    numbers: Mapping[State, int],
    rows: list[list[tuple[str, list[NextState]]]],
    start: Any,
    discount: float,
) -> DecisionTable:
    merged = [[(called, _merge(each, numbers)) for called, each in _number_names(row)] for row in rows]
    actions = list(dict.fromkeys(called for row in merged for called, _ in row)) or [SILENT]
    place = {called: number for number, called in enumerate(actions)}
    width = max((len(each) for row in merged for _, each in row), default=1)
    count, rewards = len(states), len(explorer.names)
    require_memory(count, len(actions) * (1 + rewards), width, explorer)
    next_state = np.repeat(np.arange(count, dtype=np.int32), len(actions) * width).reshape(count, len(actions), width)
    probability = np.zeros((count, len(actions), width))
    amount = np.zeros((rewards, count, len(actions), width))
    available = np.zeros((count, len(actions)), dtype=np.bool_)
    terminal = np.zeros(count, dtype=np.bool_)
    for number, row in enumerate(merged):
        ends = all(target == number and not any(gain) for _, each in row for target, _, gain in each)
        if ends:
            terminal[number] = available[number] = True
            probability[number, :, 0] = 1.0
            continue
        for called, each in row:
            action = place[called]
            available[number, action] = True
            for slot, (target, chance, gain) in enumerate(each):
                next_state[number, action, slot], probability[number, action, slot] = target, chance
                amount[:, number, action, slot] = gain
    return DecisionTable(
        name,
        tuple(map(explorer.describe, states)),
        tuple(actions),
        next_state,
        probability,
        dict(zip(explorer.names, amount, strict=True)),
        terminal,
        start,
        discount,
        available,
    )


def _number_names(row: Iterable[tuple[str, list[NextState]]]) -> Iterator[tuple[str, list[NextState]]]:
    """Give the choices of one state different names."""
    taken: set[str] = set()
    for name, outcomes in row:
        called, number = name or SILENT, 1
        while called in taken:
            number += 1
            called = f"{name or SILENT}_{number}"
        taken.add(called)
        yield called, outcomes


def _merge(outcomes: Iterable[NextState], numbers: Mapping[State, int]) -> list[tuple[int, float, tuple[float, ...]]]:
    """Outcomes of one next state as one, with the mean of their rewards."""
    found: dict[int, tuple[float, tuple[float, ...]]] = {}
    for one in outcomes:
        number = numbers[one.state]
        chance, gain = found.get(number, (0.0, one.gain))
        total = chance + one.probability
        if gain != one.gain:
            gain = tuple((chance * a + one.probability * b) / total for a, b in zip(gain, one.gain, strict=True))
        found[number] = (total, gain)
    return [(number, chance, gain) for number, (chance, gain) in found.items()]
