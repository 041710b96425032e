"""Plain objects in numba: their type, their methods, and what `fork` is.

The type is a reference to a struct of the object's fields, as Python's own variables are references. The struct of an
object that Python has handed over lies on the stack for the time of the call; one that compiled code makes, a fork,
lies on the heap and is freed with its last reference. Counting references takes time: only objects whose class forks
something, and what they hold, are of a type that counts them, and of another type nothing can be forked.

A fork is a new object on the heap, with copies of everything that may change. A method is compiled when it is called,
with its indices checked.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, NamedTuple

import numba
from llvmlite import ir
from numba.core import cgutils, imputils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.extending import NativeValue, intrinsic, lower_builtin, typeof_impl, unbox
from numba.core.typing.templates import AbstractTemplate, signature

from engine.compiling.digest import collect_names, digest_of, is_frozen, is_ours
from engine.compiling.kernel import NOT_FROM_PYTHON
from engine.compiling.members import collect_fields, find_getter, find_method
from engine.compiling.plain_code import compile_like_python


class ObjectType(types.Type):
    """numba's type of an object of one Compilable class with fields of certain types.

    counted: whether its references are counted, so that it can be forked. copied: whether it may be a part of a copy.

    It knows its class by name only, since numba stores types in its cache and reads all of them back, also those whose
    modules are gone by then.
    """

    def __init__(self, cls: Any, fields: dict[str, Any], counted: bool, copied: bool) -> None:
        self.class_name = f"{cls.__module__}.{cls.__qualname__}[{digest_of(cls)}]"
        self.fields, self.counted, self.copied, self.is_frozen = fields, counted, copied, is_frozen(cls)
        _classes[self.class_name] = cls
        listed = ", ".join(f"{name}: {field}" for name, field in fields.items())
        super().__init__(name=f"{self.class_name}({listed}){' counted' * counted}{' copied' * copied}")

    @property
    def cls(self) -> Any:
        """The class."""
        return _classes[self.class_name]


_classes: dict[str, Any] = {}


class _Struct(types.Type):
    """The struct of fields that an ObjectType refers to."""

    def __init__(self, of: ObjectType) -> None:
        self.of = of
        super().__init__(name=f"struct of {of.name}")


@register_default(_Struct)
class _StructModel(models.StructModel):
    def __init__(self, manager: Any, struct: _Struct) -> None:
        super().__init__(manager, struct, list(struct.of.fields.items()))


@register_default(ObjectType)
class _ReferenceModel(models.StructModel):
    """Where the struct lies and what counts its references, if anything: nothing (null) for one on the stack."""

    def __init__(self, manager: Any, kind: ObjectType) -> None:
        struct = _Struct(kind)
        counter = [("meminfo", types.MemInfoPointer(struct))] if kind.counted else []
        super().__init__(manager, kind, [*counter, ("data", types.CPointer(struct))])


def is_tuple(kind: Any) -> bool:
    """Return whether a type is that of tuples, which can be iterated over for the types of their parts."""
    return isinstance(kind, types.BaseTuple)


class _Counting(NamedTuple):
    """numba's context of finding a type, inside an object whose references are counted."""

    purpose: Any


def typeof(thing: Any, context: Any) -> ObjectType:
    """Return the type of an object, in numba's context of finding a type."""
    cls: Any = type(thing)
    copied = isinstance(context, _Counting)
    counted = copied or "fork" in collect_names(cls)
    inner = _Counting(context.purpose) if counted else context
    fields = {name: typeof_impl(value, inner) or numba.typeof(value) for name, value in collect_fields(thing).items()}
    return ObjectType(cls, fields, counted, copied)


def make_struct_type(context: Any, kind: ObjectType) -> Any:
    """Return the LLVM type of a struct in memory."""
    return context.get_data_type(_Struct(kind))


def access_fields_at(context: Any, builder: Any, kind: ObjectType, pointer: Any) -> Any:
    """What reads and writes the fields of the struct at a pointer, as its attributes."""
    return context.make_data_helper(builder, _Struct(kind), ref=pointer)


def access_fields(context: Any, builder: Any, kind: ObjectType, reference: Any) -> Any:
    """What reads and writes the fields of the struct that a reference refers to."""
    helper = cgutils.create_struct_proxy(kind)(context, builder, value=reference)
    return access_fields_at(context, builder, kind, helper.data)


