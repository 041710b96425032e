"""numba's type of a plain object: a reference to a struct of its fields, as Python's own variables are references.

The struct of an object that Python has handed over lies on the stack for the time of the call; one that compiled code
makes, a fork, lies on the heap and is freed with its last reference. Counting references takes time: only objects whose
class forks something, and what they hold, are of a type that counts them, and of another type nothing can be forked.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, NamedTuple

import numba
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.extending import NativeValue, typeof_impl, unbox

from engine.compiling.digest import digest_of, is_frozen, names_in


class ObjectType(types.Type):
    """numba's type of an object of one Compilable class with fields of certain types.

    counted: whether its references are counted, so that it can be forked.

    It knows its class by name only, since numba stores types in its cache and reads all of them back, also those whose
    modules are gone by then.
    """

    def __init__(self, cls: Any, fields: dict[str, Any], counted: bool) -> None:
        self.class_name = f"{cls.__module__}.{cls.__qualname__}[{digest_of(cls)}]"
        self.fields, self.counted, self.is_frozen = fields, counted, is_frozen(cls)
        _classes[self.class_name] = cls
        listed = ", ".join(f"{name}: {field}" for name, field in fields.items())
        super().__init__(name=f"{self.class_name}({listed}){' counted' if counted else ''}")

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
    """Whether a type is that of tuples, which can be iterated over for the types of their parts."""
    return isinstance(kind, types.BaseTuple)


def methods_of(cls: type) -> dict[str, FunctionType]:
    """The plain methods of a class by name, inherited ones included."""
    found: dict[str, Any] = {}
    for ancestor in reversed(cls.__mro__):
        found |= vars(ancestor)
    return {name: thing for name, thing in found.items() if isinstance(thing, FunctionType) and name[:2] != "__"}


class _Counting(NamedTuple):
    """numba's context of finding a type, inside an object whose references are counted."""

    purpose: Any


def typeof(thing: Any, context: Any) -> ObjectType:
    """The type of an object, in numba's context of finding a type."""
    cls: Any = type(thing)
    counted = isinstance(context, _Counting) or "fork" in names_in(cls)
    inner = _Counting(context.purpose) if counted else context
    fields = {name: typeof_impl(value, inner) or numba.typeof(value) for name, value in vars(thing).items()}
    return ObjectType(cls, fields, counted)


def struct_in_memory(context: Any, kind: ObjectType) -> Any:
    """The LLVM type of a struct in memory."""
    return context.get_data_type(_Struct(kind))


def fields_at(context: Any, builder: Any, kind: ObjectType, pointer: Any) -> Any:
    """What reads and writes the fields of the struct at a pointer, as its attributes."""
    return context.make_data_helper(builder, _Struct(kind), ref=pointer)


def fields_of(context: Any, builder: Any, kind: ObjectType, reference: Any) -> Any:
    """What reads and writes the fields of the struct that a reference refers to."""
    helper = cgutils.create_struct_proxy(kind)(context, builder, value=reference)
    return fields_at(context, builder, kind, helper.data)


def reference_to(context: Any, builder: Any, kind: ObjectType, pointer: Any, meminfo: Any = None) -> Any:
    """The reference to the struct at a pointer; without a meminfo nothing counts it."""
    helper = cgutils.create_struct_proxy(kind)(context, builder)
    if kind.counted:
        helper.meminfo = cgutils.get_null_value(helper.meminfo.type) if meminfo is None else meminfo
    helper.data = pointer
    return helper._getvalue()


def release_fields(context: Any, builder: Any, kind: ObjectType, pointer: Any) -> None:
    """Give up the references that the fields of a struct hold."""
    fields = fields_at(context, builder, kind, pointer)
    for name, field in kind.fields.items():
        context.nrt.decref(builder, field, getattr(fields, name))


@unbox(ObjectType)
def _from_python(kind: ObjectType, thing: Any, c: Any) -> NativeValue:
    """Build the struct on the stack; Python's arrays are lent for the time of the call."""
    pointer = cgutils.alloca_once(c.builder, struct_in_memory(c.context, kind))
    fields = fields_at(c.context, c.builder, kind, pointer)
    returned: list[Any] = []
    failed = cgutils.false_bit
    for name, field in kind.fields.items():
        attribute = c.pyapi.object_getattr_string(thing, name)
        native = c.unbox(field, attribute)
        setattr(fields, name, _lent(field, native.value, returned, c))
        returned += [native.cleanup] if native.cleanup is not None else []
        failed = c.builder.or_(failed, native.is_error)
        c.pyapi.decref(attribute)

    def cleanup() -> None:
        release_fields(c.context, c.builder, kind, pointer)
        for give_back in returned:
            give_back()

    return NativeValue(reference_to(c.context, c.builder, kind, pointer), is_error=failed, cleanup=cleanup)


def _lent(field: Any, value: Any, returned: list[Any], c: Any) -> Any:
    """A value of Python's whose references compiled code does not count; `returned` gains what gives it back."""
    if isinstance(field, types.Array):
        returned.append(lambda: c.context.nrt.decref(c.builder, field, value))
        array = c.context.make_array(field)(c.context, c.builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()
    if is_tuple(field):
        parts = zip(field, cgutils.unpack_tuple(c.builder, value), strict=True)
        return c.context.make_tuple(c.builder, field, [_lent(kind, part, returned, c) for kind, part in parts])
    return value
