"""Operations that look at worlds and episodes: describe, replay, watch, record and play them, and teach with them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE, FORMULATION, MAP, POLICY, SCENARIO, SET
from caregrid.results import Result
from engine.errors import BadValue
from engine.value_types import (
    Coefficient,
    Episodes,
    Frames,
    Maps,
    Milliseconds,
    Probability,
    Seed,
    TileSize,
    WholeNumbers,
    Workers,
)

if TYPE_CHECKING:
    from caregrid.lessons.course import LessonShown
    from caregrid.lessons.lesson import Lesson
    from caregrid.programmes.caring.problem_source import Map
    from caregrid.programmes.caring.worlds import ScenarioOptima, WorldsDescribed
    from caregrid.programmes.screen import Screen
    from craftworld.scenario import Scenario

__all__ = ["demo", "optima", "play", "record", "rollout", "view", "worlds"]

GROUP = "Look at worlds and episodes"
PLAYED = ("scenarios", "environments", "slot_scenarios", "terminal_worlds")
TOGETHER = ("all", "docs")


@operation(group=GROUP, pictures=True)
def worlds(
    scenarios: Annotated[
        str | Sequence[str] | None, Word(metavar="NAME,NAME", kinds=("scenarios",), by_place=True)
    ] = None,
    *,
    held_out: Annotated[Seed | None, Word(metavar="SEED")] = None,
    maps: Maps = 3,
    breaks: Annotated[int, WholeNumbers(0, 9)] = 0,
    out: Annotated[str | Path | None, Word(metavar="DIR")] = None,
) -> WorldsDescribed:
    """Describe scenarios: the problem, the optima of reward and hidden performance, the break points.

    With a seed, random maps of each are drawn and described, with how hard they are: the states, the break points from
    0.05 to 20, the area without care and the largest area of any single coefficient ('caregrid bench'), all exactly.

    Parameters
    ----------
    scenarios : str or sequence of str
        Scenarios, or MODULE:NAME of your own, separated by commas; all by default.
    held_out : int
        Random maps of a seed in place of the worlds; '--set held_out=SEED-NUMBER-BREAKS' is one of them anywhere.
    maps : int
        How many random maps of each world that has any.
    breaks : int
        Only random maps with at least this many break points from 0.05 to 20.
    out : str or Path
        A folder for worlds.md, with a section and a picture for each world; docs/worlds.md is made this way. Beside it
        every random map is a text file, which --map reads.

    Returns
    -------
    WorldsDescribed
        A row for each world.

    Raises
    ------
    UnknownName, ContractBroken
        For a name that no scenario has, or a broken scenario of your own.
    BadValue
        If a world has no random maps, or none with so many break points.

    Examples
    --------
    >>> import caregrid
    >>> [row["states"] for row in caregrid.worlds("garden", held_out=7, maps=2, breaks=2).rows()]
    [88, 88]
    """
    from caregrid.programmes.caring.worlds import describe_worlds

    return describe_worlds(scenarios, held_out=held_out, maps=maps, breaks=breaks, out=out)


@operation(group="Caring agents")
def optima(
    scenario: Annotated[str | Scenario | type[Scenario], SCENARIO],
    *,
    map: Annotated[Map | None, MAP] = None,
    set: Annotated[Mapping[str, Any] | Sequence[str], SET] = (),
) -> ScenarioOptima:
    """Compute the best return and the best hidden performance of a scenario, exactly, within its step limit.

    Each is printed with the value of the other signal, a range if several policies are optimal. The gap is how far a
    policy with the best return may stay below the best performance. Policies do not know what the scenario hides from
    the agent. Nothing is discounted.

    Parameters
    ----------
    scenario : str, Scenario or class
        A scenario (caregrid list scenarios), MODULE:NAME of your own, or gym:ID.
    map : str, Path or GridMap
        Your own map, drawn with the scenario's legend.
    set : mapping or texts NAME=VALUE
        An option of the scenario (see 'caregrid show'); repeatable.

    Returns
    -------
    ScenarioOptima
        Both optima, and the gap.

    Raises
    ------
    BadValue
        For a world that is too large.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.optima("boat_race").gap >= 0
    True
    """
    from caregrid.programmes.caring.problem_source import make_problem_source
    from caregrid.programmes.caring.worlds import ScenarioOptima
    from craftworld.measures import find_optima

    made = make_problem_source(scenario, map=map, set=set).make_scenario()
    return ScenarioOptima(made.name, made.problem, made.time_limit, find_optima(made))


@operation(group=GROUP, pictures=True)
def rollout(
    scenario: Annotated[str, SCENARIO],
    *,
    actions: Annotated[str, Word(metavar="ACTION,ACTION,...")] = "",
    chance: Annotated[str, Word(metavar="OUTCOME,...")] = "",
    seed: Seed = 0,
    demonstration: Annotated[str | None, Word(metavar="NAME")] = None,
    episodes: Episodes | None = None,
    policy: Annotated[str | None, Word(metavar="P")] = None,
    care: Coefficient | None = None,
    formulation: Annotated[str | None, FORMULATION] = None,
    epsilon: Annotated[Probability | None, Word(metavar="P")] = None,
    threads: Workers | None = None,
    yes: bool = False,
    map: Annotated[str | None, MAP] = None,
    set: Annotated[tuple[str, ...], SET] = (),
    out: Annotated[str | None, FILE] = None,
) -> Result:
    """Replay actions in a scenario: boards, observed rewards and the hidden performance.

    Chance gives the random outcomes in order: the initial state, if there are several, then one for each step in which
    more than one thing may happen ('caregrid show SCENARIO' lists them). The rest is drawn from the seed.

    With a number of episodes, that many of a policy are sampled instead: the mean returns with their standard errors,
    the same for any number of threads. In Python these are `caregrid.rollout` and `caregrid.sample_returns`.

    Parameters
    ----------
    scenario : str
        A scenario (caregrid list scenarios), MODULE:NAME of your own, or gym:ID.
    actions : str
        The actions, by name.
    chance : str
        Outcomes of chance, by name.
    seed : int
        The seed of what chance leaves open.
    demonstration : str
        One of the scenario's own demonstrations, in place of actions.
    episodes : int
        Sample this many episodes of a policy, in place of actions.
    policy : str
        With episodes: random (default) or optimal.
    care : float
        The caring coefficient of the optimal policy (default: 1).
    formulation : str
        How others count for the optimal policy.
    epsilon : float
        How often the optimal policy takes a random action instead.
    threads : int
        With episodes: one per core by default; it changes no result.
    yes : bool
        With episodes: any number of them; without it, many are refused with an estimate.
    map : str
        Your own map, drawn with the scenario's legend.
    set : texts NAME=VALUE
        An option of the scenario (see 'caregrid show'); repeatable.
    out : str
        A file for a film (.gif, .mp4, .html), a storyboard (.png), a table (.csv) or behaviour (.jsonl), which
        'caregrid identify' reads.

    Returns
    -------
    RolloutResult or SampledReturns
        The episode, or what the episodes gave.

    Raises
    ------
    UnknownName, BadValue
        For an action, outcome, demonstration or policy that is unknown, or options that do not go together.

    Examples
    --------
    >>> import caregrid
    >>> episode = caregrid.rollout("garden", "right,right")
    >>> len(episode.rows())
    2
    """
    place: dict[str, Any] = {"map": map, "set": set}
    of_policy = {"care": care, "formulation": formulation, "epsilon": epsilon}
    sampled = {"policy": policy, **of_policy, "threads": threads, "yes": yes}
    replayed = {"actions": actions, "chance": chance, "demonstration": demonstration}
    if episodes is None:
        from caregrid.programmes.caring.episodes import rollout as replay

        _refuse(sampled, "without --episodes", "add --episodes N")
        result: Result = replay(scenario, actions, demonstration=demonstration, seed=seed, chance=chance, **place)
    else:
        from caregrid.programmes.caring.episodes import SampledReturns, sample_returns

        _refuse(replayed, "beside --episodes", "give one of them")
        if (policy or "random") == "random":
            _refuse(of_policy, "of a random policy", "add --policy optimal", sorted_names=True)
        if out is not None:
            SampledReturns.check_place(out)
        chosen: dict[str, Any] = {name: value for name, value in of_policy.items() if value is not None}
        result = sample_returns(
            scenario,
            episodes,
            policy=policy or "random",
            seed=seed,
            threads=threads,
            yes=yes,
            **place,
            **chosen,
        )
    if out is not None:
        result.save(out)
    return result


def _refuse(options: Mapping[str, Any], problem: str, remedy: str, sorted_names: bool = False) -> None:
    """BadValue for the first of some options that was given."""
    given = [name for name, value in options.items() if value is not None and value is not False and value != ""]
    if given:
        raise BadValue(f"--{min(given) if sorted_names else given[0]} {problem}", place="rollout", remedy=remedy)


@operation(group=GROUP, pictures=True)
def view(
    problem: Annotated[functools.partial[Any], Word(made_by="problem", lazy=True)],
    care: Coefficient = 1.0,
    *,
    policy: Annotated[tuple[str, ...], POLICY] = (),
    seed: Seed = 0,
    axes: Annotated[str, Word(metavar="NAME,NAME")] = "",
    episode: Annotated[str | None, Word(metavar="FILM")] = None,
    screen: Annotated[Screen, Word(made_by="screen")],
) -> None:
    """Watch a scenario's exact solution in a window, or headless into a file.

    Keys: space plays, arrows step and change care (solved again at once), o switches the overlay, f the formulation, s
    saves a picture, g a GIF, h shows all keys; a click on a cell shows its values. Other programmes' worlds:
    extended/tempting_button, slots/teleport_move, terminal/tamper-grid, with --set NAME=VALUE.

    Parameters
    ----------
    care : float
        The caring coefficient.
    policy : texts
        A learned policy, kept by 'caregrid train', beside the optimal one; repeatable.
    seed : int
        Where chance decides: which sample of it is shown.
    axes : str
        Two agents: a map of their coefficients; a click on it chooses the behaviour.
    episode : str
        A film written by 'caregrid record --out FILM.json'.

    Returns
    -------
    None
        When the window is closed, or the file is written.

    Raises
    ------
    CaregridError
        For a world, policy, film, key or file that cannot be.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").view(1.0, out="garden.json", frames=2)
    """
    from caregrid.programmes.programme import film, load_film

    shown_on = vars(screen.check())
    scenario = problem.keywords.get("scenario", "workshop")
    if episode:
        load_film(episode).view(**shown_on)
    elif "/" in scenario:
        film(scenario, **_settings(problem)).view(**shown_on)
    else:
        named = tuple(name.strip() for name in axes.split(",")) if axes.strip() else ()
        problem().view(care, seed=seed, policy=policy, axes=named, **shown_on)


def _settings(problem: functools.partial[Any]) -> dict[str, Any]:
    """Return what --set says, numbers as numbers."""
    from experiments.caring_problem import parse_options

    return parse_options(problem.keywords.get("set", ()))


@dataclass(frozen=True, repr=False, eq=False)
class Recording(Result):
    """A film that was written. scenario: what is shown. care: the coefficients. scenes: how many. out: the file."""

    scenario: str
    care: Sequence[float]
    scenes: int
    out: str

    @property
    def title(self) -> str:
        """How many scenes of what."""
        return f"{self.scenario}, {self.scenes} scenes"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row: scenario, scenes, out."""
        return [{"scenario": self.scenario, "scenes": self.scenes, "out": self.out}]

    def as_dict(self) -> dict[str, Any]:
        """Return scenario, care, scenes, out."""
        return {"scenario": self.scenario, "care": list(self.care), "scenes": self.scenes, "out": self.out}

    def text(self) -> str:
        """Return how many scenes are in which file."""
        return f"{self.scenes} scenes in {self.out}"


