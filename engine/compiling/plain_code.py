"""Methods of users' own, compiled so that they give what Python gives, or do not give anything.

Before a method is compiled, its typed code is read, statement by statement. What is not listed here is refused: its
results in compiled code may be others than Python's (powers, sums of arrays, sorting, random numbers of a module,
exceptions that are caught, names that may have no value, ...). What is listed gives the same bits, with a check of its
operands where numbers have bounds:

    a + b, a - b, a * b, -a, a << n    OverflowError where an integer leaves 64 bits
    a // b, a % b, a >> n, abs(a)      OverflowError where Python's answer is another one
    a / b, a < x, (a or x), range(a)   OverflowError where an integer a is beyond 2^53, so that no float is the same
    int(x), floor(x), sqrt(x)          OverflowError where there is no such integer, or no such root

In Python an integer stays one where compiled code has made it a float (`x = 1 if late else 0.5`, `max(n, 0.5)`).
Where no operand is surely a float (`find_sure_floats`), sums, differences and products are Python's only below 2^53 and
if they are not -0.0: OverflowError otherwise.

The caller then runs the same turns plainly. Methods of our own packages are not read: tests compare them with Python.
"""

from __future__ import annotations

import functools
import math
import operator
from abc import ABCMeta
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
from llvmlite import ir as llvm
from numba.core import analysis, cgutils, ir, lowering, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, FunctionPass, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.typed_passes import NativeLowering, NopythonTypeInference
from numba.core.untyped_passes import IRProcessing

from engine.compiling.digest import is_ours
from engine.compiling.kernel import NOT_FROM_PYTHON
from engine.compiling.members import find_member, is_made_of_numbers, name_inherited

EXACT = 1 << 53  # integers up to here are floats, too
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
BITS = (operator.and_, operator.or_, operator.xor)
INTEGERS_ONLY = (*BITS, operator.lshift, operator.rshift, operator.floordiv, operator.mod)
BINARY = {operator.add, operator.sub, operator.mul, *COMPARISONS, *INTEGERS_ONLY, operator.truediv}
OVERFLOWING = {operator.add: "sadd", operator.sub: "ssub", operator.mul: "smul"}
IN_PLACE = {getattr(operator, f"i{each.__name__.strip('_')}"): each for each in BINARY - set(COMPARISONS)}

ROUNDED = {int, math.floor, math.ceil}
ROOTS = {math.sqrt, np.sqrt}
EXTREMES = {max, min}
OF_NUMBERS = {abs, bool, float, math.fabs, *ROUNDED, *ROOTS, *EXTREMES}
OF_ARRAYS = {np.argmax, np.argmin, np.max, np.min}
ARRAY_METHODS = {"argmax", "argmin", "max", "min", "copy"}
ARRAY_ATTRIBUTES = {"size", "shape", "ndim"} | ARRAY_METHODS
STATEMENTS: tuple[type, ...] = (ir.Assign, ir.SetAttr, ir.SetItem, ir.StaticSetItem, ir.Branch, ir.Jump, ir.Return)
STATEMENTS = (*STATEMENTS, ir.StaticRaise, ir.DynamicRaise)
VALUES = (ir.Const, ir.Global, ir.FreeVar, ir.Var, ir.Arg, ir.Yield, ir.Expr)
ITERATION = {"getiter", "iternext", "pair_first", "pair_second", "exhaust_iter", "build_tuple"}


def compile_like_python(method: Any) -> Any:
    """Return a user's method as numba compiles it, guarded."""
    return numba.njit(boundscheck=True, pipeline_class=_GuardedCompiler, **NOT_FROM_PYTHON)(method)


class _GuardedCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(_ResolveClasses, IRProcessing)
        manager.add_pass_after(_RequirePlainCode, NopythonTypeInference)
        manager.passes = [(_GuardedLowering if each is NativeLowering else each, why) for each, why in manager.passes]
        manager.finalize()
        return [manager]


def _is_number(kind: Any) -> bool:
    return types.unliteral(kind) in (types.int64, types.float64, types.boolean)


def _is_integer(kind: Any) -> bool:
    return bool(types.unliteral(kind) == types.int64)


def _is_bool(kind: Any) -> bool:
    return bool(types.unliteral(kind) == types.boolean)


def _is_float(kind: Any) -> bool:
    return bool(kind == types.float64)


