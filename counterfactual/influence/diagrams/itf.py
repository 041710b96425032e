"""The factual planning world of ITF: the full mechanics of the learning world, with rewards.

A_t <- X_t, I_t     X_{t+1} <- X_t, I_t, A_t     I_{t+1} <- X_t, I_t, A_t     R_t <- I_t, X_t, X_{t+1}
"""

from __future__ import annotations

import networkx as nx

from counterfactual.influence.graph import Diagram, steps, wire


def itf(horizon: int) -> Diagram:
    """Every reading decides, moves the world, and pays."""
    diagram: Diagram = nx.DiGraph()
    for t in steps(horizon):
        here = (f"X_{t}", f"I_{t}")
        wire(diagram, f"A_{t}", *here)
        wire(diagram, f"X_{t + 1}", *here, f"A_{t}")
        wire(diagram, f"I_{t + 1}", *here, f"A_{t}")
        wire(diagram, f"R_{t}", f"I_{t}", f"X_{t}", f"X_{t + 1}")
    return diagram