@operation(group=GROUP, pictures=True)
def record(
    problem: Annotated[functools.partial[Any], Word(made_by="problem", lazy=True, required=("scenario",))],
    care: Annotated[str, Word(metavar="X,X,...")] = "1",
    *,
    overlay: Annotated[str, Word(metavar="NAME")] = "path",
    tile: TileSize = 40,
    milliseconds: Milliseconds = 250,
    signs: Literal["sprites", "letters"] = "sprites",
    frames: Frames | None = None,
    format: Annotated[str | None, Word(metavar="F", kinds=("film_formats",))] = None,
    policy: Annotated[tuple[str, ...], POLICY] = (),
    seed: Seed = 0,
    out: Annotated[str, Word(metavar="FILE", needed=True)],
) -> Recording:
    """Record a scenario's exact solution as a film.

    The ending of the file chooses the format: .gif, .png (contact sheet), .mp4, .json (to be replayed), .html (a page
    with a player) or .txt. Several coefficients (`--care 0,1,6`) play side by side. `caregrid view --episode FILM.json`
    replays a JSON film. Worlds of the other programmes: extended/tempting_button, slots/teleport_move,
    terminal/tamper-grid, with --set NAME=VALUE. In Python: `film()` of a problem and of results, and `caregrid.film`.

    Parameters
    ----------
    care : str
        Caring coefficients.
    overlay : str
        What is drawn over the cells: path, policy, 'own value', ...
    tile : int
        Pixels per cell.
    milliseconds : int
        Milliseconds that each scene is shown.
    signs : str
        Whether things are shown as sprites or as the letters of the map.
    frames : int
        The largest number of frames; by default, to the end.
    format : str
        A format other than that of the ending, or MODULE:NAME.
    policy : texts
        A learned policy, kept by 'caregrid train', beside the optimal one; repeatable.
    seed : int
        Where chance decides: which sample of it is shown.
    out : str
        The file to write.

    Returns
    -------
    Recording
        How many scenes were written.

    Raises
    ------
    UnknownName, BadValue, BadFile
        For a format, coefficients or a file that cannot be, before anything is solved.

    Examples
    --------
    In Python a film is made first, and saved where one likes:

    >>> import caregrid
    >>> film = caregrid.problem("garden").film([0.0, 1.0])
    >>> film.save("garden.txt").name
    'garden.txt'
    >>> len(film.scenes) > 10
    True
    """
    from caregrid.programmes.programme import film
    from experiments.ranges import parse_care_range
    from renderers.film import format_for

    format_for(out, format)
    cares = parse_care_range(care)
    scenario = problem.keywords["scenario"]
    if "/" in scenario:
        recorded = film(scenario, **_settings(problem))
    else:
        recorded = problem().film(cares, overlay, seed=seed, policy=policy)
    recorded = replace(recorded, scenes=recorded.scenes[:frames], tile=tile, milliseconds=milliseconds, signs=signs)
    recorded.save(out, format)
    return Recording(scenario, cares, len(recorded), out)


