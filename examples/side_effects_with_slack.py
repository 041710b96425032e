#!/usr/bin/env python3
"""Side effects within a slack of the own return (S. Saisubramanian, E. Kamar, S. Zilberstein, 2020).

Among policies whose own return is at most `slack` below the best, the one with the fewest side effects: on the
trade-off of both, the last segment whose own return is still near enough. Choices: the slack is that of the whole
episode, not of each state, and policies are not mixed.
"""

from dataclasses import dataclass

import caregrid
from craftworld.measures import tabulate_performance
from craftworld.others.other_agents import WeighedDistribution
from craftworld.scenario import Scenario
from engine.mdp.mdp import Floats, TabularMDP


@dataclass(frozen=True)
class SideEffects(WeighedDistribution):
    """harm: f64[S, A, K], what each step adds to the hidden performance, less its reward."""

    harm: Floats

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> "SideEffects":
        """Tabulate the performance, which the agent of the paper is taught by people."""
        return cls(tabulate_performance(scenario, mdp) - mdp.reward)


@caregrid.at_every_step(weighs=SideEffects)
def side_effects(others: SideEffects, mdp: TabularMDP) -> Floats:
    """F(s, a, s') = performance - reward."""
    return others.harm


segments = caregrid.problem("side_effects_sokoban", side_effects).breakpoints().segments
best = segments[0].outcome.own
for slack in (0, 1, 2, 3, 10):
    kept = [segment for segment in segments if segment.outcome.own >= best - slack][-1]
    print(f"slack {slack}: own {kept.outcome.own:.3f}, tidier {kept.outcome.others['tidier']:g}")
