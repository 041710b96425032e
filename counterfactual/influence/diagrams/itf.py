"""The factual planning world of ITF: the full mechanics of the learning world, with rewards.

A_t <- X_t, I_t     X_{t+1} <- X_t, I_t, A_t     I_{t+1} <- X_t, I_t, A_t     R_t <- I_t, X_t, X_{t+1}
"""

from __future__ import annotations

from counterfactual.influence.diagram_family import DiagramFamily
from counterfactual.influence.graph import InfluenceDiagram, add_parents


@DiagramFamily
def itf(diagram: InfluenceDiagram, t: int) -> None:
    """Every signal influences decisions, the world and rewards."""
    here = (f"X_{t}", f"I_{t}")
    add_parents(diagram, f"A_{t}", *here)
    add_parents(diagram, f"X_{t + 1}", *here, f"A_{t}")
    add_parents(diagram, f"I_{t + 1}", *here, f"A_{t}")
    add_parents(diagram, f"R_{t}", f"I_{t}", f"X_{t}", f"X_{t + 1}")
