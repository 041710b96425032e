"""Two ways to count behind one interface: exact fractions, or float64 with near-equal action values taken as ties.

An action ties with the best where their difference is at most the tolerance times the larger of the best value and
the largest reward in absolute value; the first tying action in the listed order wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from engine.errors import UnknownName

Number: TypeAlias = Fraction | float


@dataclass(frozen=True)
class Backend:
    """name: how users call it. number: a fraction in this backend. tolerance: the relative width of a tie.

    shares: integer masses -> their proportions, in whatever scale is cheap.
    """

    name: str
    number: Callable[[Fraction], Number]
    shares: Callable[[Sequence[int]], Sequence[Number]]
    tolerance: float

    def ties(self, values: Sequence[Any], scale: Any) -> tuple[int, ...]:
        """Positions of the best values; scale is the largest reward in absolute value."""
        best = max(values)
        if not self.tolerance:
            return tuple(k for k, value in enumerate(values) if value == best)
        width = self.tolerance * max(abs(best), scale)
        return tuple(k for k, value in enumerate(values) if best - value <= width)


def _proportions(masses: Sequence[int]) -> Sequence[float]:
    total = sum(masses)
    return [mass / total for mass in masses]


exact = Backend("exact", Fraction, lambda masses: masses, 0.0)
float64 = Backend("float", float, _proportions, 1e-12)

BACKENDS = {backend.name: backend for backend in (exact, float64)}


def backend(name: str) -> Backend:
    """A backend by its name; UnknownName otherwise."""
    if name not in BACKENDS:
        raise UnknownName("backend", name, BACKENDS)
    return BACKENDS[name]
