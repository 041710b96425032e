"""What numba has to learn before it takes plain objects: their type, with fields and methods, and what ends an episode.

Compiled code reads and writes fields as Python would, or not at all. A field keeps its type: what would lose something
on the way into it (a fraction in an integer, another kind of object or array) is refused when the code is compiled. An
integer of 64 bits that is about to overflow raises OverflowError, since Python's would grow.

Compiled code builds a `Transition` without its default values, so that one written without `terminated` has four
fields there; it did not end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import cgutils, imputils, ir, types
from numba.core.extending import infer_getattr, lower_getattr_generic, lower_setattr_generic, typeof_impl
from numba.core.rewrites.registry import Rewrite, register_rewrite
from numba.core.typeconv.castgraph import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.extending import overload

from engine.agent import Transition, has_terminated
from engine.compiling.members import find_member
from engine.compiling.numba_objects import (
    ObjectType,
    access_fields,
    bind_method,
    compute_property,
    find_type_of_property,
    is_tuple,
    typeof,
)
from engine.errors import add_article
from engine.printable import name_type

_LARGEST = 1 << 62  # a field beyond this is about to leave 64 bits


def teach(marker: type, thing: Any) -> Any:
    """Teach numba about the classes that derive from a marker; return its type of one of their objects."""
    typeof_impl.register(marker)(typeof)
    return numba.typeof(thing)


@overload(has_terminated, strict=False)
def _overload_has_terminated(transition: Any) -> Callable[[Any], bool]:
    if len(transition) > Transition._fields.index("terminated"):
        return lambda transition: transition.terminated
    return lambda transition: False


@infer_getattr
class _Attributes(AttributeTemplate):
    key = ObjectType

    def generic_resolve(self, kind: Any, name: str) -> Any:  # type: ignore[override]
        found = kind.fields.get(name) or bind_method(kind, name) or find_type_of_property(self.context, kind, name)
        member = find_member(kind.cls, name)
        if found is None and member is not None:
            article = add_article(name_type(member))
            raise numba.TypingError(f"'{name}' of {kind.cls.__name__}, {article}, is not compiled")
        return found


@lower_getattr_generic(ObjectType)
def _read(context: Any, builder: Any, kind: ObjectType, reference: Any, name: str) -> Any:
    if name not in kind.fields:
        return compute_property(context, builder, kind, reference, name)
    value = getattr(access_fields(context, builder, kind, reference), name)
    return imputils.impl_ret_borrowed(context, builder, kind.fields[name], value)


@lower_setattr_generic(ObjectType)
def _write(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    kind, (reference, value) = signature.args[0], arguments
    field, fields = kind.fields[name], access_fields(context, builder, kind, reference)
    _guard(context, builder, field, value)
    context.nrt.incref(builder, field, value)
    context.nrt.decref(builder, field, getattr(fields, name))
    setattr(fields, name, value)


def _guard(context: Any, builder: Any, field: Any, value: Any) -> None:
    """Raise OverflowError where a signed integer of 64 bits is at the end of its range."""
    if is_tuple(field):
        for kind, part in zip(field, cgutils.unpack_tuple(builder, value), strict=True):
            _guard(context, builder, kind, part)
    elif field == types.int64:
        shifted = builder.add(value, value.type(_LARGEST))
        with builder.if_then(builder.icmp_signed("<", shifted, value.type(0)), likely=False):
            context.call_conv.return_user_exc(builder, OverflowError, ("an integer of more than 64 bits",))


@register_rewrite("after-inference")
class _FieldsKeepTheirTypes(Rewrite):
    """Refuses to compile an assignment that would change what is assigned.

    numba asks every rewrite whether a block matches, and `apply` is called where one does: this one only looks.
    """

    def match(self, func_ir: Any, block: Any, typemap: Any, calltypes: Any) -> bool:
        for instruction in block.find_insts(ir.SetAttr):
            kind, value = typemap[instruction.target.name], typemap[instruction.value.name]
            if isinstance(kind, ObjectType):
                _require_same(kind, instruction.attr, value, instruction.loc)
        return False


def _require_same(kind: ObjectType, name: str, value: Any, place: Any) -> None:
    field = kind.fields.get(name)
    if field is None:
        raise numba.TypingError(f"'{name}' of {kind.cls.__name__} is set, which is no field", loc=place)
    if kind.is_frozen:
        raise numba.TypingError(f"'{name}' of {kind.cls.__name__} is frozen", loc=place)
    if not _keeps(value, field):
        raise numba.TypingError(f"'{name}' of {kind.cls.__name__} is {field}, not {value}", loc=place)


def _keeps(value: Any, field: Any) -> bool:
    """Return whether a value of one type is the same in a field of another."""
    if is_tuple(field):
        alike = is_tuple(value) and len(value) == len(field)
        return alike and all(map(_keeps, value, field))
    value = types.unliteral(value)
    if isinstance(value, types.Boolean) or isinstance(field, types.Boolean):
        return bool(value == field)
    conversion = numba.core.registry.cpu_target.typing_context.can_convert(value, field)
    fits = isinstance(value, types.Integer) and field == types.float64
    return bool(value == field or fits or (conversion is not None and conversion <= Conversion.safe))
