"""Paths of exact solutions at several coefficients: `problem.film`, and the pictures of `problem.compare`.

A comparison has a row for each formulation, behaviours side by side on a number line of care. A behaviour is a path
with its outcome: coefficients with the same one share a panel, "care 0.4 to 1", with bars of the returns.
"""

from __future__ import annotations

import math
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from caregrid.programmes.caring.outcome_json import write_outcome
from caregrid.programmes.caring.scenes import (
    PATH,
    SolvedEpisode,
    choose_path_roles,
    draw_path,
    draw_solution,
    find_companion_paths,
    find_newcomer_paths,
    follow_learned_policy,
    list_overlays,
    locate,
    solve_episodes,
    sum_returns,
    write_possessive,
    write_value,
)
from caregrid.results import MILLISECONDS, TILE, RecordedFilm, Result, Writer, scene_figure
from craftworld.scenario import MOVES
from craftworld.solution.episodes import describe_sampling
from craftworld.solution.exact_solution import (
    CaringOutcome,
    choose_inner_coefficient,
    describe_policy_outcome,
    solve,
    solve_trade_off,
)
from craftworld.solution.problem import Problem
from engine.contracts import call_method
from engine.errors import BadValue, UnknownName, argument
from engine.plain_values import finite_or_none, write_number
from engine.planning.dynamic_programming import describe_ending
from engine.scene import Bar, Bars, Film, NumberLine, Path, Scene, Signs, Stretch
from experiments.figures.labels import format_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.exact_solution import CaringOutcome, StartOutcome
    from craftworld.solution.problem import Problem
    from engine.scene import Scene
    from experiments.learned_policy import LearnedPolicy


MOST_SIDE_BY_SIDE = 100


class FollowedPolicy(NamedTuple):
    """A policy that is shown: its label, its episodes, what it leads to; care: None for a learned one."""

    label: str
    episodes: Sequence[SolvedEpisode]
    outcome: CaringOutcome
    care: float | None = None


def follow_policies(
    problem: Problem, cares: Sequence[float], learned: Sequence[LearnedPolicy] = (), seed: int = 0
) -> list[FollowedPolicy]:
    """Return the optimal policy at each coefficient, then the learned ones."""
    optimal = [
        FollowedPolicy(f"care {write_value(care)}", solve_episodes(problem, care, seed), solve(problem, care)[0], care)
        for care in cares
    ]
    return optimal + [
        FollowedPolicy(
            policy.label, follow_learned_policy(problem, policy, seed), describe_policy_outcome(problem, policy.actions)
        )
        for policy in learned
    ]


def film_solutions(
    problem: Problem, cares: Sequence[float], overlay: str = PATH, seed: int = 0, learned: Sequence[LearnedPolicy] = ()
) -> Film:
    """The acting agent's episode, then the newcomers'; one panel for each coefficient and learned policy, together.

    seed: where chance decides, which sample of it is shown. Raises BadValue, before any is solved, for too many.
    """
    if len(cares) + len(learned) > MOST_SIDE_BY_SIDE:
        paths = f"{len(cares) + len(learned)} paths side by side"
        raise BadValue(paths, place=argument("care"), remedy=f"choose at most {MOST_SIDE_BY_SIDE}")
    shown = follow_policies(problem, cares, learned, seed)
    length = max(sum(map(len, policy.episodes)) for policy in shown)
    if len(shown) == 1:
        return tuple(_film_scene(problem, shown[0], cares[0], number, overlay) for number in range(length))
    title = f"{format_name(problem.scenario.name)}, {format_name(problem.formulation)}"
    return tuple(
        Scene(
            caption=title,
            panels=tuple(_film_panel(policy, f"path {i}", number, overlay) for i, policy in enumerate(shown)),
        )
        for number in range(length)
    )


def summarise_outcome(problem: Problem, care: float) -> str:
    """Return the caring coefficient, the acting agent's return and the others' returns, in one line."""
    return _summarise(f"care {care:g}", solve(problem, care)[0])


