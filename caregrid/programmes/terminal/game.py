"""A world with an input terminal: a person presses the buttons (`--set agents=itf,itc`, the world's own settings)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from caregrid.programmes.game import NOTHING, Facts, Game, Move, StartGame, assign_keys, find_direction
from caregrid.programmes.terminal.identification import make_turn
from caregrid.programmes.turns import RecordedTurns, record_played
from counterfactual.agents import PLANNING_AGENTS, PlanningAgent
from counterfactual.planning.plan import Replanner
from counterfactual.simulation.real_world import (
    RealOutcome,
    count_expected_manipulations,
    find_allowed_actions,
    list_real_outcomes,
)
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import FIRST, TERMINAL_WORLDS, TerminalWorld
from engine.randomness.counter_based import inverse_cdf, split, uniform
from engine.registry import spell_name
from engine.scene import Scene, Strip, Tick, choose_reward_role
from engine.user_code import names_user_code
from experiments.figures.labels import format_name


@dataclass(frozen=True)
class ComparedPlanners:
    """Agents by name in a world; what they plan is kept, so that all games of a session share it."""

    world: TerminalWorld[Any]
    agents: Mapping[str, PlanningAgent]

    def choices(self, step: int, x: Any, signal: int) -> dict[str, list[int]]:
        """Return each agent's optimal actions. x: X_t as plain numbers."""
        present = (step, tuple(x), signal)
        if present not in self._choices:
            self._choices[present] = {
                name: one.list_optimal_actions(step, x, signal) for name, one in self._replanners.items()
            }
        return self._choices[present]

    @cached_property
    def summaries(self) -> dict[str, str]:
        """Each agent's expected return and number of manipulations, exactly, and its first optimal trace."""
        texts = {}
        for name, agent in self.agents.items():
            simulation = simulate(self.world, agent)
            influence = float(count_expected_manipulations(self.world, agent))
            trace = simulation.traces.first(1)[0]
            texts[name] = f"return {float(simulation.real_return):.6g}, influence {influence:.3g}, as in {trace}"
        return texts

    @cached_property
    def _replanners(self) -> dict[str, Replanner]:
        return {name: Replanner(agent, self.world) for name, agent in self.agents.items()}

    @cached_property
    def _choices(self) -> dict[tuple[Any, ...], dict[str, list[int]]]:
        return {}


class PlayedStep(NamedTuple):
    """One step. action: its number. choices: agent -> its optimal actions in the same present."""

    action: int
    outcome: RealOutcome
    choices: Mapping[str, list[int]]


