"""Plain objects that compiled code takes as they are: same fields, same methods, one source.

A class that derives from `Compilable` stays an ordinary Python class. When one of its objects is passed to a function
compiled by numba, the object's fields (numbers, tuples of them, arrays, other such objects) become a struct, and its
methods are compiled when they are called. Hence a loop over `agent.act(...)` and `environment.step(...)` runs
plainly or at the speed of C, from the same lines.

What compiled code does to an object stays in compiled code (arrays excepted, which are shared): pass fresh objects and
return what matters. Assigning an object to a field copies its state into the object there, so assign forks only;
`fork()` itself costs nothing. Compiled code may be cached on disk: an object's type carries a digest of the sources
that its methods come from, so that an edited method is never answered by a stale cache.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, imputils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    lower_setattr_generic,
    overload_method,
    typeof_impl,
    unbox,
)
from numba.core.typing.templates import AttributeTemplate

from engine.errors import ContractBroken

# Its annotation omits `strict`, without which an implementation would need the same annotations.
_overload_method: Any = overload_method


class Compilable:
    """Marks a plain class whose objects may be passed to compiled code.

    Its fields keep their types, hold no cycles, and are all set by `__init__`; its methods use what numba
    knows, and neither `super()` nor class attributes.
    """


class ObjectType(types.Type):
    """numba's type of an object of one Compilable class with fields of certain types.

    It knows its class by name only, since numba stores types in its cache and reads all of them back, also those whose
    modules are gone by then.
    """

    def __init__(self, cls: Any, fields: dict[str, Any]) -> None:
        self.class_name = f"{cls.__module__}.{cls.__qualname__}[{source_digest(cls)}]"
        self.fields = fields
        _classes[self.class_name] = cls
        listed = ", ".join(f"{name}: {field}" for name, field in fields.items())
        super().__init__(name=f"{self.class_name}({listed})")

    @property
    def cls(self) -> Any:
        """The class."""
        return _classes[self.class_name]


_classes: dict[str, Any] = {}


class _Payload(types.Type):
    """The struct that an ObjectType points to."""

    def __init__(self, of: ObjectType) -> None:
        self.of = of
        super().__init__(name=f"payload of {of.name}")


@register_default(_Payload)
class _PayloadModel(models.StructModel):
    def __init__(self, manager: Any, payload: _Payload) -> None:
        super().__init__(manager, payload, list(payload.of.fields.items()))


@register_default(ObjectType)
class _ObjectModel(models.PrimitiveModel):
    """An object is a pointer to its payload, which lives on the stack for the time of the call."""

    def __init__(self, manager: Any, kind: ObjectType) -> None:
        super().__init__(manager, kind, manager.lookup(_Payload(kind)).get_value_type().as_pointer())


@functools.cache
def source_digest(cls: Any) -> str:
    """A digest of the modules that a class, its ancestors and the functions that its methods name come from."""
    modules = {sys.modules[ancestor.__module__] for ancestor in cls.__mro__ if issubclass(ancestor, Compilable)}
    for method in _methods(cls).values():
        named = (method.__globals__.get(name) for name in method.__code__.co_names)
        modules |= {sys.modules[thing.__module__] for thing in named if hasattr(thing, "__module__")}
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(filter(None, map(_source, modules))):
        digest.update(source.encode())
    return digest.hexdigest()


def _source(module: ModuleType) -> str | None:
    try:
        return inspect.getsource(module)
    except (OSError, TypeError):
        return None


def _methods(cls: type) -> dict[str, FunctionType]:
    """The plain methods of a class by name, inherited ones included."""
    found = {name: inspect.getattr_static(cls, name) for name in dir(cls) if not name.startswith("__")}
    return {name: thing for name, thing in found.items() if isinstance(thing, FunctionType)}


@typeof_impl.register(Compilable)
def _typeof(thing: Compilable, context: Any) -> ObjectType:
    cls = type(thing)
    for name, method in _methods(cls).items():
        if name != "fork":
            _make_callable(name, method.__code__.co_argcount, cls)
    return ObjectType(cls, {name: numba.typeof(value) for name, value in vars(thing).items()})


_arity: dict[str, int] = {}


def _make_callable(name: str, arity: int, cls: type) -> None:
    """Teach numba that objects may have a method of this name; it compiles the one of the object's class."""
    if _arity.setdefault(name, arity) != arity:
        raise ContractBroken(
            f"its method '{name}' takes {arity} parameters, another class's takes {_arity[name]}",
            place=cls.__qualname__,
            remedy="compiled code needs one number of parameters a name: choose another name",
        )
    _overload_once(name, arity)


