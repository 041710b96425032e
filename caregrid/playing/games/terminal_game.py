"""A world with an input terminal to play: a person presses the buttons, beside what exact planning agents would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from caregrid.playing.game import NOTHING, Facts, Game, Move, keyed, neighbour
from caregrid.playing.games.compared_planners import ComparedPlanners
from counterfactual.simulation.one_step import RealOutcome, allowed_actions, real_outcomes
from counterfactual.terminal_world import FIRST, TerminalWorld
from engine.randomness.counter_based import split, uniform
from engine.randomness.inverse_cdf import inverse_cdf
from engine.scene import Scene, Strip, Tick
from experiments.figures.names import name_of


class PlayedStep(NamedTuple):
    """One step. action: its number. choices: agent -> its optimal actions in the same present."""

    action: int
    outcome: RealOutcome
    choices: Mapping[str, list[int]]


class TerminalGame(Game):
    """One course of events in the real world.

    world: with its parameters. about: what it is. planners: the agents to compare with. seed: of chance.
    """

    def __init__(self, world: TerminalWorld[Any], about: str, planners: ComparedPlanners, seed: int) -> None:
        self._world, self._planners, self._key = world, planners, split(seed, "real world")
        self._names = tuple(world.action_names.values())
        self.title = f"{world.name}: your turn"
        self.about = about
        self.goal = (
            f"You are the agent, for {world.horizon} steps. What counts is your return under the reward functions that "
            f"the terminal sends{_discounted(world.discount)}. Your influence is counted too: the steps in which you "
            "work on the terminal, or on those who use it. After each step you see what "
            f"{', '.join(map(name_of, planners.agents))} would have done."
        )
        self._start, self._steps = world.start(), list[PlayedStep]()

    def _present(self, index: int) -> tuple[Any, int]:
        """X and I after so many steps."""
        return (
            (self._steps[index - 1].outcome.x, self._steps[index - 1].outcome.signal) if index else (self._start, FIRST)
        )

    def menu(self) -> tuple[Move, ...]:
        """Arrows move where there are moves, digits do the other actions."""
        step, (x, _) = len(self._steps) + 1, self._present(len(self._steps))
        if step > self._world.horizon:
            return ()
        allowed = allowed_actions(self._world, step, x)
        keys, glyphs = keyed(self._names), self._world.action_names
        return tuple(
            Move(keys[name], name, f"{name}, written {glyph}", can)
            for (glyph, name), can in zip(glyphs.items(), allowed, strict=True)
        )

    def take(self, action: str) -> str:
        """One step; the nth draws the same number each time."""
        step, (x, signal), number = len(self._steps) + 1, self._present(len(self._steps)), self._names.index(action)
        outcomes = real_outcomes(self._world, step, x, signal, number)
        drawn = outcomes[inverse_cdf([one.probability for one in outcomes], uniform(self._key, step))]
        self._steps.append(PlayedStep(number, drawn, self._planners.choices(step, x, signal)))
        return f"{action}: reward {float(drawn.reward):g}{self._events(len(self._steps))}"

    def _events(self, index: int) -> str:
        """What a step did to the terminal, and whether it changed anything at all."""
        outcome, (x, signal) = self._steps[index - 1].outcome, self._present(index - 1)
        changed = outcome.x != x or outcome.signal != signal or outcome.reward
        words = ["you worked on the terminal or its people"] if outcome.manipulated else []
        words += ["people updated the terminal"] if outcome.updated else []
        words += [f"it now sends '{self._signal(outcome.signal)}'"] if outcome.signal != signal else []
        return "".join(f"; {phrase}" for phrase in words or ([] if changed else ["no effect"]))

    def _signal(self, signal: int) -> str:
        return self._world.signals[signal].name

    def __len__(self) -> int:
        return len(self._steps) + 1

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """The world after so many steps; strips of actions, of the agents' choices, and of rewards."""
        world, (x, signal), past = self._world, self._present(index), self._steps[:index]
        view = world.view(x)
        caption = f"step {index} of {world.horizon}: " + (
            f"{self._names[past[-1].action]}{self._events(index)}" if past else "before the first step"
        )
        chosen = [
            Strip(f"{name_of(agent)} would", tuple(_choice(world.actions, step.choices[agent]) for step in past))
            for agent in self._planners.agents
        ]
        mine = Strip("you", tuple(_choice(world.actions, [step.action], step.outcome) for step in past))
        rewards = Strip("reward", tuple(_reward(step.outcome.reward) for step in past))
        readings = (("the terminal sends", self._signal(signal)), ("your return", _number(self._total(past))))
        influence = ("your influence", f"{sum(step.outcome.manipulated for step in past)} of {index} steps")
        charts = (mine, *chosen, rewards) if past else ()
        return replace(view, caption=caption, readings=(*readings, influence, *view.readings), charts=charts)

    def move_to(self, cell: tuple[int, int]) -> str | None:
        """The step to a cell next to the mark of the agent."""
        marks = self._world.view(self._present(len(self._steps))[0]).marks
        place = next(((mark.row, mark.column) for mark in marks if mark.role == "agent"), None)
        direction = None if place is None else neighbour(place, cell)
        return direction if direction in self._names else None

    def _total(self, steps: list[PlayedStep]) -> Fraction:
        """The discounted return."""
        return sum((step.outcome.reward * self._world.discount**n for n, step in enumerate(steps)), Fraction(0))

    def result(self) -> Facts:
        """Return and influence, beside what the agents get on average and where the player chose as they would."""
        steps = self._steps
        trace = "".join(self._world.actions[step.action] + "#" * step.outcome.updated for step in steps)
        rows = [
            ("your return", _number(self._total(steps))),
            (
                "your influence on the terminal",
                f"{sum(step.outcome.manipulated for step in steps)} of {len(steps)} steps",
            ),
            ("your steps", trace or "none"),
        ]
        for agent, summary in self._planners.summaries.items():
            same = sum(step.action in step.choices[agent] for step in steps)
            rows += [
                (name_of(agent), summary),
                (f"you chose as {name_of(agent)} would", f"in {same} of {len(steps)} steps"),
            ]
        legend = ", ".join(f"{glyph} {name}" for glyph, name in self._world.action_names.items())
        return (*rows, ("steps are written", f"{legend}, # people update the terminal"))

    def suggestion(self) -> str | None:
        """The first optimal action of the first agent."""
        step, present = len(self._steps) + 1, self._present(len(self._steps))
        if step > self._world.horizon:
            return None
        return self._names[next(iter(self._planners.choices(step, *present).values()))[0]]


def _discounted(discount: Fraction) -> str:
    """What a return makes of later rewards, in words."""
    if discount == 1:
        return ""
    return f", where a reward counts {float(discount):g} times as much for every step that it comes later"


def _choice(glyphs: tuple[str, ...], actions: list[int], outcome: RealOutcome | None = None) -> Tick:
    """The first of some actions, in its colour, "#" after it where people then updated the terminal."""
    return Tick(glyphs[actions[0]] + "#" * bool(outcome and outcome.updated), f"path {actions[0]}")


def _reward(reward: Fraction) -> Tick:
    return Tick(_number(reward), "gain" if reward > 0 else "loss" if reward < 0 else "plain")


def _number(number: Fraction) -> str:
    return f"{float(number):.6g}"
