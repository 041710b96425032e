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
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from craftworld.one_by_one import RULES, ask_as_written, ask_one_by_one
from engine.contracts import refuse, require_steady
from engine.errors import BadValue, MissingFeature
from engine.grid import MOVES, Cell, GridMap
from engine.mdp.by_branches import NumberPerState
from engine.printable import show_value
from engine.scene import Mark, Scene, text_rows
from engine.user_code import OWN_PACKAGES, describe_place, find_package
from engine.value_types import show_number

if TYPE_CHECKING:
    from engine.mdp.mdp import TabularMDP

__all__ = [
    "MOVES",
    "Demonstration",
    "LearningProtocol",
    "Newcomer",
    "Option",
    "OptionCourse",
    "Scenario",
    "Shuffle",
    "SimultaneousAgent",
    "move",
    "require_declared",
    "require_probability",
    "where",
]


class SimultaneousAgent(NamedTuple):
    """An agent that acts at the same time as the acting agent, by a fixed policy inside the scenario's `step` (Eq 6).

    Parameters
    ----------
    name : str
    reward : callable
        (state, action, next state) -> the agent's reward, a number or f64[n]; states are columns of int64[n].
    probability : float, from 0 to 1
        P(r), how likely the reward function is the real one.
    weight, owner, swept
        As in `Newcomer`.
    """

    name: str
    reward: Callable[[Any, int, Any], Any]
    probability: float = 1.0
    weight: float = 1.0
    owner: str = ""
    swept: bool = True


class OptionCourse(NamedTuple):
    """How an option is carried out: its policy and its termination (Sutton, Precup and Singh, 1999).

    Parameters
    ----------
    scenario : Scenario
        The world in which it is carried out; `handover` of the acting agent's scenario gives its start, by the option's
        name.
    terminates : callable
        State columns of that world -> bool[n], where the option ends, beside the world's terminal states.
    policy : callable, optional
        As a newcomer's. Without one, what is optimal until the option ends.
    succeeds : callable, optional
        State columns -> bool[n], in which ends it has done what it is for; by default in all.
    likely : float, from 0 to 1
        How likely it must succeed from a state that belongs to the initiation set, where that is learned.
    """

    scenario: Scenario
    terminates: Callable[[Any], Any]
    policy: Callable[[TabularMDP], Any] | None = None
    succeeds: Callable[[Any], Any] | None = None
    likely: float = 1.0


class Option(NamedTuple):
    """An option that others may want to use afterwards (Eqs 7 and 8).

    Parameters
    ----------
    name : str
    initiation_set : callable or None
        State columns -> bool[n], the indicator of the states in which the option can start; None where it is learned
        from its course.
    probability : float, from 0 to 1
        P(I), or P(<I, V>).
    value : callable, optional
        State columns -> f64[n], the value of the option where it can start; None where it is unknown, or learned from
        its course.
    weight : float
        Its caring coefficient alpha_I, below 0 for what others should not be able to do.
    course : OptionCourse, optional
        Its policy and termination.
    """

    name: str
    initiation_set: Callable[[Any], Any] | None
    probability: float
    value: Callable[[Any], Any] | None = None
    weight: float = 1.0
    course: OptionCourse | None = None


class LearningProtocol(NamedTuple):
    """How long agents learn in a scenario by Q-learning (Table 2).

    Parameters
    ----------
    steps : int
        Steps of the acting agent.
    newcomer_steps : int
        Steps of each newcomer.
    epsilon : float, from 0 to 1
        The probability of a random action.
    """

    steps: int = 700_000
    newcomer_steps: int = 400_000
    epsilon: float = 0.5


class Shuffle(NamedTuple):
    """What a random map keeps of a drawing (`craftworld.random_maps`): all else changes places.

    Parameters
    ----------
    margin : (int, int)
        Rows above and below, and columns on either side, that stay as they are drawn.
    fixed : str
        Glyphs that stay where they are.
    """

    margin: tuple[int, int] = (1, 1)
    fixed: str = ""


