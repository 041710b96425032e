"""`caregrid.locality`: whether a multi-slot environment is history-based (The Multi-slot Framework, Definition 9)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from caregrid.command_line.operation import check_arguments
from caregrid.results import RecordedFilm, Result, scene_figure
from engine.effort import make_effort
from engine.errors import BadValue
from engine.plain_values import make_json_value
from engine.printable import show_value
from engine.value_types import Horizon

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multislot.worlds.environment import HistoryBasedEnvironment
    from multislot.worlds.locality import LocalityViolation
    from multislot.worlds.protocol import MultiSlotEnvironment


@dataclass(frozen=True, repr=False, eq=False)
class LocalityResult(Result):
    """Whether equal histories on one slot have equal laws. steps: so many were tried.

    violation: two situations that an agent cannot distinguish, with their different laws; None where there are none.
    """

    schema: ClassVar[str] = "multislot_locality"

    steps: int
    violation: LocalityViolation | None

    @property
    def title(self) -> str:
        """What was found."""
        from multislot.film import describe_violation

        if self.violation is not None:
            return describe_violation(self.violation)
        return f"history-based in its first {'step' if self.steps == 1 else f'{self.steps} steps'}"

    @property
    def history_based(self) -> bool:
        """Whether no violation was found."""
        return self.violation is None

    @property
    def exit_code(self) -> int:
        """What `caregrid multislot locality` ends with: 1 for a violation."""
        return 0 if self.history_based else 1

    @property
    def laws(self) -> list[dict[str, Any]]:
        """The two laws, "slot,observation" -> probability; none where there is no violation."""
        return [
            {f"{slot},{label}": make_json_value(p) for (slot, label), p in sorted(law.items(), key=str)}
            for law in (() if self.violation is None else self.violation.laws)
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per copy and observation and situation: its probability there."""
        return [
            {"situation": number, "copy": copy, "probability": str(probability)}
            for number, law in enumerate(self.laws, start=1)
            for copy, probability in law.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return history_based and steps; of a violation also witness and laws."""
        found: dict[str, Any] = {"history_based": self.history_based, "steps": self.steps}
        return found if self.violation is None else {**found, "witness": self.title, "laws": self.laws}

    def film(self) -> RecordedFilm:
        """Return the two situations side by side, one scene; BadValue where there is no violation."""
        from multislot.film import make_witness_film

        if self.violation is None:
            raise BadValue("nothing to draw", place=self.title, remedy="look at history_based first")
        return RecordedFilm(self.title, make_witness_film(self.violation), tile=48)

    def figure(self) -> Figure:
        """Return the two situations side by side; BadValue where there is no violation."""
        return scene_figure(self.film().scenes[0])

    def text(self) -> str:
        """Return what was found, a violation drawn as text."""
        from renderers.text import draw

        return self.title if self.violation is None else draw(self.film().scenes[0])


@check_arguments
def locality(
    world: str | Path | MultiSlotEnvironment | HistoryBasedEnvironment,
    steps: Horizon = 3,
    *,
    yes: bool = False,
    quiet: bool = True,
) -> LocalityResult:
    """Try everything that can happen in some steps, and look for equal histories on one slot with different laws.

    Parameters
    ----------
    world : str, Path or object
        An environment table in a file, a scenario's name, `module:attribute`, or an object.
    steps : int
        How many first steps are tried.
    yes : bool
        Do any amount of work; without it, too much is refused with an estimate.
    quiet : bool
        No progress.

    Returns
    -------
    LocalityResult
        Whether the environment is history-based in these steps; if not, two situations that show it.

    Raises
    ------
    BadValue, UnknownName, ContractBroken
        For what is no environment, and where a world breaks the protocol.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.locality("swap", 2).history_based
    True

    References
    ----------
    The Multi-slot Framework, Definition 9.
    """
    from multislot.loading import load_slot_world
    from multislot.worlds.environment import HistoryBasedEnvironment as HistoryBased
    from multislot.worlds.locality import find_violation
    from multislot.worlds.protocol import MultiSlotEnvironment as MultiSlot

    effort = make_effort(yes, quiet)
    made = load_slot_world(str(world), effort) if isinstance(world, str | Path) else world
    if not isinstance(made, MultiSlot | HistoryBased):
        remedy = "give a file, a name or an environment"
        raise BadValue(f"world is {show_value(world)}", place="locality", remedy=remedy)
    return LocalityResult(steps, find_violation(made, steps, effort))
