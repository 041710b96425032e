"""Expressions of PRISM and JANI: a tree, and the function of a state that it is compiled to.

A state is a tuple of integers and truth values. Kinds are checked when an expression is compiled: `bool`, `int` or
`real`, where an `int` may stand for a `real`. `/` always gives a `real`. What grows without bound is refused.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.errors import BadFile, did_you_mean

State = tuple[int, ...]
MOST_PARTS = 200_000  # of an expression, its formulas put in
DEEPEST = 120  # expressions within expressions
LARGEST_INTEGER = 10**15


class Expression(NamedTuple):
    """An operation on expressions; a literal holds its value, a name its text. line: where it is, in words."""

    operation: str
    parts: tuple[Any, ...]
    line: str


class Compiled(NamedTuple):
    """kind: "bool", "int" or "real". of: a function of the state. constant: whether no state matters. size: its parts.
    depth: how many expressions lie within each other.

    equals: where it says that a variable has a value, the variable's place and the value. conjuncts: these of a
    conjunction.
    """

    kind: str
    of: Callable[[State], Any]
    constant: bool
    size: int = 1
    depth: int = 1
    equals: tuple[int, Any] | None = None
    conjuncts: tuple[tuple[int, Any], ...] = ()


COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS = ("int", "real")


def _divide(left: float, right: float) -> float:
    return left / right


def _round(value: float) -> int:
    return math.floor(value + 0.5)


FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any], str]] = {
    "min": (0, lambda *parts: min(parts), ""),
    "max": (0, lambda *parts: max(parts), ""),
    "+": (0, lambda *parts: sum(parts), ""),
    "-": (2, operator.sub, ""),
    "*": (0, lambda *parts: math.prod(parts), ""),
    "/": (2, _divide, "real"),
    "mod": (2, operator.mod, ""),
    "pow": (2, lambda base, exponent: _power(base, exponent), ""),
    "log": (2, math.log, "real"),
    "exp": (1, math.exp, "real"),
    "neg": (1, operator.neg, ""),
    "abs": (1, abs, ""),
    "floor": (1, math.floor, "int"),
    "ceil": (1, math.ceil, "int"),
    "round": (1, _round, "int"),
}
"""Name -> number of arguments (0 for any), function, and kind of its value; "" for that of the arguments."""


def _power(base: float, exponent: float) -> float:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        if abs(base) > 1 and exponent * math.log2(abs(base)) > 64:
            raise OverflowError
        return int(base**exponent)
    result: Any = float(base) ** exponent
    if isinstance(result, complex):
        raise ValueError
    return float(result)


@dataclass
class Scope:
    """The names that expressions may use. file: for messages.

    variables: name -> (place in the state, kind). constants: name -> value. formulas: name -> expression.
    """

    file: str
    variables: dict[str, tuple[int, str]] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    formulas: dict[str, Expression] = field(default_factory=dict)
    _compiled: dict[str, Compiled | None] = field(default_factory=dict)
    _level: int = 0

    def refuse(self, problem: str, line: str, remedy: str) -> BadFile:
        """Return the error of a place in the file."""
        return BadFile(problem, place=f"{self.file}, {line}" if line else self.file, remedy=remedy)

    def compile(self, expression: Expression, *kinds: str) -> Compiled:
        """Compile an expression; BadFile unless it is of one of the kinds (of any where none is named)."""
        self._level = 0
        made = self._compile(expression)
        if kinds and made.kind not in kinds:
            wanted = {"bool": "true or false", "int": "an integer"}.get(kinds[0], "a number")
            raise self.refuse(f"the kind {made.kind}, where {wanted} is expected", expression.line, f"write {wanted}")
        return made

    def value(self, expression: Expression, *kinds: str) -> Any:
        """Return the value of an expression without variables."""
        made = self.compile(expression, *kinds)
        if not made.constant:
            raise self.refuse("a variable where a constant is expected", expression.line, "use constants only")
        return made.of(())

    def _compile(self, expression: Expression) -> Compiled:
        name = expression.operation
        if name == "literal":
            return _constant(expression.parts[0])
        self._level += 1
        if self._level > DEEPEST:
            raise self._too_deep(expression)
        made = self._compile_name(expression) if name == "name" else self._compile_parts(expression)
        self._level -= 1
        return made

    def _compile_parts(self, expression: Expression) -> Compiled:
        parts = [self._compile(part) for part in expression.parts]
        made = self._combine(expression, parts)
        size = 1 + sum(part.size for part in parts)
        depth = 1 + max((part.depth for part in parts), default=0)
        if size > MOST_PARTS:
            raise self.refuse(
                f"an expression of more than {MOST_PARTS:,} parts", expression.line, "write a shorter one"
            )
        if depth > DEEPEST:
            raise self._too_deep(expression)
        if all(part.constant for part in parts):
            return _constant(made.of(()))._replace(kind=made.kind)
        return made._replace(size=size, depth=depth)

    def _too_deep(self, expression: Expression) -> BadFile:
        problem = f"more than {DEEPEST} expressions within each other"
        return self.refuse(problem, expression.line, "write a flatter one")

    def _compile_name(self, expression: Expression) -> Compiled:
        name = expression.parts[0]
        if name in self.variables:
            place, kind = self.variables[name]
            return Compiled(kind, operator.itemgetter(place), False, equals=(place, True) if kind == "bool" else None)
        if name in self.constants:
            return _constant(self.constants[name])
        if name not in self.formulas:
            known = [*self.variables, *self.constants, *self.formulas]
            raise self.refuse(f"unknown name '{name}'", expression.line, did_you_mean(name, known))
        if name not in self._compiled:
            self._compiled[name] = None
            self._compiled[name] = self._compile(self.formulas[name])
        made = self._compiled[name]
        if made is None:
            raise self.refuse(f"the formula '{name}' is defined by itself", expression.line, "define it without itself")
        return made

    def _combine(self, expression: Expression, parts: list[Compiled]) -> Compiled:
        name = expression.operation
        if name in ("and", "or", "not", "implies", "iff"):
            self._require(expression, parts, ("bool",))
            return _combine_truths(name, parts)
        if name in ("=", "!="):
            if (parts[0].kind == "bool") != (parts[1].kind == "bool"):
                raise self.refuse("a number compared with true or false", expression.line, "compare two numbers")
            return _compare_equal(name, *parts)
        if name == "ite":
            return self._choose(expression, *parts)
        self._require(expression, parts, NUMBERS)
        functions = [part.of for part in parts]
        if name in COMPARE:
            left, right = functions
            compare = COMPARE[name]
            return Compiled("bool", lambda state: compare(left(state), right(state)), False)
        return self._call(expression, parts)

    def _require(self, expression: Expression, parts: list[Compiled], kinds: tuple[str, ...]) -> None:
        if any(part.kind not in kinds for part in parts):
            wanted = "true or false" if kinds == ("bool",) else "numbers"
            raise self.refuse(f"'{expression.operation}' needs {wanted}", expression.line, f"give it {wanted}")

    def _choose(self, expression: Expression, test: Compiled, yes: Compiled, no: Compiled) -> Compiled:
        self._require(expression, [test], ("bool",))
        if (yes.kind == "bool") != (no.kind == "bool"):
            raise self.refuse("a choice between a number and a truth", expression.line, "give two of one kind")
        kind = yes.kind if yes.kind == no.kind else "real"
        return Compiled(kind, lambda state: yes.of(state) if test.of(state) else no.of(state), False)

    def _call(self, expression: Expression, parts: list[Compiled]) -> Compiled:
        name = expression.operation
        count, function, kind = FUNCTIONS[name]
        if len(parts) != count and (count or not parts):
            wanted = count or "at least 1"
            raise self.refuse(f"'{name}' of {len(parts)} parts", expression.line, f"give it {wanted}")
        if name == "mod" and any(part.kind != "int" for part in parts):
            raise self.refuse("'mod' of what is no integer", expression.line, "give it integers")
        kind = kind or ("int" if all(part.kind == "int" for part in parts) else "real")
        functions = tuple(part.of for part in parts)

        def call(state: State) -> Any:
            try:
                result = function(*(part(state) for part in functions))
                if not abs(result) <= (LARGEST_INTEGER if isinstance(result, int) else math.inf):
                    raise OverflowError
            except (ArithmeticError, ValueError, TypeError):
                problem = f"'{name}' has no value of bounded size here"
                raise self.refuse(problem, expression.line, "change the numbers") from None
            return result if kind == "int" else float(result)

        if kind == "int" and name == "pow":  # 2 to the power of -1 is no integer

            def integral(state: State) -> Any:
                result = call(state)
                if not isinstance(result, int):
                    raise self.refuse("a power that is no integer", expression.line, "write pow(2.0, n)")
                return result

            return Compiled(kind, integral, False)
        return Compiled(kind, call, False)


def _constant(value: Any) -> Compiled:
    kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "real"
    return Compiled(kind, lambda state: value, True)


def _compare_equal(name: str, left: Compiled, right: Compiled) -> Compiled:
    """Where a variable is compared with a constant, the result says so."""
    first, second = left.of, right.of
    if name == "!=":
        return Compiled("bool", lambda state: first(state) != second(state), False)
    if isinstance(right.of, operator.itemgetter):
        left, right = right, left
    if isinstance(left.of, operator.itemgetter) and right.constant:
        value, place = right.of(()), _place_of(left)
        return Compiled("bool", lambda state: state[place] == value, False, equals=(place, value))
    return Compiled("bool", lambda state: first(state) == second(state), False)


def _place_of(variable: Compiled) -> int:
    return int(variable.of.__reduce__()[1][0])


def _combine_truths(name: str, parts: list[Compiled]) -> Compiled:
    functions = tuple(part.of for part in parts)
    if name == "not":
        (only,) = functions
        return Compiled("bool", lambda state: not only(state), False)
    if name == "and":
        found = tuple(pair for part in parts for pair in (part.conjuncts or ((part.equals,) if part.equals else ())))
        return Compiled("bool", lambda state: all(part(state) for part in functions), False, conjuncts=found)
    if name == "or":
        places = {part.equals[0] for part in parts if part.equals}
        if len(places) == 1 and all(part.equals for part in parts):
            (at,) = places
            values = {part.equals[1] for part in parts if part.equals}
            return Compiled("bool", lambda state: state[at] in values, False)
        return Compiled("bool", lambda state: any(part(state) for part in functions), False)
    left, right = functions
    if name == "implies":
        return Compiled("bool", lambda state: not left(state) or right(state), False)
    return Compiled("bool", lambda state: bool(left(state)) == bool(right(state)), False)
