"""Method by scenario: what caring for others and methods against side effects do to the agent and to the others.

Caring formulations weigh others' returns (Eqs 1 to 8); relative reachability, attainable utility and future tasks
look only at what the acting agent itself could still do (section 5, appendix B). `performance` is the hidden one: the
others' welfare, whatever the method looked at. A method that does not fit a scenario has no row there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from craftworld.formulations import FORMULATIONS
from experiments.experiment import Claim, Experiment, Rows
from experiments.rows import numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KITCHENS = ("kitchen_salad", "kitchen_peanut", "kitchen_salt", "kitchen_cookie")
COMPARED_SCENARIOS = ("garden", "playroom", "mailroom", "workshop", *KITCHENS)
FARTHEST = 150.0  # in the figure: somebody who never finishes loses a thousand
NOBODY = "nobody"
ON_AUXILIARY_TASKS = ("attainable_utility", "future_task", "relative_reachability")
COMPARED_METHODS = (NOBODY, *FORMULATIONS.names())
ROUNDING = 1e-9


def run(scenario: str, method: str, care: float, key: int) -> Rows:
    """Return the exact optimum under one method: own return, the others' values, their sum."""
    from craftworld.solution.exact_solution import solve
    from craftworld.solution.problem import find_applicable_formulations
    from experiments.catalogue.be_considerate._episodes import make_exact_problem

    indifferent = method == NOBODY
    if not indifferent and method not in find_applicable_formulations(make_exact_problem(scenario).scenario):
        return []
    best, _ = solve(make_exact_problem(scenario, None if indifferent else method), 0.0 if indifferent else care)
    others = dict(best.others)
    listed = ", ".join(f"{name} {value:g}" for name, value in others.items())
    worst = min(others.values())
    return [{"own": best.own, "performance": sum(others.values()), "worst": worst, "others": listed}]


def _find_best(rows: Rows, scenario: str, auxiliary: bool) -> float:
    """Return the largest performance that methods of one family reach in a scenario."""
    family = [row for row in select(rows, scenario=scenario) if row["method"] != NOBODY]
    return max(
        float(row["performance"] or 0)
        for row in family
        if str(row["method"]).startswith(ON_AUXILIARY_TASKS) == auxiliary
    )


def _caring_helps(rows: Rows) -> bool:
    worlds = [str(world) for world in values(rows, "scenario")]
    selfish = {world: numbers(rows, "performance", scenario=world, method=NOBODY)[0] for world in worlds}
    return all(_find_best(rows, world, auxiliary=False) > selfish[world] for world in worlds)


def _own_tasks_are_not_enough(rows: Rows) -> bool:
    worlds = [str(world) for world in values(rows, "scenario")]
    return all(_find_best(rows, world, True) < _find_best(rows, world, False) - ROUNDING for world in worlds)


def _tabulate(rows: Rows) -> Rows:
    return [
        {name: row[name] for name in ("scenario", "method", "care", "own", "performance", "worst")}
        for row in rows
        if row["method"] != NOBODY or row["care"] == rows[0]["care"]
    ]


def _draw(rows: Rows) -> Figure:
    """Own return and the others' welfare at the largest coefficient, a panel per scenario."""
    from experiments.figures.bars import PairOfBars, draw_paired_bars
    from experiments.figures.labels import format_label

    care = max(numbers(rows, "care"))
    panels = {
        f"{format_label(world)}, care {care:g}": [
            PairOfBars(format_label(row["method"]), float(row["own"] or 0), float(row["performance"] or 0))
            for row in select(rows, scenario=world, care=care)
        ]
        for world in values(rows, "scenario")
    }
    labels = "own return", "others' welfare (hidden performance)"
    return draw_paired_bars(panels, labels, "sum of rewards; methods with the same outcome share a bar", FARTHEST)


experiment = Experiment(
    reproduces="Be Considerate, section 5 and appendix B: caring beside methods for avoiding side effects",
    settings={"scenario": COMPARED_SCENARIOS, "method": COMPARED_METHODS, "care": (1.0, 10.0)},
    quick={"scenario": COMPARED_SCENARIOS[:3], "care": (10.0,)},
    run=run,
    claims=(
        Claim("in every scenario some way of caring serves the others better than caring for nobody", _caring_helps),
        Claim("no method that looks only at the agent's own future serves them as well", _own_tasks_are_not_enough),
    ),
    figure=_draw,
    table=_tabulate,
)
