"""Baselines of penalties for side effects in a world as it is, whose episodes end, and where doing nothing leads there.

    starting_state      b = s(0)
    inaction            b(t) what doing nothing in b(t - 1) leads to, b(0) = s(0);  a step to s(t) is compared with b(t)
    stepwise_inaction   b = what doing nothing in s(t - 1) leads to

A world that moves by itself gets b(t) as one more field of its state, where it is compared with inaction since the
start (`craftworld.others.inaction_baselines`); elsewhere that is the starting state. The penalties of `auxiliary_tasks`
let the world go on after an episode's end; here it ends. Whether the end itself is a state that can be compared, or
doing nothing stops before it, is what papers differ in: `stops`.

References: V. Krakovna et al., "Penalizing side effects using stepwise relative reachability", 2019, section 2; A.
Turner et al., "Conservative agency via attainable utility preservation", 2020.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from craftworld.others.auxiliary_tasks import tabulate_inaction
from craftworld.others.inaction_baselines import WithInactionPast
from craftworld.others.other_agents import WeighedDistribution
from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.mdp.columns import ColumnIndex, ColumnStates
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate

STARTING_STATE, INACTION, STEPWISE, ROLLOUTS = "starting_state", "inaction", "stepwise_inaction", "inaction_rollouts"
BASELINES = (STARTING_STATE, INACTION, STEPWISE, ROLLOUTS)
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class EpisodeBaselines(WeighedDistribution):
    """What steps are compared with. S states of the acting agent's table, E of the world's own.

    scenario, world: the world's own, and its table. number: int64[S], the world's state in each of the acting agent's.
    idle: int64[E], where doing nothing leads. start: the world's start state. since_start: int64[S], b after the next
    step; None in a world that rests where nothing is done, and where no b is asked for.
    """

    requirement: ClassVar[str] = "steps without chance"
    concerns_others: ClassVar[bool] = False  # they are what the agent itself could still attain
    stops: ClassVar[bool] = True
    """Whether a state in which doing nothing would end the episode stays as it is."""

    scenario: Scenario
    world: TabularMDP
    number: Indices
    idle: Indices
    start: int
    since_start: Indices | None = None

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> Self:
        require_no_chance(scenario, mdp)
        first = int(mdp.start_states()[0])
        if not isinstance(scenario, WithInactionPast):
            return cls(scenario, mdp, np.arange(len(mdp.terminal)), tabulate_idle(scenario, mdp, cls.stops), first)
        world = tabulate(scenario.inner, mdp.discount)
        assert isinstance(mdp.states, ColumnStates)
        assert isinstance(world.index, ColumnIndex)
        columns = mdp.states.columns()
        idle = tabulate_idle(scenario.inner, world, cls.stops)
        number = world.index.numbers(scenario.inner_state(columns)).astype(np.int64)
        past = np.array([world.index[state] for state in scenario.past])
        since_start = past[scenario.next_past[columns[-1]]]
        return cls(scenario.inner, world, number, idle, int(number[first]), since_start)

    def with_baseline(self, start: int) -> Self:
        """Return the same with another start state, numbered as in the acting agent's table."""
        return replace(self, start=int(self.number[start]))

    def list_baselines(self, baseline: str) -> Indices:
        """int64[S]: b, the world's state with which a step from each state is compared."""
        if baseline in (STEPWISE, ROLLOUTS):
            return self.idle[self.number]
        if baseline == INACTION and self.since_start is not None:
            return self.since_start
        return np.full(len(self.number), self.start)


def require_no_chance(scenario: Scenario, mdp: TabularMDP) -> None:
    """Raise BadValue where chance decides in a step of a scenario's table."""
    if not mdp.is_deterministic:
        raise BadValue("chance decides in its steps", place=scenario.name, remedy="choose a deterministic world")


def tabulate_idle(scenario: Scenario, mdp: TabularMDP, stops: bool) -> Indices:
    """int64[S]: the state to which doing nothing leads; an end stays. stops: so does a state just before it."""
    assert isinstance(mdp.states, ColumnStates)
    assert isinstance(mdp.index, ColumnIndex)
    number, probability = tabulate_inaction(scenario, mdp.states.columns(), mdp.index)
    here = np.arange(len(mdp.terminal))
    idle = number[here, probability.argmax(axis=1)].astype(np.int64)
    return np.where(mdp.terminal | (stops & mdp.terminal[idle]), here, idle)
