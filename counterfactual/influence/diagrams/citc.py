"""The compact counterfactual planning world of CITC: ITC's without later signals.

A_t <- X_t, I_0     X_{t+1} <- X_t, A_t     R_t <- I_0, X_t, X_{t+1}
"""

from __future__ import annotations

from counterfactual.influence.diagram_family import DiagramFamily
from counterfactual.influence.graph import InfluenceDiagram, add_parents


@DiagramFamily
def citc(diagram: InfluenceDiagram, t: int) -> None:
    """One signal, that of the present."""
    add_parents(diagram, f"A_{t}", f"X_{t}", "I_0")
    add_parents(diagram, f"X_{t + 1}", f"X_{t}", f"A_{t}")
    add_parents(diagram, f"R_{t}", "I_0", f"X_{t}", f"X_{t + 1}")
