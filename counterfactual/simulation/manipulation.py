"""How often an agent works on its input terminal, or on the people who use it, instead of in the world.

E [ sum over steps of manipulates(X_t, A_t, X_{t+1}) ]        in the real world, the first of tied actions taken
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

from counterfactual.columns import column, one_state
from counterfactual.planning_agent import PlanningAgent
from counterfactual.simulation.real_world import RealOutcome, RealState, RealWorld
from counterfactual.terminal_world import TerminalWorld


def expected_manipulations(world: TerminalWorld[Any], agent: PlanningAgent) -> Fraction:
    """The expected number of steps in which an agent manipulates (`TerminalWorld.manipulates`), exactly."""
    real_world = RealWorld(world, agent)
    total, present = Fraction(0), {real_world.start: Fraction(1)}
    for _ in range(world.horizon):
        following: dict[RealState, Fraction] = defaultdict(Fraction)
        for state, chance in present.items():
            for outcome in real_world.outcomes(state)[0]:
                following[outcome.next_state] += chance * outcome.probability
                total += chance * outcome.probability * _manipulates(world, state, outcome)
        present = following
    return total


def _manipulates(world: TerminalWorld[Any], state: RealState, outcome: RealOutcome) -> int:
    action = column(world.actions.index(outcome.glyphs.removesuffix("#")), 1)
    return int(column(world.manipulates(state.step, one_state(state.x), action, one_state(outcome.next_state.x)), 1)[0])
