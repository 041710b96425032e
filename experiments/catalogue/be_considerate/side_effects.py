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
IN_A_ROW = 4
NOBODY = "nobody"
ON_AUXILIARY_TASKS = ("attainable_utility", "future_task", "relative_reachability")
COMPARED_METHODS = (NOBODY, *FORMULATIONS.names())
ROUNDING = 1e-9


def run(scenario: str, method: str, care: float, key: int) -> Rows:
    """The exact optimum under one method: own return, the others' values, their sum."""
    from craftworld.others.applicability import applicable_formulations
    from craftworld.solution.solution import solve
    from experiments.catalogue.be_considerate._episodes import problem_of

    indifferent = method == NOBODY
    if not indifferent and method not in applicable_formulations(problem_of(scenario).scenario):
        return []
    best, _ = solve(problem_of(scenario, None if indifferent else method), 0.0 if indifferent else care)
    others = dict(best.others)
    listed = ", ".join(f"{name} {value:g}" for name, value in others.items())
    worst = min(others.values())
    return [{"own": best.own, "performance": sum(others.values()), "worst": worst, "others": listed}]


def _best(rows: Rows, scenario: str, auxiliary: bool) -> float:
    """The largest performance that methods of one family reach in a scenario."""
    family = [row for row in select(rows, scenario=scenario) if row["method"] != NOBODY]
    return max(
        float(row["performance"] or 0)
        for row in family
        if str(row["method"]).startswith(ON_AUXILIARY_TASKS) == auxiliary
    )


def _caring_helps(rows: Rows) -> bool:
    worlds = [str(world) for world in values(rows, "scenario")]
    selfish = {world: numbers(rows, "performance", scenario=world, method=NOBODY)[0] for world in worlds}
    return all(_best(rows, world, auxiliary=False) > selfish[world] for world in worlds)


def _own_tasks_are_not_enough(rows: Rows) -> bool:
    worlds = [str(world) for world in values(rows, "scenario")]
    return all(_best(rows, world, True) < _best(rows, world, False) - ROUNDING for world in worlds)


def _table(rows: Rows) -> Rows:
    return [
        {name: row[name] for name in ("scenario", "method", "care", "own", "performance", "worst")}
        for row in rows
        if row["method"] != NOBODY or row["care"] == rows[0]["care"]
    ]


def _draw(rows: Rows) -> Figure:
    from experiments.figures.style import OTHER, OWN, SOFT, new_figure

    worlds = [str(world) for world in values(rows, "scenario")]
    care = max(number for number in values(rows, "care") if isinstance(number, float))
    across, down = min(len(worlds), IN_A_ROW), -(-len(worlds) // IN_A_ROW)
    figure = new_figure(3.2 * across, 5.0 * down)
    places_of_worlds = figure.subplots(down, across, squeeze=False).ravel()
    for unused in places_of_worlds[len(worlds) :]:
        unused.set_axis_off()
    for axes, world in zip(places_of_worlds, worlds, strict=False):
        shown = select(rows, scenario=world, care=care)
        places = range(len(shown))
        axes.barh(places, [row["own"] for row in shown], 0.38, color=OWN, label="own return")
        welfare = [row["performance"] for row in shown]
        axes.barh([place + 0.4 for place in places], welfare, 0.38, color=OTHER, label="others' welfare")
        axes.set_yticks([place + 0.2 for place in places], [str(row["method"]) for row in shown], fontsize=6)
        axes.set_title(world, loc="left", fontsize=10)
        axes.axvline(0, color=SOFT, linewidth=0.8)
        axes.invert_yaxis()
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize=8, loc="outside lower center", ncols=2)
    return figure


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
    table=_table,
)
