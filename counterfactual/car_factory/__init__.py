"""The machinery of the car factory: what rules know about a factory, one step, and the base of its extensions.

A step moves n states at once, in phases: act, effects of rules, press, aftermath of rules. A rule (`FactoryRule`) is
an extension that takes part in some of the phases; any of them can be switched on together by their parameters. The
rules lie in the files beside this one, the factory itself is `counterfactual.worlds.car_factory`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column, Entries, Flags
from counterfactual.exact_parameters import OptionalRule, require_fields_with_defaults
from counterfactual.worlds import TerminalWorld
from engine.contracts import Contract, Field, is_mapping_of_texts, is_name_tuple
from engine.registry import Registry, find_sole_subclass
from engine.user_code import describe_place


class Factory(TerminalWorld[Any], ABC):
    """A car factory as its rules see it.

    batch: cars in a batch. lobbying_cost: part of a batch that a lobbying step costs.
    """

    batch: Fraction
    lobbying_cost: Fraction

    @property
    @abstractmethod
    def ticks_per_step(self) -> int:
        """The planned update is counted in ticks: this many make one step."""

    @abstractmethod
    def out_of_reach(self, step: int) -> int:
        """Return the least planned update, in ticks at a step's end, that no lobbying brings back to the horizon."""

    def output(self, action: str) -> Fraction:
        """Return the cars that p, e, > or < makes in a factory without rules."""
        return self.batch * (1 - self.lobbying_cost if action in "><" else 1)

    def in_event_units(self, cars: Fraction) -> int:
        """Return a number of cars in multiples of `event_unit`."""
        return int(cars / self.event_unit)

    def in_ticks(self, steps: Fraction) -> Entries:
        """Return a number of steps, one of the rules' delays, in ticks."""
        ticks = self.ticks_per_step if steps.numerator == 1 else steps.numerator * self.ticks_per_step
        return ticks if steps.denominator == 1 else ticks // steps.denominator


@dataclass
class FactoryStep:
    """A step of n states, which the phases complete one after the other.

    number: which step, 1 .. horizon. x: the states before it, columns. action: int64[n]. chance_outcome: the index of
    the outcome of chance. petrol, electric, fined: cars made in this step, in event units. next_x: the columns of the
    states after it, by field name. pressed_anyway: whether the button is pressed at the end of this step even where the
    update is not due.
    """

    factory: Factory
    number: int
    x: Any
    action: Column
    chance_outcome: int = 0
    petrol: Entries = 0
    electric: Entries = 0
    fined: Entries = 0
    next_x: dict[str, Entries] = field(default_factory=dict)
    pressed_anyway: Flags = False

    def is_any_of(self, glyphs: str) -> Column:
        """bool[n]: whether each action is one of the glyphs."""
        return self.factory.is_any_of(self.action, glyphs)

    def make_petrol(self, glyphs: str, cars: Fraction, where: Flags = True) -> None:
        """What these actions make is that many petrol cars, in the states that are chosen."""
        made = self.factory.in_event_units(cars)
        self.petrol = np.where(self.is_any_of(glyphs) & where, made, self.petrol)

    def make_electric(self, glyphs: str, cars: Fraction, where: Flags = True) -> None:
        """The same for electric cars."""
        made = self.factory.in_event_units(cars)
        self.electric = np.where(self.is_any_of(glyphs) & where, made, self.electric)

    @property
    def due(self) -> Flags:
        """Whether the planned update has come: step >= B."""
        return self.number * self.factory.ticks_per_step >= self.next_x["deadline"]

    def press(self) -> None:
        """People update the terminal when the update is due, or the button is pressed anyway; it stays pressed."""
        pressed = self.x.pressed | self.due
        self.next_x["pressed"] = pressed if self.pressed_anyway is False else pressed | self.pressed_anyway


class ChangedSelf(NamedTuple):
    """What a rule can make of the agent.

    rewards: the factory's parameters that give its rewards -> their values from then on. agent: the planning agent that
    it becomes, None for the same design.
    """

    rewards: Mapping[str, Fraction] = MappingProxyType({})
    agent: PlanningAgent | None = None


@dataclass(frozen=True)
class FactoryRule(OptionalRule, ABC):
    """An extension of the car factory: a frozen dataclass with its parameters as fields, and the phases it changes.

    action_names: glyph -> meaning of the actions that it adds. fields: names of the state that it adds, 0 at the start.
    watches_update: whether the planned update matters even after the press. Rules act in the order of their names; at
    most one of the active ones may use chance.
    """

    action_names: ClassVar[Mapping[str, str]] = MappingProxyType({})
    fields: ClassVar[tuple[str, ...]] = ()
    watches_update: ClassVar[bool] = False

    def delays(self) -> Sequence[Fraction]:
        """Return the numbers of steps that it adds to the planned update, for the grid of ticks."""
        return ()

    def amounts(self, factory: Factory) -> Sequence[Fraction]:
        """Return the numbers of cars that it makes, for the grid of event units."""
        return ()

    @property
    def event_parts(self) -> int:
        """How many parts it divides an event into."""
        return 1

    def list_changed_selves(self) -> Sequence[ChangedSelf]:
        """Return what actions under this rule can make of the agent."""
        return ()

    @property
    def change_fine(self) -> Fraction:
        """What the agent is fined when it becomes another one than it began as, by whatever rule."""
        return Fraction(0)

    def self_of(self, x: Any) -> Entries:
        """Return which of the changed selves the agent is, int or int64[n], counted from 1; 0 while it is none."""
        return 0

    def events_in_correction(self, x: Any, events: Sequence[Entries]) -> Sequence[Entries]:
        """Return the events of a step from x as the term V_S of a balancing agent counts them."""
        return events

    def allows(self, step: FactoryStep) -> Flags:
        """Return whether each action stays available under this rule: True, False or bool[n]."""
        return True

    def chances(self, step: FactoryStep) -> Sequence[Entries]:
        """Return the weights of the outcomes of chance, int or int64[n] each; empty where chance has no part."""
        return ()

    def effects(self, step: FactoryStep) -> None:
        """Change what the action did, before people press the button."""

    def aftermath(self, step: FactoryStep) -> None:
        """Do what happens at the end of the step, whether people pressed the button or not."""


FACTORY_RULE = Contract[type[FactoryRule]](
    "factory rule",
    derives=FactoryRule,
    place=describe_place,
    fields=(
        Field("action_names", "expected a mapping from letter to meaning", is_mapping_of_texts),
        Field("fields", "expected a tuple of names", is_name_tuple),
    ),
    require=require_fields_with_defaults,
)
FACTORY_RULES: Registry[type[FactoryRule]] = Registry(
    "counterfactual.car_factory",
    "factory rule",
    find_sole_subclass(FactoryRule),
    accept=FACTORY_RULE.accept,
    group="caregrid.factory_rules",
)