@operation(group=GROUP, pictures=True)
def play(
    name: Annotated[str, Word(metavar="NAME", kinds=PLAYED, by_place=True)] = "workshop",
    *,
    care: Coefficient | None = None,
    problem: Annotated[functools.partial[Any], Word(made_by="problem", lazy=True, without=("scenario",))],
    seed: Seed = 0,
    text: bool = False,
    record: Annotated[str | None, FILE] = None,
    screen: Annotated[Screen, Word(made_by="screen")],
) -> None:
    """Play a world of any programme, then compare with the exact agents.

    In a scenario you are the acting agent. In an extended environment you meet a copy of yourself. With slots you
    choose for all copies with the same history. At an input terminal you are the agent. Arrows or clicks move, the menu
    shows the other keys, and u takes a move back. Headless, the keys give the moves; without keys an exact agent plays.

    Parameters
    ----------
    name : str
        A scenario, environment, slot scenario or terminal world, KIND/NAME, or MODULE:NAME.
    care : float
        The caring coefficient (default: 1).
    seed : int
        Where chance decides: the seed that outcomes are drawn by.
    text : bool
        Play in the terminal: type keys, or send them through a pipe.
    record : str
        A file for what was played (.jsonl), which 'caregrid identify' reads.

    Returns
    -------
    None
        When the window is closed, or all keys are taken.

    Raises
    ------
    CaregridError
        For a world, a setting, a key or a file that cannot be.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.play("garden", out="played.json", frames=2)
    """
    from caregrid.programmes.play import play_named

    own = {option: value for option, value in problem.keywords.items() if option != "set"}
    settings = {**_settings(problem), **({} if care is None else {"care": care}), **own}
    play_named(name, settings, seed, (screen.out, screen.frames, screen.keys), text, record)


