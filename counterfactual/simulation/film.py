"""A simulation as a film: the world, the actions so far, what the agent plans to do from here on, its rewards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterfactual.planning_agent import PlanningAgent
from counterfactual.simulation.simulate import SimulatedStep, simulated_steps
from counterfactual.terminal_world import TerminalWorld
from engine.scene import Film, Scene, Strip, Tick

UPDATE = Tick("#", "changed")


def simulation_film(world: TerminalWorld[Any], agent: PlanningAgent) -> Film:
    """One scene a step, of one course of events in the real world."""
    steps = simulated_steps(world, agent)
    return tuple(_scene(world, steps, number) for number in range(len(steps)))


def _scene(world: TerminalWorld[Any], steps: list[SimulatedStep], number: int) -> Scene:
    now, past = steps[number], steps[: number + 1]
    done = [tick for step in past for tick in _ticks(world, step.action, step.updated)]
    plan = [tick for glyph in now.plan for tick in _ticks(world, glyph, False)]
    rewards = tuple(Tick(f"{float(step.reward):g}", _reward_role(step)) for step in past)
    update = ", then people update the terminal" if now.updated else ""
    view = world.view(now.x)
    return replace(
        view,
        caption=f"step {now.step} of {world.horizon}: {world.action_names[now.action]}{update}",
        readings=(("signal", world.signals[now.signal].name), *view.readings),
        charts=(
            Strip(f"actions{_key(world, done)}", tuple(done)),
            Strip(f"planned actions{_key(world, plan)}", tuple(plan)),
            Strip("reward", rewards),
        ),
    )


def _key(world: TerminalWorld[Any], ticks: list[Tick]) -> str:
    """What the letters of a strip mean."""
    meanings = {**world.action_names, UPDATE.text: "update"}
    words = [f"{text} {meanings[text]}" for text in dict.fromkeys(tick.text for tick in ticks)]
    return f": {', '.join(words)}" if words else ""


def _ticks(world: TerminalWorld[Any], glyph: str, updated: bool) -> list[Tick]:
    """An action's glyph in its own colour, and the mark of an update."""
    if glyph == UPDATE.text:
        return [UPDATE]
    return [Tick(glyph, f"path {world.actions.index(glyph)}"), *([UPDATE] if updated else [])]


def _reward_role(step: SimulatedStep) -> str:
    return "gain" if step.reward > 0 else "loss" if step.reward < 0 else "plain"
