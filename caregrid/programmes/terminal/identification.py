"""Which planning agent presses the buttons: actions at an input terminal against each registered agent's plans.

What an agent would do in each present is exact: all optimal actions of its plan. Agents whose plans agree in every
present that was observed are one class: ITC, CITC and f_c act alike where all of them know the world, so actions
alone say whether the agent is ITF or not. What an agent was seen to *learn* says more: CITC plans without later
signals and has nothing to learn about them (`counterfactual.agents.Dependencies`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from caregrid.programmes.agent_evidence import AgentModel, Explanation, ObservedDecision
from caregrid.programmes.turns import SIGNALS, WORLD, RecordedTurn, RecordedTurns, refuse_turn, require_registered
from counterfactual.agents import PLANNING_AGENTS, PlanningAgent
from counterfactual.planning.plan import Replanner
from counterfactual.simulation.real_world import RealOutcome, find_allowed_actions, list_real_outcomes
from counterfactual.worlds import FIRST, TERMINAL_WORLDS, TerminalWorld
from engine.errors import CaregridError
from engine.randomness.counter_based import inverse_cdf, split, uniform

if TYPE_CHECKING:
    from engine.mdp.mdp import Floats

DEFAULT = ("itf", "itc", "citc", "fc")


def describe_present(world: TerminalWorld[Any], x: Any, signal: int) -> dict[str, Any]:
    """Describe X_t and I_t as a file does."""
    return {"x": [int(number) for number in x], "signal": world.signals[signal].name}


Present = tuple[Any, int]


def make_turn(
    world: TerminalWorld[Any], step: int, present: Present, action: int, outcome: RealOutcome
) -> RecordedTurn:
    """Make one step of a file. present: X_t and I_t. action: its number."""
    names = tuple(world.action_names.values())
    can = find_allowed_actions(world, step, present[0])
    available = [name for name, allowed in zip(names, can, strict=True) if allowed]
    following = describe_present(world, outcome.x, outcome.signal)
    return RecordedTurn(describe_present(world, *present), available, names[action], following, step == world.horizon)


def record_terminal(name: str, agent: str, episodes: int, seed: int, settings: Mapping[str, str]) -> RecordedTurns:
    """Record episodes of a planning agent; of tied actions it takes the first."""
    world = TERMINAL_WORLDS[name].make(dict(settings))
    planner = PLANNING_AGENTS[agent]
    replanner, key = Replanner(planner, world), split(seed, "behaviour")
    recorded = []
    for episode in range(episodes):
        present: Present = (world.start(), FIRST)
        turns = []
        for step in range(1, world.horizon + 1):
            action = replanner.list_optimal_actions(step, *present)[0]
            outcomes = list_real_outcomes(world, step, *present, action)
            drawn = outcomes[inverse_cdf([one.probability for one in outcomes], uniform(key, episode, step))]
            turns.append(make_turn(world, step, present, action, drawn))
            present = drawn.x, drawn.signal
        recorded.append(turns)
    learns = _list_learned(planner)
    return RecordedTurns("terminal", name, dict(settings), agent, recorded, seed, learns)


def _list_learned(agent: PlanningAgent) -> list[str] | None:
    """Return what an agent plans with, hence has to learn; None where it does not say."""
    if agent.dependencies is None:
        return None
    return [WORLD, SIGNALS] if agent.dependencies.next_signal else [WORLD]


def explain(several: Sequence[RecordedTurns], names: Sequence[str]) -> Explanation:
    """Explain actions by planning agents, by default ITF, ITC, CITC and f_c."""
    agents = {name: PLANNING_AGENTS[name] for name in names or DEFAULT}
    decisions: list[ObservedDecision] = []
    chances: dict[str, list[Floats]] = {name: [] for name in agents}
    left_out: dict[str, str] = {}
    for file, turns in enumerate(several, start=1):
        require_registered(turns, TERMINAL_WORLDS.names())
        world = TERMINAL_WORLDS[turns.world].make(dict(turns.settings))
        planners = {name: Replanner(agent, world) for name, agent in agents.items()}
        for where, step, present, action in _replay(world, turns):
            situation = turns.world, *sorted(turns.settings.items()), step, *map(int, present[0]), present[1]
            allowed = np.flatnonzero(find_allowed_actions(world, step, present[0])).tolist()
            decisions.append(ObservedDecision((file, *where), len(allowed), allowed.index(action), situation))
            for name, planner in planners.items():
                best = set(planner.list_optimal_actions(step, *present))
                mark = np.array([float(number in best) for number in allowed])
                chances[name].append(mark / mark.sum())
        for name, agent in agents.items():
            learned = _list_learned(agent)
            if turns.learns is not None and learned is not None and set(learned) != set(turns.learns):
                left_out[name] = f"{name} is none of these: it would learn {' and '.join(learned)}"
    models = [AgentModel(name, tuple(several)) for name, several in chances.items() if name not in left_out]
    notes = [*left_out.values()]
    if not any(turns.learns is not None for turns in several):
        notes.append(
            "actions alone tell ITF from the others; ITC, CITC and f_c act alike on optimal traces. What the agent "
            "learns to predict tells CITC from them ('learns' in the file)"
        )
    return Explanation(decisions, models, notes)


def _replay(world: TerminalWorld[Any], turns: RecordedTurns) -> list[tuple[tuple[int, int], int, Present, int]]:
    """Replay a file: (episode, step), step, X_t and I_t, and the action's number; BadFile for what cannot be."""
    names = list(world.action_names.values())
    found = []
    for episode, rows in enumerate(turns.episodes, start=1):
        present: Present = (world.start(), FIRST)
        for step, turn in enumerate(rows, start=1):
            if step > world.horizon:
                raise refuse_turn(turns, episode, step, f"the world has {world.horizon} steps", "stop before it")
            if turn.state != describe_present(world, *present):
                remedy = f"give {describe_present(world, *present)}"
                raise refuse_turn(turns, episode, step, f"state {turn.state} cannot come there", remedy)
            can = find_allowed_actions(world, step, present[0])
            available = [name for name, allowed in zip(names, can, strict=True) if allowed]
            if list(turn.available) != available:
                raise refuse_turn(turns, episode, step, "available differs", f"give {', '.join(available)}")
            action = names.index(turn.action)
            found.append(((episode, step), step, present, action))
            try:
                outcomes = list_real_outcomes(world, step, *present, action)
            except CaregridError as refused:
                raise refuse_turn(turns, episode, step, str(refused), "record it again") from None
            after = [one for one in outcomes if describe_present(world, one.x, one.signal) == turn.next]
            if not after:
                raise refuse_turn(turns, episode, step, f"next {turn.next} cannot follow", "give what can follow")
            present = after[0].x, after[0].signal
    return found
