"""The factual planning world of ITF: the full mechanics of the learning world, with rewards.

A_t <- X_t, I_t     X_{t+1} <- X_t, I_t, A_t     I_{t+1} <- X_t, I_t, A_t     R_t <- I_t, X_t, X_{t+1}
"""

from __future__ import annotations

import networkx as nx

from counterfactual.influence.graph import InfluenceDiagram, add_parents, time_steps


def itf(horizon: int) -> InfluenceDiagram:
    """Every signal influences decisions, the world and rewards."""
    diagram: InfluenceDiagram = nx.DiGraph()
    for t in time_steps(horizon):
        here = (f"X_{t}", f"I_{t}")
        add_parents(diagram, f"A_{t}", *here)
        add_parents(diagram, f"X_{t + 1}", *here, f"A_{t}")
        add_parents(diagram, f"I_{t + 1}", *here, f"A_{t}")
        add_parents(diagram, f"R_{t}", f"I_{t}", f"X_{t}", f"X_{t + 1}")
    return diagram
