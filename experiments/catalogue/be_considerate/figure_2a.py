"""Walk through somebody's garden, or round it: what a little care for agent 2 changes (Eq 4).

The acting agent's and agent 3's coefficients are 1; agent 2's is `care`. `craftworld.scenarios.garden` has the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.be_considerate._episodes import ACTING, draw_paths_figure, make_episode_rows
from experiments.experiment import Claim, Experiment, Rows
from experiments.rows import group_rows, only, select

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GARDEN = "2,1"


def run(care: float, key: int) -> Rows:
    """Return the acting agent's walk and those of agents 2 and 3 after it."""
    return make_episode_rows("garden", "per_agent", care)


def passes(rows: Rows, care: float, who: str = ACTING) -> bool:
    """Return whether an agent walks through the garden."""
    return GARDEN in str(only(rows, care=care, who=who)["path"]).split()


def builds_fence(rows: Rows, care: float) -> bool:
    """Return whether the acting agent builds the fence."""
    return "build the fence" in str(only(rows, care=care, who=ACTING)["actions"])


def tabulate_returns(rows: Rows) -> Rows:
    """Return the return of every agent at each coefficient."""
    return [
        {"care": care} | {str(row["who"]): row["return"] for row in part}
        for care, part in group_rows(rows, "care").items()
    ]


def _draw(rows: Rows) -> Figure:
    acting = select(rows, who=ACTING)
    return draw_paths_figure("garden", {f"agent 1, care {row['care']:g}": str(row["path"]) for row in acting})


experiment = Experiment(
    reproduces="Be Considerate, Figure 2(a)",
    settings={"care": (0.0, 1.0)},
    run=run,
    claims=(
        Claim("oblivious of agent 2, the agent walks through its garden", lambda rows: passes(rows, 0.0)),
        Claim("with a little care it takes the longer way round", lambda rows: not passes(rows, 1.0)),
        Claim("it builds no fence for that", lambda rows: not builds_fence(rows, 0.0) and not builds_fence(rows, 1.0)),
    ),
    figure=_draw,
    table=tabulate_returns,
)
