"""What `fork` is in compiled code: a new object on the heap, with copies of everything that may change."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, imputils, types
from numba.core.extending import intrinsic
from numba.core.typing.templates import signature

from engine.compiling.object_type import (
    ObjectType,
    fields_at,
    fields_of,
    is_tuple,
    reference_to,
    release_fields,
    struct_in_memory,
)


@intrinsic
def forked(typing_context: Any, thing: Any) -> Any:
    """An independent copy of an object."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return imputils.impl_ret_new_ref(context, builder, thing, _copy(context, builder, thing, arguments[0]))

    return (thing(thing), generate) if isinstance(thing, ObjectType) else None


def _copy(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A new reference to a copy of a value, or to the value itself where nothing can change it."""
    if is_tuple(kind):
        parts = zip(kind, cgutils.unpack_tuple(builder, value), strict=True)
        return context.make_tuple(builder, kind, [_copy(context, builder, part, given) for part, given in parts])
    if isinstance(kind, types.Array) and kind.mutable:
        return _copied_array(context, builder, kind, value)
    if isinstance(kind, ObjectType) and not _is_constant(kind):
        return _copied_object(context, builder, kind, value)
    context.nrt.incref(builder, kind, value)
    return value


def _is_constant(kind: Any) -> bool:
    """Whether nothing can change a value: a number, a read-only array, a frozen object of such."""
    if isinstance(kind, ObjectType):
        return kind.is_frozen and all(map(_is_constant, kind.fields.values()))
    if is_tuple(kind):
        return all(map(_is_constant, kind))
    return not (isinstance(kind, types.Array) and kind.mutable)


def _copied_array(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    made = types.Array(kind.dtype, kind.ndim, kind.layout if kind.layout in "CF" else "C")
    copied = context.compile_internal(builder, lambda array: array.copy(), signature(made, kind), (value,))
    return context.cast(builder, copied, made, kind)


def _copied_object(context: Any, builder: Any, kind: ObjectType, reference: Any) -> Any:
    struct = struct_in_memory(context, kind)
    size = context.get_constant(types.uintp, context.get_abi_sizeof(struct))
    meminfo = context.nrt.meminfo_alloc_dtor(builder, size, _destructor(context, builder.module, kind))
    pointer = builder.bitcast(context.nrt.meminfo_data(builder, meminfo), struct.as_pointer())
    old, new = fields_of(context, builder, kind, reference), fields_at(context, builder, kind, pointer)
    for name, field in kind.fields.items():
        setattr(new, name, _copy(context, builder, field, getattr(old, name)))
    return reference_to(context, builder, kind, pointer, meminfo)


def _destructor(context: Any, module: Any, kind: ObjectType) -> Any:
    """The function that gives up what an object's fields hold when its last reference goes."""
    pointer, size = context.get_value_type(types.voidptr), context.get_value_type(types.uintp)
    declared = ir.FunctionType(ir.VoidType(), [pointer, size, pointer])
    function = cgutils.get_or_insert_function(module, declared, f"free {kind.name}")
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        builder = ir.IRBuilder(function.append_basic_block())
        struct = builder.bitcast(function.args[0], struct_in_memory(context, kind).as_pointer())
        release_fields(context, builder, kind, struct)
        builder.ret_void()
    return function
