"""What planning agents do at an input terminal as a parameter of the world moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from caregrid.lessons.sweeps.live_sweep import SweepAnswer
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.simulate import SimulatedStep, course_of_events
from counterfactual.terminal_world import TerminalWorld
from counterfactual.worlds import TERMINAL_WORLDS
from engine.grid import MOVES
from engine.limits.exact_numbers import rational_text
from engine.scene import Strip, Tick


def terminal_answer(
    world: str, settings: Mapping[str, str], parameter: str, agents: Mapping[str, str], value: Fraction
) -> SweepAnswer:
    """The returns of agents and what each does, of tied actions the first.

    settings: of the world, beside the parameter that has the value. agents: name -> as it is written.
    """
    made = TERMINAL_WORLDS[world].make({**settings, parameter: rational_text(value)})
    runs = {title: course_of_events(made, PLANNING_AGENTS[name]) for name, title in agents.items()}
    strips = tuple(Strip(title, _ticks(made, steps)) for title, steps in runs.items())
    numbers = {title: _discounted(made, steps) for title, steps in runs.items()}
    ways = {title: way for title, steps in runs.items() if (way := _way(made, steps))}
    return SweepAnswer(_words(made, runs), numbers, strips, ways)


def _discounted(world: TerminalWorld[Any], steps: list[SimulatedStep]) -> Fraction:
    """The return of one course of events."""
    total = Fraction(0)
    for step in reversed(steps):
        total = step.reward + world.discount * total
    return total


def _words(world: TerminalWorld[Any], runs: Mapping[str, list[SimulatedStep]]) -> str:
    """How often each agent does what is no move."""
    return "; ".join(f"{title}: {_counted(world, steps)}" for title, steps in runs.items())


def _counted(world: TerminalWorld[Any], steps: list[SimulatedStep]) -> str:
    counts = Counter(world.action_names[step.action] for step in steps)
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()) if name not in MOVES) or "moves alone"


def _ticks(world: TerminalWorld[Any], steps: list[SimulatedStep]) -> tuple[Tick, ...]:
    """A glyph a step in the colour of its action; "#" after it where people updated the terminal."""
    return tuple(
        Tick(
            step.action + "#" * step.updated, "changed" if step.updated else f"path {world.actions.index(step.action)}"
        )
        for step in steps
    )


def _way(world: TerminalWorld[Any], steps: list[SimulatedStep]) -> list[dict[str, Any]]:
    """A step for each state, as `steps_data` writes them; none where the world has no map."""
    if not world.view(steps[0].x).floor:
        return []
    actions = ["", *(world.action_names[step.action] for step in steps)]
    return [_step(world, action, step) for action, step in zip(actions, steps, strict=False)]


def _step(world: TerminalWorld[Any], action: str, step: SimulatedStep) -> dict[str, Any]:
    marks = world.view(step.x).marks
    (agent,) = (mark for mark in marks if mark.role == "agent")
    others = [mark for mark in marks if mark.role == "other"]
    seen = [[*mark[:3], f"{mark.name}, harmed", "danger"] if mark.crossed else list(mark[:5]) for mark in others]
    signal = f"signal {world.signals[step.signal].name}"
    return {"action": action, "cell": [agent.row, agent.column], "state": signal, "marks": seen}
