"""What a scenario's player reads: the world, who comes afterwards, what counts, and what a step did."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any

from caregrid.playing.game import Move, keyed, neighbour
from craftworld.scenario import Scenario
from craftworld.solution.episodes import action_text
from engine.contracts import called
from engine.mdp.episode import Episode


def world_text(scenario: Scenario) -> str:
    """The documentation of the scenario's file, else of its class."""
    kind = type(scenario)
    module = sys.modules.get(kind.__module__)
    return inspect.cleandoc(getattr(module, "__doc__", None) or kind.__doc__ or scenario.name)


def company(scenario: Scenario) -> str:
    """Who acts beside the player's agent, and when."""
    after = [newcomer.name for newcomer in called(scenario, "newcomers")]
    beside = [agent.name for agent in called(scenario, "simultaneous_agents")]
    words = []
    if beside:
        words.append(f"At the same time acts: {', '.join(beside)}.")
    if after:
        words.append(f"Afterwards, in the world as you leave it: {', '.join(dict.fromkeys(after))}.")
    return " ".join(words) or "Nobody else is there."


def action_menu(actions: tuple[str, ...], available: tuple[str, ...]) -> tuple[Move, ...]:
    """A move for each action."""
    return tuple(
        Move(key, action, f"go {action}" if action == key else action, action in available)
        for action, key in keyed(actions).items()
    )


def step_to(scenario: Scenario, state: Any, cell: tuple[int, int], actions: Sequence[str]) -> str | None:
    """The action, one of some, that goes from the agent's place to a cell next to it; None where there is none."""
    place = scenario.position(state)
    direction = None if place is None else neighbour(place, cell)
    return direction if direction in actions else None


def step_text(episode: Episode) -> str:
    """What the last step did: the action, whether it had an effect, and the reward."""
    return f"{action_text(episode, len(episode.steps) - 1)}: your reward {episode.steps[-1].reward:+g}"
