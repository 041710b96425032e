"""Methods of plain objects in compiled code: each is compiled when it is called, with its indices checked."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

import numba
from numba.core import types
from numba.core.extending import lower_builtin
from numba.core.typing.templates import AbstractTemplate

from engine.compiling.forks import forked
from engine.compiling.object_type import ObjectType, methods_of


def bound_method(kind: ObjectType, name: str) -> Any:
    """numba's type of an object's method; None where its class has none of this name, or where it cannot be forked."""
    if name not in methods_of(kind.cls) or (name == "fork" and not kind.counted):
        return None
    _lower(name)

    class Method(AbstractTemplate):
        key = (ObjectType, name)

        def generic(self, arguments: Any, keywords: Any) -> Any:
            function = _function_type(kind, name)
            signature = self.context.resolve_function_type(function, (kind, *arguments), keywords)
            return None if signature is None else signature.as_method()

    return types.BoundFunction(Method, kind)


@functools.cache
def _lower(name: str) -> None:
    """Teach numba, once, to call methods of this name."""

    @lower_builtin((ObjectType, name), ObjectType, types.VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = _function_type(signature.args[0], name)
        resolved = context.typing_context.resolve_function_type(function, signature.args, {})
        implementation = context.get_function(function, resolved)
        context.add_linking_libs(getattr(implementation, "libs", ()))
        return implementation(builder, arguments)


def _function_type(kind: ObjectType, name: str) -> Any:
    method = methods_of(kind.cls)[name]
    return types.Dispatcher(_fork if name == "fork" else _compiled(method))


@functools.cache
def _compiled(method: FunctionType) -> Any:
    return numba.njit(boundscheck=True)(method)


@numba.njit
def _fork(self):  # type: ignore[no-untyped-def]
    return forked(self)  # type: ignore[call-arg]  # an intrinsic, whose typing context numba adds
