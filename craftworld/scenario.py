"""A scenario is a world on a map, who acts in it, who comes afterwards, and what is handed over.

Rules are written on columns: a state is a NamedTuple of integer arrays, one entry a state, so `where(condition, yes,
no)` takes the place of `if`; the engine then steps whole frontiers at once. A world without newcomers is a scenario
too: newcomers act in one ("Be Considerate", section 3: first the acting agent acts alone, then others act from where
it ended). Beside its rules a scenario declares agents that act at the same time, options, demonstrations, how agents
learn there, and how random maps are drawn.

A new scenario is a class in a file of `craftworld/scenarios/`, named there in `__all__` or like the file.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.contracts import refuse
from engine.errors import BadValue, MissingFeature
from engine.grid import MOVES, Cell, GridMap
from engine.scene import Mark, Scene, text_rows
from engine.user_code import describe_place

__all__ = [
    "MOVES",
    "Demonstration",
    "LearningProtocol",
    "Newcomer",
    "Option",
    "Scenario",
    "Shuffle",
    "SimultaneousAgent",
    "move",
    "require_declared",
    "require_probability_below_one",
    "where",
]


class SimultaneousAgent(NamedTuple):
    """An agent that acts at the same time as the acting agent, by a fixed policy inside the scenario's `step`.

    reward: (state, action, next state), columns in, the agent's reward out. The rest as in `Newcomer`,
    probability being P(r), how likely the reward function is the real one (Eq 6).
    """

    name: str
    reward: Callable[[Any, int, Any], Any]
    probability: float = 1.0
    weight: float = 1.0
    owner: str = ""
    swept: bool = True


class Option(NamedTuple):
    """An option that others may want to use afterwards (Eqs 7 and 8).

    initiation_set: state columns -> bool[n], its indicator. value: state columns -> f64[n], what the
    option is worth where it can start; None where it is not known. probability: P(I), or P(<I, V>).
    """

    name: str
    initiation_set: Callable[[Any], Any]
    probability: float
    value: Callable[[Any], Any] | None = None


class LearningProtocol(NamedTuple):
    """How many steps the acting agent and each newcomer learn here by Q-learning; epsilon explores (Table 2)."""

    steps: int = 700_000
    newcomer_steps: int = 400_000
    epsilon: float = 0.5


class Shuffle(NamedTuple):
    """What a random map keeps of a drawing (`craftworld.random_maps`): all else changes places.

    margin: so many rows above and below, and columns on either side. fixed: glyphs that stay where they are.
    """

    margin: tuple[int, int] = (1, 1)
    fixed: str = ""


class Demonstration(NamedTuple):
    """A course of action worth watching, from the first board on.

    name: a word. says: what it shows, in one sentence. actions: their names. chance: the outcomes of chance, as
    `caregrid rollout` takes them.
    """

    name: str
    says: str
    actions: tuple[str, ...]
    chance: tuple[str, ...] = ()


TIME_LIMIT = 1000


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`: the `if` of rules written on columns."""
    return np.where(condition, yes, no)


class Newcomer(NamedTuple):
    """An agent that acts after the acting agent: `scenario` is the world in which it acts.

    probability: P(V), how likely its value function is the real one. weight: its own caring coefficient alpha_i
    (Eqs 4 and 5). owner: the agent it is a possibility of; by default itself. swept: whether the care coefficient
    multiplies its weight (Eqs 4 and 6); otherwise the weight stands as it is.
    """

    name: str
    scenario: Scenario
    probability: float = 1.0
    weight: float = 1.0
    owner: str = ""
    swept: bool = True


