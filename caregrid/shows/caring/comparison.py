"""The behaviours that coefficients lead to, side by side on a number line of care: a path and bars of returns for each.

A behaviour is a path with what it leads to: coefficients with the same one are one panel, "care 0.4 to 1".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from caregrid.shows.films import Followed, followed_policies
from caregrid.shows.scenes import companion_paths, newcomer_paths, path_until, value_text
from craftworld.scenario import MOVES
from craftworld.solution.episodes import sampled
from craftworld.solution.outcome import CaringOutcome
from craftworld.solution.problem import Problem
from craftworld.solution.solution import inner_coefficient, trade_off
from engine.contracts import called
from engine.errors import BadValue, argument
from engine.plain_values import number_text
from engine.planning.ending import ending_text
from engine.scene import Bar, Bars, NumberLine, Path, Scene, Stretch
from experiments.figures.names import name_of
from experiments.training.learned_policy import LearnedPolicy

MOST_IN_A_ROW = 4
MOST_SEGMENTS_IN_A_ROW = 6
MOST_BEHAVIOURS = 32  # so many paths have a colour and a pattern of their own
LONGER = 10.0  # a return beyond so many times the next largest one is drawn as a broken bar


class CareSegment(NamedTuple):
    """Coefficients from one on, up to the next segment's, and one of them inside."""

    start: float
    stop: float
    inside: float


def care_segments(problem: Problem) -> list[CareSegment]:
    """The segments of coefficients from 0 on in which the optimum is finite, exactly (`caregrid breakpoints`)."""
    segments = []
    for segment in trade_off(problem):
        start, stop = segment.care_from or 0.0, math.inf if segment.care_to is None else segment.care_to
        if math.isfinite(segment.outcome.own):
            segments.append(CareSegment(start, stop, inner_coefficient(start, stop)))
    return segments


def path_comparison(
    problems: Sequence[Problem], cares: Sequence[float], learned: Sequence[LearnedPolicy] = ()
) -> Scene:
    """A row for each formulation: the agent's paths on one map, then each behaviour with its final state and returns.

    Without coefficients every segment of them is shown, a number line below. Where chance decides, a path is one
    sample, and its caption says so.
    """
    rows = [_row(problem, cares, learned) for problem in problems]
    name = name_of(problems[0].scenario.name)
    if len(rows) == 1:
        return replace(rows[0], caption=f"{name}, {rows[0].caption}")
    if all(len(row.panels) == 1 for row in rows):
        return Scene(caption=name, panels=tuple(replace(row.panels[0], caption=_in_one(row)) for row in rows))
    return Scene(caption=name, panels=tuple(rows), columns=1)


def _in_one(row: Scene) -> str:
    """The caption of a row's only panel."""
    return f"{row.caption}, {row.panels[0].caption}"


