"""One step of the car factory under way, and the hooks by which an extension takes part in it.

A turn holds columns for n states and goes through the phases in order: act, effects, press, aftermath. `Rule` is what
an extension is: a file in `counterfactual.car_factory.rules` with its parameters, its actions and the phases that it changes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from counterfactual.settings import Settings
from counterfactual.world import Column

if TYPE_CHECKING:
    from counterfactual.worlds.car_factory import CarFactory


@dataclass
class Turn:
    """petrol, electric, fined: cars made in this step, in grains. now: the state being made, by field name.

    luck: which of the chances came up. press_comes: whether the press comes at the end of this step, due or not.
    """

    factory: CarFactory
    step: int
    x: Any
    action: Column
    luck: int = 0
    petrol: Any = 0
    electric: Any = 0
    fined: Any = 0
    now: dict[str, Any] = field(default_factory=dict)
    press_comes: Any = False

    def does(self, glyphs: str) -> Column:
        """bool[n]: whether each action is one of the glyphs."""
        return self.factory.does(self.action, glyphs)

    @property
    def due(self) -> Any:
        """Whether the planned update has come: step >= B."""
        return self.step * self.factory.grid >= self.now["deadline"]

    def press(self) -> None:
        """People update the terminal when it is due, or comes anyway, and leave it so."""
        self.now["pressed"] = self.x.pressed | self.due | self.press_comes


@dataclass(frozen=True)
class Rule(Settings, ABC):
    """An extension of the car factory; with its defaults it is not there.

    words: the actions that it adds. fields: the state it adds, zero at the start. watches_update: whether B matters
    even after the press. Rules take their turns in the order of their names; one of the active ones may use luck.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType({})
    fields: ClassVar[tuple[str, ...]] = ()
    watches_update: ClassVar[bool] = False

    @property
    @abstractmethod
    def active(self) -> bool:
        """Whether the settings turn it on."""

    def delays(self) -> Sequence[Fraction]:
        """Numbers that it adds to B, for the grid on which B is counted."""
        return ()

    def amounts(self, factory: CarFactory) -> Sequence[Fraction]:
        """Amounts of cars that it makes, for the grid on which cars are counted."""
        return ()

    def allows(self, turn: Turn) -> Any:
        """Whether it leaves the actions open: True, False or bool[n]."""
        return True

    def chances(self, turn: Turn) -> Sequence[Any]:
        """Weights of what luck may bring, int or int64[n] each; empty where luck has no part."""
        return ()

    def effects(self, turn: Turn) -> None:
        """Change what the action did, before people press."""

    def aftermath(self, turn: Turn) -> None:
        """What happens at the end of the step, after people pressed or not."""
