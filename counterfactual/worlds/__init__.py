"""Worlds with an input terminal: their state splits into the terminal's signal I_t and everything else, X_t.

    X_{t+1} ~ X(. | I_t, X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = I_t(X_t, X_{t+1})

Reference: "Counterfactual planning with an input terminal", section "Design and interpretation of the learning
world". This file holds their base class and the registry, `TERMINAL_WORLDS["barricade"].make({"units": 6})`; the
worlds lie in the files beside it.

Rules are written once, elementwise on integer columns, so that the same lines move one state or all states of a step
under every action. n is the number of states: the length of X's columns, of actions (their indices) and of signals.
Numbers stay exact: events are counted in multiples of `event_unit`.

Differs from the paper: X_{t+1} comes in two parts, `next_x` (what later steps depend on) and `events` (what reward
functions look at and nothing later depends on), so that states do not multiply; the signal I_{t+1} may depend on
X_{t+1}, for worlds where chance presses the button (everywhere else it depends on I_t, X_t and A_t alone).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, ClassVar, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfactual.columns import Column, Entries, Flags, X, as_columns
from counterfactual.exact_parameters import ExactParameters, require_fields_with_defaults
from counterfactual.one_state import RULES, ask_as_written
from engine.contracts import Contract
from engine.effort import ASK_FIRST, Effort
from engine.errors import BadValue, ContractBroken
from engine.mdp.by_branches import NumberPerState
from engine.registry import Registry, find_sole_subclass
from engine.scene import Scene
from engine.user_code import OWN_PACKAGES, describe_place, find_package

LARGEST_EXACT = 2**53  # every integer up to here is exact as a float, too
FIRST = 0  # the signal that the terminal sends at the start


class Signal(NamedTuple):
    """A reward function that the terminal can send: the reward of one unit of each of the world's features."""

    name: str
    feature_rewards: tuple[Fraction, ...]


class PhysicsOutcome(NamedTuple, Generic[X]):
    """One possible X_{t+1} for each of n states.

    weight: int or int64[n], proportional to its probability. next_x: what later steps depend on, columns or numbers.
    events: a column or number a feature, in multiples of the world's `event_unit`.
    """

    weight: Entries
    next_x: X
    events: Sequence[Entries]


class SignalOutcome(NamedTuple):
    """One possible I_{t+1} for each of n states.

    weight: int or int64[n], proportional to its probability. signal: int or int64[n], an index of `signals`.
    """

    weight: Entries
    signal: Entries


class FutureSelf(NamedTuple):
    """Who the agent has become by an action of its own.

    world: the same world with the reward functions of that self. agent: the planning agent that it is from then on,
    None for the same design. fine: what the present function takes off in the step that makes the agent another one.
    """

    world: TerminalWorld[Any]
    agent: Callable[[TerminalWorld[Any], int], Any] | None = None
    fine: Fraction = Fraction(0)

    def is_another_than(self, learned: TerminalWorld[Any], agent: object = None) -> bool:
        """Return whether its design or its rewards differ from those of an agent that plans in the learned world."""
        return (self.agent or agent) != agent or self.world.signals != learned.signals


