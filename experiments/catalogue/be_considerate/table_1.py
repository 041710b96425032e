"""Both agents at once in the shared workshop, exactly and learned: selfish, considerate, and patient (Eq 6).

Each coefficient is learned ten times, as in the paper (appendix C). Its three rows belong to three ranges of care; the
break points themselves are computed, by `caregrid breakpoints workshop_shared`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.be_considerate import _care_sweep as caring
from experiments.experiment import LEARNING_STEPS, Claim, Experiment, Published, Rows
from experiments.rows import numbers, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPETITIONS = tuple(range(10))
BREAK_POINTS = (1 / 90, 1.0)
RANGES = {"[0, 1/90)": (0.0, 0.01), "(1/90, 1)": (0.02, 0.5, 0.9), "above 1": (1.5, 10.0, 1000.0)}
PRINTED = {
    "[0, 1/90)": (-24.0, -123.0, -147.0),
    "(1/90, 1)": (-25.0, -33.0, -58.0),
    "above 1": (-33.0, -25.0, -58.0),
}
AGENTS = ("own", "second agent")
COLUMNS = (*AGENTS, "sum of both")


def run(care: float, agent: str, steps: int, seed: int, key: int) -> Rows:
    """Both agents' returns at one coefficient, and the exact break points."""
    from craftworld.solution.exact_solution import FROM_ZERO, find_break_points
    from experiments.catalogue.be_considerate._episodes import make_exact_problem

    points = find_break_points(make_exact_problem("workshop_shared"), FROM_ZERO)
    broken = " ".join(repr(point) for point in points)
    [row] = caring.run("workshop_shared", None, care, agent, steps, seed, key)
    return [{**row, "break_points": broken}]


def _add_sum(rows: Rows) -> Rows:
    """Return the rows with the sum of both agents' returns, which the paper calls the total."""
    return [{**row, COLUMNS[-1]: sum(float(row[column] or 0) for column in AGENTS)} for row in rows]


def _read_returns(rows: Rows, column: str, agent: str, care: float) -> list[float]:
    """Return one return for each repetition."""
    return numbers(_add_sum(rows), column, agent=agent, care=care)


def _agree(rows: Rows, agent: str) -> bool:
    return all(
        {number for care in cares for number in _read_returns(rows, column, agent, care)} == {printed}
        for name, cares in RANGES.items()
        for column, printed in zip(COLUMNS, PRINTED[name], strict=True)
    )


def _breaks_as_printed(rows: Rows) -> bool:
    found = [tuple(map(float, str(points).split())) for points in values(rows, "break_points")]
    near = [abs(a - b) < 1e-9 for points in found for a, b in zip(points, BREAK_POINTS, strict=False)]
    return all(near) and all(len(points) == len(BREAK_POINTS) for points in found)


def _tabulate(rows: Rows) -> Rows:
    """Return a row for each range and agent: the mean over the repetitions, its lowest and its highest."""
    return [
        {"care": name, "agent": agent, "seeds": len(_read_returns(rows, "own", str(agent), cares[0]))}
        | {column: _describe_range(_read_returns(rows, column, str(agent), cares[0])) for column in COLUMNS}
        for name, cares in RANGES.items()
        for agent in values(rows, "agent")
    ]


def _describe_range(returns: list[float]) -> float | str:
    """Return the number where all are the same; else mean and range."""
    low, high = min(returns), max(returns)
    return low if low == high else f"{sum(returns) / len(returns):g} ({low:g} to {high:g})"


def _draw(rows: Rows) -> Figure:
    """Both agents' returns against care, with the printed ones in the middle of their ranges."""
    from experiments.figures.trade_off import draw_trade_off

    heading = {"scenario": "workshop_shared", "formulation": "simultaneous"}
    sweep = [{**heading, **row, "method": row["agent"], "total": row[COLUMNS[-1]]} for row in _add_sum(rows)]
    printed = [(cares[len(cares) // 2], number) for name, cares in RANGES.items() for number in PRINTED[name]]
    breaks = sorted({float(point) for points in values(rows, "break_points") for point in str(points).split()})
    return draw_trade_off(sweep, ["second agent"], breaks, 0.01, title="shared workshop", printed=printed)


experiment = Experiment(
    reproduces="Be Considerate, Table 1",
    settings={
        "care": tuple(care for cares in RANGES.values() for care in cares),
        "agent": caring.CARE_AGENTS,
        "steps": (10_000_000,),
        "seed": REPETITIONS,
    },
    quick={"seed": REPETITIONS[:1]},
    run=run,
    lengths={"steps": LEARNING_STEPS},
    version=3,
    claims=(
        Claim("the exact solution gives the printed returns in every range", lambda rows: _agree(rows, "exact")),
        Claim("so does Q-learning", lambda rows: _agree(rows, "q_learning")),
        Claim("the policy changes at 1/90 and at 1, and nowhere else", _breaks_as_printed),
    ),
    published=tuple(
        Published(
            f"{column}, care in {name}",
            printed,
            lambda rows, column=column, cares=RANGES[name]: _read_returns(rows, column, "exact", cares[0])[0],  # type: ignore[misc]
        )
        for name, returns in PRINTED.items()
        for column, printed in zip(COLUMNS, returns, strict=True)
    ),
    learned=caring.LEARNED,
    figure=_draw,
    table=_tabulate,
)
