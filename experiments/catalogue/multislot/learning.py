"""What an agent learns from its history about the world that copies it: one or many, the universal world or a coin.

    w_nu(h) proportional to w_nu L_nu(h)

Two classes of two worlds, of equal prior weight, in which the agent observes 0 for t steps.

- one or many: alone, or copied onto two slots at every step, where all observe 0. With `exists` nothing is learned, for
  somebody sees 0^t in either world. With `count` the crowded world weighs 2^t : 1, for it has 2^t such agents.
- universal or coin: the universal environment, or a fair coin. With `exists` and `count` the universal environment has
  a constant weight, L(0^t) = 1 as for every other string, while the coin's is 2^-t. With `path`, which follows one
  copy, both are 2^-t.

In the first class the agent may bet: on "one" it wins 1 where it is alone, on "many" 2/3 where it is not. Who learns by
`exists` is wary and bets on "one" for ever; who learns by `count` trusts in the crowd after one step.

Reference: The Multi-slot Framework, section 5 (constant weight) and Eq. 2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from experiments.experiment import Claim, Experiment, Length, Rows
from experiments.rows import numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multislot.learning import Mixture

ONE_OR_MANY, UNIVERSAL_OR_COIN = "one or many", "universal or coin"
SECOND = {ONE_OR_MANY: "many copies", UNIVERSAL_OR_COIN: "the universal world"}
"""The world whose weight is shown."""


def make_class(name: str, likelihood: str) -> Mixture:
    """Return the two worlds of a class; the second one is that of `SECOND`."""
    from multislot.learning import Mixture
    from multislot.likelihoods import find_likelihood
    from multislot.scenarios import slot_scenario

    if name == ONE_OR_MANY:
        worlds = (_make_betting_world(1), _make_betting_world(2))
    else:
        worlds = (slot_scenario("coin_flip").environment, slot_scenario("universal").environment)
    return Mixture(worlds, (Fraction(1, 2), Fraction(1, 2)), find_likelihood(likelihood))


def _make_betting_world(copies: int) -> Any:
    """Return a world that makes so many copies of everybody at every step, and takes bets on how many."""
    from multislot.worlds.environment import CopyOutcome, HistoryBasedEnvironment, HistoryState

    class BettingWorld(HistoryBasedEnvironment):
        name = "alone" if copies == 1 else "crowded"
        actions = ("wait", "one", "many")
        initial = (1,)
        rewards = {0: Fraction(0), "right about one": Fraction(1), "right about many": Fraction(2, 3)}  # noqa: RUF012

        def start(self) -> int:
            return 0

        def update(self, state: HistoryState, action: Any, observation: Any) -> HistoryState:
            return state

        def law(self, state: HistoryState, slot: int, action: Any) -> tuple[CopyOutcome, ...]:
            right = {"one": copies == 1, "many": copies > 1}.get(action, False)
            seen = f"right about {action}" if right else 0
            return (CopyOutcome(Fraction(1), dict.fromkeys(range(copies * (slot - 1) + 1, copies * slot + 1), seen)),)

    return BettingWorld()


def run(worlds: str, likelihood: str, steps: int, key: int) -> Rows:
    """Return the weight of the second world after every number of steps, and the action taken then."""
    from multislot.planning.planner import evaluate

    mixture = make_class(worlds, likelihood)
    first = mixture.actions[0]
    rows: Rows = []
    for t in range(steps + 1):
        history = ((first, 0),) * t
        weight = mixture.posterior(history)[1]
        answer = evaluate(mixture, "cpy", 1, Fraction(1, 2), history=history)
        rows.append({"t": t, "weight": float(weight), "exact": str(weight), "action": str(answer.action)})
    return rows


def _list_weights(rows: Rows, worlds: str, likelihood: str) -> list[Fraction]:
    return [Fraction(str(row["exact"])) for row in select(rows, worlds=worlds, likelihood=likelihood)]


def _list_actions(rows: Rows, likelihood: str) -> list[str]:
    return [str(row["action"]) for row in select(rows, worlds=ONE_OR_MANY, likelihood=likelihood)]


def _counts_double(rows: Rows) -> bool:
    found = _list_weights(rows, ONE_OR_MANY, "count")
    return found == [Fraction(2**t, 2**t + 1) for t in range(len(found))]


def _existence_says_nothing(rows: Rows) -> bool:
    return set(_list_weights(rows, ONE_OR_MANY, "exists")) == {Fraction(1, 2)}


def _has_constant_weight(rows: Rows) -> bool:
    return all(
        _list_weights(rows, UNIVERSAL_OR_COIN, likelihood)
        == [Fraction(2**t, 2**t + 1) for t in range(len(_list_weights(rows, UNIVERSAL_OR_COIN, likelihood)))]
        for likelihood in ("exists", "count")
    )


def _a_path_tells_nothing(rows: Rows) -> bool:
    return set(_list_weights(rows, UNIVERSAL_OR_COIN, "path")) == {Fraction(1, 2)}


def _wary_and_trusting(rows: Rows) -> bool:
    trusting = _list_actions(rows, "count")
    return set(_list_actions(rows, "exists")) == {"one"} and trusting == ["one", *["many"] * (len(trusting) - 1)]


def _tabulate(rows: Rows) -> Rows:
    """Return the last row of each class and likelihood."""
    pairs = [(worlds, likelihood) for worlds in values(rows, "worlds") for likelihood in values(rows, "likelihood")]
    last = [select(rows, worlds=worlds, likelihood=likelihood)[-1] for worlds, likelihood in pairs]
    return [{name: row[name] for name in ("worlds", "likelihood", "t", "exact", "action")} for row in last]


def _draw(rows: Rows) -> Figure:
    """Return the weight of the second world by step: a panel per class, a curve per likelihood."""
    from experiments.figures.curves import Curve, draw_curves
    from experiments.figures.labels import format_label
    from experiments.figures.style import new_figure, set_whole_ticks

    shown = values(rows, "worlds")
    figure = new_figure(3.2 * len(shown), 2.8)
    for axes, worlds in zip(figure.subplots(1, len(shown), sharey=True, squeeze=False)[0], shown, strict=True):
        curves = {}
        for likelihood in values(rows, "likelihood"):
            of_likelihood = select(rows, worlds=worlds, likelihood=likelihood)
            curves[format_label(likelihood)] = Curve(numbers(of_likelihood, "t"), numbers(of_likelihood, "weight"))
        last = max(numbers(rows, "t"))
        axes.set(title=format_label(worlds), xlabel="steps t", xlim=(-0.3, last + 0.3), ylim=(-0.03, 1.03))
        draw_curves(axes, curves)
        axes.set_ylabel(f"weight of {SECOND[str(worlds)]}")
        set_whole_ticks(axes, "x")
    return figure


experiment = Experiment(
    reproduces="The Multi-slot Framework, section 5: constant weight, and what a class teaches",
    settings={
        "worlds": (ONE_OR_MANY, UNIVERSAL_OR_COIN),
        "likelihood": ("exists", "count", "path", "possible", "prior"),
        "steps": (8,),
    },
    quick={"likelihood": ("exists", "count", "path"), "steps": (4,)},
    run=run,
    lengths={"steps": Length("steps", without_asking=12)},
    claims=(
        Claim("by count the crowded world weighs 2^t to 1", _counts_double),
        Claim("that somebody exists who sees it says nothing about the crowd", _existence_says_nothing),
        Claim(
            "the universal environment keeps its weight while the coin loses half at every step", _has_constant_weight
        ),
        Claim("along one path of copies the universal environment is the coin", _a_path_tells_nothing),
        Claim("who learns by existence is wary, who learns by count trusts in the crowd", _wary_and_trusting),
    ),
    figure=_draw,
    table=_tabulate,
)
