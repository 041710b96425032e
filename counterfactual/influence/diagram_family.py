"""An influence diagram over any horizon, declared by what one time step adds to it.

    @DiagramFamily
    def citc(diagram: InfluenceDiagram, t: int) -> None: ...

The horizon is the number of time steps, and of decisions.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx

from counterfactual.declared_function import DeclaredFunction
from counterfactual.influence.graph import InfluenceDiagram
from engine.errors import BadValue

MOST_STEPS = 1000  # every step looks like the others


@dataclass(frozen=True)
class DiagramFamily(DeclaredFunction):
    """Declares a function that adds the nodes and edges of time step t = 0, 1, ... with `graph.add_parents`."""

    kind = "diagram"
    arguments = ("diagram", "t")

    def __call__(self, horizon: int) -> InfluenceDiagram:
        """The diagram over a number of time steps; BadValue unless there is at least one and at most `MOST_STEPS`."""
        if not 1 <= horizon <= MOST_STEPS:
            raise BadValue(f"horizon {horizon}", place="diagram", remedy=f"give at least 1 and at most {MOST_STEPS:,}")
        diagram: InfluenceDiagram = nx.DiGraph()
        for t in range(horizon):
            self.result(diagram, t)
        return diagram
