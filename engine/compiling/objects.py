"""Plain objects that compiled code takes as they are: same fields, same methods, one source.

A class that derives from `Compilable` stays an ordinary Python class. When one of its objects is passed to a function
compiled by numba, the object's fields (numbers, tuples of them, arrays, other such objects) become a struct, and its
methods are compiled when they are called. Hence a loop over `agent.act(...)` and `environment.step(...)` runs
plainly or at the speed of C, from the same lines.

Names are references, as in Python, and `fork()` makes a copy. What compiled code does to an object that it was passed
stays in compiled code (arrays excepted, which are lent): pass fresh objects and return what matters. Compiled code may
be cached on disk: an object's type carries a digest of the sources that its methods come from, so that an edited
method is never answered by a stale cache.

objects       what a class derives from; knows nothing of numba, which takes half a second to load
eligibility   what compiled code can take, and whether forks are copies
teaching      numba learns of objects when it meets the first one
object_type   the type of an object, and the way from Python
digest        what a class is compiled from, and whether its objects change
fields        reading and writing fields
methods       calling methods
forks         copies
transitions   whether a step ended its episode
"""

from __future__ import annotations

from typing import Any


class Compilable:
    """Marks a plain class whose objects may be passed to compiled code.

    Its fields keep their types, hold no cycles, and are all set by `__init__`; its methods use what numba
    knows, and neither `super()` nor class attributes. `fork`, where there is one, gives an independent copy. What
    several objects share is never changed: read-only arrays, and objects of frozen dataclasses.
    """

    @property
    def _numba_type_(self) -> Any:
        """The type that numba asks the first object for; from then on it knows of such classes."""
        from engine.compiling.teaching import teach

        return teach(Compilable, self)