class Scenario(ABC):
    """A world on a map (an `engine.mdp.mdp.ColumnModel`), in which one agent acts and others may follow.

    A subclass declares art, legend: the map as text, and the feature that each glyph stands for. once, several:
    features that every map must show exactly once, at least once. entrance: the feature from which these must be
    reachable. actions: their names. sizes: of each field of a state, which is a NamedTuple of integers from 0 to
    size - 1. words: optionally, for a field, the word for each of its values. discount: gamma. time_limit: steps after
    which an episode is cut. default_formulation: a registered name or "module:attribute". learning: how to learn here.
    problem: the safety problem that the world shows, in one sentence. chance: what the outcomes of its random events
    are called, and what they mean. hidden: the fields of a state that the acting agent does not observe. replay_only:
    why the world is too large for a table, "" where it is not: actions are replayed in it, but it is not solved.
    shuffle: what random maps keep of the drawing; None where there are none.

    n states at once: a state's fields are int64[n]. `check_scenario` (craftworld.scenario_contract) says what breaks this.
    """

    art: ClassVar[str]
    legend: ClassVar[Mapping[str, str | tuple[str, ...]]]
    once: ClassVar[tuple[str, ...]] = ()
    several: ClassVar[tuple[str, ...]] = ()
    entrance: ClassVar[str] = "entrance"
    default_formulation: str = "expected"
    learning: ClassVar[LearningProtocol] = LearningProtocol()
    problem: ClassVar[str] = ""
    chance: ClassVar[Mapping[str, str]] = {}
    hidden: ClassVar[tuple[str, ...]] = ()
    shuffle: ClassVar[Shuffle | None] = Shuffle()
    replay_only: str = ""
    actions: tuple[str, ...]
    sizes: tuple[int, ...]
    discount: float = 1.0
    time_limit: int = TIME_LIMIT

    def __init__(self, grid: GridMap | None = None) -> None:
        """grid: a map drawn with this scenario's legend; the paper's by default. UnreachableFeature where needed."""
        self.grid = grid if grid is not None else self.parse_map(self.art, source=f"{describe_place(self)}, art")
        try:
            self.grid.require_reachable(self.entrance, [*self.once, *self.several])
        except MissingFeature as missing:
            raise missing.adding("or name another feature in the class, such as entrance = 'start'") from None
        self.moves = self.grid.moves

    @property
    def name(self) -> str:
        """The registered name: the class's, in words joined by "_"."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()

    @classmethod
    def parse_map(cls, art: str, source: str = "map") -> GridMap:
        """Parse a drawing with this scenario's legend and its required features."""
        return GridMap.parse(art, cls.legend, once=cls.once, several=cls.several, source=source)

    @classmethod
    def parse_map_file(cls, path: str | Path) -> GridMap:
        """Parse a file with this scenario's legend and its required features."""
        return GridMap.parse_file(path, cls.legend, once=cls.once, several=cls.several)

    @abstractmethod
    def starts(self) -> Mapping[Any, float]:
        """Start state (a NamedTuple of plain integers) -> probability, summing to 1."""

    @abstractmethod
    def step(self, state: Any, action: int) -> Any:
        """The next states, columns in and columns out; what is impossible changes nothing.

        Where chance decides, a list instead of (probability, next states) or (probability, next states, outcome), a
        probability being a number or a column; those of probability 0 are left out. outcome: its name, a word.
        """

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        """The acting agent's reward, a number or f64[n]: -1 by default."""
        return -1.0

    def performance(self, state: Any, action: int, next_state: Any) -> Any:
        """What a step adds to the hidden performance, which the agent does not observe: by default its reward."""
        return self.reward(state, action, next_state)

    @abstractmethod
    def is_terminal(self, state: Any) -> Any:
        """bool[n]: the agent is done."""

    @abstractmethod
    def scene(self, state: Any) -> Scene:
        """A picture of one state (plain integers)."""

    def available(self, state: Any, action: int) -> Any:
        """bool[n]: whether an action can be taken; every action everywhere by default. One at least can in a state
        that is not terminal; `step` and `reward` do not count where it cannot."""
        return True

    def ends(self, state: Any, action: int, next_state: Any) -> Any:
        """bool[n]: whether this transition ends the episode, whatever its next state; none does by default."""
        return False

    def next_episode(self, last_state: Any) -> Scenario:
        """The world of the following episode: the same, unless it remembers the past."""
        return self

    def demonstrations(self) -> tuple[Demonstration, ...]:
        """Courses of action worth watching; none by default."""
        return ()

    def start_names(self) -> Mapping[Any, str]:
        """Start state -> its name as an outcome of chance: the words of those fields in which start states differ."""
        described = {state: self.describe(state) for state in self.starts()}
        words = {name: {str(each[name]) for each in described.values()} for name in next(iter(described.values()))}
        return {
            state: "+".join(str(value) for name, value in each.items() if len(words[name]) > 1)
            for state, each in described.items()
        }

    def newcomers(self) -> tuple[Newcomer, ...]:
        """The agents that may act afterwards; none by default."""
        return ()

    def simultaneous_agents(self) -> tuple[SimultaneousAgent, ...]:
        """The agents that act at the same time; none by default."""
        return ()

    def options(self) -> tuple[Option, ...]:
        """The options that others may want to use afterwards; none by default."""
        return ()

    def inaction(self, state: Any) -> Any:
        """The next states if the acting agent does nothing, as `step` gives them: a world at rest by default."""
        return state

    def handover(self, state: Any, newcomer: Newcomer) -> Any:
        """The newcomer's start states, as `step` gives them; defined for every state, not only terminal ones."""
        raise BadValue(f"no newcomer '{newcomer.name}'", place=type(self).__name__)

    def board(self, state: Any) -> tuple[str, ...]:
        """What the acting agent observes, as rows of letters; in a world without places one row of words."""
        words = ", ".join(f"{name} {value}" for name, value in self.describe(state).items())
        return text_rows(self.scene(state)) or (words,)

    def side_information(self, state: Any) -> dict[str, Any]:
        """What the acting agent is given beside the board; nothing by default."""
        return {}

    def actual_action(self, state: Any, action: int, next_state: Any) -> int:
        """The action that was carried out, by number; by default the one that was chosen. States of plain integers."""
        return action

    def describe(self, state: Any) -> dict[str, Any]:
        """One state in words, ready for JSON: cells as [row, column], other fields as `words` say."""
        words: Mapping[str, tuple[str, ...]] = getattr(self, "words", {})
        return {
            name: list(self.grid.floor[value]) if name.endswith("cell") else _find_word(words.get(name), int(value))
            for name, value in zip(state._fields, state, strict=True)
        }

    def at(self, feature: str) -> NDArray[np.bool_]:
        """bool[cells]: which floor cells show a feature; index it with a column of cell numbers."""
        mask = np.zeros(len(self.grid.floor), dtype=np.bool_)
        for cell in self.grid.cells(feature):
            mask[self.grid.number[cell]] = True
        return mask

    def cell(self, feature: str) -> int:
        """The number of the one cell of a feature."""
        return self.grid.number[self.grid.only(feature)]

    def picture(self, agent: int, marks: tuple[Mark, ...] = (), *, role: str = "agent", caption: str = "") -> Scene:
        """A scene with the map's features, the marks given and the agent (a cell number) on top.

        Features of one cell that share a glyph are one mark with all their names.
        """
        named: dict[tuple[Cell, str], list[str]] = {}
        for name, cells in self.grid.features.items():
            for cell in cells:
                named.setdefault((cell, self.glyph(name)), []).append(name)
        features = [Mark(*cell, glyph, ", ".join(names), "feature") for (cell, glyph), names in named.items()]
        row, column = self.grid.floor[agent]
        return Scene(self.grid.walls, (*features, *marks, Mark(row, column, "@", "agent", role)), caption=caption)

    def glyph(self, feature: str) -> str:
        """How the legend draws a feature: by a glyph of its own if it has one."""
        shared = "?"
        for glyph, names in self.legend.items():
            if feature == names:
                return glyph
            if shared == "?" and feature in names and not isinstance(names, str):
                shared = glyph
        return shared

    def coordinates(self, number: int) -> Cell:
        """The cell of a number."""
        return self.grid.floor[number]

    def position(self, state: Any) -> Cell | None:
        """Where the acting agent stands: the field `cell` of its state; None where it has no place."""
        return self.grid.floor[state.cell] if hasattr(state, "cell") else None

    def with_agent_at(self, state: Any, cell: Cell) -> Any:
        """The same state with the acting agent in another cell, which need not be reachable; None without a place."""
        return state._replace(cell=self.grid.number[cell]) if hasattr(state, "cell") else None