class TerminalWorld(ExactParameters, ABC, Generic[X]):
    """Base of every world with an input terminal; a frozen dataclass with its parameters as fields.

    A world defines `start`, `physics` and `terminal`, and overrides the other methods where its rules need them. All
    methods are pure, and written elementwise on columns of n states.

    Attributes
    ----------
    name : str
        What the world is called.
    action_names : mapping of str to str
        The glyph of each action and what it means, in the order in which ties are broken.
    features : tuple of str
        What reward functions look at.
    signals : tuple of Signal
        The reward functions; the terminal sends the first one at the start.
    horizon : int
        The number of steps, numbered 1 .. horizon.
    discount : Fraction
        The discount of one step, from 0 to 1.
    event_unit : Fraction
        Events are counted in multiples of this part of one event, 1 by default.
    reward_scale : Fraction
        What the papers count as a reward of 1, in the world's own rewards; 1 by default.
    self_index : int
        Which of its selves the agent is that knows the world, see `self_of`; 0 by default.
    effort : Effort
        How much planning in the world may cost without asking, see `limit_effort`.
    row_parameters : tuple of str
        Parameters that may differ between worlds that are planned at once: they enter through `start`, `reward_table`
        and the attributes of `row_numbers` alone.
    row_numbers : tuple of str
        Attributes that depend on the row parameters, integers or int64[actions].

    References
    ----------
    "Counterfactual planning with an input terminal", section "Design and interpretation of the learning world".

    Examples
    --------
    >>> from counterfactual.worlds import TERMINAL_WORLDS
    >>> world = TERMINAL_WORLDS["barricade"].make({"units": 6})
    >>> world.actions, world.start()
    (('m', 'b', 'w'), BarricadeState(units=0, updated=0, crew=0, disabled=0))
    """

    name: ClassVar[str]
    action_names: Mapping[str, str]
    features: tuple[str, ...]
    signals: tuple[Signal, ...]
    horizon: int
    discount: Fraction
    event_unit: Fraction = Fraction(1)
    reward_scale: Fraction = Fraction(1)
    self_index: int = 0
    effort: ClassVar[Effort] = ASK_FIRST
    row_parameters: ClassVar[tuple[str, ...]] = ()
    row_numbers: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The glyphs of the actions; an action is an index of this tuple."""
        return tuple(self.action_names)

    def is_any_of(self, action: Column, glyphs: str) -> Column:
        """Mark the actions that are one of some glyphs.

        Parameters
        ----------
        action : int64[n], indices of `actions`.
        glyphs : str, one or more glyphs.

        Returns
        -------
        bool[n]
        """
        if glyphs not in self._masks:
            self._masks[glyphs] = self.per_action(dict.fromkeys(glyphs, 1)) == 1
        mask = self._masks[glyphs]
        return action.look_up(mask) if isinstance(action, NumberPerState) else mask[action]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for rule in RULES if find_package(cls) not in OWN_PACKAGES else ():
            own = vars(cls).get(rule)
            if isinstance(own, FunctionType) and find_package(own) not in OWN_PACKAGES:
                setattr(cls, rule, ask_as_written(own))

    @property
    def asked_glyphs(self) -> list[str]:
        """What `is_any_of` was asked for so far."""
        return list(self._masks)

    def per_action(self, numbers: Mapping[str, int]) -> Column:
        """Make a table of a number by action, to be indexed with actions.

        Parameters
        ----------
        numbers : mapping of str to int
            The number of each glyph; 0 for glyphs that are left out.

        Returns
        -------
        int64[actions]
        """
        return np.array([numbers.get(glyph, 0) for glyph in self.actions], dtype=np.int64)

    @cached_property
    def _masks(self) -> dict[str, Column]:
        return {}

    @abstractmethod
    def start(self) -> X:
        """Return the initial state X_1.

        Returns
        -------
        NamedTuple
            Its fields are plain numbers.
        """

    @abstractmethod
    def physics(self, step: int, x: X, action: Column) -> Sequence[PhysicsOutcome[X]]:
        """Return X(. | X_t, A_t), the kernel of X without the signal: what a record that leaves signals out would show.

        Parameters
        ----------
        step : int, 1 .. horizon.
        x : a NamedTuple of columns of length n, X_t.
        action : int64[n], A_t as indices of `actions`.

        Returns
        -------
        sequence of PhysicsOutcome
            The possible outcomes; weights are at least 0, and in every row one of them is positive.
        """

    def physics_given(self, signal: Column, step: int, x: X, action: Column) -> Sequence[PhysicsOutcome[X]]:
        """Return X(. | I_t, X_t, A_t), the kernel of X; override it where the signal matters to physics.

        Parameters
        ----------
        signal : int64[n], I_t as indices of `signals`.
        step, x, action : as in `physics`.

        Returns
        -------
        sequence of PhysicsOutcome
        """
        return self.physics(step, x, action)

    @abstractmethod
    def terminal(self, signal: Column, step: int, x: X, action: Column, next_x: X) -> Sequence[SignalOutcome]:
        """Return I(. | I_t, X_t, A_t), the kernel of I: the signals that the terminal may send next.

        Parameters
        ----------
        signal : int64[n], I_t as indices of `signals`.
        step, x, action : as in `physics`.
        next_x : a NamedTuple of columns, X_{t+1}, for worlds in which chance presses the button.

        Returns
        -------
        sequence of SignalOutcome
        """

    def allows(self, step: int, x: X, action: Column) -> Flags:
        """Return whether each action can be taken; every one can by default.

        Parameters
        ----------
        step, x, action : as in `physics`.

        Returns
        -------
        bool or bool[n]
            In every state at least one action can be taken.
        """
        return True

    def updates(self, step: int, x: X, next_x: X) -> Flags:
        """Return whether people updated the terminal in this step, '#' in traces; by default the world does not say.

        Parameters
        ----------
        step : int, 1 .. horizon.
        x : a NamedTuple of columns of length n, X_t.
        next_x : a NamedTuple of columns, X_{t+1}.

        Returns
        -------
        bool or bool[n]
        """
        return False

    @property
    def draws_updates(self) -> bool:
        """Whether the world says when people update the terminal."""
        return type(self).updates is not TerminalWorld.updates

    def manipulates(self, step: int, x: X, action: Column, next_x: X) -> Flags:
        """Return whether the agent worked on the terminal, or on the people who use it, instead of in the world.

        Parameters
        ----------
        step, x, action : as in `physics`.
        next_x : a NamedTuple of columns, X_{t+1}.

        Returns
        -------
        bool or bool[n]
            False by default.
        """
        return False

    def self_of(self, x: X) -> Entries:
        """Return which self the agent is in each state.

        Parameters
        ----------
        x : a NamedTuple of columns of length n, X_t.

        Returns
        -------
        int or int64[n]
            0 until it has made itself another one.
        """
        return 0

    @property
    def has_future_selves(self) -> bool:
        """Whether actions can make the agent another one."""
        return not isinstance(self.self_of(as_columns(self.start())), int)

    def future_self(self, index: int) -> FutureSelf:
        """Return the self of an index, for worlds whose actions can make the agent another one.

        Parameters
        ----------
        index : int
            What `self_of` returns, above 0.

        Returns
        -------
        FutureSelf

        Raises
        ------
        ContractBroken
            If the world has no such self.
        """
        remedy = "define future_self(self, index) beside self_of"
        raise ContractBroken(f"it has no self {index}", place=describe_place(type(self)), remedy=remedy)

    def events_in_correction(self, x: X, events: Sequence[Entries]) -> Sequence[Entries]:
        """Return the events of a step as the term V_S of a balancing agent counts them: as they are by default.

        Parameters
        ----------
        x : a NamedTuple of columns of length n, X_t.
        events : sequence of int or int64[n]
            Of each feature, in units of `event_unit`.

        Returns
        -------
        sequence of int or int64[n]
        """
        return events

    def view(self, x: X) -> Scene:
        """Draw one state; by default nothing is drawn.

        Parameters
        ----------
        x : NamedTuple
            A state whose fields are plain numbers.

        Returns
        -------
        Scene
        """
        return Scene()

    @cached_property
    def reward_table(self) -> tuple[NDArray[np.int64], Fraction]:
        """The reward of one `event_unit` of each feature under each signal: int64[signals, features], and its unit.

        Raises BadValue where the numbers need more digits than are exact.
        """
        signals = tuple(Signal(signal.name, tuple(signal.feature_rewards)) for signal in self.signals)
        return _make_reward_table(signals, self.event_unit, self.name)


@lru_cache(maxsize=64)
def _make_reward_table(
    signals: tuple[Signal, ...], event_unit: Fraction, name: str
) -> tuple[NDArray[np.int64], Fraction]:
    """Return one table for all worlds with the same functions: the rows of a sweep often have them in common."""
    rewards = [[reward * event_unit for reward in signal.feature_rewards] for signal in signals]
    scale = math.lcm(*(reward.denominator for row in rewards for reward in row))
    table = [[int(reward * scale) for reward in row] for row in rewards]
    if max(abs(entry) for row in table for entry in row) > LARGEST_EXACT or scale > LARGEST_EXACT:
        raise BadValue("rewards need too fine a grid", place=name, remedy="use numbers with fewer digits")
    entries = np.array(table, dtype=np.int64)
    entries.setflags(write=False)
    return entries, Fraction(1, scale)


def limit_effort(world: TerminalWorld[X], effort: Effort) -> TerminalWorld[X]:
    """Return a copy of a world in which planning may cost as much as `effort` allows."""
    limited = copy(world)
    object.__setattr__(limited, "effort", effort)
    return limited


DECLARED_ATTRIBUTES = ("name", "action_names", "features", "signals", "horizon", "discount")


def _require_declared(kind: type[TerminalWorld[Any]]) -> None:
    missing = [name for name in DECLARED_ATTRIBUTES if not hasattr(kind, name)]
    if missing:
        remedy = f"declare {', '.join(DECLARED_ATTRIBUTES)}"
        raise ContractBroken(f"no '{missing[0]}'", place=describe_place(kind), remedy=remedy)
    require_fields_with_defaults(kind)


TERMINAL_WORLD = Contract[type[TerminalWorld[Any]]]("terminal world", derives=TerminalWorld, require=_require_declared)
TERMINAL_WORLDS: Registry[type[TerminalWorld[Any]]] = Registry(
    "counterfactual.worlds",
    "terminal world",
    find_sole_subclass(TerminalWorld),
    accept=TERMINAL_WORLD.accept,
    group="caregrid.terminal_worlds",
)
