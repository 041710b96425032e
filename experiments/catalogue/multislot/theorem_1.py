"""Theorem 1 by exhaustion: how many slots of the universal environment match each deterministic environment.

Exactly one, under every policy; where agents observe before they are copied, none or several.
`multislot.worlds.universal`.
"""

from __future__ import annotations

from experiments.experiment import Claim, Experiment, Length, Rows
from experiments.rows import select


def run(steps: int, world: str, key: int) -> Rows:
    """Return the census of one environment over all deterministic environments and policies of that many steps."""
    from multislot.worlds.environment import HistoryBasedEnvironment
    from multislot.worlds.universal import (
        ObservedBeforeCopying,
        count_matching_slots,
        make_exchanged_environment,
        make_universal_environment,
    )

    worlds: dict[str, HistoryBasedEnvironment] = {
        "universal": make_universal_environment(),
        "exchanged": make_exchanged_environment(),
        "observed before copying": ObservedBeforeCopying(make_universal_environment()),
    }
    counted = count_matching_slots(worlds[world], steps)
    return [{**counted._asdict(), "holds": counted.holds()}]


experiment = Experiment(
    reproduces="The Multi-slot Framework, Theorem 1",
    settings={"steps": (1, 2, 3), "world": ("universal", "exchanged", "observed before copying")},
    run=run,
    lengths={"steps": Length("steps of every environment", least=0, most=5, without_asking=3)},
    claims=(
        Claim(
            "exactly one slot matches each deterministic environment",
            lambda rows: all(row["holds"] for row in select(rows, world="universal")),
        ),
        Claim(
            "so it is with exchanged observations (footnote 3)",
            lambda rows: all(row["holds"] for row in select(rows, world="exchanged")),
        ),
        Claim(
            "observing before copying breaks it",
            lambda rows: not any(row["holds"] for row in select(rows, world="observed before copying")),
        ),
    ),
    no_figure="the numbers of matching slots are the same in every row of a world: one, or none and several",
    table=select,
)
