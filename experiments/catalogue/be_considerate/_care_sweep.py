"""The sweep over craft worlds that a sweep file describes: scenario x formulation x care x agent x seed.

A unit is one row of `craftworld.solution.sweep`: own return, each newcomer's value, total, the optimum's and the
regret. The agent is the exact solution, Q-learning with the protocol of "Be Considerate", appendix C, or another one,
as in `experiments.training`; `steps` are the learner's, 0 meaning as many as it takes (`craftworld.solution.learning`).
A formulation that is left out is the scenario's own, and the column `weighing` says which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from craftworld.formulations import FORMULATIONS
from craftworld.scenarios import SCENARIOS
from experiments.caring_problem import NamedProblem
from experiments.experiment import LEARNING_STEPS, Claim, Experiment, LearnedRuns, ResultRow, Rows, Scalar
from experiments.requests.sweep import TABULAR, compute_care_rows, reaches_optimum
from experiments.rows import group_rows, mean, never_rises, numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CARE_AGENTS = ("exact", "q_learning")
GROUP = ("scenario", "weighing", "agent")
HEADING = ("scenario", "formulation", "method", "seed", "care")


def finds_optimum(row: ResultRow) -> bool | None:
    """Return whether a learned row is optimal; None for an exact one."""
    return None if row["agent"] == "exact" else reaches_optimum(row)


LEARNED = LearnedRuns(finds_optimum, by=("agent",))


def run(scenario: str, formulation: str | None, care: float, agent: str, steps: int, seed: int, key: int) -> Rows:
    """Compute one coefficient, exactly or learned from the seed's own random numbers, which all coefficients share."""
    problem = NamedProblem(scenario, formulation)
    exact = agent == "exact"
    learner = TABULAR if exact else agent
    [row] = compute_care_rows(problem, [care], None if exact else seed, steps or None, agent=learner)
    rest = {name: value for name, value in row.items() if name not in HEADING}
    return [{"weighing": row["formulation"], **rest}]


def _list_groups(rows: Rows) -> list[dict[str, Scalar]]:
    """Return every combination of scenario, weighing and agent that rows hold."""
    found = dict.fromkeys(tuple(row[name] for name in GROUP) for row in rows)
    return [dict(zip(GROUP, group, strict=True)) for group in found]


def _tabulate(rows: Rows) -> Rows:
    """Means over seeds."""
    return [
        {**group, "care": care}
        | {column: mean(part[care], column) for column in ("own", "total", "regret")}
        | {"seeds": len(part[care])}
        for group in _list_groups(rows)
        for part in [group_rows(select(rows, **group), "care")]
        for care in sorted(number for number in part if isinstance(number, float))
    ]


def _own_never_rises(rows: Rows) -> bool:
    """Along care from 0 on, for the exact solution of every world and formulation: harming others costs too."""
    caring = [row for row in select(rows, agent="exact") if isinstance(row["care"], float) and row["care"] >= 0]
    table = select(_tabulate(select(caring)))
    groups = _list_groups(table)
    return all(never_rises([float(row["own"] or 0) for row in select(table, **group)], 1e-9) for group in groups)


def _draw(rows: Rows) -> Figure:
    """Own return and the total of each world, weighing and agent against care, means over seeds."""
    from experiments.figures.curves import Curve, draw_curves
    from experiments.figures.labels import format_label
    from experiments.figures.style import new_figure

    table = _tabulate(rows)
    worlds = list(dict.fromkeys((row["scenario"], row["weighing"]) for row in table))
    figure = new_figure(height=2.8 * len(worlds))
    for axes, (scenario, weighing) in zip(figure.subplots(len(worlds), squeeze=False)[:, 0], worlds, strict=True):
        of_world = select(table, scenario=scenario, weighing=weighing)
        seeds = max(int(number) for number in numbers(of_world, "seeds"))
        over = "" if seeds == 1 else f", means over {seeds} seeds"
        axes.set_title(f"{format_label(scenario)}, {format_label(weighing)}{over}")
        axes.set_xlabel("caring coefficient")
        axes.set_ylabel("return (sum of rewards)")
        curves = {}
        for agent in values(of_world, "agent"):
            for column, label in (("own", "own return"), ("total", "total")):
                shown = select(of_world, agent=agent)
                curves[f"{label}, {format_label(agent)}"] = Curve(numbers(shown, "care"), numbers(shown, column))
        draw_curves(axes, curves, steps=True)
    return figure


caring_sweep = Experiment(
    reproduces="Be Considerate, section 4.1, on any scenario",
    settings={
        "scenario": SCENARIOS.names(),
        "formulation": (None, *FORMULATIONS.names()),
        "care": (0.0,),
        "agent": CARE_AGENTS,
        "steps": (0,),
        "seed": (0,),
    },
    run=run,
    lengths={"steps": LEARNING_STEPS},
    version=5,
    claims=(Claim("from care 0 on the optimum's own return never rises with care", _own_never_rises, needs={}),),
    learned=LearnedRuns(finds_optimum, by=("scenario", "weighing", "agent")),
    figure=_draw,
    table=_tabulate,
    name="caring_sweep",
)
