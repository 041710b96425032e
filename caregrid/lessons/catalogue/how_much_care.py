"""How much do you care? Ten short games, a posterior that narrows with every move, and the histogram of the class."""

from __future__ import annotations

from caregrid.lessons.care_games import CareGames
from caregrid.lessons.catalogue._craftworld import pose_problem, vary_care
from caregrid.lessons.lesson import Challenge, Lesson, Phase, Prediction, Variant
from caregrid.programmes.caring.comparison import draw_path_comparison
from engine.scene import Scene
from experiments.bench.suites.how_much_care import WORLDS

CARES = (-2.0, 0.0, 3.0)
SCENARIO = "playroom"
FORMULATION = "expected"
ABOUT = {
    "playroom": (
        "Walk onto the doll, carry it to one of the places and put it down. One of five others comes next and wants "
        "to do the same. Agents 2 to 6 enter in the order of the letters, all are as likely, and each step costs "
        "whoever "
        "takes it 1. Where do you leave the doll?"
    ),
    "office_kitchen": (
        "You have eaten and may leave by the door (leave or use). A baker, a tea drinker or a cook comes next, all as "
        "likely: they need the pan scrubbed twice, the kettle filled, the bag brought from the bin to the yard. Chores "
        "cost you steps; whoever finds them undone does them, and dislikes them more than steps."
    ),
    "garden": (
        "Walk to the goal. On leaving the garden towards the goal you upset the gardener, agent 2, who loses 20. A "
        "fence "
        "costs you 50 and keeps everybody out, agent 3 too, who comes after you and may walk through the garden."
    ),
    "kitchen_cookie": (
        "Take what you need from the fridge, warm it on the stove (heat), and leave by the exit. The baker comes next "
        "and has to wait for a stove that is cold, unless you have left it hot, which costs you steps."
    ),
}


def make_variants() -> tuple[Variant, ...]:
    """Return the playroom of somebody who grudges, of somebody who does not care, and of somebody who does."""
    return vary_care(pose_problem(SCENARIO), CARES)


def make_picture() -> Scene:
    """Return what they do, and how each leaves the playroom."""
    return draw_path_comparison([pose_problem(SCENARIO)], CARES)


def make_live() -> tuple[CareGames, ...]:
    """Return the ten games."""
    return (CareGames("ten short games", WORLDS, FORMULATION, ABOUT),)


how_much_care = Lesson(
    number=12,
    name="how_much_care",
    title="How much do you care?",
    question=(
        "So far a number was given, and you saw what follows from it. Now the other way round: somebody watches you in "
        "ten short games. How well can they tell from your moves how much you care?"
    ),
    command="caregrid compare playroom --care=-2,0,3 --out 12-how_much_care.png",
    expected=(
        "After one game a wide interval is left: between two break points every coefficient asks for the same moves. "
        "Each further game has break points elsewhere and cuts the interval again. Somebody who moves at random, or "
        "changes their mind, gets a wide interval or one that no exact agent shares."
    ),
    answer=(
        "An action says something about care only where agents with different coefficients would act differently. One "
        "world asks few such questions. Several worlds that were chosen for it ask many, and what they say multiplies. "
        "The number is relative: to these worlds, to care for the expected return of those who come next, and to a "
        "model in "
        "which slips are rarer the more they cost. Somebody who cares by another rule, or who knows that they are "
        "watched, can look the same."
    ),
    parameter="care",
    make_variants=make_variants,
    make_picture=make_picture,
    source="Bayesian inverse reinforcement learning (Ramachandran and Amir 2007); docs/identify.md states the model.",
    choices=(
        Prediction(
            "One game is enough: either I help or I do not.",
            "One game tells on which side of its break points you are, and no more.",
        ),
        Prediction(
            "Not at all: nobody can look into my head.",
            "Nobody needs to: your moves cost you something, and what you pay for says what it is worth to you.",
        ),
        Prediction(
            "Better with each game, but never to a single number.",
            "Each game has break points of its own; between the nearest two, all coefficients act alike.",
            True,
        ),
    ),
    exercises=(
        "Play the first game. Which interval of care is left, and where do its ends come from?",
        "Play all ten games as somebody who does not care at all. Does the interval hold 0? How wide is it?",
        "Play as somebody who wants to appear to care. Can the posterior tell?",
        (
            "Save your games and run `caregrid identify player.jsonl --formulation=expected`. Which hypothesis is "
            "likeliest, and does its care agree with the page's?"
        ),
        "Open the files of the whole class. Do they form one heap or several? May one compare the numbers of two "
        "people?",
    ),
    key=(
        (
            "In the playroom care has two break points, at −1.154 and 1.667. Somebody who leaves the doll at the "
            "nearer place has a care between them; somebody who carries it to the farther one, nearer to the others, "
            "has 1.667 or more. As moves may be slips, the posterior has no sharp ends: 90 percent of it lie between "
            "−0.978 and 1.34 after the first way."
        ),
        (
            "0 lies at one end of it: a coefficient a little above 0 asks for the same moves in all ten games. About a "
            "twentieth of the line is left."
        ),
        (
            "No. It sees moves, and they are those of somebody who cares. That is why an identified coefficient is "
            "not a motive."
        ),
        (
            "The command compares more hypotheses: with noise, exact agents, own reward only, and at random. The row "
            "`expected` is the page's posterior, with the same interval of care."
        ),
        (
            "Often several heaps, between break points. One may say whose care is larger in these worlds where the "
            "intervals do not overlap; not that one person cares more for others in general."
        ),
    ),
    cells=(
        'playroom = caregrid.problem("playroom")\nplayroom.breakpoints(care_min=-5)',
        (
            "seen = caregrid.record_behaviour(playroom.solve(care=3), playroom, episodes=1)\n"
            'caregrid.identify(seen, formulation="expected").optimal_care'
        ),
    ),
    plan=(
        Phase(5, "Predict; nobody says aloud how much they mean to care."),
        Phase(12, "Each plays the ten games; watch the interval after each, and save."),
        Phase(8, "In pairs: which game cut the interval most, and why that one?"),
        Phase(8, "Together: open all files; the histogram of the class."),
        Phase(7, "Exercises 2 and 3: play a part, and let the neighbour guess which from the posterior."),
        Phase(5, "Back to the prediction: what would it take to know a motive?"),
    ),
    challenge=Challenge(
        "Play the ten games so consistently that the interval is at most a fifth of the line of care.",
        "interval of at most",
        0.2,
    ),
    make_live=make_live,
)
