"""Loops for numba, compiled when that pays: numba takes a third of a second to import, and seconds to compile a loop.

    @kernel                          compiled when it is first called
    @kernel(fills=2)                 until then, and while little is asked of such loops, the same lines run as they are
    @kernel(returns=True)            the same of a loop that returns what it has found
    @kernel(fills=2, arrays=other)   until then, `other` is tried first: the same by operations on whole arrays
    @kernel(inner=True)              compiled as a part of other kernels; called from Python it runs as it is

A kernel that `fills` its last arrays returns nothing. It may run plainly, on lists in place of arrays, and be done
before compiled code is even loaded. Hence it indexes row by row (`next_state[state][action]`). One that `returns` runs
plainly on arrays, which takes far longer. Both only add, subtract, multiply and compare numbers, so that both ways give
the same bytes, and so does what works on whole arrays. Kernels call one another by name.

Compiled code is kept beside its source; where that cannot be written, in the user's cache folder; where neither can be,
it is compiled again in each process. Numba compares the source; a digest in the file's name stands for those other
sources that a kernel calls, so that a new version never runs code of an old one. While it runs, other threads run too.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

MOST_PLAIN = 2_500_000  # numbers: a quarter of a second; numba and a first kernel take half a second to load
OF_ARRAYS = 10  # times as long as on lists
WHOLE = 50  # numbers of whole arrays take as long as one in a list
NOT_FROM_PYTHON: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of `numba.njit` for what compiled code alone calls: a third of its compilation."""


class Kernel:
    """A function that runs compiled, or plainly while little is asked of it.

    py_func: the plain function. fills: how many of its last arguments are arrays that it fills. returns: whether it may
    run plainly and returns something. inner: whether it is a part of others. arrays: does the same by operations on
    whole arrays and returns whether it has; False where the loop is better, with nothing filled. options: of
    `numba.njit`.
    """

    handled = 0  # numbers in the arguments of all kernels that ran plainly in this process

    def __init__(
        self,
        py_func: Callable[..., Any],
        fills: int = 0,
        *,
        returns: bool = False,
        inner: bool = False,
        arrays: Callable[..., bool] | None = None,
        **options: Any,
    ) -> None:
        functools.update_wrapper(self, py_func)
        self.py_func, self.fills, self.returns, self.inner, self._options = py_func, fills, returns, inner, options
        self.arrays = arrays

    def __call__(self, *arguments: Any) -> Any:
        """What the function returns for these arguments."""
        if self.inner:
            return self.py_func(*arguments)
        if (self.fills or self.returns) and "compiled" not in self.__dict__ and Kernel.handled < MOST_PLAIN:
            numbers = sum(each.size for each in arguments if isinstance(each, np.ndarray))
            if self.arrays and numbers <= MOST_PLAIN and _is_little(numbers // WHOLE):
                with np.errstate(all="ignore"):  # compiled code does not warn
                    if self.arrays(*arguments):
                        return None
            if _is_little(numbers * OF_ARRAYS if self.returns else numbers):
                return self.run_plainly(*arguments)
        return self.compiled(*arguments)

    def run_plainly(self, *arguments: Any) -> Any:
        """Run the same lines as they are; the arrays are filled, or what they give is returned."""
        if self.returns:
            with np.errstate(all="ignore"):  # as above
                return self.py_func(*arguments)
        plain = [each.tolist() if isinstance(each, np.ndarray) else each for each in arguments]
        self.py_func(*plain)
        for array, numbers in zip(arguments[-self.fills :], plain[-self.fills :], strict=True):
            array[...] = numbers
        return None

    @functools.cached_property
    def compiled(self) -> Any:
        """The function as numba compiles it, for any types of arguments."""
        wrapped = NOT_FROM_PYTHON if self.inner else {}
        return compile_and_cache(self.py_func, nogil=True, **wrapped, **self._options)

    @property
    def targetoptions(self) -> dict[str, Any]:
        """What numba asks before it puts a kernel's code in place of a call to it."""
        return self._options

    @property
    def _numba_type_(self) -> Any:
        """What numba takes a kernel for in the code of another one."""
        from numba.core import types

        return types.Dispatcher(self.compiled)


def _is_little(numbers: int) -> bool:
    """Count so many numbers more as handled; return whether the loops may still run plainly."""
    Kernel.handled += numbers
    return Kernel.handled <= MOST_PLAIN


def kernel(py_func: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a function a `Kernel`. options: as there."""
    if py_func is not None:
        return Kernel(py_func)
    return lambda function: Kernel(function, **options)


def compile_and_cache(function: Callable[..., Any], **options: Any) -> Any:
    """Return a function as numba compiles it, kept on disk under a name that tells the sources which it calls.

    options: of `numba.njit`.
    """
    import numba

    options = {"no_cfunc_wrapper": True, **options}  # C calls no kernel
    assert isinstance(function, FunctionType)
    called = {Path(each.__code__.co_filename) for each in _collect_functions(function)}
    called -= {Path(function.__code__.co_filename)}
    parts = function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    named = FunctionType(*parts)
    named.__module__, named.__doc__ = function.__module__, function.__doc__
    named.__qualname__ = f"{function.__qualname__}{_digest_files(frozenset(called))}"
    try:
        return numba.njit(cache=True, **options)(named)
    except RuntimeError:  # no folder for the cache can be written
        return numba.njit(**options)(named)


def _collect_functions(function: FunctionType) -> set[FunctionType]:
    """Return a function and those that it calls in compiled code, by name or from a function around it, in turn."""
    found, waiting = {function}, [function]
    while waiting:
        reading = waiting.pop()
        named = [reading.__globals__.get(name) for name in reading.__code__.co_names]
        named += [cell.cell_contents for cell in reading.__closure__ or ()]
        called = {each for thing in named if isinstance(each := getattr(thing, "py_func", None), FunctionType)}
        waiting += called - found
        found |= called
    return found


@functools.cache
def _digest_files(files: frozenset[Path]) -> str:
    if not files:
        return ""
    return "_" + hashlib.blake2b(b"".join(path.read_bytes() for path in sorted(files)), digest_size=8).hexdigest()
