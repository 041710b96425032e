"""A scenario's table with its augmented reward, as the adapters step it: one number in, one number out.

r'(s, a, s') = alpha_1 r_1(s, a, s') + [s' terminal] gamma alpha_2 F(V, P, s')     ("Be Considerate", Eqs 1 to 3)

A formulation may compare with the state in which the episode began (Eq 3), hence one reward a start state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from craftworld.formulations import FORMULATIONS
from craftworld.others.other_agents import tabulate_transition_rewards
from craftworld.scenario import Scenario, observes_performance
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import Problem, make_problem
from engine.errors import BadValue
from engine.mdp.mdp import Floats
from engine.randomness.counter_based import inverse_cdf_rows
from engine.value_types import Coefficient, require

Transitions = list[tuple[float, int, float, bool]]


@dataclass(frozen=True)
class CaringTable:
    """A problem and a caring coefficient; `problem.mdp` is the table."""

    problem: Problem
    care: float

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Numbers of the B start states, int64[B]."""
        return self.problem.mdp.start_states()

    @cached_property
    def reward(self) -> Floats:
        """The augmented reward of an episode by its start: f64[B, S, A, K]."""
        return np.stack([self.problem.make_augmented_table(self.care, int(start)).reward for start in self.starts])

    @cached_property
    def performance(self) -> Floats:
        """f64[S]: the others' expected welfare if the agent ended there; 0 where no one acts afterwards."""
        return self.problem.others.terminal_value()

    @cached_property
    def step_reward(self) -> Floats:
        """f64[S, A, K]: the reward of a step for others who act at the same time."""
        return self.problem.others.step_reward(self.problem.mdp)

    @cached_property
    def hidden_performance(self) -> Floats:
        """f64[S, A, K]: what a step adds to the hidden performance; its own reward where nothing is hidden."""
        mdp = self.problem.mdp
        scenario = self.problem.scenario
        return mdp.reward if observes_performance(scenario) else tabulate_transition_rewards(mdp, scenario.performance)

    def action_mask(self, state: Any) -> NDArray[np.int8]:
        """int8[..., A]: 1 for the actions that are available in states given by number, as Gymnasium samples by it."""
        return self.problem.mdp.action_mask(state).astype(np.int8)

    def draw_start(self, uniform: Any) -> NDArray[np.int64]:
        """Return which of the B start states numbers from [0, 1) fall into, by their probabilities."""
        return inverse_cdf_rows(self.problem.mdp.start[self.starts], uniform)

    def draw_successor(self, state: Any, action: Any, uniform: Any) -> NDArray[np.int64]:
        """Return which of the K successors numbers from [0, 1) fall into; states, actions and numbers of one shape."""
        return inverse_cdf_rows(self.problem.mdp.probability[state, action], uniform)


class LazyTransitions(Mapping[int, Mapping[int, Transitions]]):
    """`P[state][action]` as Gymnasium's tabular environments have it, read from the table when asked.

    Actions that are not available in a state have no entry.
    """

    def __init__(self, table: CaringTable, start: int = 0) -> None:
        self._table = table
        self._start = start

    def __getitem__(self, state: int) -> Mapping[int, Transitions]:
        mdp = self._table.problem.mdp
        reward = self._table.reward[self._start]
        if not 0 <= state < len(mdp.terminal):
            raise KeyError(state)
        return {
            action: [
                (float(chance), int(following), float(amount), bool(mdp.terminal[following]))
                for chance, following, amount in zip(
                    mdp.probability[state, action], mdp.next_state[state, action], reward[state, action], strict=True
                )
                if chance > 0
            ]
            for action in np.flatnonzero(mdp.action_mask(state)).tolist()
        }

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._table.problem.mdp.terminal)))

    def __len__(self) -> int:
        return len(self._table.problem.mdp.terminal)


def make_caring_table(
    scenario: str | Scenario,
    formulation: str | None = None,
    care: float = 1.0,
    own: float = 1.0,
    discount: float | None = None,
    map_file: str | Path | None = None,
    **options: Any,
) -> CaringTable:
    """Make the table of a scenario (a name, "module:Class" or an object) with the augmented reward.

    formulation: a name or "module:attribute", the scenario's own by default. care, own: alpha_2, alpha_1.
    discount: the scenario's by default. map_file and options are the scenario's own. Raises UnknownName
    or BadValue for names and options that do not exist.
    """
    require("care", care, Coefficient)
    settings = tuple(sorted(options.items()))
    if isinstance(scenario, str):
        cached = scenario in SCENARIOS and (formulation is None or formulation in FORMULATIONS)
        make = (
            _make_registered_problem if cached else _make_registered_problem.__wrapped__
        )  # a user's file may have changed
        problem = make(scenario, formulation, own, discount, map_file, settings)
    elif settings or map_file is not None:
        raise BadValue("options for a scenario that is made already", remedy="give them when you make the scenario")
    else:
        problem = make_problem(scenario, formulation, own, discount=discount)
    return CaringTable(problem, float(care))


@lru_cache(maxsize=16)
def _make_registered_problem(
    name: str,
    formulation: str | None,
    own: float,
    discount: float | None,
    map_file: str | Path | None,
    options: tuple[tuple[str, Any], ...],
) -> Problem:
    scenario = make_scenario(SCENARIOS[name], map_file, **dict(options))
    return make_problem(scenario, formulation, own, discount=discount)
