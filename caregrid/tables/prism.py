"""The PRISM language: `mdp` and `dtmc` models of modules with bounded variables, read and written.

Read: constants, formulas, labels, global variables, modules and renamed modules, guarded commands, reward structures.
Refused, each in one line: other kinds of model, several initial states, process algebra, and what is not of bounded
size. Reference: the PRISM manual, "The PRISM Language". `discount` is a constant of our own, which PRISM ignores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from caregrid.tables.decision_table import COST, DecisionTable
from caregrid.tables.expressions import COMPARE, DEEPEST, FUNCTIONS, Expression, Scope
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

_TOKEN = re.compile(
    r"(?P<blank>\s+|//[^\n]*)|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*'?)"
    r'|(?P<text>"[^"\n]*")|(?P<sign><=>|=>|<=|>=|!=|->|\.\.|[-+*/=<>!&|?:;,()\[\]{}])',
    re.ASCII,
)
KINDS = {"mdp": "mdp", "nondeterministic": "mdp", "dtmc": "dtmc", "probabilistic": "dtmc"}
FOREIGN = ("ctmc", "stochastic", "pta", "popta", "smg", "csg", "tsg", "ma", "idtmc", "imdp", "lts")
_KEPT = """A bool clock const double C e E endinit endinvariant endmodule endobservables endrewards endsystem false
formula filter func F global G init invariant I int label max min module X observable observables of Pmax Pmin P player
endplayer prob rate rewards Rmax Rmin R S system true U W floor ceil pow mod log round"""
WORDS = {*KINDS, *FOREIGN, "pomdp", *_KEPT.split()}
NESTED = 50
LARGEST_WORD = 100
MOST_CONSTANTS = 1000
FIRST = "write the model's kind first: mdp or dtmc"


class Token(NamedTuple):
    """A word of a model. kind: "number", "name", "text", "sign" or "end"."""

    kind: str
    text: str
    line: int


class _Body(NamedTuple):
    """Where a module's words begin and end. renamed: which of them a copy replaces."""

    begin: int
    end: int
    renamed: Mapping[str, str]


class _Copy(NamedTuple):
    """A renamed module. module: its number. renamed: old name -> new name."""

    name: str
    module: int
    renamed: Mapping[str, str]


def read_prism(text: str, file: str, constants: Mapping[str, Any], discount: float | None = None) -> SymbolicModel:
    """Read a model. constants: values of those that the file leaves open; discount: of the constant of this name, where
    it is open. Raises BadFile, naming file and line.
    """
    return _Reader(list(_split(text, file)), file, constants, discount).read()


def _split(text: str, file: str) -> Iterator[Token]:
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or (found.lastgroup == "number" and len(found.group()) > LARGEST_WORD):
            shown = text[at : at + 12].split("\n")[0]
            raise BadFile(f"cannot read '{shown}'", place=f"{file}, line {line}", remedy="see docs/tables.md")
        word = found.group()
        if found.lastgroup == "number" and word.endswith(".") and text[found.end() : found.end() + 1] == ".":
            word = word[:-1]  # of a range, 0..5
        if found.lastgroup != "blank":
            yield Token(str(found.lastgroup), word, line)
        line += word.count("\n")
        at += len(word)
    yield Token("end", "the end of the file", line)


