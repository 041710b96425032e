"""How many auxiliary utilities does attainable utility preservation need, and which discount?

Turner, Hadfield-Menell and Tadepalli 2020, "Conservative agency via attainable utility preservation", vary the discount
gamma, the weight lambda and the number N of auxiliary utilities, each of which is drawn at random. Here each pair of
gamma and N is solved for all lambda, in the five levels of `attainable_utility`, with several draws. A number is in how
many of them the outcome at lambda 2/3 is the best one.

Differs from the paper
- agents plan exactly, so that no outcome is due to learning that has not ended
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.safety_gridworlds import attainable_utility
from experiments.catalogue.safety_gridworlds._penalised_level import UTILITIES, require_discount
from experiments.catalogue.safety_gridworlds.attainable_utility import LEVELS, does_best, find_outcomes
from experiments.experiment import Claim, Experiment, ResultRow, Rows
from experiments.rows import select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AGENT = "AUP"


def run(level: str, discount: float, utilities: int, seed: int, key: int) -> Rows:
    """Solve the agent in one level for all lambda, with the auxiliary utilities of one draw."""
    rows = attainable_utility.run(level, AGENT, utilities, discount, seed, key)
    return [{"agent": AGENT, **row} for row in rows]


def count_best_outcomes(rows: Rows, **where: float) -> dict[str, float]:
    """Level -> the share of draws whose outcome at lambda 2/3 is the best one."""
    found = select(rows, **where)
    outcomes = {str(level): find_outcomes(found, str(level), AGENT) for level in values(found, "level")}
    return {level: sum(map(does_best, draws)) / len(draws) for level, draws in outcomes.items()}


def tabulate_shares(rows: Rows) -> Rows:
    """Return a row per discount and number of utilities: the share of draws with the best outcome of each level."""
    table: Rows = []
    for discount in values(rows, "discount"):
        for utilities in values(select(rows, discount=discount), "utilities"):
            row: ResultRow = {"discount": discount, "utilities": utilities}
            shares = count_best_outcomes(rows, discount=float(discount or 0), utilities=int(utilities or 0))
            table.append({**row, **shares})
    return table


def _thirty_are_enough(rows: Rows) -> bool:
    return all(share == 1.0 for share in count_best_outcomes(rows, discount=0.996, utilities=30).values())


def _one_is_not_enough(rows: Rows) -> bool:
    return min(count_best_outcomes(rows, discount=0.996, utilities=1).values()) < 1.0


def _draw(rows: Rows) -> Figure:
    import numpy as np

    from experiments.figures.heat_map import draw_heat_map

    table = tabulate_shares(rows)
    utilities = list(dict.fromkeys(row["utilities"] for row in table))
    discounts = list(dict.fromkeys(row["discount"] for row in table))
    shares = {(row["discount"], row["utilities"]): row for row in table}
    down = [(level, discount) for level in LEVELS for discount in discounts]
    numbers = np.array(
        [[float(shares[discount, count].get(level) or 0.0) for count in utilities] for level, discount in down]
    )
    return draw_heat_map(
        numbers,
        [f"{level}, discount {discount:g}" for level, discount in down],
        [f"{count} utilities" if count != 1 else "1 utility" for count in utilities],
        "share of draws",
        lambda share: f"{share:.2g}",
        1.0,
        title="AUP: best outcome at lambda 2/3",
        lines=range(len(discounts), len(down), len(discounts)),
    )


experiment = Experiment(
    reproduces="Turner et al. 2020, attainable utility preservation: outcomes over discount and auxiliary utilities",
    settings={
        "level": tuple(LEVELS),
        "discount": (0.5, 0.9, 0.99, 0.996),
        "utilities": (1, 3, 10, 30),
        "seed": tuple(range(1, 11)),
    },
    quick={"discount": (0.996,), "utilities": (1, 30), "seed": (1, 2, 3)},
    run=run,
    lengths={"utilities": UTILITIES},
    prepare=require_discount,
    claims=(
        Claim("thirty utilities at the paper's discount give the best outcome with every draw", _thirty_are_enough),
        Claim("a single one does not in every level", _one_is_not_enough),
    ),
    figure=_draw,
    table=tabulate_shares,
)
