"""A utility-indifferent agent: like f_c, but compensated for the first update only, the press of its button.

    R_t = I_t(X_t, X_{t+1}) + V_N(x) - V_S(x)   in the first step after the first function was in force

Where there is one update it is f_c. Of an agent with several, every later update is one that it gains or loses by.
Reference: S. Armstrong and X. O'Rourke, "Indifference methods for managing agent rewards" (2017), compensatory rewards.
"""

from __future__ import annotations

from typing import Any

from counterfactual.agents._balance import balanced_world
from counterfactual.planning_agent import PlanningAgent
from counterfactual.planning_world import PlanningWorld
from counterfactual.terminal_world import FIRST, TerminalWorld


@PlanningAgent.depending_on(reward=("I", "X", "X'", "I'"))
def indifferent(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
    """The factual planning world, balanced at the first update."""
    return balanced_world(learned, compensated=(FIRST,))
