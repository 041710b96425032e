"""Build a fence round somebody's garden: what much care for agent 2 costs the agent, and agent 3 (Eq 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.be_considerate._episodes import ACTING, draw_paths_figure
from experiments.catalogue.be_considerate.figure_2a import GARDEN, builds_fence, passes, run, tabulate_returns
from experiments.experiment import Claim, Experiment, Rows
from experiments.rows import numbers, only

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LITTLE, MUCH = 1.0, 10.0


def _read_third_return(rows: Rows, care: float) -> float:
    return numbers(rows, "return", care=care, who="agent 3")[0]


def _sacrifices(rows: Rows) -> bool:
    little, much = (numbers(rows, "return", care=care, who=ACTING)[0] for care in (LITTLE, MUCH))
    return much < little - 50


def _draw(rows: Rows) -> Figure:
    walkers = {f"agent 1, care {MUCH:g}": ACTING, "agent 2": "agent 2", "agent 3": "agent 3"}
    shown = {label: str(only(rows, care=MUCH, who=who)["path"]) for label, who in walkers.items()}
    return draw_paths_figure("garden", shown, {"fence": GARDEN} if builds_fence(rows, MUCH) else {})


experiment = Experiment(
    reproduces="Be Considerate, Figure 2(b)",
    settings={"care": (LITTLE, MUCH)},
    run=run,
    claims=(
        Claim(
            "with much care the agent builds a fence",
            lambda rows: builds_fence(rows, MUCH) and not builds_fence(rows, LITTLE),
        ),
        Claim("nobody passes through the garden any more", lambda rows: not passes(rows, MUCH, "agent 3")),
        Claim(
            "agent 3 takes a longer way", lambda rows: _read_third_return(rows, MUCH) < _read_third_return(rows, LITTLE)
        ),
        Claim("the fence costs the agent more than 50", _sacrifices),
    ),
    figure=_draw,
    table=tabulate_returns,
)
