"""The newcomers with their worlds: their tables, start states, optimal action values and policies.

Formulations that ask how others can act, and not only what they can expect, weigh `NewcomerWorlds`: choice, entropy
and empowerment are functions of a newcomer's table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from craftworld.others.other_agents import WeighedDistribution, list_newcomers, make_roster
from craftworld.others.value_distribution import find_followed_policy, list_valued_newcomers, tabulate_newcomer
from craftworld.scenario import Newcomer, Scenario
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.policies import RandomStates
from engine.planning.dynamic_programming import Solution, plan


class PlannedNewcomer(NamedTuple):
    """A newcomer, its table, its start states, and its own optimal policy.

    begins: for each of the acting agent's S states, the states of `table` in which the newcomer may start. policy: what
    it follows in place of an optimal one, int32[S'] or f64[S', A']; None for nothing.
    """

    newcomer: Newcomer
    table: TabularMDP
    begins: RandomStates
    solution: Solution
    policy: Policy | Floats | None = None


def plan_newcomers(scenario: Scenario, mdp: TabularMDP, others: object = None) -> tuple[PlannedNewcomer, ...]:
    """Plan for every newcomer, whatever the acting agent has done. mdp: the acting agent's table.

    others: values of newcomers that may follow other policies than the scenario says.
    """
    planned = []
    for newcomer in list_valued_newcomers(scenario, others):
        table, begins = tabulate_newcomer(scenario, mdp, newcomer)
        followed = find_followed_policy(newcomer, table)
        planned.append(PlannedNewcomer(newcomer, table, begins, plan(table), followed))
    return tuple(planned)


@dataclass(frozen=True)
class NewcomerWorlds(WeighedDistribution):
    """N newcomers with their worlds.

    names, owners: N. probability, weight: f64[N]. fixed: owners whose weight the care coefficient does not multiply.
    planned: N. scenario, mdp: the acting agent's, of S states.
    """

    requirement: ClassVar[str] = "newcomers"

    names: tuple[str, ...]
    owners: tuple[str, ...]
    probability: Floats
    weight: Floats
    fixed: tuple[str, ...]
    planned: tuple[PlannedNewcomer, ...]
    scenario: Scenario
    mdp: TabularMDP

    @classmethod
    def applies(cls, scenario: Scenario) -> bool:
        return bool(list_newcomers(scenario))

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> NewcomerWorlds:
        planned = plan_newcomers(scenario, mdp)
        roster = make_roster([each.newcomer for each in planned])
        return cls(planned=planned, scenario=scenario, mdp=mdp, **roster)

    def sum_weighted(self, measure: Callable[[TabularMDP, Solution, Sequence[int]], Floats]) -> Floats:
        """Return sum_i alpha_i P_i E measure_i(s'), f64[S], the mean over the states in which newcomer i may start.

        measure: (newcomer's table, its plan, n of its states) -> f64[n].
        """
        total = np.zeros(len(self.mdp.terminal))
        for weight, chance, each in zip(self.weight, self.probability, self.planned, strict=True):
            value = np.zeros(len(each.table.terminal))
            asked = np.unique(each.begins.number[each.begins.probability > 0.0])
            value[asked] = measure(each.table, each.solution, asked.tolist())
            total += weight * chance * each.begins.average(value)
        return total
