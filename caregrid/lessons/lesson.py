"""A lesson: a question, one command, something to see, an answer, and one film for each value of a parameter.

For a class it also has choices to predict from, exercises, a plan of 45 minutes, and live worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from caregrid.lessons.number_lines import LiveSweep
from caregrid.programmes.extended.lesson_answers import CopyGame
from craftworld.scenario import Scenario
from craftworld.solution.problem import Problem
from engine.contracts import refuse, require_instance, require_parameters
from engine.errors import ContractBroken
from engine.grid import GridMap
from engine.printable import show_value
from engine.scene import Film, Scene, scene_fault
from engine.user_code import describe_place, user_code

MINUTES = 45
FIELDS: dict[str, dict[str, tuple[type, str]]] = {
    "choices": {"text": (str, "a text"), "feedback": (str, "a text"), "right": (bool, "true or false")},
    "plan": {"minutes": (int, "a whole number"), "activity": (str, "a text")},
}


class Prediction(NamedTuple):
    """An answer to choose before anything is shown, and what is said to whoever chose it. right: whether it is so."""

    text: str
    feedback: str
    right: bool = False


class Phase(NamedTuple):
    """A part of a lesson: how many minutes, and what the class does."""

    minutes: int
    activity: str


class LiveProblem(NamedTuple):
    """A problem that the page shows live. label: its name among several. make: the scenario on a map drawn there.

    axes: two agents whose coefficients span a map of regions, or none.
    """

    label: str
    problem: Problem
    make: Callable[[GridMap], Scenario] | None = None
    axes: tuple[str, ...] = ()


Live = LiveProblem | LiveSweep | CopyGame
"""What the page shows live: a problem at every care, an answer at every value of a quantity, a game."""


def check_classroom(lesson: Any, place: str) -> None:
    """ContractBroken where choices, exercises or the plan are of another kind, or contradict themselves."""
    choices = lesson.choices
    exercises = lesson.exercises
    plan = lesson.plan
    given_parts = (
        ("choices", choices, Prediction),
        ("exercises", exercises, str),
        ("cells", lesson.cells, str),
        ("plan", plan, Phase),
    )
    for name, given, kind in given_parts:
        if not isinstance(given, tuple) or not all(isinstance(each, kind) for each in given):
            raise ContractBroken(
                f"{name} is {show_value(given)}"[:80], place=place, remedy=f"expected a tuple of {kind.__name__}"
            )
    for name, part in [*(("choices", choice) for choice in choices), *(("plan", phase) for phase in plan)]:
        for field, (expected, wanted) in FIELDS[name].items():
            if type(value := getattr(part, field)) is not expected:
                problem = f"{name}: {field} is {show_value(value)}"
                raise ContractBroken(problem, place=place, remedy=f"expected {wanted}")
    if choices and (len(choices) < 2 or sum(choice.right for choice in choices) != 1):
        raise ContractBroken(f"{len(choices)} choices", place=place, remedy="give several, of which one is right")
    if not all(text for choice in choices for text in choice[:2]):
        raise ContractBroken("a choice without text or feedback", place=place, remedy="say something to each")
    if plan and sum(phase.minutes for phase in plan) != MINUTES:
        minutes = sum(phase.minutes for phase in plan)
        raise ContractBroken(f"a plan of {minutes} minutes", place=place, remedy=f"plan {MINUTES} minutes")
    if lesson.make_live is not None and not callable(lesson.make_live):
        raise ContractBroken("make_live is not a function", place=place, remedy="expected a function without arguments")


PICTURE_TILE = 32
LONGEST_TEXT = 4_000  # letters, which a picture still shows
TEXTS = ("name", "title", "question", "command", "expected", "answer", "parameter", "source")


class Variant(NamedTuple):
    """One value of a lesson's parameter: its label, the film it leads to, and the result in one line."""

    label: str
    film: Film
    summary: str


