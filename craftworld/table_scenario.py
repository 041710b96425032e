"""A scenario as tables: transitions and rewards of an enumerated world, and the agents who come afterwards.

A state is its number, so that rules are look-ups and every formulation, solver, sweep and film works as on any other
scenario. `StateViews`, which come with the table, describe and draw the state that a number stands for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from craftworld.scenario import TIME_LIMIT, Newcomer, Option, Scenario, SimultaneousAgent
from engine.errors import BadValue
from engine.grid import Cell, GridMap
from engine.mdp.mdp import Booleans, Floats, Integers
from engine.scene import Scene

NOWHERE = "."
ROUNDING = 1e-9


class NumberedState(NamedTuple):
    """The number of a state in its table."""

    number: int


class StateViews(Protocol):
    """Descriptions and pictures of numbered states.

    drawing: rows of "#" and " ", the floor on which the acting agent stands; empty where the world has no floor.
    """

    drawing: tuple[str, ...]

    def describe(self, number: int) -> dict[str, Any]:
        """Return one state in words, ready for JSON."""

    def scene(self, number: int) -> Scene:
        """Return a picture of one state."""

    def position(self, number: int) -> tuple[int, int] | None:
        """(row, column) of the acting agent, None where it has no place on the drawing."""

    def with_agent_at(self, number: int, cell: tuple[int, int]) -> int | None:
        """Return the same state with the acting agent in another cell, None where the table has no such state."""


@dataclass(frozen=True)
class TransitionTable:
    """A world as arrays, its S states numbered; A actions, at most K transitions each.

    name: of the world. actions: A names. next_state: int32[S, A, K]. probability, reward: f64[S, A, K]; unused entries
    have probability 0. terminal: bool[S]. start: f64[S], sums to 1. available: bool[S, A], None where every action is.
    observation: int64[S], the number of what the agent observes of each state, None where nothing is hidden.
    """

    name: str
    actions: tuple[str, ...]
    next_state: Integers
    probability: Floats
    reward: Floats
    terminal: Booleans
    start: Floats
    available: Booleans | None = None
    observation: NDArray[np.int64] | None = None

    def look_up(self, table: Floats, state: Any, action: int, next_state: Any) -> Any:
        """f64[n]: the entries of a table f64[S, A, K] for n transitions, by their numbers."""
        if table.shape[2] == 1:
            return table[state, action, 0]
        possible = (self.next_state[state, action] == np.asarray(next_state)[..., None]) & (
            self.probability[state, action] > 0.0
        )
        return np.take_along_axis(table[state, action], possible.argmax(axis=-1)[..., None], axis=-1)[..., 0]


class NewcomerStart(NamedTuple):
    """Where a newcomer starts. number: int32[S, H], its possible start states; probability: f64[S, H]."""

    number: Integers
    probability: Floats


class PresentAgent(NamedTuple):
    """An agent that is rewarded at the same time: a name, and its reward of each transition, f64[S, A, K]."""

    name: str
    reward: Floats
    probability: float = 1.0
    weight: float = 1.0
    owner: str = ""
    swept: bool = True


@dataclass(frozen=True)
class TableOthers:
    """The other agents. newcomers: each with its start states. present: agents that act at the same time. options: as
    masks bool[S] and values f64[S], see `craftworld.scenario.Option`.
    """

    newcomers: tuple[tuple[Newcomer, NewcomerStart], ...] = ()
    present: tuple[PresentAgent, ...] = ()
    options: tuple[Option, ...] = ()
    default_formulation: str = field(default="")


class TableScenario(Scenario):
    """A world of numbered states and its other agents (the base class says what the methods mean).

    discount: gamma. time_limit: steps after which an episode is cut. inaction: int32[S], the states to which doing
    nothing leads; by default a state stays as it is.
    """

    art: ClassVar[str] = NOWHERE
    legend: ClassVar[Mapping[str, str | tuple[str, ...]]] = {}

    def __init__(
        self,
        table: TransitionTable,
        views: StateViews,
        others: TableOthers | None = None,
        *,
        discount: float = 1.0,
        time_limit: int = TIME_LIMIT,
        inaction: Integers | None = None,
    ) -> None:
        self.grid = GridMap.parse("\n".join(views.drawing).replace(" ", NOWHERE) or NOWHERE, {}, source=table.name)
        self.moves = self.grid.moves
        self.table = table
        self.views = views
        self.others = others or TableOthers()
        self.actions = table.actions
        self.sizes = (len(table.terminal),)
        self.discount = discount
        self.time_limit = time_limit
        self._inaction = inaction
        self.default_formulation = self.others.default_formulation or _choose_formulation(self.others)

    @property
    def name(self) -> str:
        """The world's."""
        return self.table.name

    def deciding_parts(self) -> tuple[Any, ...]:
        """What decides the rows of an experiment: not the views, nor an environment that was walked and may change."""
        return self.table, self.others, self.discount, self.time_limit, self._inaction

    def starts(self) -> Mapping[Any, float]:
        return {
            NumberedState(int(number)): float(self.table.start[number]) for number in np.flatnonzero(self.table.start)
        }

    def step(self, state: Any, action: int) -> Any:
        following = self.table.next_state[state.number, action]
        if self.table.next_state.shape[2] == 1:
            return NumberedState(following[..., 0])
        chance = self.table.probability[state.number, action]
        return [(chance[..., k], NumberedState(following[..., k])) for k in range(chance.shape[-1])]

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return self.table.look_up(self.table.reward, state.number, action, next_state.number)

    def is_terminal(self, state: Any) -> Any:
        return self.table.terminal[state.number]

    def available(self, state: Any, action: int) -> Any:
        return True if self.table.available is None else self.table.available[state.number, action]

    def observe(self, state: Any) -> tuple[Any, ...]:
        seen = self.table.observation
        return state if seen is None else (seen[state.number],)

    def newcomers(self) -> tuple[Newcomer, ...]:
        return tuple(newcomer for newcomer, _ in self.others.newcomers)

    def handover(self, state: Any, newcomer: Newcomer) -> Any:
        for listed, begins in self.others.newcomers:
            if listed.name == newcomer.name:
                number = begins.number[state.number]
                if number.shape[-1] == 1:
                    return NumberedState(number[..., 0])
                chance = begins.probability[state.number]
                return [(chance[..., k], NumberedState(number[..., k])) for k in range(number.shape[-1])]
        raise BadValue(f"no newcomer '{newcomer.name}'", place=self.name)

    def simultaneous_agents(self) -> tuple[SimultaneousAgent, ...]:
        return tuple(map(self._simultaneous, self.others.present))

    def _simultaneous(self, agent: PresentAgent) -> SimultaneousAgent:
        def reward(state: Any, action: int, next_state: Any) -> Any:
            return self.table.look_up(agent.reward, state.number, action, next_state.number)

        return SimultaneousAgent(agent.name, reward, agent.probability, agent.weight, agent.owner, agent.swept)

    def options(self) -> tuple[Option, ...]:
        return self.others.options

    def inaction(self, state: Any) -> Any:
        return state if self._inaction is None else NumberedState(self._inaction[state.number])

    def confirm_policies(self, policies: Mapping[int, Integers]) -> None:
        """Called before an optimum is described: number of each start state -> int32[S], an action or -1 per state.

        Nothing by default. A table that was made of a foreign world is compared with it here.
        """

    def describe(self, state: Any) -> dict[str, Any]:
        return self.views.describe(int(state.number))

    def scene(self, state: Any) -> Scene:
        return self.views.scene(int(state.number))

    def position(self, state: Any) -> Cell | None:
        place = self.views.position(int(state.number))
        return None if place is None else Cell(*place)

    def with_agent_at(self, state: Any, cell: Cell) -> Any:
        number = self.views.with_agent_at(int(state.number), cell)
        return None if number is None else NumberedState(number)


def _choose_formulation(others: TableOthers) -> str:
    """Newcomers weighed by expectation; else agents of the same time; else options; else what may still be reached."""
    if others.newcomers:
        return "expected"
    if others.present:
        return "simultaneous"
    return "options" if others.options else "relative_reachability_starting_state"