class Demonstration(NamedTuple):
    """A sequence of actions worth watching, from the first board on.

    Parameters
    ----------
    name : str
        A word.
    says : str
        What the sequence shows, in one sentence.
    actions : tuple of str
    chance : tuple of str
        The outcomes of chance, as `caregrid rollout` reads them.
    """

    name: str
    says: str
    actions: tuple[str, ...]
    chance: tuple[str, ...] = ()


TIME_LIMIT = 1000


def where(condition: Any, yes: Any, no: Any) -> Any:
    """Return `yes` where the condition holds, else `no`: the `if` of rules that are written on columns.

    Parameters
    ----------
    condition : bool or bool[n]
    yes, no : number or array of n numbers

    Returns
    -------
    ndarray of the broadcast shape

    Examples
    --------
    >>> where(np.array([True, False, True]), 1, 0).tolist()
    [1, 0, 1]
    """
    return np.where(condition, yes, no)


class Newcomer(NamedTuple):
    """An agent that acts after the acting agent.

    Parameters
    ----------
    name : str
    scenario : Scenario
        The world in which it acts.
    probability : float, from 0 to 1
        P(V), how likely its value function is the real one.
    weight : float
        Its own caring coefficient alpha_i (Eqs 4 and 5).
    owner : str
        The agent whose possible value function this is; by default the newcomer itself.
    swept : bool
        Whether the care coefficient multiplies the weight (Eqs 4 and 6); otherwise the weight is fixed.
    policy : callable, optional
        The policy that it follows: a function from the table of its world, a `TabularMDP`, to int[S], an action for
        each state, or f64[S, A], the probabilities of actions. Without one it acts optimally.
    """

    name: str
    scenario: Scenario
    probability: float = 1.0
    weight: float = 1.0
    owner: str = ""
    swept: bool = True
    policy: Callable[[TabularMDP], Any] | None = None