def _is_object(kind: Any) -> bool:
    return hasattr(kind, "class_name")


def _is_admitted(kind: Any) -> bool:
    """Return whether Python's values of a type are those of compiled code, or whether it is no value at all."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_is_admitted, _list_parts(kind)))
    if isinstance(kind, types.Array):
        return _is_number(kind.dtype)
    if isinstance(kind, types.List | types.ListIter):
        return _is_admitted(kind.dtype if isinstance(kind, types.List) else kind.container.dtype)
    if isinstance(kind, types.Pair):
        return _is_admitted(kind.first_type)
    if isinstance(kind, types.Omitted):
        return type(kind.value) in (bool, int, float)
    if isinstance(kind, types.IteratorType | types.RangeType):
        return _is_admitted(kind.yield_type if isinstance(kind, types.IteratorType) else kind.dtype)
    callable_ = (types.Function, types.BoundFunction, types.Dispatcher, types.NamedTupleClass, types.ExceptionClass)
    other = (types.ExceptionInstance, types.StringLiteral, types.Module, types.DType, types.NumberClass, types.NoneType)
    return _is_number(kind) or _is_object(kind) or isinstance(kind, callable_ + other)


@register_pass(mutates_CFG=False, analysis_only=False)
class _ResolveClasses(FunctionPass):
    """Reads `super().name` as the name that the next ancestor defines, and `Class.name` as the number that it is.

    Only where it is written so: what else is done with `super()` or a class stays, and numba, which knows neither,
    refuses it.
    """

    _name = "resolve_classes"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        code, function = state.func_ir, state.func_ir.func_id.func
        statements = [each for block in code.blocks.values() for each in block.body]
        made: dict[str, Any] = {each.target.name: each for each in statements if isinstance(each, ir.Assign)}
        uses = {name: [each for each in statements if each is not made[name] and _names(each, name)] for name in made}
        for read in made.values():
            numbers = [_find_number(read.value, each) for each in uses[read.target.name]]
            if numbers and None not in numbers:
                for each, number in zip(uses[read.target.name], numbers, strict=True):
                    each.value = ir.Const(number, each.loc)
                read.value = ir.Const(None, read.loc)
        defining = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)).get("__class__")
        holder = next((each.target for each in made.values() if _is_first_argument(each.value)), None)
        if defining is not None and holder is not None and _is_object(state.args[0]):
            for parent in [each for each in made.values() if _calls_super(each.value, made)]:
                reads = uses[parent.target.name]
                names = [_find_inherited(each, state.args[0].cls, defining.cell_contents) for each in reads]
                if None not in names:
                    made[parent.value.func.name].value = parent.value = holder
                    for each, name in zip(reads, names, strict=True):
                        each.value.attr = name
        code._definitions = build_definitions(code.blocks)
        return True


def _names(statement: Any, name: str) -> bool:
    return name in {each.name for each in statement.list_vars()}


def _is_first_argument(value: Any) -> bool:
    return isinstance(value, ir.Arg) and value.index == 0


def _reads_attribute(statement: Any) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(statement, ir.Assign) and isinstance(value, ir.Expr) and value.op == "getattr"


def _find_number(holder: Any, statement: Any) -> Any:
    """Return the number that a statement reads from a class; None where the holder is none, or what is read."""
    cls = holder.value if isinstance(holder, ir.Global | ir.FreeVar) else None
    if type(cls) not in (type, ABCMeta) or not _reads_attribute(statement):
        return None
    member = find_member(cls, statement.value.attr)
    return member if is_made_of_numbers(member) else None


def _calls_super(value: Any, made: dict[str, Any]) -> bool:
    """Return whether a value is `super()`, of Python's own."""
    if not (isinstance(value, ir.Expr) and value.op == "call") or value.args or value.kws or value.vararg:
        return False
    called = made[value.func.name].value if value.func.name in made else None
    return isinstance(called, ir.Global) and called.value is super


def _find_inherited(statement: Any, cls: Any, defining: Any) -> str | None:
    """Return the inherited name that a statement reads from `super()`; None where it does anything else with it."""
    return name_inherited(cls, defining, statement.value.attr) if _reads_attribute(statement) else None


