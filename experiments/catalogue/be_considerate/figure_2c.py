"""Where to leave the doll: Eq 1 serves most of those who come, Eq 2 the worst placed, Eq 3 harms nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.be_considerate._episodes import ACTING, draw_paths_figure, make_episode_rows
from experiments.experiment import Claim, Experiment, Rows
from experiments.rows import group_rows, mean, only, select

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EQUATIONS_1_TO_3 = ("expected", "worst_case", "no_worse_off")
FOUND = "3,2"


def run(formulation: str, care: float, key: int) -> Rows:
    """Return the acting agent's path and the episodes of the five that come after it."""
    return make_episode_rows("playroom", formulation, care)


def _select_others(rows: Rows, formulation: str) -> Rows:
    return [row for row in select(rows, formulation=formulation) if row["who"] != ACTING]


def _find_worst(rows: Rows, formulation: str) -> float:
    return min(float(row["return"] or 0) for row in _select_others(rows, formulation))


def _serves_most(rows: Rows) -> bool:
    means = {name: mean(_select_others(rows, name), "return") for name in EQUATIONS_1_TO_3}
    return means["expected"] == max(means.values()) > means["no_worse_off"]


def _serves_the_worst_placed(rows: Rows) -> bool:
    worst = {name: _find_worst(rows, name) for name in EQUATIONS_1_TO_3}
    return worst["worst_case"] == max(worst.values()) and worst["worst_case"] > worst["expected"]


def _stays(rows: Rows) -> bool:
    return str(only(rows, formulation="no_worse_off", who=ACTING)["path"]).split()[-1] == FOUND


def _harms_the_sixth(rows: Rows) -> bool:
    sixth = {name: float(only(rows, formulation=name, who="agent 6")["return"] or 0) for name in EQUATIONS_1_TO_3}
    return max(sixth["expected"], sixth["worst_case"]) < sixth["no_worse_off"]


def _tabulate(rows: Rows) -> Rows:
    return [
        {"formulation": name, "doll": str(only(rows, formulation=name, who=ACTING)["path"]).split()[-1]}
        | {str(row["who"]): row["return"] for row in part}
        for name, part in group_rows(rows, "formulation").items()
    ]


def _draw(rows: Rows) -> Figure:
    from experiments.figures.labels import format_label

    acting = select(rows, who=ACTING)
    return draw_paths_figure("playroom", {format_label(row["formulation"]): str(row["path"]) for row in acting})


experiment = Experiment(
    reproduces="Be Considerate, Figure 2(c)",
    settings={"formulation": EQUATIONS_1_TO_3, "care": (10.0,)},
    run=run,
    claims=(
        Claim("Eq 1 leaves the doll where those who come fare best on average", _serves_most),
        Claim("Eq 2 leaves it where the worst placed fares best", _serves_the_worst_placed),
        Claim("Eq 3 leaves it where it was", _stays),
        Claim("for moving it would harm agent 6", _harms_the_sixth),
    ),
    figure=_draw,
    table=_tabulate,
)
