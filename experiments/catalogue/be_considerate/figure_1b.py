"""What care does in the workshop, exactly and learned: own return, the next agent's and their total against care.

The acting agent maximises r' = r_1 + [terminal] alpha_2 V(s') (Eq 1); sweep and learner are those of section 4.1
and appendix C, where each coefficient is learned ten times. `caregrid breakpoints workshop` gives the break points
themselves, which the figure marks.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from experiments.catalogue.be_considerate import _care_sweep as caring
from experiments.experiment import LEARNING_STEPS, Claim, Experiment, Rows
from experiments.rows import group_rows, never_falls, never_rises, numbers, select

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPETITIONS = tuple(range(10))
CARES = tuple(step / 100 for step in range(700))
NEVER_FINISHED = -1000.0
SHARE_OF_OPTIMA = 0.97


def run(care: float, agent: str, steps: int, seed: int, key: int) -> Rows:
    """Compute one coefficient, exactly or by Q-learning with the paper's protocol."""
    return caring.run("workshop", "expected", care, agent, steps, seed, key)


def _list_exact(rows: Rows, column: str) -> list[float]:
    """Return a column of the exact solution by rising care."""
    by_care = sorted((float(row["care"] or 0), row) for row in select(rows, agent="exact", seed=rows[0]["seed"]))
    return [float(row[column] or 0) for _, row in by_care]


def _keeps_the_key(rows: Rows) -> bool:
    return numbers(rows, "newcomer", agent="exact", care=0.0)[0] == NEVER_FINISHED


def _middle_is_best(rows: Rows) -> bool:
    total = _list_exact(rows, "total")
    return max(total) > max(total[0], total[-1])


def _sacrifices_grow(rows: Rows) -> bool:
    own = _list_exact(rows, "own")
    losses = [before - after for before, after in pairwise(own) if after != before]
    return len(losses) > 1 and never_falls(losses)


def _is_learned(rows: Rows) -> bool:
    regrets = numbers(rows, "regret", agent="q_learning")
    return sum(regret == 0 for regret in regrets) >= SHARE_OF_OPTIMA * len(regrets)


def _tabulate(rows: Rows) -> Rows:
    """A row per segment: where it begins on the grid, and what it gives; learned: the share of optima found there."""
    result: Rows = []
    for care, (row, *_) in group_rows(select(rows, agent="exact"), "care").items():
        returns = {column: row[column] for column in ("own", "newcomer", "total")}
        if not result or any(result[-1][column] != value for column, value in returns.items()):
            result.append({"care_from": care, **returns})
    return result


def _draw(rows: Rows) -> Figure:
    from craftworld.solution.exact_solution import find_break_points
    from experiments.catalogue.be_considerate._episodes import make_exact_problem
    from experiments.figures.trade_off import draw_trade_off

    cares = numbers(rows, "care")
    low, high = min(cares), max(cares)
    breaks = find_break_points(make_exact_problem("workshop", "expected"), (low, high)) if low < high else []
    heading = {"scenario": "workshop", "formulation": "expected"}
    methods = [{**heading, **row, "method": str(row["agent"]).replace("_", "-")} for row in rows]
    return draw_trade_off(methods, ["newcomer"], breaks)


experiment = Experiment(
    reproduces="Be Considerate, Figure 1(b)",
    settings={"care": CARES, "agent": caring.CARE_AGENTS, "steps": (700_000,), "seed": REPETITIONS},
    quick={"care": (0.0, 0.2, 0.7, 2.0, 6.0), "steps": (300_000,), "seed": REPETITIONS[:1]},
    run=run,
    lengths={"steps": LEARNING_STEPS},
    version=4,
    claims=(
        Claim("without care the agent leaves with the key, and the next one can never finish", _keeps_the_key),
        Claim("own return never rises with care", lambda rows: never_rises(_list_exact(rows, "own"))),
        Claim("the other's return never falls with care", lambda rows: never_falls(_list_exact(rows, "newcomer"))),
        Claim("the total is largest at a middle coefficient", _middle_is_best),
        Claim("small compromises come first, big sacrifices later", _sacrifices_grow),
        Claim("Q-learning finds the optimum nearly everywhere", _is_learned),
    ),
    learned=caring.LEARNED,
    figure=_draw,
    table=_tabulate,
)