@register_pass(mutates_CFG=False, analysis_only=True)
class _RequirePlainCode(AnalysisPass):
    """Raises TypingError at the first statement whose result may not be Python's."""

    _name = "require_plain_code"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        reader = _Reader(state.func_ir, state.typemap, state.return_type)
        for statement, reason in reader.iterate_faults():
            raise numba.TypingError(f"line {statement.loc.line}: {reason}", loc=statement.loc)
        return False


class _Reader:
    """Reads the typed code of one method. code: numba's. kinds: the types of its variables."""

    def __init__(self, code: Any, kinds: Any, returned: Any) -> None:
        self.code, self.kinds, self.returned = code, kinds, returned

    def iterate_faults(self) -> Iterator[tuple[Any, str]]:
        """What may not be Python's: statements, and why."""
        uses = analysis.compute_use_defs(self.code.blocks)
        graph = analysis.compute_cfg_from_blocks(self.code.blocks)
        live = analysis.compute_live_map(graph, self.code.blocks, uses.usemap, uses.defmap)
        entry = self.code.blocks[graph.entry_point()]
        for name in sorted(live[graph.entry_point()] & set(self.kinds)):
            yield entry.body[0], f"'{name.split('.')[0]}' may have no value"
        for block in self.code.blocks.values():
            for statement in block.body:
                reason = self._find_fault(statement)
                if reason is not None:
                    yield statement, reason

    def _find_fault(self, statement: Any) -> str | None:
        if not issubclass(type(statement), STATEMENTS):
            return f"{type(statement).__name__.lower()} is not compiled"
        for variable in statement.list_vars():
            if not _is_admitted(self.kinds[variable.name]):
                return f"numbers of {self.kinds[variable.name]} are not Python's"
        if isinstance(statement, ir.Assign):
            return self._find_fault_of_value(statement.target, statement.value)
        if isinstance(statement, ir.SetAttr):
            return self._find_fault_of_field(statement)
        if isinstance(statement, ir.SetItem | ir.StaticSetItem):
            return self._find_fault_of_item(statement)
        return None

    def _find_fault_of_value(self, target: Any, value: Any) -> str | None:
        kind = self.kinds[target.name]
        if not isinstance(value, VALUES):
            return f"{type(value).__name__.lower()} is not compiled"
        if isinstance(value, ir.Global | ir.FreeVar) and _holds_arrays(kind):
            return f"the array '{value.name}' is not a field"
        if isinstance(value, ir.Var):
            return self._find_fault_of_conversion(value, kind)
        if isinstance(value, ir.Yield):
            same = self.returned.yield_type == types.unliteral(self.kinds[value.value.name])
            return None if same else f"it yields {self.kinds[value.value.name]} and {self.returned.yield_type}"
        return self._find_fault_of_expression(kind, value) if isinstance(value, ir.Expr) else None

    def _find_fault_of_conversion(self, value: Any, kind: Any) -> str | None:
        """Values of two types in one variable: Python's keep their types; an integer that is a float is the same."""
        if value is ir.UNDEFINED:  # of a path that does not set it
            return "a variable may have no value"
        found, wanted = types.unliteral(self.kinds[value.name]), types.unliteral(kind)
        if found == wanted or (_is_integer(found) and _is_float(wanted)) or not _is_value(found):
            return None
        return f"a variable is {found} and {wanted}"

    def _find_fault_of_expression(self, kind: Any, value: Any) -> str | None:
        match value.op:
            case "binop" | "inplace_binop":
                return self._find_fault_of_operation(value)
            case "unary":
                operand = self.kinds[value.value.name]
                fits = value.fn in (operator.neg, operator.pos, operator.invert) and not _is_bool(operand)
                fits = _is_number(operand) and (fits or value.fn is operator.not_)
                return None if fits else f"{_name(value.fn)} of {operand} may differ from Python's"
            case "call":
                return self._find_fault_of_call(value)
            case "getattr":
                return self._find_fault_of_attribute(kind, value)
            case "getitem" | "static_getitem":
                return self._find_fault_of_index(value.value, value.index if value.op == "getitem" else value.index_var)
            case "cast":
                return self._find_fault_of_conversion(value.value, kind)
            case "phi":
                faults = (self._find_fault_of_conversion(each, kind) for each in value.incoming_values)
                return next(filter(None, faults), None)
            case "build_list":
                several = len({types.unliteral(self.kinds[each.name]) for each in value.items}) > 1
                return "a list of several types" if several else None
        return None if value.op in ITERATION else f"{value.op.replace('_', ' ')} is not compiled"

    def _find_fault_of_operation(self, value: Any) -> str | None:
        function = IN_PLACE.get(value.immutable_fn, value.immutable_fn) if value.op == "inplace_binop" else value.fn
        left, right = (types.unliteral(self.kinds[each.name]) for each in (value.lhs, value.rhs))
        fits = function in BINARY and _is_number(left) and _is_number(right)
        if _is_bool(left) and _is_bool(right):
            fits = fits and function in (*BITS, *COMPARISONS)
        if function in INTEGERS_ONLY:
            fits = fits and not (_is_float(left) or _is_float(right))
        return None if fits else f"{_name(function)} of {left} and {right} may differ from Python's"

    def _find_fault_of_call(self, value: Any) -> str | None:
        called = self.kinds[value.func.name]
        kinds = [self.kinds[each.name] for each in value.args]
        if value.vararg is not None or value.varkwarg is not None:
            return "arguments that are unpacked are not compiled"
        if isinstance(called, types.Dispatcher):
            return None if is_ours(called.dispatcher.py_func) else f"{_name(called.dispatcher.py_func)} is a function"
        if isinstance(called, types.NamedTupleClass | types.ExceptionClass):
            return None
        if isinstance(called, types.BoundFunction):
            items = getattr(called.this, "dtype", None)
            fits = _is_object(called.this)
            fits = fits or (called.typing_key == "list.append" and [types.unliteral(each) for each in kinds] == [items])
            fits = fits or (isinstance(called.this, types.Array) and not value.args and not value.kws)
            return None if fits else f"'{called.typing_key}' may differ from Python's"
        function = getattr(called, "typing_key", None)
        if function in OF_NUMBERS:
            fits = bool(kinds) and all(map(_is_number, kinds)) and not value.kws
            fits = fits and (len(kinds) > 1) == (function in EXTREMES)
            fits = fits and (function is bool or not any(map(_is_bool, kinds)) or function in (int, float))
        elif function in OF_ARRAYS:
            fits = len(kinds) == 1 and isinstance(kinds[0], types.Array) and not _is_bool(kinds[0].dtype)
        elif function is range:
            fits = all(map(_is_integer, kinds))
        else:
            fits = function in (len, np.zeros)
        return None if fits else f"{_name(function or called)}() may differ from Python's"

    def _find_fault_of_attribute(self, kind: Any, value: Any) -> str | None:
        holder = self.kinds[value.value.name]
        if isinstance(holder, types.Module) and _holds_arrays(kind):
            return f"the array '{value.attr}' is not a field"
        fits = _is_object(holder) or isinstance(holder, types.Module | types.NamedTuple)
        fits = fits or (isinstance(holder, types.Array) and value.attr in ARRAY_ATTRIBUTES)
        fits = fits or (isinstance(holder, types.List) and value.attr == "append")
        return None if fits else f"'{value.attr}' of {holder} may differ from Python's"

    def _find_fault_of_index(self, holder: Any, index: Any) -> str | None:
        kinds = [self.kinds[index.name]] if isinstance(index, ir.Var) else []
        kinds = _list_parts(kinds[0]) if kinds and isinstance(kinds[0], types.BaseTuple) else kinds
        fits = all(map(_is_integer, kinds))
        fits = fits and isinstance(self.kinds[holder.name], types.Array | types.BaseTuple | types.List)
        return None if fits else f"the index {kinds[0] if kinds else index} is not compiled"

    def _find_fault_of_item(self, statement: Any) -> str | None:
        holder, value = self.kinds[statement.target.name], types.unliteral(self.kinds[statement.value.name])
        index = statement.index_var if isinstance(statement, ir.StaticSetItem) else statement.index
        if not isinstance(holder, types.Array):
            return f"an item of {holder} is set"
        if value != holder.dtype and not (_is_integer(value) and _is_float(holder.dtype)):
            return f"an item of {holder} becomes {value}"
        return self._find_fault_of_index(statement.target, index)

    def _find_fault_of_field(self, statement: Any) -> str | None:
        """A copy of an object, and what it holds, must hold all its parts once: compiled code copies them apart."""
        holder, value = self.kinds[statement.target.name], self.kinds[statement.value.name]
        if not _is_object(holder):
            return f"'{statement.attr}' of {holder} is set"
        field = holder.fields.get(statement.attr)
        if isinstance(field, types.BaseTuple) and types.unliteral(value) != field:
            return f"'{statement.attr}' of {holder.cls.__name__} is {field}, not {value}"
        if holder.copied and (_is_object(value) or _holds_arrays(value)):
            return f"'{statement.attr}' of {holder.cls.__name__}, which is copied, becomes another {_sort(value)}"
        return None


