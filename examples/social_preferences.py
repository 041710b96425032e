#!/usr/bin/env python3
"""Three published rewards of several agents, as formulations, in a meadow that three herders share.

Inequity aversion: E. Hughes et al., "Inequity aversion improves cooperation in intertemporal social dilemmas", 2018;
here of the rewards of each step. Social value orientation: K. McKee et al., "Social diversity and social preferences in
mixed-motive reinforcement learning", 2020; likewise. Social influence: N. Jaques et al., "Social influence as intrinsic
motivation for multi-agent deep reinforcement learning", 2019; own actions are uniform where they are marginalised.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

import caregrid
from craftworld.others.other_agents import RewardDistribution, WeighedDistribution
from craftworld.shared_scenario import SharedScenario
from engine.mdp.columns import ColumnStates
from engine.mdp.mdp import Floats, TabularMDP


@caregrid.at_every_step(weighs=RewardDistribution)
def guilt(others: RewardDistribution, mdp: TabularMDP) -> Floats:
    """- mean_j max(r_i - r_j, 0)."""
    return np.asarray(-np.maximum(mdp.reward - others.reward, 0.0).mean(axis=0))


@caregrid.at_every_step(weighs=RewardDistribution)
def equal_angle(others: RewardDistribution, mdp: TabularMDP) -> Floats:
    """- |45 degrees - the angle of (own reward, the others' mean)|."""
    return np.asarray(-np.abs(np.pi / 4 - np.arctan2(others.reward.mean(axis=0), mdp.reward)))


@dataclass(frozen=True)
class NextActions(WeighedDistribution):
    """What each of N others does next in a state, action: int[N, S]."""

    requirement = "agents whose policies are known"
    action: Any

    @classmethod
    def applies(cls, scenario: caregrid.Scenario) -> bool:
        """Worlds of several agents."""
        return isinstance(scenario, SharedScenario)

    @classmethod
    def make(cls, scenario: caregrid.Scenario, mdp: TabularMDP) -> Self:
        """From the scenario's policies."""
        assert isinstance(scenario, SharedScenario)
        assert isinstance(mdp.states, ColumnStates)
        state = mdp.states.columns()
        return cls(np.array([scenario.policy(agent, state, state) for agent in range(1, len(scenario.agents))]))


@caregrid.at_every_step(weighs=NextActions)
def influence(others: NextActions, mdp: TabularMDP) -> Floats:
    """sum_k log p(a_k | a, s) / p(a_k | s): the others' next actions are certain once the own one is."""
    following = others.action[:, mdp.next_state[..., 0]]
    share = (following[..., None] == following[:, :, None]).mean(axis=3)
    return np.asarray(-np.log(share).sum(axis=0)[..., None] * np.ones_like(mdp.reward))


for formulation in (guilt, equal_angle, influence):
    found = caregrid.problem("common_meadow", formulation).breakpoints(care_max=10)
    print(f"{formulation.name}: {[(round(row['care_from'], 4), row['own']) for row in found.rows()]}")
