"""Whom to care for: the playroom of "Be Considerate", Figure 2(c), under three formulations."""

from __future__ import annotations

from functools import partial

from caregrid.lessons.catalogue._craftworld import make_live_problem, pose_problem
from caregrid.lessons.lesson import Challenge, Lesson, LiveProblem, Phase, Prediction, Variant
from caregrid.programmes.caring.comparison import draw_path_comparison, film_solutions, summarise_outcome
from craftworld.solution.exact_solution import solve
from engine.scene import Scene

SCENARIO = "playroom"
CARE = 10.0
COMPARED_FORMULATIONS = ("expected", "worst_case", "no_worse_off")


def make_variants() -> tuple[Variant, ...]:
    """Return the same care, three ideas of how others count."""
    return tuple(_make_variant(name) for name in COMPARED_FORMULATIONS)


def make_picture() -> Scene:
    """Return a panel per formulation."""
    return draw_path_comparison([pose_problem(SCENARIO, name) for name in COMPARED_FORMULATIONS], [CARE])


def _make_variant(name: str) -> Variant:
    problem = pose_problem(SCENARIO, name)
    outcome, _ = solve(problem, CARE)
    values = outcome.others.values()
    summary = f"{summarise_outcome(problem, CARE)}: mean {sum(values) / len(values):g}, worst {min(values):g}"
    return Variant(name.replace("_", " "), partial(film_solutions, problem, [CARE]), summary)


def make_live() -> tuple[LiveProblem, ...]:
    """Return the playroom under each formulation."""
    return tuple(make_live_problem(name.replace("_", " "), SCENARIO, name) for name in COMPARED_FORMULATIONS)


whom = Lesson(
    number=2,
    name="whom",
    title="Whom to care for?",
    question=(
        "Five children may come to play with the doll, from several sides, and nobody knows which. Where "
        "should the first child leave it?"
    ),
    command="caregrid compare playroom --care 10 --formulation expected,worst_case,no_worse_off --out 2-whom.png",
    expected=(
        "Expected: the doll goes where most children are near, and the one far away pays. Worst case: it "
        "goes where the farthest child has the shortest way. No worse off: it stays where it was found, "
        "because moving it would make somebody's way longer than it had been."
    ),
    answer=(
        "Caring for others can mean different things. A mean serves most people, a minimum serves the one who is "
        "worst off, and a baseline promises that nobody is worse off because the agent was there. All three care "
        "equally much (the coefficient is the same), and each is optimal by its own measure. Which one an agent "
        "should have is a question for people."
    ),
    parameter="formulation",
    make_variants=make_variants,
    make_picture=make_picture,
    source='"Be Considerate", Equations 1 to 3 and Figure 2(c); try `caregrid view playroom --care 10` and press f.',
    choices=(
        Prediction(
            "At the place that is nearest to all of them together.",
            "That is the mean, one of three answers: look at how long the way of the child far away becomes.",
        ),
        Prediction(
            "It depends on what caring for them means: the mean, the worst off, or nobody worse off than before.",
            "All three care equally much, and each puts the doll somewhere else.",
            True,
        ),
        Prediction(
            "Where it was found; anything else is unfair to somebody.",
            "That is one formulation, no worse off. It costs the four others three steps each.",
        ),
    ),
    exercises=(
        (
            "For each of the three worlds, write down every child's return at care 10. Which has the best"
            " mean, which the best minimum?"
        ),
        "Find the break points of `expected` and of `worst_case`. Why does one of them leave its first place later?",
        (
            "Is there a formulation of your own? Write one in a line (tutorial add_your_own.md has an example) and"
            " try `caregrid sweep playroom --formulation my_formulation:best_case`."
        ),
    ),
    key=(
        (
            "Expected: four times −2 and −5. Worst case: four times −4 and −3. No worse off: four times −5 "
            "and −2. The first has the best mean (−2.6), the second the best minimum (−4)."
        ),
        (
            "5/3 and 1. A step of the agent brings four children one step nearer and takes one child a step "
            "further away. The minimum rises by 1, the mean by 0.6 only, so the mean pays from 1/0.6 on."
        ),
        (
            "A formulation makes one number of the others' values. Ask what it does for the child far away, "
            "and whether a step of the agent can raise it at all: the best case is −2 from the beginning."
        ),
    ),
    cells=(
        (
            'for name in ("expected", "worst_case", "no_worse_off"):\n    outcome = '
            'caregrid.problem("playroom", name).solve(10.0).outcome\n    print(name, outcome.own, '
            "dict(outcome.others))"
        ),
        'caregrid.problem("playroom", "worst_case").breakpoints()',
    ),
    plan=(
        Phase(5, "The playroom on the board; everybody marks a cell for the doll and writes a prediction."),
        Phase(5, "Count the cells that were marked; collect reasons without judging them."),
        Phase(12, "In groups of three, one formulation each: returns of all five children at care 10, on the board."),
        Phase(8, "Together: who gains, who loses, by which measure is each best?"),
        Phase(10, "Exercise 2, then exercise 3 as a sentence; those who can, as code."),
        Phase(5, "Which of the three should a robot in a kindergarten have, and who decides?"),
    ),
    challenge=Challenge(
        "Walk a path that is optimal at care 2 for the expected value, without looking at it.", "walk optimal at", 2.0
    ),
    make_live=make_live,
)