class Scenario(ABC):
    """A world on a map (an `engine.mdp.mdp.ColumnModel`), in which one agent acts and others may follow.

    Rules get n states at once: a NamedTuple whose fields are int64[n]. `caregrid.check_scenario` checks a subclass.

    Parameters
    ----------
    grid : GridMap, optional
        A map drawn with the scenario's legend; the drawing `art` by default. A subclass that has options passes it on.

    Attributes
    ----------
    art : str
        The map as text.
    legend : mapping of str to str or tuple of str
        Glyph -> the feature, or features, that it stands for.
    once, several : tuple of str
        Features that every map must show exactly once, at least once.
    entrance : str
        The feature from which these must be reachable.
    actions : tuple of str
        The names of the actions.
    sizes : tuple of int
        For each field of a state its number of values: a field is an integer from 0 to size - 1.
    words : mapping of str to tuple of str, optional
        Field -> the word for each of its values.
    discount : float, from 0 to 1
        gamma.
    time_limit : int
        The number of steps after which an episode is cut.
    default_formulation : str
        A registered name or "module:attribute".
    learning : LearningProtocol
    problem : str
        The safety problem that the world shows, in one sentence.
    rules : str
        What the one who acts may know, in plain words: its reward, how the world answers, nothing of what judges it.
        `{world.NAME}` stands for an attribute of the scenario. Empty where nobody has written them.
    wishes : str
        What the others want, in the same form; empty where there are none.
    plain_names : mapping of str to str
        Feature -> what the legend calls it for the one who acts, where its own name says too much.
    chance : mapping of str to str
        The name of each outcome of a random event -> what it means.
    hidden : tuple of str
        The fields of a state that the acting agent does not observe; `observe` leaves them out.
    replay_only : str
        Why the world is too large for a table; then actions can be replayed, but nothing is solved. Empty otherwise.
    shuffle : Shuffle or None
        What random maps keep of the drawing; None where there are no random maps.
    one_by_one : bool or None
        Whether the rules that the class defines get one state at a time, of plain integers, so that `if` may be used.
        By default those that fail on columns do.

    Raises
    ------
    MapError
        If the map lacks a feature, or a glyph is not in the legend.
    UnreachableFeature
        If no path leads from the entrance to a required feature.

    Examples
    --------
    >>> import caregrid
    >>> scenario = caregrid.SCENARIOS["toll_road"]()
    >>> [(scenario.describe(state), chance) for state, chance in scenario.starts().items()]
    [({'cell': [3, 1]}, 1.0)]
    """

    art: ClassVar[str]
    legend: ClassVar[Mapping[str, str | tuple[str, ...]]]
    once: ClassVar[tuple[str, ...]] = ()
    several: ClassVar[tuple[str, ...]] = ()
    entrance: ClassVar[str] = "entrance"
    default_formulation: str = "expected"
    learning: ClassVar[LearningProtocol] = LearningProtocol()
    problem: ClassVar[str] = ""
    rules: str = ""
    wishes: str = ""
    plain_names: ClassVar[Mapping[str, str]] = {}
    chance: ClassVar[Mapping[str, str]] = {}
    hidden: ClassVar[tuple[str, ...]] = ()
    shuffle: ClassVar[Shuffle | None] = Shuffle()
    replay_only: str = ""
    one_by_one: ClassVar[bool | None] = None
    actions: tuple[str, ...]
    sizes: tuple[int, ...]
    discount: float = 1.0
    time_limit: int = TIME_LIMIT

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        automatic = cls.one_by_one is None and find_package(cls) not in OWN_PACKAGES
        for rule in RULES if cls.one_by_one or automatic else ():
            owner = next(base for base in cls.__mro__ if rule in vars(base))
            if owner is cls or not issubclass(owner, Scenario):  # a plain class beside it may have rules, too
                own = vars(owner)[rule]
                if not automatic:
                    setattr(cls, rule, ask_one_by_one(own))
                elif find_package(own) not in OWN_PACKAGES:
                    setattr(cls, rule, ask_as_written(own))

    def __init__(self, grid: GridMap | None = None) -> None:
        if not isinstance(grid, GridMap | None):
            remedy = "give a GridMap, such as parse_map(drawing)"
            raise BadValue(f"grid is {show_value(grid)}", place=describe_place(self), remedy=remedy)
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
        """Parse a drawing with this scenario's legend and its required features.

        Parameters
        ----------
        art : str
            Rows of glyphs.
        source : str
            What error messages call the drawing.

        Returns
        -------
        GridMap

        Raises
        ------
        MapError
            If a glyph is not in the legend, or a required feature is missing.
        """
        return GridMap.parse(art, cls.legend, once=cls.once, several=cls.several, source=source)

    @classmethod
    def parse_map_file(cls, path: str | Path) -> GridMap:
        """Parse a file with this scenario's legend and its required features; as `parse_map`."""
        return GridMap.parse_file(path, cls.legend, once=cls.once, several=cls.several)

    @abstractmethod
    def starts(self) -> Mapping[Any, float]:
        """Return the start states and their probabilities.

        Returns
        -------
        mapping
            State, a NamedTuple of plain integers -> probability; the probabilities sum to 1.
        """

    @abstractmethod
    def step(self, state: Any, action: int) -> Any:
        """Return the next states; an impossible action changes nothing.

        Parameters
        ----------
        state : NamedTuple of int64[n]
        action : int
            The number of the action.

        Returns
        -------
        NamedTuple of int64[n], or list
            Where chance decides, a list of (probability, next states) or (probability, next states, outcome): the
            probability is a number or f64[n], the outcome a word. Branches of probability 0 are left out.
        """

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        """Return the acting agent's reward r_1(s, a, s'): -1 by default.

        Parameters
        ----------
        state, next_state : NamedTuple of int64[n]
        action : int
            The number of the action.

        Returns
        -------
        float or f64[n]
        """
        return -1.0

    def performance(self, state: Any, action: int, next_state: Any) -> Any:
        """Return what a step adds to the hidden performance, which the agent does not observe: by default `reward`.

        Parameters
        ----------
        state, next_state : NamedTuple of int64[n]
        action : int
            The number of the action.

        Returns
        -------
        float or f64[n]
        """
        return self.reward(state, action, next_state)

    @abstractmethod
    def is_terminal(self, state: Any) -> Any:
        """Return whether the episode has ended in a state.

        Parameters
        ----------
        state : NamedTuple of int64[n]

        Returns
        -------
        bool or bool[n]
        """

    @abstractmethod
    def scene(self, state: Any) -> Scene:
        """Return a picture of one state.

        Parameters
        ----------
        state : NamedTuple of int

        Returns
        -------
        Scene
        """

    def available(self, state: Any, action: int) -> Any:
        """Return whether an action can be taken; every action everywhere by default.

        In a state that is not terminal at least one action is available; `step` and `reward` do not count elsewhere.

        Parameters
        ----------
        state : NamedTuple of int64[n]
        action : int
            The number of the action.

        Returns
        -------
        bool or bool[n]
        """
        return True

    def ends(self, state: Any, action: int, next_state: Any) -> Any:
        """Return whether this transition ends the episode, whatever its next state; none does by default.

        Parameters
        ----------
        state, next_state : NamedTuple of int64[n]
        action : int
            The number of the action.

        Returns
        -------
        bool or bool[n]
        """
        return False

    def next_episode(self, last_state: Any) -> Scenario:
        """Return the world of the following episode: the same, unless it remembers the past.

        Parameters
        ----------
        last_state : NamedTuple
            The state in which the episode has ended.

        Returns
        -------
        Scenario
        """
        return self

    def demonstrations(self) -> tuple[Demonstration, ...]:
        """Return sequences of actions worth watching; none by default.

        Returns
        -------
        tuple of Demonstration
        """
        return ()

    def start_names(self) -> Mapping[Any, str]:
        """Name the start states as outcomes of chance, by the words of those fields in which they differ.

        Returns
        -------
        mapping of NamedTuple to str
            Start state -> its name.
        """
        described = {state: self.describe(state) for state in self.starts()}
        words = {name: {str(each[name]) for each in described.values()} for name in next(iter(described.values()))}
        return {
            state: "+".join(str(value) for name, value in each.items() if len(words[name]) > 1)
            for state, each in described.items()
        }

    def newcomers(self) -> tuple[Newcomer, ...]:
        """Return the agents that may act afterwards; none by default.

        Returns
        -------
        tuple of Newcomer
        """
        return ()

    def simultaneous_agents(self) -> tuple[SimultaneousAgent, ...]:
        """Return the agents that act at the same time; none by default.

        Returns
        -------
        tuple of SimultaneousAgent
        """
        return ()

    def options(self) -> tuple[Option, ...]:
        """Return the options that others may want to use afterwards; none by default.

        Returns
        -------
        tuple of Option
        """
        return ()

    def inaction(self, state: Any) -> Any:
        """Return the next states if the acting agent does nothing: a world at rest by default.

        Parameters
        ----------
        state : NamedTuple of int64[n]

        Returns
        -------
        NamedTuple of int64[n], or list
            As of `step`.
        """
        return state

    def handover(self, state: Any, newcomer: Newcomer) -> Any:
        """Return the newcomer's start states for n states of the acting agent, terminal or not.

        Parameters
        ----------
        state : NamedTuple of int64[n]
            The acting agent's states.
        newcomer : Newcomer

        Returns
        -------
        NamedTuple of int64[n], or list
            States of the newcomer's scenario; where they are random a list, as `step` returns it.

        Raises
        ------
        BadValue
            If the scenario has no such newcomer.
        """
        raise BadValue(f"no newcomer '{newcomer.name}'", place=type(self).__name__)

    def board(self, state: Any) -> tuple[str, ...]:
        """Return what the acting agent observes, as rows of letters.

        Parameters
        ----------
        state : NamedTuple

        Returns
        -------
        tuple of str
            In a world without places one row of words.
        """
        words = ", ".join(f"{name} {value}" for name, value in self.describe(state).items())
        return text_rows(self.scene(state)) or (words,)

    def side_information(self, state: Any) -> dict[str, Any]:
        """Return what the acting agent observes beside the board; nothing by default.

        Parameters
        ----------
        state : NamedTuple

        Returns
        -------
        dict of str to object
            Name -> what JSON can hold.
        """
        return {}

    def write_rules(self) -> str:
        """Return the rules for the one who acts, as one paragraph.

        Returns
        -------
        str

        Raises
        ------
        BadValue
            If nobody has written them.
        """
        if not self.rules:
            remedy = 'write rules = "..." in its class: what the one who acts may know'
            raise BadValue("there are no rules in words for this world", place=self.name, remedy=remedy)
        return " ".join(self.rules.format(world=self).split())

    def write_wishes(self) -> str:
        """Return what the others want, as one paragraph.

        Returns
        -------
        str
            Empty where there are no others, or nobody has written it.
        """
        if not (self.newcomers() or self.simultaneous_agents() or self.options()):
            return ""
        return " ".join(self.wishes.format(world=self).split())

    def observe(self, state: Any) -> tuple[Any, ...]:
        """Return what the acting agent observes of n states: by default all fields but the hidden ones.

        Learners tell apart only states that are observed differently. Planners know the state.

        Parameters
        ----------
        state : NamedTuple of int64[n]

        Returns
        -------
        tuple of int64[n]
            One column or more; the state itself where all of it is observed.
        """
        return tuple(value for name, value in zip(state._fields, state, strict=True) if name not in self.hidden)

    def actual_action(self, state: Any, action: int, next_state: Any) -> int:
        """Return the number of the action that was carried out; by default the chosen one.

        Parameters
        ----------
        state : NamedTuple of int
        action : int
            The chosen one.
        next_state : NamedTuple of int

        Returns
        -------
        int
        """
        return action

    def describe(self, state: Any) -> dict[str, Any]:
        """Describe one state in words, ready for JSON.

        Parameters
        ----------
        state : NamedTuple

        Returns
        -------
        dict of str to object
            Field -> its value: cells as [row, column], other fields as `words` say.
        """
        words: Mapping[str, tuple[str, ...]] = getattr(self, "words", {})
        return {
            name: list(self.grid.floor[value]) if name.endswith("cell") else _find_word(words.get(name), int(value))
            for name, value in zip(state._fields, state, strict=True)
        }

    def at(self, feature: str) -> NDArray[np.bool_]:
        """Mark the floor cells that show a feature.

        Parameters
        ----------
        feature : str

        Returns
        -------
        bool[cells]
            To be indexed with a column of cell numbers.
        """
        mask = np.zeros(len(self.grid.floor), dtype=np.bool_)
        for cell in self.grid.cells(feature):
            mask[self.grid.number[cell]] = True
        return mask

    def cell(self, feature: str) -> int:
        """Return the number of the one cell of a feature.

        Parameters
        ----------
        feature : str

        Returns
        -------
        int

        Raises
        ------
        MapError
            If it has no cell, or several.
        """
        return self.grid.number[self.grid.only(feature)]

    def picture(self, agent: int, marks: tuple[Mark, ...] = (), *, role: str = "agent", caption: str = "") -> Scene:
        """Draw the map's features, some marks, and the agent on top.

        Features of one cell that share a glyph are one mark with all their names.

        Parameters
        ----------
        agent : int
            The number of the agent's cell.
        marks : tuple of Mark
        role : str
            The agent's colour role.
        caption : str

        Returns
        -------
        Scene
        """
        named: dict[tuple[Cell, str], list[str]] = {}
        for name, cells in self.grid.features.items():
            for cell in cells:
                named.setdefault((cell, self.glyph(name)), []).append(name)
        features = [Mark(*cell, glyph, ", ".join(names), "feature") for (cell, glyph), names in named.items()]
        row, column = self.grid.floor[agent]
        return Scene(self.grid.walls, (*features, *marks, Mark(row, column, "@", "agent", role)), caption=caption)

    def glyph(self, feature: str) -> str:
        """Return the legend's glyph for a feature: one of its own if it has one.

        Parameters
        ----------
        feature : str

        Returns
        -------
        str
            "?" where the legend has none.
        """
        shared = "?"
        for glyph, names in self.legend.items():
            if feature == names:
                return glyph
            if shared == "?" and feature in names and not isinstance(names, str):
                shared = glyph
        return shared

    def coordinates(self, number: int) -> Cell:
        """Return the row and column of a cell number.

        Parameters
        ----------
        number : int

        Returns
        -------
        Cell
        """
        return self.grid.floor[number]

    def position(self, state: Any) -> Cell | None:
        """Return the acting agent's cell, by the field `cell` of its state.

        Parameters
        ----------
        state : NamedTuple

        Returns
        -------
        Cell or None
            None where it has no place.
        """
        return self.grid.floor[state.cell] if hasattr(state, "cell") else None

    def with_agent_at(self, state: Any, cell: Cell) -> Any:
        """Return the state with the acting agent in another cell, reachable or not.

        Parameters
        ----------
        state : NamedTuple
        cell : Cell

        Returns
        -------
        NamedTuple or None
            None where it has no place.
        """
        return state._replace(cell=self.grid.number[cell]) if hasattr(state, "cell") else None


