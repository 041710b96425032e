"""The learning world: what really happens, and the two records, P of X and Q of I, that the agent plans from.

It is built in three steps, a diagram each. First an agent interacts with its environment; then the state is split into
the signal I of the input terminal and the rest, X; then the records are added.

    A_t <- S_t     S_{t+1} <- S_t, A_t                                                            `interaction`
    A_t <- X_t, I_t     X_{t+1} <- X_t, I_t, A_t     I_{t+1} <- X_t, I_t, A_t                     `split_state`

    A_t <- X_t, I_t, P_t, Q_t     X_{t+1} <- X_t, I_t, A_t     I_{t+1} <- X_t, I_t, A_t
    P_{t+1} <- P_t, X_t, I_t, A_t, X_{t+1}     Q_{t+1} <- Q_t, X_t, I_t, A_t, I_{t+1}

Rewards belong to planning worlds, so there is no utility here and nothing to have an incentive for.

Differs from the paper: actions are drawn as decisions, though the plan made in the planning world decides them.
"""

from __future__ import annotations

from counterfactual.influence.diagrams import DiagramFamily
from counterfactual.influence.graph import InfluenceDiagram, add_parents

__all__ = ["interaction", "learning", "split_state"]


@DiagramFamily
def interaction(diagram: InfluenceDiagram, t: int) -> None:
    """An agent and its environment: the first step of the construction of the learning world."""
    add_parents(diagram, f"A_{t}", f"S_{t}")
    add_parents(diagram, f"S_{t + 1}", f"S_{t}", f"A_{t}")


@DiagramFamily
def split_state(diagram: InfluenceDiagram, t: int) -> None:
    """The state split into the signal I of the terminal and the rest, X: the second step of the construction."""
    here = (f"X_{t}", f"I_{t}")
    add_parents(diagram, f"A_{t}", *here)
    add_parents(diagram, f"X_{t + 1}", *here, f"A_{t}")
    add_parents(diagram, f"I_{t + 1}", *here, f"A_{t}")


@DiagramFamily
def learning(diagram: InfluenceDiagram, t: int) -> None:
    """The learning world, in which the agent really acts, with its records."""
    split_state.function(diagram, t)
    here = (f"X_{t}", f"I_{t}")
    add_parents(diagram, f"A_{t}", f"P_{t}", f"Q_{t}")
    add_parents(diagram, f"P_{t + 1}", f"P_{t}", *here, f"A_{t}", f"X_{t + 1}")
    add_parents(diagram, f"Q_{t + 1}", f"Q_{t}", *here, f"A_{t}", f"I_{t + 1}")
