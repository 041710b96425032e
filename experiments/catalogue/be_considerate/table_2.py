"""What the paper's experiments cost: its training steps, by our learner, and the seconds that they take here.

Seconds are measured with all the paper's steps (appendix C, Table 2) on one core, compilation being over; where the
paper learned many coefficients, `measured` of them are, and their seconds are scaled. The paper's machine was an AMD
Threadripper 2990WX.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from experiments.experiment import Claim, Experiment, NotEnoughRows, Published, ResultRow, Rows
from experiments.rows import only

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Protocol(NamedTuple):
    """A line of the paper's table: the world, how it is learned, and the seconds that were printed."""

    scenario: str
    formulation: str | None
    cares: tuple[float, ...]
    coefficients: int
    exploration: float
    acting_steps: int
    other_steps: int
    seconds: float


PROTOCOLS = {
    "Figure 1(b)": Protocol(
        "workshop", "expected", tuple(step / 3 for step in range(21)), 700, 0.5, 700_000, 400_000, 9332.86
    ),
    "Figure 2(a), 2(b)": Protocol("garden", None, (0.0, 1.0, 10.0), 3, 0.2, 200_000, 300_000, 14.02),
    "Figure 2(c)": Protocol("playroom", "expected", (0.0, 1.0, 10.0), 3, 0.2, 200_000, 900_000, 23.16),
    "Figure 3": Protocol("mailroom", None, (1.0, 5.0, 25.0), 3, 0.2, 200_000, 0, 9.30),
    "Table 1": Protocol("workshop_shared", None, (0.005, 0.5, 2.0), 3, 0.0, 10_000_000, 0, 104.67),
}
PRINTED_ELSEWHERE = "printed in the paper, other machine"
WARM_UP_STEPS = 1_000


def run(line: str, key: int) -> Rows:
    """Learn with the paper's steps, and time it."""
    from craftworld.scenario_maker import make_scenario
    from craftworld.scenarios import SCENARIOS
    from craftworld.solution.learning import Learning
    from craftworld.solution.problem import make_problem
    from craftworld.solution.sweep import sweep_by_learning
    from engine.learning.q_learning import QLearningSettings

    protocol = PROTOCOLS[line]
    problem = make_problem(make_scenario(SCENARIOS[protocol.scenario]), protocol.formulation)

    def learn(acting: int, others: int) -> float:
        started = time.perf_counter()
        sweep_by_learning(
            problem,
            protocol.cares,
            [0],
            acting=Learning(QLearningSettings(steps=acting, epsilon=protocol.exploration), exact=True),
            newcomers=Learning(QLearningSettings(steps=others, epsilon=protocol.exploration), exact=True)
            if others
            else None,
        )
        return time.perf_counter() - started

    learn(WARM_UP_STEPS, min(WARM_UP_STEPS, protocol.other_steps))
    before = learn(1, protocol.other_steps)
    acting = learn(protocol.acting_steps, protocol.other_steps) - before
    seconds = before + acting * protocol.coefficients / len(protocol.cares)
    row: ResultRow = {"exploration": protocol.exploration, "coefficients": protocol.coefficients}
    row |= {"acting_steps": protocol.acting_steps, "other_steps": protocol.other_steps}
    return [{**row, "measured": len(protocol.cares), "seconds": seconds}]


def _read_seconds(line: str, rows: Rows) -> float:
    return float(only(rows, line=line)["seconds"] or 0)


def _is_quicker(rows: Rows) -> bool:
    if len(rows) < len(PROTOCOLS):
        raise NotEnoughRows("some lines are missing")
    return all(_read_seconds(line, rows) < protocol.seconds for line, protocol in PROTOCOLS.items())


def _tabulate(rows: Rows) -> Rows:
    return [
        {**row, "paper_seconds": PROTOCOLS[str(row["line"])].seconds}
        | {"ratio": PROTOCOLS[str(row["line"])].seconds / float(row["seconds"] or 1)}
        for row in rows
    ]


def _draw(rows: Rows) -> Figure:
    """Seconds here beside those printed, a line of the table each."""
    from experiments.figures.style import GREY, OWN, mark_printed, new_figure

    lines = [str(row["line"]) for row in rows]
    figure = new_figure(6.0, 0.9 + 0.35 * len(lines))
    axes = figure.subplots()
    axes.set_xscale("log")
    for place, line in enumerate(lines):
        ours = _read_seconds(line, rows)
        printed = PROTOCOLS[line].seconds
        axes.plot([ours, printed], [place, place], color=GREY, linewidth=0.8, zorder=0)
        axes.plot(ours, place, "o", color=OWN, label="here, on one core" if place == 0 else None)
        axes.annotate(
            f"{printed / ours:.0f} times as fast",
            ((ours * printed) ** 0.5, place),
            (0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=GREY,
        )
    mark_printed(axes, [(PROTOCOLS[line].seconds, place) for place, line in enumerate(lines)], PRINTED_ELSEWHERE)
    axes.set_yticks(range(len(lines)), [f"{line}, {PROTOCOLS[line].coefficients} coefficients" for line in lines])
    axes.invert_yaxis()
    axes.margins(y=0.15)
    axes.set_xlabel("time for all training steps (seconds, logarithmic)")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


experiment = Experiment(
    reproduces="Be Considerate, Table 2 (cost)",
    settings={"line": tuple(PROTOCOLS)},
    run=run,
    claims=(Claim("every line of the table takes less time than printed, on one core", _is_quicker),),
    published=tuple(
        Published(f"seconds, {line}", protocol.seconds, lambda rows, line=line: _read_seconds(line, rows))  # type: ignore[misc]
        for line, protocol in PROTOCOLS.items()
    ),
    figure=_draw,
    table=_tabulate,
    repeatable=False,
)