def make_reference(context: Any, builder: Any, kind: ObjectType, pointer: Any, meminfo: Any = None) -> Any:
    """Return the reference to the struct at a pointer; without a meminfo nothing counts it."""
    helper = cgutils.create_struct_proxy(kind)(context, builder)
    if kind.counted:
        helper.meminfo = cgutils.get_null_value(helper.meminfo.type) if meminfo is None else meminfo
    helper.data = pointer
    return helper._getvalue()


def release_fields(context: Any, builder: Any, kind: ObjectType, pointer: Any) -> None:
    """Give up the references that the fields of a struct hold."""
    fields = access_fields_at(context, builder, kind, pointer)
    for name, field in kind.fields.items():
        context.nrt.decref(builder, field, getattr(fields, name))


@unbox(ObjectType)
def _from_python(kind: ObjectType, thing: Any, c: Any) -> NativeValue:
    """Build the struct on the stack; Python's arrays are lent for the time of the call."""
    pointer = cgutils.alloca_once(c.builder, make_struct_type(c.context, kind))
    fields = access_fields_at(c.context, c.builder, kind, pointer)
    returned: list[Any] = []
    failed = cgutils.false_bit
    for name, field in kind.fields.items():
        attribute = c.pyapi.object_getattr_string(thing, name)
        native = c.unbox(field, attribute)
        setattr(fields, name, _lend(field, native.value, returned, c))
        returned += [native.cleanup] if native.cleanup is not None else []
        failed = c.builder.or_(failed, native.is_error)
        c.pyapi.decref(attribute)

    def cleanup() -> None:
        release_fields(c.context, c.builder, kind, pointer)
        for give_back in returned:
            give_back()

    return NativeValue(make_reference(c.context, c.builder, kind, pointer), is_error=failed, cleanup=cleanup)


