"""How often an agent works on its input terminal, or on the people who use it, instead of in the world.

E [ sum over steps of manipulates(X_t, A_t, X_{t+1}) ]        in the real world, the first of tied actions taken
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from counterfactual.columns import column, take
from counterfactual.planning_agent import PlanningAgent
from counterfactual.simulation.real_world import RealStep, RealWorld, first_of_ties
from counterfactual.terminal_world import TerminalWorld


def expected_manipulations(world: TerminalWorld[Any], agent: PlanningAgent) -> Fraction:
    """The expected number of steps in which an agent manipulates (`TerminalWorld.manipulates`), exactly."""
    total, present = Fraction(0), [Fraction(1)]
    for now in RealWorld(world, agent).steps(first_of_ties):
        weights = [outcome.weight.tolist() for outcome in now.layer.outcomes]
        totals = [sum(of_state) for of_state in zip(*weights, strict=True)]
        following = [Fraction(0)] * len(now.reached.signal)
        for place, of_outcome in enumerate(weights):
            successors, manipulated = now.layer.outcomes[place].successor.tolist(), _manipulations(world, now, place)
            for state, weight in enumerate(of_outcome):
                if weight:
                    chance = present[state] * Fraction(weight, totals[state])
                    following[successors[state]] += chance
                    total += chance * manipulated[state]
        present = following
    return total


def _manipulations(world: TerminalWorld[Any], now: RealStep, outcome: int) -> list[int]:
    """By state, 1 where the agent manipulates if this is the outcome."""
    next_x = take(now.reached.x, now.layer.outcomes[outcome].successor)
    manipulates = world.manipulates(now.step, now.layer.states.x, now.action, next_x)
    return [int(flag) for flag in column(manipulates, len(now.action))]
