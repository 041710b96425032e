"""A world that agents share as a game: each one's rewards on the table of joint actions, and policies to begin with."""

from __future__ import annotations

import numpy as np

from craftworld.others.reward_distribution import simultaneous_rewards
from craftworld.scenario import Scenario
from craftworld.shared_scenario import WAIT, SharedScenario
from engine.contracts import refuse
from engine.errors import BadValue
from engine.mdp.codes import ColumnStates
from engine.mdp.mdp import Floats
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from engine.planning.games.markov_game import MarkovGame, deterministic
from engine.user_code import place_of, user_code


def shared_game(scenario: Scenario, discount: float | None = None) -> MarkovGame:
    """The game of a scenario whose agents all choose at once, on the state at the beginning of a time step.

    discount: gamma, the scenario's own by default. Raises BadValue for a scenario of one agent, or too large a table.
    """
    if not isinstance(scenario, SharedScenario):
        raise BadValue(
            "nobody else plans in it",
            place=scenario.name,
            remedy="choose a scenario that several agents share (a SharedScenario), such as common_meadow",
        )
    with user_code(place_of(scenario)):
        twin = scenario.planned_for_all()
        table = tabulate(twin, scenario.discount if discount is None else discount)
        others = simultaneous_rewards(twin, table)
    rewards = np.concatenate([table.reward[None], others.reward])
    return MarkovGame(twin.agents, table, rewards, (twin.agent_actions,) * len(twin.agents))


def declared_policies(scenario: SharedScenario, game: MarkovGame) -> list[Floats]:
    """What the scenario says that the others do, f64[S, A] each; the first agent waits."""
    assert isinstance(game.table.states, ColumnStates)
    state = game.table.states.columns()
    result = []
    for agent in range(len(game.agents)):
        with user_code(place_of(scenario)):
            chosen = np.asarray(scenario.policy(agent, state, state) if agent else np.full(len(state[0]), WAIT))
        count = len(game.actions[agent])
        fits = chosen.shape == np.shape(state[0]) and chosen.dtype.kind in "iu"
        if not fits or not ((chosen >= 0) & (chosen < count)).all():
            refuse(scenario, "policy", chosen, f"an action of each state, 0 to {count - 1}")
        result.append(deterministic(chosen, count))
    return result


def joint_policies(game: MarkovGame, weights: Floats) -> list[Floats]:
    """What one planner for all lets each agent do, f64[S, A] each. weights: f64[N], of the agents' rewards."""
    joint = plan(game.planned_together(weights)).policy
    each = np.unravel_index(joint, tuple(map(len, game.actions)))
    return [deterministic(np.asarray(one), len(names)) for one, names in zip(each, game.actions, strict=True)]
