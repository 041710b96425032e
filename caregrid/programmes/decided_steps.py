"""Where it was decided which agent it is: each observed step under each hypothesis, as a table and as a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False, eq=False)
class DecidedSteps(Result):
    """How much each observed step speaks for each hypothesis, at its likeliest parameters.

    of: what was observed. names: of the hypotheses. steps: a row each, see `Identification.steps`.
    """

    of: str
    names: Sequence[str]
    steps: Sequence[Mapping[str, Any]]

    @property
    def title(self) -> str:
        """What was observed."""
        return self.of

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per step: file, episode, step, action, log P(a|s) of each hypothesis."""
        return [dict(each) for each in self.steps]

    def figure(self) -> Figure:
        """Return a heat map of hypothesis and step."""
        from experiments.figures.decided_steps import draw_decided_steps

        return draw_decided_steps({name: [each[name] for each in self.steps] for name in self.names}, self.of)

    def text(self) -> str:
        """Return a line per step."""
        from experiments.rows import align_lines

        lines = [("episode", "step", "action", *self.names)]
        for each in self.steps:
            chances = [f"{each[name]:.2f}" for name in self.names]
            lines.append((str(each["episode"]), str(each["step"]), str(each["action"]), *chances))
        return "\n".join([self.of, *align_lines(lines, right=range(3, 3 + len(self.names)))])
