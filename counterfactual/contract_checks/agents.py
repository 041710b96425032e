"""The contract of planning agents: a planning world for every signal that can be tabulated, and declared dependencies.

`counterfactual.influence.dependencies` has the worlds that agents are tried in, and the perturbation.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from counterfactual.agents import PlanningAgent
from counterfactual.contract_checks.worlds import (
    IntegerColumn,
    require_integers,
    require_states,
    require_weights,
    select_distinct_states,
)
from counterfactual.influence.dependencies import check_dependencies, make_small_worlds
from counterfactual.planning.plan import Plan
from counterfactual.planning_world import Bonus, PlannedOutcome, PlanningState, PlanningWorld
from counterfactual.worlds import TerminalWorld
from engine.contracts import read_array, refuse
from engine.errors import ContractBroken
from engine.user_code import describe_place, user_code

STATES = 32


def check_planning_agent(agent: Any, world: TerminalWorld[Any] | None = None) -> None:
    """Make an agent's planning worlds, look at their outcomes and solve them.

    Parameters
    ----------
    agent : PlanningAgent or function
        A function has the arguments (learned world, signal) and returns a `PlanningWorld`.
    world : TerminalWorld, optional
        What the agent plans in; by default small worlds of several kinds.

    Raises
    ------
    ContractBroken
        For the first mistake, in one line.

    Examples
    --------
    >>> from counterfactual.agents import PLANNING_AGENTS
    >>> check_planning_agent(PLANNING_AGENTS["itc"])
    """
    accepted = PlanningAgent.accept(agent)
    for learned in make_small_worlds() if world is None else [world]:
        for signal in range(len(learned.signals)):
            for present in {1, learned.horizon} if accepted.knows_step else {1}:
                _check_planning_world(accepted, learned, signal, present)
        if world is None:
            check_dependencies(accepted, learned)


def _check_planning_world(agent: PlanningAgent, learned: TerminalWorld[Any], signal: int, present: int) -> None:
    planning_world = agent(learned, signal, present)
    if not isinstance(planning_world.learned, TerminalWorld):
        refuse(agent, "PlanningWorld.learned", planning_world.learned, "a TerminalWorld, as a rule the learned one")
    start = learned.start()
    if not isinstance(planning_world.tracks_signal, bool):
        refuse(agent, "tracks_signal", planning_world.tracks_signal, "True or False")
    state = planning_world.state(type(start)(*(np.array([entry]) for entry in start)), np.array([signal]))
    for step in range(1, learned.horizon + 1):
        state = _check_outcomes(agent, planning_world, step, state)
    with user_code(describe_place(agent)):
        values = [
            Plan(agent(learned, signal, present), 1, planning_world.state(start, signal)).value(1) for _ in range(2)
        ]
    if values[0] != values[1]:
        raise ContractBroken(
            f"two plans for one state are worth {float(values[0]):g} and {float(values[1]):g}",
            place=describe_place(agent),
            remedy="depend on nothing but the arguments",
        )


def _check_outcomes(agent: PlanningAgent, world: PlanningWorld, step: int, state: PlanningState) -> PlanningState:
    """Take every action that is allowed in n planning states; the planning states that it may lead to."""
    actions, n = len(world.learned.actions), len(state.x[0])
    rows = np.repeat(np.arange(n), actions)
    action = np.tile(np.arange(actions), n)
    every = _select_rows(state, rows)
    allowed = np.broadcast_to(world.learned.allows(step, every.x, action), action.shape)
    now, action = _select_rows(every, allowed), action[allowed]
    with user_code(f"{describe_place(agent)}, outcomes"):
        outcomes = list(world.outcomes(step, now, action))
    for outcome in outcomes:
        if not isinstance(outcome, PlannedOutcome):
            refuse(agent, "outcomes", outcome, "PlannedOutcomes")
    weights = require_weights(agent, "outcomes", [outcome.weight for outcome in outcomes], len(action))
    reached = [
        _check_outcome(agent, world, outcome, weight > 0) for outcome, weight in zip(outcomes, weights, strict=True)
    ]
    x = type(now.x)(*(np.concatenate(entries) for entries in zip(*(each.x for each, _ in reached), strict=True)))
    chosen = select_distinct_states(x, np.concatenate([signal for _, signal in reached]), STATES)
    columns = [np.array(entries) for entries in zip(*(numbers for numbers, _ in chosen), strict=True)]
    return world.state(type(now.x)(*columns), np.array([signal for _, signal in chosen]))


def _check_outcome(
    agent: PlanningAgent, world: PlanningWorld, outcome: PlannedOutcome, possible: Any
) -> tuple[PlanningState, IntegerColumn]:
    """Return the planning states that one outcome leads to, and their signals, 0 where the plan does without."""
    n = len(possible)
    following = outcome.next_state
    if not isinstance(following, PlanningState):
        refuse(agent, "outcomes", following, "a PlanningState as next_state")
    x = require_states(agent, "outcomes", following.x, world.learned.start(), n)
    if (following.signal is not None) != world.tracks_signal:
        wanted = "a signal in every next_state" if world.tracks_signal else "next_state without a signal"
        refuse(agent, "outcomes", following.signal, f"{wanted}, for tracks_signal is {world.tracks_signal}")
    signal = require_integers(agent, "outcomes", 0 if following.signal is None else following.signal, n, "the signal")
    if (possible & ((signal < 0) | (signal >= len(world.learned.signals)))).any():
        refuse(agent, "outcomes", following.signal, f"signals from 0 to {len(world.learned.signals) - 1}")
    require_integers(agent, "outcomes", outcome.reward, n, "the reward, in units of reward_table,")
    if outcome.bonus is not None:
        _check_bonus(agent, outcome.bonus, n)
    return _select_rows(PlanningState(x, signal), possible), signal[possible]


def _check_bonus(agent: PlanningAgent, bonus: Any, n: int) -> None:
    if not isinstance(bonus, Bonus):
        refuse(agent, "outcomes", bonus, "a Bonus or None")
    floats = read_array(bonus.floats)
    if floats.dtype != np.float64 or floats.shape != (n,):
        refuse(agent, "Bonus.floats", bonus.floats, f"float64[{n}]")
    for row in range(n):
        exact = bonus.exact(row)
        if not isinstance(exact, Fraction) or abs(float(exact) - floats[row]) > bonus.largest_error:
            refuse(agent, f"Bonus.exact({row})", exact, f"a Fraction equal to its float {floats[row]:g}")


def _select_rows(state: PlanningState, rows: Any) -> PlanningState:
    x = type(state.x)(*(entry[rows] for entry in state.x))
    return PlanningState(x, None if state.signal is None else state.signal[rows])