class _Reader:
    """One pass over the words of a model; constants may be used before they are declared."""

    def __init__(self, tokens: list[Token], file: str, constants: Mapping[str, Any], discount: float | None) -> None:
        self.discount = discount
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.file = file
        self.given = dict(constants)
        self.model = SymbolicModel(Scope(file))
        self.kind = ""
        self.constants: dict[str, tuple[str, Expression | None, Token]] = {}
        self.declared: list[tuple[str, str, Expression | None, Expression | None, Expression | None, Token]] = []
        self.bodies: dict[str, _Body] = {}
        self.copies: list[_Copy] = []
        self.names: set[str] = set()

    def read(self) -> SymbolicModel:
        parts: dict[str, Callable[[], None]] = {
            "const": self._read_constant,
            "formula": self._read_formula,
            "global": self._read_global,
            "module": self._read_module,
            "label": self._read_label,
            "rewards": self._read_rewards,
        }
        while self.token.kind != "end":
            word = self.token
            if word.text in KINDS:
                if self.kind:
                    raise self.refuse("the model's kind is given twice", "give it once", word)
                self.kind = KINDS[self.take().text]
            elif word.text == "pomdp" or word.text == "observables":
                remedy = "give an mdp of its states, or of its beliefs"
                raise self.refuse("a POMDP, in which the agent does not see the state", remedy, word)
            elif word.text in FOREIGN:
                raise self.refuse(f"a model of the kind {word.text}", "give an mdp or a dtmc", word)
            elif word.text == "init":
                raise self.refuse("'init ... endinit'", "give every variable its initial value: 'init 0'", word)
            elif word.text == "system":
                raise self.refuse("'system ... endsystem'", "leave it out: modules run side by side", word)
            elif word.text in parts:
                self.take()
                parts[word.text]()
            else:
                raise self.refuse(f"'{word.text}'", "begin with const, formula, module, label or rewards", word)
        if not self.kind:
            raise self.refuse("no kind of model", FIRST, self.tokens[0])
        self.model.kind = self.kind
        self._rename_formulas()
        self._set_constants()
        self._set_variables()
        self._synchronise()
        return self.model

    # The words

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        taken = self.tokens[self.at]
        if taken.kind != "end":
            self.at += 1
        return taken

    def has(self, text: str) -> bool:
        if self.token.text == text and self.token.kind != "text":
            self.at += 1
            return True
        return False

    def need(self, text: str) -> Token:
        if self.token.text != text or self.token.kind in ("text", "end"):
            raise self.refuse(f"'{self.token.text}', where '{text}' is expected", f"write '{text}'")
        return self.take()

    def need_name(self) -> Token:
        word = self.token
        if word.kind != "name" or word.text in WORDS or word.text.endswith("'"):
            raise self.refuse(f"'{word.text}', where a name is expected", "write a name that is no word of PRISM", word)
        return self.take()

    def need_new_name(self) -> Token:
        word = self.need_name()
        if word.text in self.names:
            raise self.refuse(f"'{word.text}' is declared twice", "rename one", word)
        self.names.add(word.text)
        return word

    def refuse(self, problem: str, remedy: str, word: Token | None = None) -> BadFile:
        return BadFile(problem, place=f"{self.file}, line {(word or self.token).line}", remedy=remedy)

    # Declarations

    def _read_constant(self) -> None:
        kind = self.take().text if self.token.text in ("int", "double", "bool") else "int"
        name = self.need_new_name()
        if len(self.constants) == MOST_CONSTANTS:
            raise self.refuse(f"more than {MOST_CONSTANTS:,} constants", "write a smaller model", name)
        value = self.read_expression() if self.has("=") else None
        self.need(";")
        self.constants[name.text] = (kind, value, name)

    def _read_formula(self) -> None:
        name = self.need_new_name()
        self.need("=")
        self.model.scope.formulas[name.text] = self.read_expression()
        self.need(";")

    def _read_label(self) -> None:
        name = self._read_text()
        self.need("=")
        if name.text.strip('"') in self.model.labels:
            raise self.refuse(f"the label {name.text} is declared twice", "rename one", name)
        self.model.labels[name.text.strip('"')] = self.read_expression()
        self.need(";")

    def _read_text(self) -> Token:
        if self.token.kind != "text":
            raise self.refuse(f"'{self.token.text}', where a name in quotes is expected", 'write "NAME"')
        return self.take()

    def _read_global(self) -> None:
        self._read_variable(self.need_new_name())

    def _read_variable(self, name: Token) -> None:
        self.need(":")
        low = high = None
        kind = "bool"
        if not self.has("bool"):
            kind = "int"
            if self.token.text in ("int", "clock", "double"):
                raise self.refuse(f"'{name.text}' has no bounds", "write a range: [0..9]")
            self.need("[")
            low = self.read_expression()
            self.need("..")
            high = self.read_expression()
            self.need("]")
        initial = self.read_expression() if self.has("init") else None
        self.need(";")
        self.declared.append((name.text, kind, low, high, initial, name))

    def _read_module(self) -> None:
        name = self.need_name()
        if name.text in self.bodies:
            raise self.refuse(f"two modules '{name.text}'", "rename one", name)
        if self.has("="):
            self._read_copy(name)
            return
        begin = self.at
        self.model.modules.append(self._read_body())
        self.bodies[name.text] = _Body(begin, self.at, {})

    def _read_body(self) -> list[Command]:
        commands = []
        while not self.has("endmodule"):
            if self.token.text == "[":
                commands.append(self._read_command())
            elif self.token.text in ("invariant", "observable"):
                raise self.refuse(f"'{self.token.text}'", "leave it out")
            else:
                self._read_variable(self.need_new_name())
        return commands

    def _read_copy(self, name: Token) -> None:
        """Read a renamed module: the words of the other one once more, some of them replaced."""
        source = self.need_name()
        if source.text not in self.bodies:
            raise self.refuse(f"no module '{source.text}' above", "write it before its copy", source)
        self.need("[")
        renamed: dict[str, str] = {}
        while True:
            old = self.need_name()
            self.need("=")
            renamed[old.text] = self.need_name().text
            if not self.has(","):
                break
        self.need("]")
        self.need("endmodule")
        begin, end, before = self.bodies[source.text]
        kept_tokens, kept_at = self.tokens, self.at
        if end - begin > 100_000 or len(self.model.modules) > 200:
            raise self.refuse("too many copies of a module", "write a smaller model", name)
        # of a copy's copy, the words of the first module are renamed twice
        renamed = {**renamed, **{old: renamed.get(new, new) for old, new in before.items()}}
        primed = {f"{old}'": f"{new}'" for old, new in renamed.items()}
        replaced = {**renamed, **primed}
        self.tokens = [
            word._replace(text=replaced.get(word.text, word.text)) if word.kind == "name" else word
            for word in self.tokens[begin:end]
        ]
        self.at = 0
        self.tokens.append(Token("end", "the end of the module", name.line))
        self.copies.append(_Copy(name.text, len(self.model.modules), renamed))
        self.model.modules.append(self._read_body())
        self.tokens, self.at = kept_tokens, kept_at
        self.bodies[name.text] = _Body(begin, end, renamed)

    def _read_command(self) -> Command:
        line = f"line {self.need('[').line}"
        action = "" if self.token.text == "]" else self.need_name().text
        self.need("]")
        guard = self.read_expression()
        self.need("->")
        updates = [self._read_update()]
        while self.has("+"):
            updates.append(self._read_update())
        self.need(";")
        if len(updates) > 1 and any(update.probability is None for update in updates):
            raise BadFile("an update without probability", place=f"{self.file}, {line}", remedy="write 0.5 : (x'=1)")
        return Command(action, guard, tuple(updates), line)

    def _read_update(self) -> Update:
        probability = None
        if not self._starts_assignments():
            probability = self.read_expression()
            self.need(":")
        assignments: list[tuple[str, Expression]] = []
        if self.has("true"):
            return Update(probability, ())
        while True:
            self.need("(")
            name = self.take()
            if name.kind != "name" or not name.text.endswith("'"):
                raise self.refuse(f"'{name.text}', where an assignment is expected", "write (x'=1)", name)
            self.need("=")
            assignments.append((name.text[:-1], self.read_expression()))
            self.need(")")
            if not self.has("&"):
                return Update(probability, tuple(assignments))

    def _starts_assignments(self) -> bool:
        first, second = self.token, self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if first.text == "true":
            return second.text in (";", "+")
        return first.text == "(" and second.kind == "name" and second.text.endswith("'")

    def _read_rewards(self) -> None:
        name = self._read_text().text.strip('"') if self.token.kind == "text" else "reward"
        if name in self.model.rewards:
            raise self.refuse(f"two reward structures '{name}'", "rename one")
        items: list[RewardItem] = []
        while not self.has("endrewards"):
            action = None
            if self.has("["):
                action = "" if self.token.text == "]" else self.need_name().text
                self.need("]")
            guard = self.read_expression()
            self.need(":")
            items.append(RewardItem(name, action, guard, self.read_expression()))
            self.need(";")
        self.model.rewards[name] = items

    # What all of them mean together

    def _rename_formulas(self) -> None:
        """Formulas that a copied module uses are renamed with it: PRISM puts them in before it copies."""
        declared = frozenset(self.model.scope.formulas)
        for copy in self.copies:
            self.model.modules[copy.module] = [
                command._replace(
                    guard=self._rename(command.guard, copy, declared),
                    updates=tuple(
                        Update(
                            update.probability and self._rename(update.probability, copy, declared),
                            tuple((name, self._rename(value, copy, declared)) for name, value in update.assignments),
                        )
                        for update in command.updates
                    ),
                )
                for command in self.model.modules[copy.module]
            ]

    def _rename(
        self, part: Expression, copy: _Copy, declared: frozenset[str], inside: bool = False, level: int = 0
    ) -> Expression:
        """Return an expression of a copy, with formulas of the copy's own.

        inside: whether it is a part of a formula, whose names were not among the words that the copy replaced.
        """
        if part.operation == "literal" or level > DEEPEST:  # which is refused where it is compiled
            return part
        if part.operation != "name":
            parts = tuple(self._rename(each, copy, declared, inside, level + 1) for each in part.parts)
            return part._replace(parts=parts)
        (name,) = part.parts
        if name not in declared:
            return part._replace(parts=(copy.renamed.get(name, name),)) if inside else part
        formulas, own = self.model.scope.formulas, f"{name} in {copy.name}"
        named = part._replace(parts=(own,))
        if own not in formulas:
            formulas[own] = named  # until it is known: it may be defined by itself
            formulas[own] = self._rename(formulas[name], copy, declared, True, level + 1)
        return named

    def _set_constants(self) -> None:
        scope = self.model.scope
        for name in self.given:
            if name not in self.constants:
                known = [each for each, (_, value, _) in self.constants.items() if value is None]
                remedy = f"set one of {', '.join(known)}" if known else "leave it out"
                raise BadFile(f"no constant '{name}'", place=self.file, remedy=remedy)
        waiting = dict(self.constants)
        while waiting:
            before = len(waiting)
            fault: BadFile | None = None
            for name, (kind, value, word) in list(waiting.items()):
                if name in self.given:
                    scope.constants[name] = self._admit(kind, self.given[name], word)
                elif value is None and name == DISCOUNT and self.discount is not None:
                    scope.constants[name] = self._admit(kind, self.discount, word)
                elif value is None:
                    remedy = f"set it: --set {name}=1, in Python {name}=1"
                    raise self.refuse(f"the constant '{name}' has no value", remedy, word)
                else:
                    try:
                        scope.constants[name] = self._admit(kind, scope.value(value), word)
                    except BadFile as error:  # it may use one that comes later
                        fault = fault or error
                        scope._compiled.clear()
                        continue
                del waiting[name]
            if len(waiting) == before and fault is not None:
                raise fault

    def _admit(self, kind: str, value: Any, word: Token) -> Any:
        fits = {"int": type(value) is int, "bool": type(value) is bool, "double": type(value) in (int, float)}
        if not fits[kind]:
            raise self.refuse(f"the constant '{word.text}' is {value!r}", f"give it a value of the kind {kind}", word)
        return float(value) if kind == "double" else value

    def _set_variables(self) -> None:
        scope = self.model.scope
        for name, kind, low, high, initial, word in self.declared:
            least = 0 if low is None else scope.value(low, "int")
            most = 1 if high is None else scope.value(high, "int")
            if least > most:
                raise self.refuse(f"'{name}' is from {least} to {most}", "write the lower bound first", word)
            first: Any = (least if kind == "int" else False) if initial is None else scope.value(initial, kind)
            if kind == "int" and not least <= first <= most:
                raise self.refuse(f"'{name}' begins with {first}", f"begin with {least} to {most}", word)
            self.model.variables.append(Variable(name, kind, least, most, first))
        for place, variable in enumerate(self.model.variables):
            scope.variables[variable.name] = (place, variable.kind)
        scope._compiled.clear()

    def _synchronise(self) -> None:
        where: dict[str, list[int]] = {}
        for number, module in enumerate(self.model.modules):
            for action in dict.fromkeys(command.action for command in module if command.action):
                where.setdefault(action, []).append(number)
        self.model.synchronised = [
            Synchronisation(action, tuple((number, action) for number in numbers))
            for action, numbers in where.items()
            if len(numbers) > 1
        ]

    # Expressions, from what binds least to what binds most

    def read_expression(self) -> Expression:
        self.depth += 1
        if self.depth > NESTED:
            raise self.refuse(f"more than {NESTED} brackets within each other", "write a flatter expression")
        test = self._read_implication()
        if self.has("?"):
            line = test.line
            yes = self.read_expression()
            self.need(":")
            test = Expression("ite", (test, yes, self.read_expression()), line)
        self.depth -= 1
        return test

    def _read_implication(self) -> Expression:
        return self._read_chain({"=>": "implies"}, self._read_equivalence)

    def _read_equivalence(self) -> Expression:
        return self._read_chain({"<=>": "iff"}, self._read_disjunction)

    def _read_disjunction(self) -> Expression:
        return self._read_several("or", "|", lambda: self._read_several("and", "&", self._read_negation))

    def _read_chain(self, names: Mapping[str, str], read: Callable[[], Expression]) -> Expression:
        """Read operations of two parts that bind alike, from the left. names: sign -> operation."""
        left = read()
        while self.token.kind == "sign" and self.token.text in names:
            name = names[self.take().text]
            left = Expression(name, (left, read()), left.line)
        return left

    def _read_several(self, name: str, sign: str, read: Callable[[], Expression]) -> Expression:
        parts = [read()]
        while self.token.kind == "sign" and self.has(sign):
            parts.append(read())
        return parts[0] if len(parts) == 1 else Expression(name, tuple(parts), parts[0].line)

    def _read_negation(self) -> Expression:
        count = 0
        while self.token.kind == "sign" and self.has("!"):
            count += 1
        found = self._read_chain({"=": "=", "!=": "!="}, self._read_comparison)
        return Expression("not", (found,), found.line) if count % 2 else found

    def _read_comparison(self) -> Expression:
        return self._read_chain({sign: sign for sign in COMPARE}, self._read_sum)

    def _read_sum(self) -> Expression:
        parts = [self._read_product()]
        while self.token.kind == "sign" and self.token.text in ("+", "-"):
            minus = self.take().text == "-"
            part = self._read_product()
            parts.append(Expression("neg", (part,), part.line) if minus else part)
        return parts[0] if len(parts) == 1 else Expression("+", tuple(parts), parts[0].line)

    def _read_product(self) -> Expression:
        return self._read_chain({"*": "*", "/": "/"}, self._read_sign)

    def _read_sign(self) -> Expression:
        count = 0
        while self.token.kind == "sign" and self.has("-"):
            count += 1
        found = self._read_atom()
        return Expression("neg", (found,), found.line) if count % 2 else found

    def _read_atom(self) -> Expression:
        word = self.take()
        line = f"line {word.line}"
        if word.kind == "number":
            value: Any = float(word.text) if re.search(r"[.eE]", word.text) else int(word.text)
            if abs(value) > 1e15:
                raise self.refuse(f"the number {word.text}", "write a smaller one", word)
            return Expression("literal", (value,), line)
        if word.text in ("true", "false") and word.kind == "name":
            return Expression("literal", (word.text == "true",), line)
        if word.text == "(" and word.kind == "sign":
            inside = self.read_expression()
            self.need(")")
            return inside
        if word.text == "func" and self.has("("):
            word = self.take()
            self.need(",")
            return self._read_arguments(word)
        if word.text in FUNCTIONS and word.kind == "name" and self.has("("):
            return self._read_arguments(word)
        if word.kind == "name" and not word.text.endswith("'") and word.text not in WORDS:
            return Expression("name", (word.text,), line)
        raise self.refuse(
            f"'{word.text}', where an expression is expected", "write a number, a name or a bracket", word
        )

    def _read_arguments(self, word: Token) -> Expression:
        if word.text not in FUNCTIONS or word.kind != "name":
            raise self.refuse(f"unknown function '{word.text}'", "use min, max, floor, ceil, pow, mod or log", word)
        parts = [self.read_expression()]
        while self.has(","):
            parts.append(self.read_expression())
        self.need(")")
        return Expression(word.text, tuple(parts), f"line {word.line}")