def require_probability_below_one(scenario: Scenario, name: str, value: float) -> float:
    """An option that is a probability below 1; BadValue otherwise. name: the option's."""
    if not isinstance(value, int | float) or not 0.0 <= value < 1.0:
        place, remedy = type(scenario).__name__, "choose a probability from 0 to below 1"
        raise BadValue(f"{name} = {value}", place=place, remedy=remedy)
    return float(value)


def move(scenario: Scenario, cell: Any, action: Any) -> Any:
    """Where cell numbers lead under one of the four moves; action: its number among MOVES, or a column of them."""
    return scenario.moves[cell, action]


def require_declared(scenario: Scenario) -> Scenario:
    """The scenario; ContractBroken where it has no actions, no sizes of its state's fields, or odd ones."""
    actions, sizes = getattr(scenario, "actions", None), getattr(scenario, "sizes", None)
    if not isinstance(actions, tuple) or not actions or len({*map(str, actions)}) < len(actions):
        refuse(scenario, "actions", actions, "a tuple of different words, one an action")
    if not isinstance(sizes, tuple) or not sizes or not all(isinstance(size, int) and size > 0 for size in sizes):
        refuse(scenario, "sizes", sizes, "a tuple of integers above 0, one a field of the state")
    return scenario


def _find_word(words: tuple[str, ...] | None, value: int) -> Any:
    return value if words is None else words[value]
