"""What a learner is like while it learns: the posterior of its care over the steps of its training.

Q-learning is trained on the reward with care. At each checkpoint its greedy policy acts in some episodes, with a few
slips, and `identify` is asked by which coefficient it acts. The coefficient that it is trained with is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Claim, Experiment, ResultRow, Rows
from experiments.rows import numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENARIO, FORMULATION, AGENT = "playroom", "expected", "q_learning"
STEPS, EPISODES, LIMIT, SLIPS = 800, 10, 60, 0.1
LEVELS = {"low": 0.05, "middle": 0.5, "high": 0.95}


def run(care: float, seed: int, key: int) -> Rows:
    """Run one training: at each checkpoint the posterior of care, and what is likely instead."""
    from craftworld.identification.behaviour import ObservedWorld, record_behaviour
    from craftworld.identification.identify import Question, compare_hypotheses, count_steps, weigh_hypotheses
    from craftworld.identification.posterior import Prior
    from craftworld.solution.problem import make_problem
    from engine.mdp.policies import epsilon_greedy
    from engine.randomness.counter_based import split
    from experiments.training import prepare

    world = ObservedWorld.make(SCENARIO)
    problem = make_problem(world.scenario, FORMULATION, mdp=world.table)
    prepared = prepare(problem, care, AGENT, STEPS, seed)
    seen = []
    for number, policy in enumerate(prepared.learn(prepared.every * prepared.checkpoints, prepared.every), start=1):
        acting = epsilon_greedy(world.table, policy[: len(world.table.terminal)], SLIPS)
        seen.append(record_behaviour(acting, world, EPISODES, split(key, number) >> 1, limit=LIMIT))
    question, rows = Question(seen, [FORMULATION]), list[ResultRow]()
    for number, behaviour in enumerate(seen, start=1):
        hypotheses = weigh_hypotheses(compare_hypotheses(question, Prior(), count_steps([behaviour])))
        found = {each.name: each for each in hypotheses}
        posterior = found[FORMULATION].posterior
        assert posterior is not None
        quantiles = {name: posterior.find_quantile(0, level) for name, level in LEVELS.items()}
        cares = sum(each.probability for name, each in found.items() if name.startswith(FORMULATION))
        rows.append(
            {"steps": number * prepared.every, **quantiles, "cares": cares, "random": found["random"].probability}
        )
    return rows


def _last(rows: Rows) -> Rows:
    steps = max(numbers(rows, "steps"))
    return select(rows, steps=steps)


def _first(rows: Rows) -> Rows:
    return select(rows, steps=min(numbers(rows, "steps")))


def _is_recovered(rows: Rows) -> bool:
    ends = _last(rows)
    inside = [float(str(row["low"])) <= float(str(row["care"])) <= float(str(row["high"])) for row in ends]
    return sum(inside) >= 0.75 * len(inside)


def _begins_at_random(rows: Rows) -> bool:
    first, last = numbers(_first(rows), "random"), numbers(_last(rows), "random")
    return sum(first) / len(first) > sum(last) / len(last) and max(last) < 0.01


def _draw(rows: Rows) -> Figure:
    """Return the median and the 90 percent interval of care by steps of training, a panel per coefficient."""
    import math

    from experiments.figures.care_line import draw_care_over_steps, mark_care
    from experiments.figures.style import CYCLE, GREY, new_figure

    cares = values(rows, "care")
    figure = new_figure(2.2 * len(cares) + 1.0, 3.2)
    every = figure.subplots(1, len(cares), sharey=True, squeeze=False)[0]
    for axes, care in zip(every, cares, strict=True):
        for colour, seed in zip(CYCLE, values(rows, "seed"), strict=False):
            chosen = select(rows, care=care, seed=seed)
            quantiles = [numbers(chosen, name) for name in LEVELS]
            draw_care_over_steps(axes, numbers(chosen, "steps"), quantiles, colour, f"seed {seed}")
        axes.axhline(math.atan(float(str(care))), color=GREY, linestyle="--", label="trained with")
        axes.set(title=f"trained with care {care}", xlabel="steps of training")
    mark_care(every[0].yaxis)
    every[0].set_ylabel("care, identified")
    handles, labels = every[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


experiment = Experiment(
    reproduces="identify: the care of a learner while it learns",
    settings={"care": (0.0, 1.0, 6.0), "seed": (0, 1, 2, 3)},
    quick={"seed": (0,)},
    run=run,
    claims=(
        Claim("at the end the coefficient of the training lies in the interval in 3 of 4 trainings", _is_recovered),
        Claim(
            "acting at random is likelier at the first checkpoint than at the last, where it is ruled out",
            _begins_at_random,
        ),
    ),
    figure=_draw,
    table=_last,
)