@functools.cache
def _overload_once(name: str, arity: int) -> None:
    def implementation(*arguments: Any) -> Callable[..., Any] | None:
        return _methods(arguments[0].cls).get(name)

    parameters = [inspect.Parameter(f"_{k}", inspect.Parameter.POSITIONAL_OR_KEYWORD) for k in range(arity)]
    implementation.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    _overload_method(ObjectType, name, strict=False)(implementation)


@_overload_method(ObjectType, "fork", strict=False)
def _fork(self: Any) -> Callable[..., Any]:
    return lambda self: self


@infer_getattr
class _Fields(AttributeTemplate):
    key = ObjectType

    def generic_resolve(self, kind: Any, name: str) -> Any:  # type: ignore[override]
        return kind.fields.get(name)


def _payload(context: Any, builder: Any, kind: ObjectType, pointer: Any) -> Any:
    return cgutils.create_struct_proxy(_Payload(kind))(context, builder, ref=pointer)


@lower_getattr_generic(ObjectType)
def _read(context: Any, builder: Any, kind: ObjectType, pointer: Any, name: str) -> Any:
    value = getattr(_payload(context, builder, kind, pointer), name)
    return imputils.impl_ret_borrowed(context, builder, kind.fields[name], value)


@lower_setattr_generic(ObjectType)
def _write(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    kind, given = signature.args
    pointer, value = arguments
    field = kind.fields[name]
    payload = _payload(context, builder, kind, pointer)
    if isinstance(field, ObjectType):
        if given != field:
            raise numba.TypingError(f"'{name}' of {kind.cls.__name__} holds another kind of object")
        _copy(context, builder, field, value, getattr(payload, name))
    elif isinstance(field, types.Array):
        raise numba.TypingError(f"'{name}' of {kind.cls.__name__} is an array: write into it")
    else:
        setattr(payload, name, context.cast(builder, value, given, field))


def _copy(context: Any, builder: Any, kind: ObjectType, source: Any, target: Any) -> None:
    """Copy the state of one object into another of the same type."""
    old, new = (_payload(context, builder, kind, pointer) for pointer in (source, target))
    for name, field in kind.fields.items():
        value = getattr(old, name)
        if isinstance(field, ObjectType):
            _copy(context, builder, field, value, getattr(new, name))
        elif isinstance(field, types.Array):
            arrays = [context.make_array(field)(context, builder, array) for array in (value, getattr(new, name))]
            size = builder.mul(arrays[0].nitems, arrays[0].itemsize)
            cgutils.raw_memcpy(builder, arrays[1].data, arrays[0].data, size, 1)
        else:
            setattr(new, name, value)


@unbox(ObjectType)
def _from_python(kind: ObjectType, thing: Any, c: Any) -> NativeValue:
    """Build the struct on the stack; arrays are lent by the Python objects, so the struct counts no references."""
    pointer = cgutils.alloca_once(c.builder, c.context.get_value_type(_Payload(kind)))
    payload = _payload(c.context, c.builder, kind, pointer)
    endings: list[Callable[[], Any]] = []
    for name, field in kind.fields.items():
        attribute = c.pyapi.object_getattr_string(thing, name)
        native = c.unbox(field, attribute)
        value = native.value
        if isinstance(field, types.Array):
            endings.append(functools.partial(c.context.nrt.decref, c.builder, field, value))
            array = c.context.make_array(field)(c.context, c.builder, value)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            value = array._getvalue()
        elif native.cleanup is not None:
            endings.append(native.cleanup)
        setattr(payload, name, value)
        c.pyapi.decref(attribute)

    def cleanup() -> None:
        for end in endings:
            end()

    return NativeValue(pointer, cleanup=cleanup)


def is_compilable(*things: object) -> bool:
    """Whether compiled code can take these objects: Compilable ones whose fields are so, numbers, tuples or arrays."""
    return all(isinstance(thing, Compilable) and _holds(thing) for thing in things)


def _holds(value: object) -> bool:
    if isinstance(value, Compilable):
        cls: Any = type(value)
        named = "<locals>" not in cls.__qualname__ and cls.__module__ != "__main__"
        return named and keeps_its_forks(cls) and all(_holds(field) for field in vars(value).values())
    if isinstance(value, tuple):
        return all(_holds(part) for part in value)
    return isinstance(value, bool | int | float | np.generic) or (
        isinstance(value, np.ndarray) and value.dtype != object
    )


@functools.cache
def keeps_its_forks(cls: Any) -> bool:
    """Whether every fork that a class's methods make goes straight into a field: `self.copy = self.fresh.fork()`.

    There compiled code copies it; anywhere else it is the object itself, and training it would train the original.
    """
    for name, method in _methods(cls).items():
        if name == "fork" or "fork" not in method.__code__.co_names:
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
        except (OSError, TypeError, SyntaxError):
            return False
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "fork"]
        kept = [
            node.value.func
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and all(isinstance(target, ast.Attribute) for target in node.targets)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ]
        if any(call not in kept for call in calls):
            return False
    return True
