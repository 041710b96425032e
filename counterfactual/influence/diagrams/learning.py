"""The learning world: what really happens, and the two records, P of X and Q of I, that the agent plans from.

    A_t <- X_t, I_t, P_t, Q_t     X_{t+1} <- X_t, I_t, A_t     I_{t+1} <- X_t, I_t, A_t
    P_{t+1} <- P_t, X_t, I_t, A_t, X_{t+1}     Q_{t+1} <- Q_t, X_t, I_t, A_t, I_{t+1}

Rewards belong to planning worlds, so there is no utility here and nothing to have an incentive for.

Differs from the paper: actions are drawn as decisions, though the plan made in the planning world decides them.
"""

from __future__ import annotations

from counterfactual.influence.diagrams import DiagramFamily
from counterfactual.influence.graph import InfluenceDiagram, add_parents


@DiagramFamily
def learning(diagram: InfluenceDiagram, t: int) -> None:
    """The world that the agent acts in, with its records."""
    here = (f"X_{t}", f"I_{t}")
    add_parents(diagram, f"A_{t}", *here, f"P_{t}", f"Q_{t}")
    add_parents(diagram, f"X_{t + 1}", *here, f"A_{t}")
    add_parents(diagram, f"I_{t + 1}", *here, f"A_{t}")
    add_parents(diagram, f"P_{t + 1}", f"P_{t}", *here, f"A_{t}", f"X_{t + 1}")
    add_parents(diagram, f"Q_{t + 1}", f"Q_{t}", *here, f"A_{t}", f"I_{t + 1}")