def write_prism(table: DecisionTable) -> str:
    """Write a table as a model of one variable `s`, the number of a state.

    A reward is the mean over next states. PRISM wants no negative ones: NAME_cost holds what NAME loses. Several start
    states are drawn from one more state, labelled "start_draw".
    """
    count = len(table.states)
    actions = spell_actions(table.actions)
    begins = np.flatnonzero(table.start)
    drawn = len(begins) > 1
    lines = [
        f"// {' '.join(table.name.split())}, {count} states, written by caregrid",
        "mdp",
        "",
        f"const double discount = {table.discount!r};",
        "",
        "module world",
        f"  s : [0..{count if drawn else count - 1}] init {count if drawn else begins[0]};",
        "",
    ]
    if drawn:
        lines.append(f"  [] s={count} -> {_write_updates((n, table.start[n]) for n in begins)};")
    for state in range(count):
        words = ", ".join(f"{name} {value}" for name, value in table.states[state].items())
        lines.append(f"  // {state}: {' '.join(words.split())}")
        if table.terminal[state]:
            continue
        for action in np.flatnonzero(table.available[state]):
            updates = _write_updates(
                zip(table.next_state[state, action], table.probability[state, action], strict=True)
            )
            lines.append(f"  [{actions[action]}] s={state} -> {updates};")
    ends = np.flatnonzero(table.terminal)
    over = "|".join(f"s={state}" for state in ends) or "false"
    if len(ends):
        lines.append(f"  [] {over} -> true;")
    lines += ["endmodule", "", f'label "{TERMINAL}" = {over};']
    if drawn:
        lines.append(f'label "{START_DRAW}" = s={count};')
    for name, amount in split_rewards(table).items():
        lines += ["", f'rewards "{name}"', "  false : 0;"]
        for state, action in np.argwhere(amount):
            lines.append(f"  [{actions[action]}] s={state} : {float(amount[state, action])!r};")
        lines.append("endrewards")
    return "\n".join(lines) + "\n"


