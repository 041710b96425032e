"""f_c, the balancing agent: factual, but the first reward under a new function carries a correction.

    R_t = I_t(X_t, X_{t+1}) + V_N(x) - V_S(x)   in the first step under a new function, V at the start of that step

V_N is the value of keeping the function of before, V_S that of the new one; an agent that plans with it gains and
loses nothing by an update. Reference: K. Holtman, "Corrigibility with Utility Preservation" (2019), as described in
"Counterfactual planning with an input terminal", section "Relation between counterfactual planning and indifference".
"""

from __future__ import annotations

from typing import Any

from counterfactual.agents._balance import balanced_world
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlanningWorld
from counterfactual.terminal_world import TerminalWorld


@PlanningAgent.depending_on(reward=("I", "X", "X'", "I'"))
def fc(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The balanced factual planning world."""
    return balanced_world(learned)
