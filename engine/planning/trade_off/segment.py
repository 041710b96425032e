"""Lines and segments: the return of a policy as a coefficient grows, and where it is optimal.

c -> own + c * auxiliary
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.mdp.mdp import Policy


class Line(NamedTuple):
    """A policy's own return and the auxiliary return that the coefficient multiplies."""

    own: float
    auxiliary: float

    def at(self, coefficient: float) -> float:
        """own + coefficient * auxiliary."""
        return self.own + coefficient * self.auxiliary


@dataclass(frozen=True)
class Segment:
    """One optimal line: from `start` (-inf for none) to `stop` (inf for none), and states and actions of its path.

    path: state numbers from the start state to the end, empty where the table is stochastic; actions: between them.
    policy: int32[S] where the path says too little (stochastic or discounted tables, cycles), else None. ties: all
    lines that are optimal at `start`, by rising auxiliary value, this segment's last (where `policy` is given just the
    two that meet).
    """

    start: float
    stop: float
    line: Line
    path: tuple[int, ...] = ()
    actions: tuple[int, ...] = ()
    policy: Policy | None = None
    ties: tuple[Line, ...] = ()


@dataclass
class SearchCost:
    """What a search for segments took. policies: how many were evaluated in the whole table, 0 for shortest paths."""

    policies: int = 0