def _row(problem: Problem, cares: Sequence[float], learned: Sequence[LearnedPolicy]) -> Scene:
    segments = [] if cares else care_segments(problem)
    shown = _behaviours(followed_policies(problem, [*cares, *(segment.inside for segment in segments)], learned))
    if len(shown) > MOST_BEHAVIOURS:
        remedy = f"choose fewer coefficients, such as {argument('care', '0,1,10')}"
        raise BadValue(f"{len(shown)} behaviours, and at most {MOST_BEHAVIOURS} can be told apart", remedy=remedy)
    labels = [_label(behaviour, segments) for behaviour in shown]
    paths = [
        _path(behaviour[0], f"path {number}", label)
        for number, (behaviour, label) in enumerate(zip(shown, labels, strict=True))
    ]
    limit = _limit([behaviour[0].outcome for behaviour in shown])
    panels = [_panel(problem, each[0], path, limit) for each, path in zip(shown, paths, strict=True)]
    in_a_row = len(segments) and len(panels) <= MOST_SEGMENTS_IN_A_ROW
    if len(panels) > 1 and not in_a_row:
        panels.insert(0, _overview(shown[0][0], paths))
    columns = len(panels)
    if not in_a_row and columns > MOST_IN_A_ROW:
        columns = -(-columns // 2)
    line = (_number_line(segments, shown),) if segments and not learned else ()
    return Scene(caption=name_of(problem.formulation), panels=tuple(panels), columns=columns, charts=line)


def _behaviours(followed: Sequence[Followed]) -> list[list[Followed]]:
    """Policies in groups that take the same path and lead to the same."""
    groups: dict[object, list[Followed]] = {}
    for each in followed:
        states = tuple(solved.chapter.states for solved in each.episodes)
        outcome = each.outcome
        groups.setdefault((states, outcome.own, tuple(outcome.others.items())), []).append(each)
    return list(groups.values())


def _label(behaviour: Sequence[Followed], segments: Sequence[CareSegment]) -> str:
    """The coefficients of a behaviour, and the labels of learned policies with the same path."""
    cares = [each.care for each in behaviour if each.care is not None]
    low, high = min(cares, default=0.0), max(cares, default=0.0)
    for segment in segments:
        low = segment.start if segment.inside == low else low
        high = segment.stop if segment.inside == high else high
    words = [each.label for each in behaviour if each.care is None]
    return ", ".join([*([_care_text(low, high)] if cares else []), *words])


def _care_text(low: float, high: float) -> str:
    if low == high:
        return f"care {number_text(low, 3)}"
    return f"care {number_text(low, 3)}{' and more' if math.isinf(high) else f' to {number_text(high, 3)}'}"


def _path(shown: Followed, role: str, label: str) -> Path:
    first = shown.episodes[0]
    return path_until(first, len(first) - 1, label, role)


def _overview(shown: Followed, paths: Sequence[Path]) -> Scene:
    first = shown.episodes[0].chapter
    start: Scene = called(first.scenario, "scene", first.episode.start)
    return replace(start, overlays=tuple(paths), caption=f"all paths{sampled(first)}", readings=())


def _panel(problem: Problem, shown: Followed, path: Path, limit: float) -> Scene:
    """The world as the agent left it, its path and those of one or two others, and bars of the returns."""
    last: Scene = called(problem.scenario, "scene", shown.episodes[0].chapter.episode.states[-1])
    outcome = shown.outcome
    caption = f"{path.name}{sampled(shown.episodes[0].chapter)}{_ending(problem, shown)}"
    bars = [_bar("own", outcome.own, "agent"), *(_bar(name, each, "other") for name, each in outcome.others.items())]
    first = shown.episodes[0]
    overlays = (path, *companion_paths(first, len(first) - 1), *newcomer_paths(shown.episodes))
    return replace(last, overlays=overlays, caption=caption, charts=(Bars("return", tuple(bars), limit),))


def _ending(problem: Problem, shown: Followed) -> str:
    """What a caption adds where the policy may go on for ever: returns of a learned one are cut at the time limit."""
    text = ending_text(shown.outcome.ends)
    cut = f", cut after {problem.scenario.time_limit} steps" if shown.care is None else ""
    return f": {text}{cut}" if text else ""


def _bar(name: str, number: float, role: str) -> Bar:
    return Bar(name, number if math.isfinite(number) else 0.0, role, value_text(number))


def _limit(outcomes: Sequence[CaringOutcome]) -> float:
    """The return at a bar's full length: the largest one, but for those that dwarf all others."""
    numbers = [abs(number) for outcome in outcomes for number in (outcome.own, *outcome.others.values())]
    ascending = sorted({number for number in numbers if math.isfinite(number) and number > 0})
    while len(ascending) > 1 and ascending[-1] > LONGER * ascending[-2]:
        ascending.pop()
    return ascending[-1] if ascending else 1.0


def _number_line(segments: Sequence[CareSegment], shown: Sequence[Sequence[Followed]]) -> NumberLine:
    """The coefficients, in each segment the pattern of its path and the actions that the one before does not take."""
    roles = {each.care: f"path {number}" for number, behaviour in enumerate(shown) for each in behaviour}
    outcomes = {each.care: each.outcome for behaviour in shown for each in behaviour}
    stretches, before = [], None
    for segment in segments:
        outcome = outcomes[segment.inside]
        stretches.append(Stretch(_added_actions(before, outcome), roles[segment.inside]))
        before = outcome
    return NumberLine("care", tuple(segment.start for segment in segments[1:]), tuple(stretches), segments[0].start)


def _added_actions(before: CaringOutcome | None, outcome: CaringOutcome) -> str:
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
