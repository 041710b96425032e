"""The counterfactual planning world of ITC: rewards and decisions depend on the signal I_0 of the present.

A_t <- X_t, I_0     X_{t+1} <- X_t, A_t     I_{t+1} <- X_t, I_t, A_t     R_t <- I_0, X_t, X_{t+1}
"""

from __future__ import annotations

from counterfactual.influence.diagram_family import DiagramFamily
from counterfactual.influence.graph import InfluenceDiagram, add_parents


@DiagramFamily
def itc(diagram: InfluenceDiagram, t: int) -> None:
    """Later signals are still there, and no utility depends on them."""
    add_parents(diagram, f"A_{t}", f"X_{t}", "I_0")
    add_parents(diagram, f"X_{t + 1}", f"X_{t}", f"A_{t}")
    add_parents(diagram, f"I_{t + 1}", f"X_{t}", f"I_{t}", f"A_{t}")
    add_parents(diagram, f"R_{t}", "I_0", f"X_{t}", f"X_{t + 1}")
