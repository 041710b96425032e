"""What stored rows say: which of them count, whether each claim holds, how far each published number is from ours.

Where the whole grid is complete its rows count. Else claims are judged on the quick subset where that is complete, and
figures, tables and published numbers are of all rows, whatever part of the grid they cover. A claim is judged only
where the rows it needs are stored: a claim over nothing would hold of itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from experiments.collect import rows_of
from experiments.experiment import Claim, Experiment, NotEnoughRows, Published, Rows
from experiments.runs.storage.stored_units import StoredUnits

HOLDS, FAILS, NOT_ENOUGH = "holds", "fails", "not enough rows"


class ClaimResult(NamedTuple):
    """A claim and what became of it: "holds", "fails" or "not enough rows"."""

    says: str
    verdict: str


class Comparison(NamedTuple):
    """A published number beside ours; None where rows are missing."""

    what: str
    published: float
    ours: float | None

    @property
    def difference(self) -> float | None:
        """Ours minus the published one."""
        return None if self.ours is None else self.ours - self.published


def comparison_rows(comparisons: Iterable[Comparison]) -> Rows:
    """Published numbers beside ours, as rows of a table."""
    return [
        {
            "number": number.what,
            "published": number.published,
            "ours": number.ours,
            "difference": number.difference,
        }
        for number in comparisons
    ]


def judged_units(experiment: Experiment, units: StoredUnits) -> tuple[str, StoredUnits]:
    """The units that claims are judged on, and which they are: "whole", "quick" or "partial"."""
    for which, settings in (("whole", experiment.settings), ("quick", experiment.quick_settings)):
        if units.covers(settings):
            return which, units.within(settings)
    return "partial", units


def shown_units(experiment: Experiment, units: StoredUnits) -> tuple[str, StoredUnits]:
    """The units of figures, tables and published numbers, and which they are: "whole", "quick" or "partial".

    Beside others a unit is left out that only the quick subset has, such as a shorter run.
    """
    if units.covers(experiment.settings):
        return "whole", units.within(experiment.settings)
    quick = units.within(experiment.quick_settings)
    if len(quick) == len(units):
        return "quick" if units.covers(experiment.quick_settings) else "partial", units
    return "partial", units.without(quick.without(quick.within(experiment.settings)))


def check_claims(experiment: Experiment, units: StoredUnits) -> list[ClaimResult]:
    """Every claim judged on the rows that count."""
    if not experiment.claims:
        return []
    which, counted = judged_units(experiment, units)
    rows = rows_of(counted, experiment)
    return [ClaimResult(claim.says, _judge(claim, rows, which, counted)) for claim in experiment.claims]


def _judge(claim: Claim, rows: Rows, which: str, units: StoredUnits) -> str:
    enough = which != "partial" if claim.needs is None else units.covers(claim.needs)
    if not enough or not rows:
        return NOT_ENOUGH
    try:
        return HOLDS if claim.holds(rows) else FAILS
    except NotEnoughRows:
        return NOT_ENOUGH


def comparisons(experiment: Experiment, units: StoredUnits) -> list[Comparison]:
    """Every published number beside ours."""
    if not experiment.published:
        return []
    rows = rows_of(shown_units(experiment, units)[1], experiment)
    return [comparison_of(number, rows) for number in experiment.published]


def comparison_of(published: Published, rows: Rows) -> Comparison:
    """A paper's number beside ours; None where rows are missing, or what they hold is no number."""
    try:
        ours = float(published.ours(rows)) if rows else math.nan
    except NotEnoughRows:
        ours = math.nan
    return Comparison(published.what, published.number, None if math.isnan(ours) else ours)