def _lend(field: Any, value: Any, returned: list[Any], c: Any) -> Any:
    """Return a value of Python's whose references compiled code does not count; `returned` gains what gives it back."""
    if isinstance(field, types.Array):
        returned.append(lambda: c.context.nrt.decref(c.builder, field, value))
        array = c.context.make_array(field)(c.context, c.builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()
    if is_tuple(field):
        parts = zip(field, cgutils.unpack_tuple(c.builder, value), strict=True)
        return c.context.make_tuple(c.builder, field, [_lend(kind, part, returned, c) for kind, part in parts])
    return value


@intrinsic
def fork_object(typing_context: Any, thing: Any) -> Any:
    """Return an independent copy of an object."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return imputils.impl_ret_new_ref(context, builder, thing, _copy(context, builder, thing, arguments[0]))

    return (thing(thing), generate) if isinstance(thing, ObjectType) else None


def _copy(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a new reference to a copy of a value, or to the value itself where nothing can change it."""
    if is_tuple(kind):
        parts = zip(kind, cgutils.unpack_tuple(builder, value), strict=True)
        return context.make_tuple(builder, kind, [_copy(context, builder, part, given) for part, given in parts])
    if isinstance(kind, types.Array) and kind.mutable:
        return _copy_array(context, builder, kind, value)
    if isinstance(kind, ObjectType) and not _is_constant(kind):
        return _copy_object(context, builder, kind, value)
    context.nrt.incref(builder, kind, value)
    return value


def _is_constant(kind: Any) -> bool:
    """Return whether nothing can change a value: a number, a read-only array, a frozen object of such."""
    if isinstance(kind, ObjectType):
        return kind.is_frozen and all(map(_is_constant, kind.fields.values()))
    if is_tuple(kind):
        return all(map(_is_constant, kind))
    return not (isinstance(kind, types.Array) and kind.mutable)


def _copy_array(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    made = types.Array(kind.dtype, kind.ndim, kind.layout if kind.layout in "CF" else "C")
    copied = context.compile_internal(builder, lambda array: array.copy(), signature(made, kind), (value,))
    return context.cast(builder, copied, made, kind)


def _copy_object(context: Any, builder: Any, kind: ObjectType, reference: Any) -> Any:
    struct = make_struct_type(context, kind)
    size = context.get_constant(types.uintp, context.get_abi_sizeof(struct))
    meminfo = context.nrt.meminfo_alloc_dtor(builder, size, _make_destructor(context, builder.module, kind))
    pointer = builder.bitcast(context.nrt.meminfo_data(builder, meminfo), struct.as_pointer())
    old, new = access_fields(context, builder, kind, reference), access_fields_at(context, builder, kind, pointer)
    for name, field in kind.fields.items():
        setattr(new, name, _copy(context, builder, field, getattr(old, name)))
    return make_reference(context, builder, kind, pointer, meminfo)


def _make_destructor(context: Any, module: Any, kind: ObjectType) -> Any:
    """Return the function that gives up what an object's fields hold when its last reference goes."""
    pointer, size = context.get_value_type(types.voidptr), context.get_value_type(types.uintp)
    declared = ir.FunctionType(ir.VoidType(), [pointer, size, pointer])
    function = cgutils.get_or_insert_function(module, declared, f"free {kind.name}")
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        builder = ir.IRBuilder(function.append_basic_block())
        struct = builder.bitcast(function.args[0], make_struct_type(context, kind).as_pointer())
        release_fields(context, builder, kind, struct)
        builder.ret_void()
    return function


def bind_method(kind: ObjectType, name: str) -> Any:
    """numba's type of an object's method; None where its class has none of this name, or where it cannot be forked."""
    if find_method(kind.cls, name) is None or (name == "fork" and not kind.counted):
        return None
    if name == "fork":
        _require_copying(kind)
    _lower(name)

    class Method(AbstractTemplate):
        key = (ObjectType, name)

        def generic(self, arguments: Any, keywords: Any) -> Any:
            function = _make_function_type(kind, name)
            signature = self.context.resolve_function_type(function, (kind, *arguments), keywords)
            return None if signature is None else signature.as_method()

    return types.BoundFunction(Method, kind)


def _require_copying(kind: ObjectType) -> None:
    """Raise TypingError where an object, or one that it holds, has a fork of a user's own: it may do anything."""
    fork = find_method(kind.cls, "fork")
    if fork is not None and not is_ours(fork):
        raise numba.TypingError(f"the fork of {kind.cls.__name__} is its own; let it be `fork = fork_deeply`")
    for field in kind.fields.values():
        for part in field if is_tuple(field) else (field,):
            if isinstance(part, ObjectType):
                _require_copying(part)


@functools.cache
def _lower(name: str) -> None:
    """Teach numba, once, to call methods of this name."""

    @lower_builtin((ObjectType, name), ObjectType, types.VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _call(context, builder, _make_function_type(signature.args[0], name), signature.args, arguments)


def _call(context: Any, builder: Any, function: Any, kinds: Any, arguments: Any) -> Any:
    resolved = context.typing_context.resolve_function_type(function, kinds, {})
    implementation = context.get_function(function, resolved)
    context.add_linking_libs(getattr(implementation, "libs", ()))
    return implementation(builder, arguments)


def _make_function_type(kind: ObjectType, name: str) -> Any:
    method = find_method(kind.cls, name)
    return types.Dispatcher(_fork_by_method if name == "fork" else _compile_method(method))


def find_type_of_property(context: Any, kind: ObjectType, name: str) -> Any:
    """numba's type of what an object's property gives; None where its class has none of this name."""
    getter = find_getter(kind.cls, name)
    if getter is None:
        return None
    return context.resolve_function_type(types.Dispatcher(_compile_method(getter)), (kind,), {}).return_type


def compute_property(context: Any, builder: Any, kind: ObjectType, reference: Any, name: str) -> Any:
    """Return what an object's property gives, a new reference."""
    return _call(
        context, builder, types.Dispatcher(_compile_method(find_getter(kind.cls, name))), (kind,), (reference,)
    )


@functools.cache
def _compile_method(method: FunctionType | None) -> Any:
    if is_ours(method):
        return numba.njit(boundscheck=True, **NOT_FROM_PYTHON)(method)
    return compile_like_python(method)


@numba.njit(**NOT_FROM_PYTHON)
def _fork_by_method(self):  # type: ignore[no-untyped-def]
    return fork_object(self)  # type: ignore[call-arg]  # an intrinsic, whose typing context numba adds
