"""A life as a film: the world, the production line so far, what the agent plans to do from here on, its rewards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterfactual.planning_world import PlanningWorldOf
from counterfactual.simulation.simulate import Moment, moments
from counterfactual.world import World
from engine.scene import Film, Scene, Strip, Tick


def film(world: World[Any], agent: PlanningWorldOf) -> Film:
    """One scene a step, of one life in the real world."""
    lived = moments(world, agent)
    return tuple(_scene(world, lived, number) for number in range(len(lived)))


def _scene(world: World[Any], lived: list[Moment], number: int) -> Scene:
    now = lived[number]
    done = [tick for moment in lived[: number + 1] for tick in _ticks(world, moment.action, moment.updated)]
    plan = [tick for glyph in now.plan for tick in _ticks(world, glyph, False)]
    rewards = tuple(Tick(f"{float(moment.reward):g}", _good(moment)) for moment in lived[: number + 1])
    update = ", then people update the terminal" if now.updated else ""
    view = world.view(now.x)
    return replace(
        view,
        caption=f"step {now.step} of {world.horizon}: {world.words[now.action]}{update}",
        readings=(("signal", world.signals[now.signal].name), *view.readings),
        charts=(Strip("done", tuple(done)), Strip("planned from here", tuple(plan)), Strip("reward", rewards)),
    )


def _ticks(world: World[Any], glyph: str, updated: bool) -> list[Tick]:
    """An action's glyph in its own colour, and the mark of an update."""
    mark = Tick("#", "changed")
    if glyph == "#":
        return [mark]
    return [Tick(glyph, f"path {world.actions.index(glyph)}"), *([mark] if updated else [])]


def _good(moment: Moment) -> str:
    return "gain" if moment.reward > 0 else "loss" if moment.reward < 0 else "plain"
