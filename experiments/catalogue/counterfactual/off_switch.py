"""The off-switch game: how often may the human err before the robot stops waiting? Exact, for every belief.

The value of each action is linear in the human's error probability, so two plans give the lines and their crossings the
break points: `waits_below`, the error from which on waiting is not the best action any more.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from experiments.catalogue.counterfactual._worlds import make_exact_world
from experiments.experiment import Claim, Experiment, Rows
from experiments.figures.curves import choose_look
from experiments.figures.style import Look, new_figure
from experiments.rows import numbers, select

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from counterfactual.worlds import TerminalWorld

BELIEFS = tuple(step / 20 for step in range(21))
FINE = 200  # parts of the lines in the figure
LOSSES = (0.5, 1.0, 2.0)


def make_world(belief: float, bad: float, human_error: int = 0) -> TerminalWorld[Any]:
    """Return the game with a belief in a good plan, a loss by a bad one, and a human who never or always errs."""
    return make_exact_world("off-switch", belief=belief, bad=bad, human_error=human_error)


def run(belief: float, bad: float, key: int) -> Rows:
    """Set one belief in a good plan, which gains 1, against a loss by a bad one."""
    lines = {action: _find_line(belief, bad, action) for action in "aws"}
    others = [lines[action] for action in "as"]
    waits_below = min(_find_crossing(lines["w"], line) for line in others)
    lead = lines["w"][0] - max(line[0] for line in others)
    return [
        {
            "act": float(lines["a"][0]),
            "waits_below": float(waits_below),
            "exact": str(waits_below),
            "worth": max(float(lead), 0.0),
        }
    ]


def _find_line(belief: float, bad: float, action: str) -> tuple[Fraction, Fraction]:
    """Return an action's value without errors, and what it changes by when all decisions are wrong."""
    from counterfactual.agents.factual_and_counterfactual import itf
    from counterfactual.planning.plan import Plan

    values = []
    for error in (0, 1):
        game = make_world(belief, bad, error)
        planned = itf(game, 0)
        plan = Plan(planned, 1, planned.state(game.start(), 0))
        values.append(plan.action_value(1, 0, game.actions.index(action)))
    return values[0], values[1] - values[0]


def _find_crossing(wait: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction]) -> Fraction:
    """Return the least error in [0, 1] from which on waiting is worth no more than the other action."""
    lead, slope = wait[0] - other[0], wait[1] - other[1]
    if lead <= 0:
        return Fraction(0)
    return min(Fraction(1), -lead / slope) if slope < 0 else Fraction(1)


def _list_unsure(rows: Rows) -> list[float]:
    return sorted({belief for belief in numbers(select(rows), "belief") if 0 < belief < 1})


def _follows_closed_form(rows: Rows) -> bool:
    """min of both crossings: P(bad) u_bad / total against acting, P(good) / total against switching off."""
    for row in select(rows):
        good, bad = Fraction(str(row["belief"])), (1 - Fraction(str(row["belief"]))) * Fraction(str(row["bad"]))
        if Fraction(str(row["exact"])) != min(good, bad) / (good + bad):
            return False
    return True


def _draw(rows: Rows) -> Figure:
    """Marks are computed, lines the closed form of `_follows_closed_form`."""
    figure = new_figure(6.0, 3.2)
    axes = figure.subplots()
    axes.set(
        xlabel="belief that the plan is good (probability)",
        ylabel="human error up to which\nthe robot waits (probability)",
    )
    axes.set_title("A robot sure of itself waits for nobody (lines: closed form)")
    for number, bad in enumerate(LOSSES):
        colour, marker, dashes = choose_look(number)
        shown = [row for row in rows if row["bad"] == bad]
        if shown:
            beliefs = [step / FINE for step in range(FINE + 1)]
            closed = [min(good, (1 - good) * bad) / (good + (1 - good) * bad) for good in beliefs]
            axes.plot(beliefs, closed, linestyle=dashes, color=colour)
            look: Look = {"marker": marker, "markerfacecolor": "none", "color": colour}
            axes.plot(numbers(shown, "belief"), numbers(shown, "waits_below"), linestyle="none", **look)
            axes.plot([], [], linestyle=dashes, label=f"a bad plan loses {bad:g}", **look)
    figure.legend(loc="outside lower center", ncols=3)
    return figure


experiment = Experiment(
    reproduces="The off-switch game (Hadfield-Menell et al., 2017), human errors and beliefs",
    settings={"belief": BELIEFS, "bad": LOSSES},
    quick={"belief": (0.0, 0.25, 0.5, 0.75, 1.0)},
    run=run,
    prepare=make_world,
    claims=(
        Claim(
            "a robot that is sure of its plan has nothing to gain by waiting",
            lambda rows: all(row["worth"] == 0 for sure in (0.0, 1.0) for row in select(rows, belief=sure)),
        ),
        Claim(
            "an unsure one waits for a human who does not err",
            lambda rows: all(min(numbers(select(rows, belief=unsure), "worth")) > 0 for unsure in _list_unsure(rows)),
        ),
        Claim("it waits up to the error of the closed form, exactly", _follows_closed_form),
    ),
    figure=_draw,
)