def _summarise(label: str, outcome: CaringOutcome) -> str:
    every = {"own": outcome.own, **{write_possessive(agent): value for agent, value in outcome.others.items()}}
    return f"{label}: " + ", ".join(f"{whose} return {write_value(value)}" for whose, value in every.items())


def _film_scene(problem: Problem, shown: FollowedPolicy, care: float, number: int, overlay: str) -> Scene:
    scene = draw_solution(shown.episodes, number, overlay)
    settings = ("care", f"{care:g}"), ("formulation", format_name(problem.formulation))
    return replace(scene, readings=(*scene.readings, *settings))


def _film_panel(shown: FollowedPolicy, role: str, number: int, overlay: str) -> Scene:
    solved, step = locate(shown.episodes, number)
    scene = draw_solution(shown.episodes, number, overlay)
    totals = sum_returns(shown.episodes, solved, step)
    so_far = tuple((f"{write_possessive(agent)} return", f"{total:g}") for agent, total in totals.items())
    overlays = scene.overlays
    if overlay == PATH:
        agent = solved.chapter.agent
        acting = solved is shown.episodes[0]
        name = shown.label if acting else f"{write_possessive(agent)} path"
        overlays = (draw_path(solved, step, name, role if acting else choose_path_roles(shown.episodes)[agent]),)
    return replace(scene, caption=f"{shown.label}: {scene.caption}", readings=so_far, overlays=overlays)


MOST_IN_A_ROW = 4
MOST_SEGMENTS_IN_A_ROW = 6
MOST_BEHAVIOURS = 32  # so many paths have a colour and a pattern of their own
LONGER = 10.0  # a return beyond so many times the next largest one is drawn as a broken bar


class CareSegment(NamedTuple):
    """Coefficients from one on, up to the next segment's, and one of them inside."""

    start: float
    stop: float
    inside: float


def list_care_segments(problem: Problem) -> list[CareSegment]:
    """The segments of coefficients from 0 on in which the optimum is finite, exactly (`caregrid breakpoints`)."""
    segments = []
    for segment in solve_trade_off(problem):
        start, stop = segment.care_from or 0.0, math.inf if segment.care_to is None else segment.care_to
        if math.isfinite(segment.outcome.own):
            segments.append(CareSegment(start, stop, choose_inner_coefficient(start, stop)))
    return segments


def draw_path_comparison(
    problems: Sequence[Problem], cares: Sequence[float], learned: Sequence[LearnedPolicy] = ()
) -> Scene:
    """A row for each formulation: the agent's paths on one map, then each behaviour with its final state and returns.

    Without coefficients every segment of them is shown, a number line below. Where chance decides, a path is one
    sample, and its caption says so.
    """
    rows = [_compare_row(problem, cares, learned) for problem in problems]
    name = format_name(problems[0].scenario.name)
    if len(rows) == 1:
        return replace(rows[0], caption=f"{name}, {rows[0].caption}")
    if all(len(row.panels) == 1 for row in rows):
        return Scene(caption=name, panels=tuple(replace(row.panels[0], caption=_caption_row(row)) for row in rows))
    return Scene(caption=name, panels=tuple(rows), columns=1)


def _caption_row(row: Scene) -> str:
    """Return the caption of a row's only panel."""
    return f"{row.caption}, {row.panels[0].caption}"


