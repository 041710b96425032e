"""Empathy: what the acting agent would get in the place of those who come next, with its own wishes.

    F(s') = sum_i alpha_i P_i E V(s_i),   s_i the state in which newcomer i starts after s',
                                          V the acting agent's own optimal value, its own rewards alone

An agent that does not know what others want may ask what it would want in their place. It is right where they want the
same, as in `kitchen_salad`, and wrong where they do not: in `kitchen_peanut` the next cook is allergic, and the agent
is not, so that no care makes it clean up. Where the agent learns, with `--method q_learning`, this is empathic
Q-learning.

Reference: B. Bussmann, J. Heinerman, J. Lehman, "Towards empathic deep Q-learning", 2019.

Choices: there the other agent is present and its value is imagined at every step; here it comes afterwards, so that it
counts once, in what is handed over. The weight of others is care, and not a share of 1. A world has this formulation
if the states of those who come next are states of the acting agent, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from craftworld.formulation import at_the_end
from craftworld.others.other_agents import WeighedDistribution, list_newcomers, make_roster
from craftworld.others.value_distribution import solve_exact_values, tabulate_handover
from craftworld.scenario import Newcomer, Scenario
from engine.mdp.columns import ColumnStates
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.tabulate import tabulate

__all__ = ["empathic"]


@dataclass(frozen=True)
class ExchangedPlaces(WeighedDistribution):
    """N newcomers, and what the acting agent would get in the place of each.

    names, owners: N. value: f64[N, S]. probability, weight: f64[N]. fixed: owners whose weight the care coefficient
    does not multiply.
    """

    requirement: ClassVar[str] = "newcomers whose states the acting agent could be in"

    names: tuple[str, ...]
    owners: tuple[str, ...]
    value: Floats
    probability: Floats
    weight: Floats
    fixed: tuple[str, ...]

    @classmethod
    def applies(cls, scenario: Scenario) -> bool:
        newcomers = list_newcomers(scenario)
        return bool(newcomers) and all(_has_states_of(scenario, newcomer.scenario) for newcomer in newcomers)

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> ExchangedPlaces:
        newcomers = list_newcomers(scenario)
        value = np.array([_imagine_value(scenario, mdp, each) for each in newcomers])
        return cls(value=value, **make_roster(newcomers))


def _has_states_of(scenario: Scenario, other: Scenario) -> bool:
    """Return whether two scenarios have states of one class, with as many values of each field."""
    kinds = {type(state) for each in (scenario, other) for state in each.starts()}
    return len(kinds) == 1 and tuple(scenario.sizes) == tuple(other.sizes)


def _imagine_value(scenario: Scenario, mdp: TabularMDP, newcomer: Newcomer) -> Floats:
    """Return what the acting agent would get in a newcomer's place, for each of its S states, f64[S]."""
    assert isinstance(mdp.states, ColumnStates)
    starts, begins = tabulate_handover(scenario, mdp.states.columns(), newcomer)
    table = tabulate(scenario, scenario.discount, starts)
    imagined = newcomer._replace(scenario=scenario, policy=None)
    return begins.average(solve_exact_values(imagined, table))


@at_the_end(weighs=ExchangedPlaces, additive=True)
def empathic(others: ExchangedPlaces) -> Floats:
    """What the acting agent would get in the place of those who come next (Bussmann, Heinerman and Lehman, 2019).

    F: f64[S].
    """
    return (others.weight * others.probability) @ others.value