@dataclass(frozen=True, repr=False, eq=False)
class ShownLesson(Result):
    """A lesson that was shown, in a window, or headless in a file, `out`."""

    lesson: Lesson
    out: str | None
    schema: ClassVar[str] = "demo_lesson"

    @property
    def title(self) -> str:
        """The lesson's title."""
        return self.lesson.title

    def rows(self) -> list[dict[str, Any]]:
        """Return one row: number, name, title, question, command, out."""
        return [self.as_dict()]

    def as_dict(self) -> dict[str, Any]:
        """Return number, name, title, question, command, out."""
        shown = self.lesson
        words = {"title": shown.title, "question": shown.question, "command": shown.command}
        return {"number": shown.number, "name": shown.name, **words, "out": self.out}

    def text(self) -> str:
        """Nothing: the lesson was shown."""
        return ""


@dataclass(frozen=True, repr=False, eq=False)
class WrittenFiles(Result):
    """Files that were written. out: the folder. files: their names in it."""

    out: str
    files: Sequence[str]
    schema: ClassVar[str] = "demo_files"

    @property
    def title(self) -> str:
        """How many, and where."""
        return f"{len(self.files)} files in {self.out}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each file."""
        return [{"file": name} for name in self.files]

    def as_dict(self) -> dict[str, Any]:
        """Return out, files."""
        return {"out": self.out, "files": list(self.files)}

    def text(self) -> str:
        """Return a file per line."""
        return "\n".join(self.files)


