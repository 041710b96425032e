"""A lesson: a question, one command, something to see, an answer, and one film for each value of a parameter.

For a class it also has choices to predict from, exercises, a plan of 45 minutes, and live worlds.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from caregrid.programmes.programme import Live
from engine.contracts import Contract, Field, Method, is_text, refuse
from engine.errors import ContractBroken
from engine.printable import show_value
from engine.scene import Film, Scene, scene_fault
from engine.user_code import describe_place, user_code

if TYPE_CHECKING:
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from engine.grid import GridMap

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


class Challenge(NamedTuple):
    """Something to make in the live page, which checks it exactly.

    text: what is asked. goal: what is checked, one of the goals in `page/scripts/challenge.js`. number: of the goal.
    world: the number of the live world in which it counts. name: of a number of a sweep. within: how near to it.
    """

    text: str
    goal: str
    number: float
    world: int = 0
    name: str = ""
    within: float = 0.0


class Phase(NamedTuple):
    """A part of a lesson: how many minutes, and what the class does."""

    minutes: int
    activity: str


@dataclass(frozen=True)
class LiveProblem(Live):
    """A problem at every care. label: its name among several. make: the scenario on a map drawn in the page.

    axes: two agents whose coefficients span a map of regions, or none. options: of the scenario. called: how a command
    names the scenario, where that is not its name.
    """

    label: str
    problem: Problem
    make: Callable[[GridMap], Scenario] | None = None
    axes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    called: str = ""

    def describe(self) -> dict[str, Any]:
        """Return segments, paths, the command and, where the map can be changed, the rules of the cells."""
        from caregrid.lessons.live_world import write_live_world

        world = write_live_world(self.problem, self.make, self.axes)
        return {**world, "command": self.command, "options": dict(self.options)}

    @property
    def command(self) -> str:
        """The command that finds the break points on a map that was saved in the page."""
        scenario, formulation = self.problem.scenario, self.problem.formulation
        words = ["caregrid", "breakpoints", self.called or scenario.name]
        words += [] if formulation == scenario.default_formulation else ["--formulation", formulation]
        words += [word for name, value in self.options.items() for word in ("--set", f"{name}={value}")]
        return shlex.join([*words, "--map", "map.txt"])


def check_classroom(lesson: Any, place: str) -> None:
    """ContractBroken where choices, exercises or the plan are of another kind, or contradict themselves."""
    choices = lesson.choices
    exercises = lesson.exercises
    plan = lesson.plan
    declared = (
        ("choices", choices, Prediction),
        ("exercises", exercises, str),
        ("key", lesson.key, str),
        ("cells", lesson.cells, str),
        ("plan", plan, Phase),
    )
    for name, parts, kind in declared:
        if not isinstance(parts, tuple) or not all(isinstance(part, kind) for part in parts):
            raise ContractBroken(
                f"{name} is {show_value(parts)}"[:80], place=place, remedy=f"expected a tuple of {kind.__name__}"
            )
    for name, part in [*(("choices", choice) for choice in choices), *(("plan", phase) for phase in plan)]:
        for called, (expected, wanted) in FIELDS[name].items():
            if type(value := getattr(part, called)) is not expected:
                problem = f"{name}: {called} is {show_value(value)}"
                raise ContractBroken(problem, place=place, remedy=f"expected {wanted}")
    if choices and (len(choices) < 2 or sum(choice.right for choice in choices) != 1):
        raise ContractBroken(f"{len(choices)} choices", place=place, remedy="give several, of which one is right")
    if not all(text for choice in choices for text in choice[:2]):
        raise ContractBroken("a choice without text or feedback", place=place, remedy="say something to each")
    if lesson.key and len(lesson.key) != len(exercises):
        problem = f"a key of {len(lesson.key)} answers to {len(exercises)} exercises"
        raise ContractBroken(problem, place=place, remedy="answer each exercise")
    if plan and sum(phase.minutes for phase in plan) != MINUTES:
        minutes = sum(phase.minutes for phase in plan)
        raise ContractBroken(f"a plan of {minutes} minutes", place=place, remedy=f"plan {MINUTES} minutes")
    if lesson.make_live is not None and not callable(lesson.make_live):
        raise ContractBroken("make_live is not a function", place=place, remedy="expected a function without arguments")


PICTURE_TILE = 32
LONGEST_TEXT = 4_000  # letters, which a picture still shows
TEXTS = ("name", "title", "question", "command", "expected", "answer", "parameter", "source")


@dataclass(frozen=True)
class Variant:
    """One value of a lesson's parameter.

    label: the value. scenes: the film that it leads to, or a function that makes the film when it is first shown.
    summary: the result in one line.
    """

    label: str
    scenes: Film | Callable[[], Film]
    summary: str

    @cached_property
    def film(self) -> Film:
        """The film, made once."""
        return self.scenes() if callable(self.scenes) else self.scenes


@dataclass(frozen=True)
class Lesson:
    """A question about a small world, with a command that shows the answer.

    number, name, title: where it stands in the course. question: what is asked, ending in a question mark.
    command: the command line that makes the lesson's picture. expected: what one should see. answer: and why.
    parameter: what the slider varies. make_variants: makes one film for each of its values. make_picture: makes the
    picture that the command draws. source: the paper and the place in it.
    For a class, all of it optional: choices: answers to the question, to choose from before anything is shown.
    exercises: tasks that change the world. key: their answers, for the teacher. cells: of the notebook, Python to edit,
    `caregrid` imported. plan: what a lesson of 45 minutes does when. challenge: something to make.
    make_live: makes what the page computes by itself, in place of films. called: what `caregrid demo` calls it, where
    that is not its number. trusted: whether code that its file names was imported.
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
    key: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    plan: tuple[Phase, ...] = ()
    challenge: Challenge | None = None
    make_live: Callable[[], tuple[Live, ...]] | None = None
    called: str = ""
    trusted: bool = False

    @property
    def stem(self) -> str:
        """What the names of its files begin with."""
        return f"{self.number}-{self.name}"

    def live(self) -> tuple[Live, ...]:
        """Return what the page shows live, nothing for a lesson of films."""
        make = self.make_live
        if make is None:
            return ()
        with user_code(describe_place(make)):
            live: Any = make()
        if not isinstance(live, tuple) or not live or not all(isinstance(world, Live) for world in live):
            refuse(make, "make_live", live, "a tuple of LiveProblems, LiveSweeps and CopyGames")
        return live

    def variants(self) -> tuple[Variant, ...]:
        """Return one for each value of the parameter; ContractBroken where there are less than two, or labels equal."""
        make = self.make_variants
        with user_code(describe_place(make)):
            variants: Any = make()
        if not isinstance(variants, tuple) or len(variants) < 2:
            refuse(make, "make_variants", variants, "a tuple of at least two Variants")
        checked = tuple(_check_variant(make, variant) for variant in variants)
        labels = [variant.label for variant in variants]
        if len(set(labels)) < len(labels):
            refuse(make, "make_variants", labels, "labels that differ")
        return checked

    def picture(self) -> Scene:
        """Return what the command draws."""
        make = self.make_picture
        with user_code(describe_place(make)):
            picture: Any = make()
        return _require_scene(make, "make_picture", picture)