def _write_updates(pairs: Any) -> str:
    return " + ".join(f"{float(chance)!r}:(s'={target})" for target, chance in pairs if chance > 0.0)


def spell_actions(actions: tuple[str, ...]) -> list[str]:
    """Return the names of actions as names of PRISM and JANI: letters, digits and "_", all of them different."""
    spelled: list[str] = []
    for action in actions:
        name = re.sub(r"\W", "_", action, flags=re.ASCII) or "_"
        if name[0].isdigit() or name in WORDS:
            name = f"a_{name}"
        called, number = name, 1
        while called in spelled or called == "s":
            number += 1
            called = f"{name}_{number}"
        spelled.append(called)
    return spelled


def split_rewards(table: DecisionTable) -> dict[str, Any]:
    """Reward's name -> f64[S, A], the mean over next states, none below 0: NAME_cost holds the losses of NAME."""
    asked = table.available & ~table.terminal[:, None]
    result = {}
    for name, amount in zip(spell_actions(tuple(table.rewards)), table.rewards.values(), strict=True):
        mean = np.where(asked, (table.probability * amount).sum(axis=2), 0.0)
        result[name] = np.maximum(mean, 0.0)
        if (mean < 0.0).any():
            result[name + COST] = np.maximum(-mean, 0.0)
    return result