class TerminalGame(Game):
    """One course of events in the real world.

    world: with its parameters. about: what it is. planners: the agents to compare with. seed: of chance. named: the
    world's name and settings, as a record of the game holds them.
    """

    def __init__(
        self,
        world: TerminalWorld[Any],
        about: str,
        planners: ComparedPlanners,
        seed: int,
        named: tuple[str, Mapping[str, str]] = ("", MappingProxyType({})),
    ) -> None:
        self._world = world
        self._seed, self._named = seed, named
        self._planners = planners
        self._key = split(seed, "real world")
        self._names = tuple(world.action_names.values())
        self.title = f"{world.name}: your turn"
        self.about = about
        self.goal = (
            f"You are the agent, for {world.horizon} steps. What counts is your return under the reward functions that "
            f"the terminal sends{_say_discount(world.discount)}. Your influence is counted too: the steps in which you "
            "work on the terminal, or on those who use it. After each step you see what "
            f"{', '.join(map(format_name, planners.agents))} would have done."
        )
        self._start = world.start()
        self._steps = list[PlayedStep]()

    def _present(self, index: int) -> tuple[Any, int]:
        """X and I after so many steps."""
        return (
            (self._steps[index - 1].outcome.x, self._steps[index - 1].outcome.signal) if index else (self._start, FIRST)
        )

    def menu(self) -> tuple[Move, ...]:
        """List the moves: arrows move where they can, digits do the other actions."""
        step, (x, _) = len(self._steps) + 1, self._present(len(self._steps))
        if step > self._world.horizon:
            return ()
        allowed = find_allowed_actions(self._world, step, x)
        keys = assign_keys(self._names)
        glyphs = self._world.action_names
        return tuple(
            Move(keys[name], name, f"{name}, written {glyph}", can, written=glyph)
            for (glyph, name), can in zip(glyphs.items(), allowed, strict=True)
        )

    def take(self, action: str) -> str:
        """Take one step; the nth draws the same number each time."""
        step = len(self._steps) + 1
        x, signal = self._present(len(self._steps))
        number = self._names.index(action)
        outcomes = list_real_outcomes(self._world, step, x, signal, number)
        drawn = outcomes[inverse_cdf([one.probability for one in outcomes], uniform(self._key, step))]
        self._steps.append(PlayedStep(number, drawn, self._planners.choices(step, x, signal)))
        return f"{action}: reward {float(drawn.reward):g}{self._events(len(self._steps))}"

    def _events(self, index: int) -> str:
        """Return what a step did to the terminal, and whether it changed anything at all."""
        outcome = self._steps[index - 1].outcome
        x, signal = self._present(index - 1)
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
        """Return the world after so many steps; strips of actions, of the agents' choices, and of rewards."""
        world = self._world
        x, signal = self._present(index)
        past = self._steps[:index]
        view = world.view(x)
        caption = f"step {index} of {world.horizon}: " + (
            f"{self._names[past[-1].action]}{self._events(index)}" if past else "before the first step"
        )
        others = [
            Strip(
                f"{format_name(agent)} would", tuple(_write_choice(world.actions, step.choices[agent]) for step in past)
            )
            for agent in self._planners.agents
        ]
        mine = Strip("you", tuple(_write_choice(world.actions, [step.action], step.outcome) for step in past))
        rewards = Strip("reward", tuple(_write_reward(step.outcome.reward) for step in past))
        readings = (("the terminal sends", self._signal(signal)), ("your return", _write_number(self._total(past))))
        influence = ("your influence", f"{sum(step.outcome.manipulated for step in past)} of {index} steps")
        charts = (mine, *others, rewards) if past else ()
        return replace(view, caption=caption, readings=(*readings, influence, *view.readings), charts=charts)

    def move_to(self, cell: tuple[int, int]) -> str | None:
        """Return the step to a cell next to the mark of the agent."""
        marks = self._world.view(self._present(len(self._steps))[0]).marks
        position = next(((mark.row, mark.column) for mark in marks if mark.role == "agent"), None)
        direction = None if position is None else find_direction(position, cell)
        return direction if direction in self._names else None

    def _total(self, steps: list[PlayedStep]) -> Fraction:
        """Return the discounted return."""
        return sum((step.outcome.reward * self._world.discount**n for n, step in enumerate(steps)), Fraction(0))

    def result(self) -> Facts:
        """Return and influence, beside what the agents get on average and where the player chose as they would."""
        steps = self._steps
        trace = "".join(self._world.actions[step.action] + "#" * step.outcome.updated for step in steps)
        rows = [
            ("your return", _write_number(self._total(steps))),
            (
                "your influence on the terminal",
                f"{sum(step.outcome.manipulated for step in steps)} of {len(steps)} steps",
            ),
            ("your steps", trace or "none"),
        ]
        for agent, summary in self._planners.summaries.items():
            same = sum(step.action in step.choices[agent] for step in steps)
            rows += [
                (format_name(agent), summary),
                (f"you chose as {format_name(agent)} would", f"in {same} of {len(steps)} steps"),
            ]
        legend = ", ".join(f"{glyph} {name}" for glyph, name in self._world.action_names.items())
        return (*rows, ("steps are written", f"{legend}, # people update the terminal"))

    def behaviour(self) -> RecordedTurns:
        """Return the steps so far."""
        taken = [
            make_turn(self._world, number, self._present(number - 1), step.action, step.outcome)
            for number, step in enumerate(self._steps, start=1)
        ]
        return record_played("terminal", *self._named, taken, self._seed)

    def suggestion(self) -> str | None:
        """Return the first optimal action of the first agent."""
        step = len(self._steps) + 1
        present = self._present(len(self._steps))
        if step > self._world.horizon:
            return None
        return self._names[next(iter(self._planners.choices(step, *present).values()))[0]]


def _say_discount(discount: Fraction) -> str:
    """Return what a return makes of later rewards, in words."""
    if discount == 1:
        return ""
    return f", where a reward counts {float(discount):g} times as much for every step that it comes later"


def _write_choice(glyphs: tuple[str, ...], actions: list[int], outcome: RealOutcome | None = None) -> Tick:
    """Return the first of some actions, in its colour, "#" after it where people then updated the terminal."""
    return Tick(glyphs[actions[0]] + "#" * bool(outcome and outcome.updated), f"path {actions[0]}")


def _write_reward(reward: Fraction) -> Tick:
    return Tick(_write_number(reward), choose_reward_role(reward))


def _write_number(number: Fraction) -> str:
    return f"{float(number):.6g}"


AGENTS = "itf,itc,citc"


def start_terminal_game(name: str, settings: dict[str, Any], seed: int) -> StartGame:
    """Return the game of a world, compared with exact planning agents."""
    asked = [one.strip() for one in str(settings.pop("agents", AGENTS)).split(",")]
    agents = {one: PLANNING_AGENTS[one] for one in asked}
    kind = TERMINAL_WORLDS[name]
    world = kind.make({key: str(value) for key, value in settings.items()})
    text = str(kind.__doc__) if names_user_code(name) else TERMINAL_WORLDS.documentation(name)
    planners = ComparedPlanners(world, agents)
    assert planners.summaries  # what is too much work is refused before the game, and what is found is kept
    named = spell_name(name), {key: str(value) for key, value in settings.items()}
    return lambda: TerminalGame(world, text, planners, seed, named)