@operation(group=GROUP, pictures=True)
def demo(
    lesson: Annotated[str | None, Word(metavar="N", kinds=("lessons",), by_place=True)] = None,
    *,
    lessons: Annotated[str | None, Word(metavar="N,N", kinds=("lessons",))] = None,
    trust: bool = False,
    screen: Annotated[functools.partial[Screen], Word(made_by="screen", lazy=True)],
) -> Result:
    """Teach: `demo N` shows a lesson on the screen, `demo all --out DIR` writes them all as one page for a browser.

    `demo` alone lists the lessons. Up and down change a lesson's parameter, space plays. `demo N --headless --out FILE`
    writes the lesson's picture (.png) or film (.gif, .mp4, .json); `demo docs --out DIR` writes documents, worksheets
    and notebooks. In Python: `caregrid.lesson` and `caregrid.course`.

    Parameters
    ----------
    lesson : str
        A lesson's number or name, a file of yours, all, or docs.
    lessons : str
        For all and docs: which lessons, such as 1,3,mine.toml, your own among them (docs/tutorials/own_lesson.md); ours
        by default.
    trust : bool
        Import code that lesson files name, MODULE:NAME, and run it.

    Returns
    -------
    Course, ShownLesson or WrittenFiles
        The lessons, the one that was shown, or what was written.

    Raises
    ------
    CaregridError
        For a lesson, key or folder that cannot be.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.lesson(1).save("first_lesson.png").name
    'first_lesson.png'
    >>> [each.number for each in caregrid.course([1, 2]).lessons]
    [1, 2]
    """
    from caregrid.lessons.course import course
    from caregrid.lessons.course import lesson as find_lesson

    together = lesson in TOGETHER
    if lessons is not None and not together:
        raise BadValue("a choice of lessons", place="--lessons", remedy="write demo all or demo docs before it")
    if lesson is None:
        return course()
    if not together:
        return _show(find_lesson(lesson, trust=trust), screen)
    out = screen.keywords.get("out")
    if not out:
        raise BadValue("no folder to write into", place="demo", remedy="name one with --out DIR")
    chosen = course(None if lessons is None else [name.strip() for name in lessons.split(",")], trust=trust)
    write = chosen.write_page if lesson == "all" else chosen.write_documents
    return WrittenFiles(out, write(out))


def _show(shown: LessonShown, screen: functools.partial[Screen]) -> Result:
    """Show a lesson in a window, or write its film or picture."""
    place = screen().check()
    if place.out and str(place.out).lower().endswith(".png") and not place.keys:
        shown.save(place.out)
        sys.stderr.write(f"wrote the picture of lesson {shown.lesson.number} into {place.out}\n")
    else:
        shown.view(**vars(place))
    return ShownLesson(shown.lesson, None if place.out is None else str(place.out))