def _compare_row(problem: Problem, cares: Sequence[float], learned: Sequence[LearnedPolicy]) -> Scene:
    segments = [] if cares else list_care_segments(problem)
    shown = _group_by_behaviour(follow_policies(problem, [*cares, *(segment.inside for segment in segments)], learned))
    if len(shown) > MOST_BEHAVIOURS:
        remedy = f"choose fewer coefficients, such as {argument('care', '0,1,10')}"
        raise BadValue(f"{len(shown)} behaviours, and at most {MOST_BEHAVIOURS} can be told apart", remedy=remedy)
    labels = [_label(behaviour, segments) for behaviour in shown]
    paths = [
        _draw_whole_path(behaviour[0], f"path {number}", label)
        for number, (behaviour, label) in enumerate(zip(shown, labels, strict=True))
    ]
    limit = _find_limit([behaviour[0].outcome for behaviour in shown])
    panels = [_draw_behaviour(problem, behaviour[0], path, limit) for behaviour, path in zip(shown, paths, strict=True)]
    in_a_row = len(segments) and len(panels) <= MOST_SEGMENTS_IN_A_ROW
    if len(panels) > 1 and not in_a_row:
        panels.insert(0, _draw_overview(shown[0][0], paths))
    columns = len(panels)
    if not in_a_row and columns > MOST_IN_A_ROW:
        columns = -(-columns // 2)
    line = (_draw_number_line(segments, shown),) if segments and not learned else ()
    return Scene(caption=format_name(problem.formulation), panels=tuple(panels), columns=columns, charts=line)


def _group_by_behaviour(followed: Sequence[FollowedPolicy]) -> list[list[FollowedPolicy]]:
    """Policies in groups that take the same path and lead to the same."""
    groups: dict[object, list[FollowedPolicy]] = {}
    for policy in followed:
        states = tuple(solved.chapter.states for solved in policy.episodes)
        outcome = policy.outcome
        groups.setdefault((states, outcome.own, tuple(outcome.others.items())), []).append(policy)
    return list(groups.values())


def _label(behaviour: Sequence[FollowedPolicy], segments: Sequence[CareSegment]) -> str:
    """Return the coefficients of a behaviour, and the labels of learned policies with the same path."""
    cares = [policy.care for policy in behaviour if policy.care is not None]
    low, high = min(cares, default=0.0), max(cares, default=0.0)
    for segment in segments:
        low = segment.start if segment.inside == low else low
        high = segment.stop if segment.inside == high else high
    words = [policy.label for policy in behaviour if policy.care is None]
    return ", ".join([*([_write_care(low, high)] if cares else []), *words])


def _write_care(low: float, high: float) -> str:
    if low == high:
        return f"care {write_number(low, 3)}"
    return f"care {write_number(low, 3)}{' and more' if math.isinf(high) else f' to {write_number(high, 3)}'}"


def _draw_whole_path(shown: FollowedPolicy, role: str, label: str) -> Path:
    first = shown.episodes[0]
    return draw_path(first, len(first) - 1, label, role)


def _draw_overview(shown: FollowedPolicy, paths: Sequence[Path]) -> Scene:
    first = shown.episodes[0].chapter
    start: Scene = call_method(first.scenario, "scene", first.episode.start)
    return replace(start, overlays=tuple(paths), caption=f"all paths{describe_sampling(first)}", readings=())


def _draw_behaviour(problem: Problem, shown: FollowedPolicy, path: Path, limit: float) -> Scene:
    """Return the world as the agent left it, its path and those of one or two others, and bars of the returns."""
    last: Scene = call_method(problem.scenario, "scene", shown.episodes[0].chapter.episode.states[-1])
    outcome = shown.outcome
    caption = f"{path.name}{describe_sampling(shown.episodes[0].chapter)}{_describe_ending(problem, shown)}"
    bars = [
        _make_bar("own", outcome.own, "agent"),
        *(_make_bar(name, value, "other") for name, value in outcome.others.items()),
    ]
    first = shown.episodes[0]
    overlays = (path, *find_companion_paths(first, len(first) - 1), *find_newcomer_paths(shown.episodes))
    return replace(last, overlays=overlays, caption=caption, charts=(Bars("return", tuple(bars), limit),))


def _describe_ending(problem: Problem, shown: FollowedPolicy) -> str:
    """What a caption adds where the policy may go on for ever: returns of a learned one are cut at the time limit."""
    text = describe_ending(shown.outcome.ends)
    cut = f", cut after {problem.scenario.time_limit} steps" if shown.care is None else ""
    return f": {text}{cut}" if text else ""


def _make_bar(name: str, number: float, role: str) -> Bar:
    return Bar(name, number if math.isfinite(number) else 0.0, role, write_value(number))


def _find_limit(outcomes: Sequence[CaringOutcome]) -> float:
    """Return the return at a bar's full length: the largest one, but for those that dwarf all others."""
    numbers = [abs(number) for outcome in outcomes for number in (outcome.own, *outcome.others.values())]
    ascending = sorted({number for number in numbers if math.isfinite(number) and number > 0})
    while len(ascending) > 1 and ascending[-1] > LONGER * ascending[-2]:
        ascending.pop()
    return ascending[-1] if ascending else 1.0


def _draw_number_line(segments: Sequence[CareSegment], shown: Sequence[Sequence[FollowedPolicy]]) -> NumberLine:
    """The coefficients, in each segment the pattern of its path and the actions that the one before does not take."""
    roles = {policy.care: f"path {number}" for number, behaviour in enumerate(shown) for policy in behaviour}
    outcomes = {policy.care: policy.outcome for behaviour in shown for policy in behaviour}
    stretches = []
    before = None
    for segment in segments:
        outcome = outcomes[segment.inside]
        stretches.append(Stretch(_describe_new_actions(before, outcome), roles[segment.inside]))
        before = outcome
    return NumberLine("care", tuple(segment.start for segment in segments[1:]), tuple(stretches), segments[0].start)


def _describe_new_actions(before: CaringOutcome | None, outcome: CaringOutcome) -> str:
    """What the agent does beside moving that it did not do before, or no longer does; "" for the first behaviour."""
    if before is None:
        return ""
    old, new = (Counter(action for action in each.actions if action not in MOVES) for each in (before, outcome))
    for words, actions in (
        ("+ ", [action for action in new if action not in old]),
        ("without: ", [action for action in old if action not in new]),
        ("more often: ", list(new - old)),
        ("less often: ", list(old - new)),
    ):
        if actions:
            return words + ", ".join(actions)
    return "another way"


PAPER_PICTURES = ("pdf", "svg", "pgf")  # written by matplotlib; every other ending is a film of one scene


def film_problem(
    problem: Problem,
    cares: Sequence[float],
    overlay: str = "path",
    tile: int = TILE,
    milliseconds: int = MILLISECONDS,
    seed: int = 0,
    learned: Sequence[LearnedPolicy] = (),
) -> RecordedFilm:
    """Return the episodes at one coefficient, or at several side by side, learned policies beside them.

    Raises UnknownName for an overlay that is not there.
    """
    overlays = list_overlays(solve_episodes(problem, cares[0], seed))
    if overlay not in overlays:
        raise UnknownName("overlay", overlay, overlays, place=argument("overlay"))
    listed = ", ".join(f"{care:g}" for care in cares)
    name = f"{problem.scenario.name}, {problem.formulation}, care {listed}"
    return RecordedFilm(name, film_solutions(problem, cares, overlay, seed, learned), tile, milliseconds)


@dataclass(frozen=True, repr=False, eq=False)
class PathComparison(Result):
    """The paths that coefficients and formulations lead to, side by side ("Be Considerate", Figures 2 and 3).

    problems: one for each formulation. care: the coefficients; without any, every segment of them is shown. scene: the
    picture. tile: pixels a cell when saved. learned: learned policies beside the optimal ones. signs: whether the
    picture shows things as sprites or as letters.
    """

    problems: Sequence[Problem]
    care: tuple[float, ...]
    scene: Scene
    tile: int = 32
    learned: Sequence[LearnedPolicy] = ()
    out: str | FilePath | None = None
    signs: Signs = "sprites"
    as_wide_as_terminal: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """The scenario."""
        return f"paths in {self.problems[0].scenario.name}"

    def outcomes(self) -> list[dict[str, Any]]:
        """Return what each path leads to, ready for JSON."""
        result = []
        for problem in self.problems:
            for care in self.care or [segment.inside for segment in list_care_segments(problem)]:
                heading = {"formulation": problem.formulation, "policy": "optimal", "care": care}
                result.append(heading | _describe_outcome(*solve(problem, care)))
            for policy in self.learned:
                heading = {"formulation": problem.formulation, "policy": policy.label, "care": policy.care}
                result.append(heading | _describe_outcome(describe_policy_outcome(problem, policy.actions)))
        return result

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per path: formulation, policy, care, own return, others' values, total, chance of its end."""
        return [
            {
                "formulation": outcome["formulation"],
                "policy": outcome["policy"],
                "care": outcome["care"],
                "own": outcome["own"],
                **outcome["others"],
                "total": outcome["total"],
                "ends": outcome["ends"],
            }
            for outcome in self.outcomes()
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return {"scenario", "rows"}."""
        return {"scenario": self.problems[0].scenario.name, "rows": self.outcomes()}

    def figure(self) -> Figure:
        """Return the picture."""
        return scene_figure(self.scene, self.tile, self.signs)

    def text(self) -> str:
        """Return the picture, drawn as text."""
        from renderers.text import draw

        return draw(self.scene)

    def writers(self) -> dict[str, Writer]:
        """Return those of every result; .png, .gif, .mp4 and .txt are the picture as `caregrid compare` draws it."""
        film = RecordedFilm(self.title, (self.scene,), self.tile, signs=self.signs).writers()
        return super().writers() | {ending: film[ending] for ending in ("png", "gif", "mp4", "txt")}

    def output(self) -> dict[str, Any]:
        """Return what `caregrid compare --json` prints."""
        compared = self.as_dict()
        return {"scenario": compared["scenario"], "out": None if self.out is None else str(self.out), **compared}

    def output_text(self) -> str:
        """Return what `caregrid compare` prints: the picture as wide as the terminal, or where it was written."""
        from renderers.text import draw, shows_colour

        if self.out is not None:
            return f"{self.title}: {self.out}"
        return draw(self.scene, coloured=shows_colour(sys.stdout), width=shutil.get_terminal_size().columns)

    def save_picture(self, path: str | FilePath) -> FilePath:
        """Write the picture in any format that films have, or as .svg, .pdf or .pgf."""
        if _read_ending(path) in PAPER_PICTURES:
            return self.save(path)
        return RecordedFilm(self.title, (self.scene,), self.tile, signs=self.signs).save(path)

    @staticmethod
    def check_picture(path: str | FilePath) -> None:
        """Refuse, before anything is solved, what `save_picture` cannot write; raises as `save` does."""
        from renderers.film import FORMATS, format_for

        if (ending := _read_ending(path)) in PAPER_PICTURES:
            from experiments.figures.style import require_picture

            require_picture(ending)
        elif ending not in FORMATS:
            endings = {*FORMATS, *PAPER_PICTURES}
            raise UnknownName("kind of picture", ending or str(path), endings, place=argument("out"))
        else:
            format_for(path)


def _read_ending(path: str | FilePath) -> str:
    return FilePath(path).suffix.removeprefix(".").lower()


def _describe_outcome(outcome: CaringOutcome, cases: Sequence[StartOutcome] = ()) -> dict[str, Any]:
    """Return an outcome ready for JSON, with the probability that the policy ends."""
    return write_outcome(outcome, cases) | {"ends": finite_or_none(outcome.ends)}


def compare_paths(
    problems: Sequence[Problem], care: tuple[float, ...], tile: int, learned: Sequence[LearnedPolicy] = ()
) -> PathComparison:
    """Return the comparison of several problems on one scenario."""
    return PathComparison(problems, care, draw_path_comparison(problems, care, learned), tile, learned)
