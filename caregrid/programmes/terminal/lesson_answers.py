"""What the live page of a lesson shows of worlds with an input terminal: what planning agents do, by a parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from caregrid.programmes.programme import SweepAnswer
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.simulate import SimulatedStep, simulate_course
from counterfactual.worlds import TERMINAL_WORLDS, TerminalWorld
from engine.grid import MOVES
from engine.plain_values import write_rational
from engine.scene import Strip, Tick


def answer_by_parameter(
    world: str, settings: Mapping[str, str], parameter: str, agents: Mapping[str, str], value: Fraction
) -> SweepAnswer:
    """Return the returns of agents and what each does, of tied actions the first.

    settings: of the world, beside the parameter that has the value. agents: name -> as it is written.
    """
    made = TERMINAL_WORLDS[world].make({**settings, parameter: write_rational(value)})
    runs = {title: simulate_course(made, PLANNING_AGENTS[name]) for name, title in agents.items()}
    strips = tuple(Strip(title, _make_ticks(made, steps)) for title, steps in runs.items())
    numbers = {title: _discount_rewards(made, steps) for title, steps in runs.items()}
    ways = {title: way for title, steps in runs.items() if (way := _trace_way(made, steps))}
    return SweepAnswer(_count_by_agent(made, runs), numbers, strips, ways)


def _discount_rewards(world: TerminalWorld[Any], steps: list[SimulatedStep]) -> Fraction:
    """Return the return of one course of events."""
    total = Fraction(0)
    for step in reversed(steps):
        total = step.reward + world.discount * total
    return total


def _count_by_agent(world: TerminalWorld[Any], runs: Mapping[str, list[SimulatedStep]]) -> str:
    """Return how often each agent does what is no move."""
    return "; ".join(f"{title}: {_count_actions(world, steps)}" for title, steps in runs.items())


def _count_actions(world: TerminalWorld[Any], steps: list[SimulatedStep]) -> str:
    counts = Counter(world.action_names[step.action] for step in steps)
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()) if name not in MOVES) or "moves alone"


def _make_ticks(world: TerminalWorld[Any], steps: list[SimulatedStep]) -> tuple[Tick, ...]:
    """Return a glyph a step in the colour of its action; "#" after it where people updated the terminal."""
    return tuple(
        Tick(
            step.action + "#" * step.updated, "changed" if step.updated else f"path {world.actions.index(step.action)}"
        )
        for step in steps
    )


def _trace_way(world: TerminalWorld[Any], steps: list[SimulatedStep]) -> list[dict[str, Any]]:
    """Return a step for each state, written as `live_world.write_steps` does; none without a map."""
    if not world.view(steps[0].x).floor:
        return []
    actions = ["", *(world.action_names[step.action] for step in steps)]
    return [_describe_step(world, action, step) for action, step in zip(actions, steps, strict=False)]


def _describe_step(world: TerminalWorld[Any], action: str, step: SimulatedStep) -> dict[str, Any]:
    marks = world.view(step.x).marks
    (agent,) = (mark for mark in marks if mark.role == "agent")
    others = [mark for mark in marks if mark.role == "other"]
    seen = [[*mark[:3], f"{mark.name}, harmed", "danger"] if mark.crossed else list(mark[:5]) for mark in others]
    signal = f"signal {world.signals[step.signal].name}"
    return {"action": action, "cell": [agent.row, agent.column], "state": signal, "marks": seen}