def _require_short_texts(lesson: Lesson) -> None:
    for name in TEXTS:
        if (letters := len(getattr(lesson, name))) > LONGEST_TEXT:
            remedy = f"write at most {LONGEST_TEXT:,}"
            raise ContractBroken(f"{name} has {letters:,} letters", place=_name_place(lesson), remedy=remedy)
    check_classroom(lesson, _name_place(lesson))


def _name_place(lesson: Lesson) -> str:
    return f"lesson '{lesson.name}'"


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 1


LESSON = Contract[Lesson](
    "lesson",
    instance_of=Lesson,
    fields=(
        Field("number", "expected a number from 1 on", _is_number),
        *(Field(name, "expected a text", is_text) for name in TEXTS),
    ),
    methods=(Method("make_variants()"), Method("make_picture()")),
    place=_name_place,
    require=_require_short_texts,
)


def check_lesson(lesson: Any) -> None:
    """Make a lesson's films and picture, and raise ContractBroken for the first thing that is wrong."""
    LESSON.accept(lesson)
    place = describe_place(lesson.make_variants)
    if not lesson.question.endswith("?"):
        raise ContractBroken("the question has no question mark", place=place, remedy="ask something")
    if not lesson.command.startswith("caregrid "):
        raise ContractBroken(f"the command is '{lesson.command}'", place=place, remedy="begin with 'caregrid '")
    for variant in lesson.variants():
        assert variant.film
    lesson.picture()
    lesson.live()


def _check_variant(make: Callable[[], Any], variant: Any) -> Variant:
    """Return the same, whose film is checked: now, or when it is made."""
    if not isinstance(variant, Variant):
        refuse(make, "make_variants", variant, "a Variant")
    for name in ("label", "summary"):
        if not isinstance(getattr(variant, name), str) or not getattr(variant, name):
            refuse(make, "make_variants", getattr(variant, name), f"a text as {name}")
    if not callable(variant.scenes):
        return replace(variant, scenes=_check_film(make, variant))
    return replace(variant, scenes=partial(_check_film, make, variant))


def _check_film(make: Callable[[], Any], variant: Variant) -> Film:
    """Return the film of a variant; ContractBroken where it cannot be shown."""
    with user_code(describe_place(make)):
        film: Any = variant.film
    if not isinstance(film, tuple) or len(film) < 2:
        refuse(make, "make_variants", film, f"a film of at least two Scenes as '{variant.label}'")
    for scene in film:
        _require_scene(make, "make_variants", scene)
    return film


def _require_scene(make: Callable[[], Any], name: str, scene: Any) -> Scene:
    """Return what a function of a lesson gave as a scene; ContractBroken where it cannot be drawn."""
    if not isinstance(scene, Scene):
        refuse(make, name, scene, "a Scene")
    if fault := scene_fault(scene):
        raise ContractBroken(
            f"{name} gave a Scene that cannot be drawn: {fault}",
            place=describe_place(make),
            remedy="give what engine.scene describes",
        )
    return scene
