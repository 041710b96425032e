"""A level under a penalty for side effects: solved exactly for every coefficient, without one with all its ties, drawn.

An outcome has two parts: whether what the reward asks for is done (own return above 0), and whether there is a side
effect (hidden performance below the own return).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine import value_types
from engine.errors import BadValue
from engine.value_types import Discount, require
from experiments.experiment import Length, ResultRow, Rows
from experiments.rows import group_rows, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.formulation import Formulation
    from craftworld.scenario import Scenario

ROUNDING = 1e-6
UTILITIES = Length("auxiliary utilities", most=value_types.UTILITIES.most)
DONE, NOT_DONE = "done, no side effect", "not done, no side effect"
DONE_AND_MORE, NOT_DONE_AND_MORE = "done, side effect", "not done, side effect"


def require_discount(discount: float) -> None:
    """Raise BadValue unless it is a number from 0 to below 1, as values of utility functions need."""
    if require("discount", discount, Discount) == 1.0:
        raise BadValue("a discount of 1", place="discount", remedy="choose one below 1")


def solve_penalised_level(level: Sequence[str], penalty: str | Formulation, discount: float) -> Rows:
    """Solve a level at every coefficient above 0: a row per optimal behaviour, by rising coefficient.

    level: its name, then its options. own, performance: undiscounted sums within the step limit. to: None without end.
    """
    from craftworld.solution.problem import make_problem
    from craftworld.trade_off_curve import compute_trade_off_curve

    problem = make_problem(_make_level(level), penalty, discount=discount)
    return [
        _describe(point.measures.own, point.measures.performance, point.care_from, point.care_to)
        for point in compute_trade_off_curve(problem)
    ]


def solve_level(level: Sequence[str], discount: float) -> Rows:
    """Solve a level without a penalty: one row, of the best performance of optimal policies, and of the worst."""
    from craftworld.measures import measure_policies, tabulate_performance
    from craftworld.solution.problem import make_problem
    from engine.planning.trade_off.envelope import find_segment_policy
    from engine.planning.trade_off.optimal_segments import find_segments

    problem = make_problem(_make_level(level), discount=discount)
    start = int(problem.mdp.start_states()[0])
    hidden = tabulate_performance(problem.scenario, problem.mdp)
    measured = []
    for sign in (1.0, -1.0):  # of what is optimal, the first segment has what the hidden performance adds most to
        first = find_segments(problem.mdp, sign * hidden, start, (0.0, 1.0))[0]
        measured.append(measure_policies(problem, {start: find_segment_policy(first, len(hidden))}))
    best, worst = measured
    return [{**_describe(best.own, best.performance, 0.0, None), "worst_performance": worst.performance}]


def find_row(rows: Rows, coefficient: float) -> ResultRow:
    """Return the row of a level's rows that holds at a coefficient."""
    return next(row for row in reversed(rows) if float(row["from"] or 0.0) <= coefficient)


def name_outcome(row: ResultRow) -> str:
    """Return what a behaviour does, in words."""
    own, performance = float(row["own"] or 0.0), float(row["performance"] or 0.0)
    if performance < own - ROUNDING:
        return DONE_AND_MORE if own > ROUNDING else NOT_DONE_AND_MORE
    return DONE if own > ROUNDING else NOT_DONE


def draw_outcomes(rows: Rows, coefficient: str, between: tuple[float, float], marked: float | None = None) -> Figure:
    """Draw what every agent does in every level at every coefficient, draw by draw where utilities are drawn."""
    from experiments.figures.outcome_strips import OutcomeLook, OutcomeRange, draw_outcome_strips
    from experiments.figures.style import CYCLE, HATCHES, OTHER, OWN, SOFT

    def read(row: ResultRow) -> OutcomeRange:
        end = math.inf if row["to"] is None else float(row["to"])
        return OutcomeRange(float(row["from"] or 0.0), end, name_outcome(row))

    panels = {
        str(level).replace("_", " "): {
            str(agent): [[read(row) for row in draw] for draw in _split_draws(found)]
            for agent, found in group_rows(select(rows, level=level), "agent").items()
        }
        for level in values(rows, "level")
    }
    looks = {
        DONE: OutcomeLook(OWN),
        NOT_DONE: OutcomeLook(SOFT),
        DONE_AND_MORE: OutcomeLook(OTHER, HATCHES[1]),
        NOT_DONE_AND_MORE: OutcomeLook(CYCLE[5], HATCHES[3]),
    }
    return draw_outcome_strips(panels, looks, coefficient, between, marked)


def _split_draws(rows: Rows) -> list[Rows]:
    return list(group_rows(rows, "seed").values()) or [rows]


def _make_level(level: Sequence[str]) -> Scenario:
    from experiments.caring_problem import NamedProblem

    return NamedProblem(level[0], options=(*level[1:], "noop=yes")).make_scenario()


def _describe(own: float, performance: float | None, low: float, high: float | None) -> ResultRow:
    return {"from": low, "to": high, "own": own, "performance": performance}