def _list_parts(kind: Any) -> list[Any]:
    return list(kind)


def _is_value(kind: Any) -> bool:
    return not isinstance(kind, types.NoneType | types.IteratorType)


def _holds_arrays(kind: Any) -> bool:
    parts = _list_parts(kind) if isinstance(kind, types.BaseTuple) else []
    return isinstance(kind, types.Array) or any(map(_holds_arrays, parts))


def _sort(kind: Any) -> str:
    return "object" if _is_object(kind) else "array"


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", function))


@register_pass(mutates_CFG=True, analysis_only=False)
class _GuardedLowering(NativeLowering):
    _name = "guarded_lowering"

    @property
    def lowering_class(self) -> type:
        """The class that makes machine code."""
        return _GuardedLower


def find_sure_floats(code: Any, kinds: Any) -> set[str]:
    """Return the names of the float variables whose values are floats in Python, too, and no integers."""
    assigned = [each for block in code.blocks.values() for each in block.body if isinstance(each, ir.Assign)]
    sure = {name for name, kind in kinds.items() if _is_float(kind)}
    while doubtful := {
        each.target.name for each in assigned if each.target.name in sure and not _gives_float(each.value, sure, kinds)
    }:
        sure -= doubtful
    return sure


def _gives_float(value: Any, sure: set[str], kinds: Any) -> bool:
    """Return whether Python gives a float where compiled code does. sure: names of variables that are floats."""
    if isinstance(value, ir.Var):
        return value.name in sure
    if isinstance(value, ir.Const | ir.Global | ir.FreeVar):
        return type(value.value) is float
    if not isinstance(value, ir.Expr):
        return False
    match value.op:
        case "binop" | "inplace_binop":
            function = value.immutable_fn if value.op == "inplace_binop" else value.fn
            divides = IN_PLACE.get(function, function) is operator.truediv
            return divides or value.lhs.name in sure or value.rhs.name in sure
        case "unary" | "cast":
            return value.value.name in sure
        case "call":
            called = kinds[value.func.name]
            function = getattr(called, "typing_key", None)
            if function is abs or function in EXTREMES:
                return all(each.name in sure for each in value.args)
            of_an_array = isinstance(called, types.BoundFunction) and isinstance(called.this, types.Array)
            return of_an_array or function in {float, math.fabs, *ROOTS, *OF_ARRAYS}
        case "getitem" | "static_getitem":
            return isinstance(kinds[value.value.name], types.Array)
        case "getattr":
            return isinstance(kinds[value.value.name], types.Module)
    return False


