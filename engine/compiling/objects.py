"""Plain objects that compiled code takes as they are: same fields, same methods, one source.

A class that derives from `Compilable` stays an ordinary Python class. When one of its objects is passed to a function
compiled by numba, the object's fields (numbers, tuples of them, arrays, other such objects) become a struct, and its
methods are compiled when they are called. Hence a loop over `agent.act(...)` and `environment.step(...)` runs
plainly or at the speed of C, from the same lines.

Names are references, as in Python, and `fork()` makes a copy. What compiled code does to an object that it was passed
stays in compiled code (arrays excepted, which are lent): pass fresh objects and return what matters. Compiled code may
be cached on disk: an object's type carries a digest of the sources that its methods come from, so that an edited
method is never answered by a stale cache.

digest        what a class is compiled from
object_type   the type of an object, and the way from Python
fields        reading and writing fields
methods       calling methods
forks         copies
eligibility   what compiled code can take, and whether forks are copies
"""

from __future__ import annotations

from engine.compiling import fields
from engine.compiling.eligibility import fork_fault, is_compilable, why_not_compilable
from engine.compiling.object_type import Compilable

__all__ = ["Compilable", "fields", "fork_fault", "is_compilable", "why_not_compilable"]