@dataclass(frozen=True)
class Lesson:
    """A question about a small world, with a command that shows the answer.

    number, name, title: where it stands in the course. question: what is asked, ending in a question mark.
    command: the command line that makes the lesson's picture. expected: what one should see. answer: and why.
    parameter: what the slider varies. make_variants: makes one film for each of its values. make_picture: makes the
    picture that the command draws. source: the paper and the place in it.
    For a class, all of it optional: choices: answers to the question, to choose from before anything is shown.
    exercises: tasks that change the world. cells: of the notebook, Python to edit, `caregrid` imported. plan: what a
    lesson of 45 minutes does when. make_live: makes what the page computes by itself, in place of films.
    called: what `caregrid demo` calls it, where that is not its number. trusted: whether code that its file names was
    imported.
    """

    number: int
    name: str
    title: str
    question: str
    command: str
    expected: str
    answer: str
    parameter: str
    make_variants: Callable[[], tuple[Variant, ...]]
    make_picture: Callable[[], Scene]
    source: str
    choices: tuple[Prediction, ...] = ()
    exercises: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    plan: tuple[Phase, ...] = ()
    make_live: Callable[[], tuple[Live, ...]] | None = None
    called: str = ""
    trusted: bool = False

    @property
    def stem(self) -> str:
        """What the names of its files begin with."""
        return f"{self.number}-{self.name}"

    def live(self) -> tuple[Live, ...]:
        """What the page shows live, nothing for a lesson of films."""
        make = self.make_live
        if make is None:
            return ()
        with user_code(describe_place(make)):
            live: Any = make()
        if not isinstance(live, tuple) or not live or not all(isinstance(each, Live) for each in live):
            refuse(make, "make_live", live, "a tuple of LiveProblems, LiveSweeps and CopyGames")
        return live

    def variants(self) -> tuple[Variant, ...]:
        """One film for each value of the parameter; ContractBroken where there are less than two, or labels equal."""
        make = self.make_variants
        with user_code(describe_place(make)):
            variants: Any = make()
        if not isinstance(variants, tuple) or len(variants) < 2:
            refuse(make, "make_variants", variants, "a tuple of at least two Variants")
        for variant in variants:
            _check_variant(make, variant)
        labels = [variant.label for variant in variants]
        if len(set(labels)) < len(labels):
            refuse(make, "make_variants", labels, "labels that differ")
        return variants

    def picture(self) -> Scene:
        """What the command draws."""
        make = self.make_picture
        with user_code(describe_place(make)):
            picture: Any = make()
        return _scene(make, "make_picture", picture)


def accept_lesson(lesson: Any) -> Lesson:
    """The lesson itself; ContractBroken where it is none, or where a field is of another type."""
    require_instance(lesson, Lesson, "lesson")
    assert isinstance(lesson, Lesson)
    place = f"lesson '{lesson.name}'"
    expected: dict[str, Any] = {field.name: str for field in fields(Lesson)} | {"number": int}
    check_classroom(lesson, place)
    for name in ("number", *TEXTS):
        value = getattr(lesson, name)
        if type(value) is not expected[name] or (name == "number" and value < 1) or value == "":
            wanted = "a number from 1 on" if name == "number" else "a text"
            raise ContractBroken(f"{name} is {show_value(value)}", place=place, remedy=f"expected {wanted}")
        if name in TEXTS and len(value) > LONGEST_TEXT:
            remedy = f"write at most {LONGEST_TEXT:,}"
            raise ContractBroken(f"{name} has {len(value):,} letters", place=place, remedy=remedy)
    for name in ("make_variants", "make_picture"):
        make = getattr(lesson, name)
        if not callable(make):
            raise ContractBroken(
                f"{name} is {show_value(make)}", place=place, remedy="expected a function without arguments"
            )
        require_parameters(make, 0, f"{name}()")
    return lesson


def check_lesson(lesson: Any) -> None:
    """Make a lesson's films and picture, and raise ContractBroken for the first thing that is wrong."""
    accept_lesson(lesson)
    place = describe_place(lesson.make_variants)
    if not lesson.question.endswith("?"):
        raise ContractBroken("the question has no question mark", place=place, remedy="ask something")
    if not lesson.command.startswith("caregrid "):
        raise ContractBroken(f"the command is '{lesson.command}'", place=place, remedy="begin with 'caregrid '")
    lesson.variants()
    lesson.picture()
    lesson.live()


def _check_variant(make: Callable[[], Any], variant: Any) -> None:
    if not isinstance(variant, Variant):
        refuse(make, "make_variants", variant, "a Variant")
    for name in ("label", "summary"):
        if not isinstance(getattr(variant, name), str) or not getattr(variant, name):
            refuse(make, "make_variants", getattr(variant, name), f"a text as {name}")
    film = variant.film
    if not isinstance(film, tuple) or len(film) < 2:
        refuse(make, "make_variants", film, f"a film of at least two Scenes as '{variant.label}'")
    for scene in film:
        _scene(make, "make_variants", scene)


def _scene(make: Callable[[], Any], name: str, scene: Any) -> Scene:
    """What a function of a lesson gave as a scene; ContractBroken where it cannot be drawn."""
    if not isinstance(scene, Scene):
        refuse(make, name, scene, "a Scene")
    if fault := scene_fault(scene):
        raise ContractBroken(
            f"{name} gave a Scene that cannot be drawn: {fault}",
            place=describe_place(make),
            remedy="give what engine.scene describes",
        )
    return scene