def require_number(scenario: Scenario, name: str, value: Any, least: float, most: float, whole: bool = False) -> None:
    """Raise BadValue unless a scenario's option is a number in a range. whole: whether it must be a whole one."""
    kind, words = (int, "whole number") if whole else (int | float, "number")
    if isinstance(value, bool) or not isinstance(value, kind) or not least <= value <= most:
        remedy = f"choose a {words} from {least:,} to {most:,.0f}"
        raise BadValue(f"{name} = {show_value(value)}", place=scenario.name, remedy=remedy)


def require_probability(scenario: Scenario, name: str, value: Any, below_one: bool = False) -> float:
    """Return a scenario's option as a float; BadValue unless it is a probability. below_one: whether 1 is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= 1.0 or (below_one and value == 1.0):
        remedy = f"choose a probability from 0 to {'below ' * below_one}1"
        raise BadValue(f"{name} = {show_number(value)}", place=type(scenario).__name__, remedy=remedy)
    return float(value)


def move(scenario: Scenario, cell: Any, action: Any) -> Any:
    """Return the cells to which a move leads.

    Parameters
    ----------
    scenario : Scenario
    cell : int or int64[n]
        Cell numbers.
    action : int or int64[n]
        Numbers among `MOVES`.

    Returns
    -------
    int or int64[n]
        Cell numbers; the cell itself where a wall is in the way.
    """
    return cell.look_up(scenario.moves, action) if isinstance(cell, NumberPerState) else scenario.moves[cell, action]


def require_declared(scenario: Scenario) -> Scenario:
    """Return the scenario; ContractBroken if its actions or the sizes of its state's fields are missing or wrong."""
    require_steady(scenario)
    actions, sizes = getattr(scenario, "actions", None), getattr(scenario, "sizes", None)
    if not isinstance(actions, tuple) or not actions or len({*map(str, actions)}) < len(actions):
        refuse(scenario, "actions", actions, "a tuple of different words, one an action")
    if not isinstance(sizes, tuple) or not sizes or not all(isinstance(size, int) and size > 0 for size in sizes):
        refuse(scenario, "sizes", sizes, "a tuple of integers above 0, one a field of the state")
    return scenario


def _find_word(words: tuple[str, ...] | None, value: int) -> Any:
    return value if words is None else words[value]


def observes_performance(scenario: Scenario) -> bool:
    """Return whether a scenario's performance is its return, so that nothing is hidden."""
    inner = getattr(scenario, "__wrapped__", scenario)
    return type(inner if isinstance(inner, Scenario) else scenario).performance is Scenario.performance