class _GuardedLower(lowering.Lower):
    """Makes machine code of a method that raises OverflowError where Python's answer is another one."""

    @functools.cached_property
    def _sure(self) -> set[str]:
        return find_sure_floats(self.func_ir, self.fndesc.typemap)

    def lower_inst(self, inst: Any) -> None:
        if isinstance(inst, ir.SetAttr) and _is_float(self.typeof(inst.target.name).fields[inst.attr]):
            self._require_exact(inst.value)
        super().lower_inst(inst)

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        value = inst.value
        if isinstance(value, ir.Expr) and value.op == "cast":
            value = value.value
        if isinstance(value, ir.Var) and _is_float(ty):
            self._require_exact(value)
        return super().lower_assign(ty, inst)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        if expr.op == "unary" and expr.fn is operator.neg and _is_integer(self.typeof(expr.value.name)):
            zero = llvm.Constant(llvm.IntType(64), 0)
            return self._compute(operator.sub, zero, self._load_integer(expr.value))
        if expr.op == "unary" and expr.fn is operator.neg and expr.value.name not in self._sure:
            value = self.loadvar(expr.value.name)
            self._refuse_if(self.builder.fcmp_ordered("==", value, value.type(0.0)))
        return super().lower_expr(resty, expr)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        function = IN_PLACE.get(op, op)
        kinds = [self.typeof(each.name) for each in (expr.lhs, expr.rhs)]
        if any(map(_is_float, kinds)):
            if function in COMPARISONS:
                self._require_exact(expr.lhs, expr.rhs)
            elif function in OVERFLOWING and not {expr.lhs.name, expr.rhs.name} & self._sure:
                return self._require_an_integers_float(super().lower_binop(resty, expr, op))
        elif function is operator.truediv:
            self._require_exact(expr.lhs, expr.rhs)
        elif function in OVERFLOWING or function in (operator.lshift, operator.rshift):
            return self._compute(function, self._load_integer(expr.lhs), self._load_integer(expr.rhs))
        elif function in (operator.floordiv, operator.mod):
            self._require_absolute(expr.lhs)
        return super().lower_binop(resty, expr, op)

    def lower_call(self, resty: Any, expr: Any) -> Any:
        function = getattr(self.typeof(expr.func.name), "typing_key", None)
        kinds = [self.typeof(each.name) for each in expr.args]
        if isinstance(self.typeof(expr.func.name), types.Function):
            if function is range or (function in EXTREMES and any(map(_is_float, kinds))):
                self._require_exact(*expr.args)
            elif function is abs:
                self._require_absolute(*expr.args)
            elif function in ROUNDED | ROOTS and _is_float(kinds[0]):
                self._require_rounded_or_rooted(function, self.loadvar(expr.args[0].name))
            elif function in ROOTS:
                value = self._load_integer(expr.args[0])
                self._refuse_if(self.builder.icmp_signed("<", value, value.type(0)))
        return super().lower_call(resty, expr)

    def _load_integer(self, variable: Any) -> Any:
        return self.context.cast(self.builder, self.loadvar(variable.name), self.typeof(variable.name), types.int64)

    def _compute(self, function: Callable[..., Any], left: Any, right: Any) -> Any:
        """Return a sum, difference, product or shift of two integers of 64 bits; raise where it leaves them."""
        builder = self.builder
        if function in OVERFLOWING:
            pair = getattr(builder, f"{OVERFLOWING[function]}_with_overflow")(left, right)
            self._refuse_if(builder.extract_value(pair, 1))
            return builder.extract_value(pair, 0)
        self._refuse_if(builder.icmp_unsigned(">", right, left.type(63)))
        if function is operator.rshift:
            return builder.ashr(left, right)
        shifted = builder.shl(left, right)
        self._refuse_if(builder.icmp_signed("!=", builder.ashr(shifted, right), left))
        return shifted

    def _require_exact(self, *variables: Any) -> None:
        """Raise where an integer is beyond those that are floats, too."""
        for variable in variables:
            if _is_integer(self.typeof(variable.name)):
                value = self.loadvar(variable.name)
                shifted = self.builder.add(value, value.type(EXACT))
                self._refuse_if(self.builder.icmp_unsigned(">", shifted, value.type(2 * EXACT)))

    def _require_an_integers_float(self, value: Any) -> Any:
        """Return a sum, difference or product; raise where it may be another one of integers: beyond 2^53, or -0.0."""
        builder = self.builder
        within = builder.fcmp_unordered("<", value, value.type(float(EXACT)))
        within = builder.and_(within, builder.fcmp_unordered(">", value, value.type(-float(EXACT))))
        bits = builder.bitcast(value, llvm.IntType(64))
        negative_zero = builder.icmp_unsigned("==", bits, bits.type(1 << 63))
        self._refuse_if(builder.or_(builder.not_(within), negative_zero))
        return value

    def _require_absolute(self, *variables: Any) -> None:
        """Raise at the least integer, which has no absolute value."""
        for variable in variables:
            if _is_integer(self.typeof(variable.name)):
                value = self.loadvar(variable.name)
                self._refuse_if(self.builder.icmp_signed("==", value, value.type(-(1 << 63))))

    def _require_rounded_or_rooted(self, function: Any, value: Any) -> None:
        builder = self.builder
        fits = builder.fcmp_ordered(">=", value, value.type(0.0 if function in ROOTS else -(2.0**62)))
        if function not in ROOTS:
            fits = builder.and_(fits, builder.fcmp_ordered("<=", value, value.type(2.0**62)))
        self._refuse_if(builder.not_(fits))

    def _refuse_if(self, condition: Any) -> None:
        with cgutils.if_unlikely(self.builder, condition):
            self.call_conv.return_user_exc(self.builder, OverflowError, ("a number that is not Python's",))
