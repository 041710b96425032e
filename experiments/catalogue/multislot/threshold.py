"""The threshold law of copies and survivors: the copy-centred agent accepts if and only if m R > n r.

Copied to n slots, k steps together at the pay r of home, then m survivors at the pay R.
`multislot.scenarios.threshold` has the offer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Claim, Experiment, Length, Rows
from experiments.figures.style import GREY, OTHER, OWN, TOTAL, new_figure, set_whole_ticks
from experiments.rows import numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure


IN_A_ROW = 4


def run(n: int, k: int, discount: str, pay: str, key: int) -> Rows:
    """Return one row for each number of survivors and horizon."""
    from fractions import Fraction

    from multislot.planning.planner import evaluate
    from multislot.scenarios.threshold import make_threshold_offer

    rows: Rows = []
    for m in range(n + 1):
        environment = make_threshold_offer(n, m, k, Fraction(pay), Fraction(1))
        for horizon in (k, k + 1, k + 5):
            answer = evaluate(environment, "cpy", horizon, Fraction(discount))
            rows.append(
                {
                    "m": m,
                    "horizon": horizon,
                    "accepts": answer.action == "accept",
                    "indifferent": len(answer.ties) == 2,
                    "better": m * Fraction(pay) > n,
                    "even": m * Fraction(pay) == n,
                }
            )
    return rows


def _select_parted(rows: Rows) -> Rows:
    """Return the rows whose horizon reaches past the steps together."""
    return [row for row in select(rows) if int(str(row["horizon"])) > int(str(row["k"]))]


def _find_fewest(rows: Rows) -> Rows:
    """The fewest survivors with which the offer is accepted, by pay and number of copies; "-" where it never is."""
    accepted = [row for row in _select_parted(rows) if row["accepts"]]
    pays, sizes = values(rows, "pay"), values(rows, "n")
    table: Rows = []
    for pay in pays:
        enough = {n: [int(str(row["m"])) for row in accepted if (row["pay"], row["n"]) == (pay, n)] for n in sizes}
        table.append({"pay": pay, **{f"of {n}": min(found) if found else "-" for n, found in enough.items()}})
    return table


def _follows_law(rows: Rows) -> bool:
    return all(row["accepts"] == row["better"] for row in _select_parted(rows))


def _ties_where_even(rows: Rows) -> bool:
    return all(row["indifferent"] == row["even"] for row in _select_parted(rows))


def _ties_where_too_short(rows: Rows) -> bool:
    return all(row["indifferent"] for row in select(rows) if row["horizon"] == row["k"])


def _draw(rows: Rows) -> Figure:
    """Return which offers are accepted, a panel per pay; the line is the law m R = n r."""
    from fractions import Fraction

    pays = values(rows, "pay")
    down, across = -(-len(pays) // IN_A_ROW), min(len(pays), IN_A_ROW)
    figure = new_figure(1.9 * across, 2.3 * down + 0.5)
    every = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    for unused in every[len(pays) :]:
        unused.set_axis_off()
    most = max(numbers(rows, "n"))
    for axes, pay in zip(every, pays, strict=False):
        shown = [row for row in _select_parted(rows) if row["pay"] == pay]
        for label, colour, marker, fits in (
            ("accepts", OWN, "o", lambda row: row["accepts"]),
            ("indifferent", TOTAL, "s", lambda row: row["indifferent"]),
            ("declines", OTHER, "x", lambda row: not row["accepts"] and not row["indifferent"]),
        ):
            points = sorted({(int(str(row["n"])), int(str(row["m"]))) for row in shown if fits(row)})
            axes.plot(*zip(*points, strict=True) if points else ([], []), marker, color=colour, label=label)
        axes.plot([0, most], [0, most / float(Fraction(str(pay)))], "--", color=GREY, label="law: m R = n r")
        axes.set(title=f"R = {pay} r", xlim=(0.5, most + 0.5), ylim=(-0.5, most + 0.5))
        set_whole_ticks(axes, "x", "y")
    for axes in every[len(pays) - across : len(pays)]:  # the lowest of each column
        axes.set_xlabel("copies n (slots)")
        axes.tick_params(labelbottom=True)
    figure.supylabel("survivors m (slots)")
    handles, labels = every[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


experiment = Experiment(
    reproduces="The Multi-slot Framework, section 4.2: the weights of copies and survivors",
    settings={
        "n": (1, 2, 3, 4, 5, 6),
        "k": (1, 2, 3),
        "discount": ("1/4", "1/2", "9/10"),
        "pay": ("1/2", "1", "4/3", "3/2", "2", "3", "6"),
    },
    quick={"n": (1, 2, 3), "k": (1, 2), "discount": ("1/2",), "pay": ("1", "3/2", "3")},
    run=run,
    lengths={"n": Length("copies", without_asking=20), "k": Length("steps together", without_asking=20)},
    claims=(
        Claim("with R against 1 at home, the offer is accepted exactly where m R > n", _follows_law),
        Claim("both actions tie exactly where m R = n", _ties_where_even),
        Claim("while all are together the offer makes no difference", _ties_where_too_short),
    ),
    figure=_draw,
    table=_find_fewest,
)
