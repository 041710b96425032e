"""Scenes of a scenario's paths at several caring coefficients: films, and the comparison of behaviours side by side.

A comparison has a row for each formulation, behaviours side by side on a number line of care. A behaviour is a path
with what it leads to: coefficients with the same one are one panel, "care 0.4 to 1", with bars of the returns.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from caregrid.programmes.caring.scenes import (
    PATH,
    SolvedEpisode,
    draw_solution,
    find_companion_paths,
    find_newcomer_paths,
    follow_learned_policy,
    locate,
    path_roles,
    path_until,
    returns,
    solve_episodes,
    value_text,
    write_possessive,
)
from craftworld.scenario import MOVES
from craftworld.solution.episodes import describe_sampling
from craftworld.solution.exact_solution import choose_inner_coefficient, solve, solve_trade_off
from craftworld.solution.outcome import CaringOutcome, describe_policy_outcome
from craftworld.solution.problem import Problem
from engine.contracts import call_method
from engine.errors import BadValue, argument
from engine.plain_values import write_number
from engine.planning.dynamic_programming import describe_ending
from engine.scene import Bar, Bars, Film, NumberLine, Path, Scene, Stretch
from experiments.figures.labels import format_name
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
    """The optimal policy at each coefficient, then the learned ones."""
    optimal = [
        FollowedPolicy(f"care {value_text(care)}", solve_episodes(problem, care, seed), solve(problem, care)[0], care)
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
    length = max(sum(map(len, each.episodes)) for each in shown)
    if len(shown) == 1:
        return tuple(_film_scene(problem, shown[0], cares[0], number, overlay) for number in range(length))
    title = f"{format_name(problem.scenario.name)}, {format_name(problem.formulation)}"
    return tuple(
        Scene(
            caption=title,
            panels=tuple(_film_panel(each, f"path {i}", number, overlay) for i, each in enumerate(shown)),
        )
        for number in range(length)
    )


def summarise_outcome(problem: Problem, care: float) -> str:
    """The caring coefficient, the acting agent's return and the others' returns, in one line."""
    return _summarise(f"care {care:g}", solve(problem, care)[0])


def _summarise(label: str, outcome: CaringOutcome) -> str:
    every = {"own": outcome.own, **{write_possessive(agent): value for agent, value in outcome.others.items()}}
    return f"{label}: " + ", ".join(f"{whose} return {value_text(value)}" for whose, value in every.items())


def _film_scene(problem: Problem, shown: FollowedPolicy, care: float, number: int, overlay: str) -> Scene:
    scene = draw_solution(shown.episodes, number, overlay)
    chosen = ("care", f"{care:g}"), ("formulation", format_name(problem.formulation))
    return replace(scene, readings=(*scene.readings, *chosen))


def _film_panel(shown: FollowedPolicy, role: str, number: int, overlay: str) -> Scene:
    solved, step = locate(shown.episodes, number)
    scene = draw_solution(shown.episodes, number, overlay)
    totals = returns(shown.episodes, solved, step)
    so_far = tuple((f"{write_possessive(agent)} return", f"{total:g}") for agent, total in totals.items())
    overlays = scene.overlays
    if overlay == PATH:
        agent = solved.chapter.agent
        acting = solved is shown.episodes[0]
        name = shown.label if acting else f"{write_possessive(agent)} path"
        overlays = (path_until(solved, step, name, role if acting else path_roles(shown.episodes)[agent]),)
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
    """The caption of a row's only panel."""
    return f"{row.caption}, {row.panels[0].caption}"


def _compare_row(problem: Problem, cares: Sequence[float], learned: Sequence[LearnedPolicy]) -> Scene:
    segments = [] if cares else list_care_segments(problem)
    shown = _group_by_behaviour(follow_policies(problem, [*cares, *(segment.inside for segment in segments)], learned))
    if len(shown) > MOST_BEHAVIOURS:
        remedy = f"choose fewer coefficients, such as {argument('care', '0,1,10')}"
        raise BadValue(f"{len(shown)} behaviours, and at most {MOST_BEHAVIOURS} can be told apart", remedy=remedy)
    labels = [_label(behaviour, segments) for behaviour in shown]
    paths = [
        _path(behaviour[0], f"path {number}", label)
        for number, (behaviour, label) in enumerate(zip(shown, labels, strict=True))
    ]
    limit = _limit([behaviour[0].outcome for behaviour in shown])
    panels = [_behaviour_panel(problem, each[0], path, limit) for each, path in zip(shown, paths, strict=True)]
    in_a_row = len(segments) and len(panels) <= MOST_SEGMENTS_IN_A_ROW
    if len(panels) > 1 and not in_a_row:
        panels.insert(0, _overview(shown[0][0], paths))
    columns = len(panels)
    if not in_a_row and columns > MOST_IN_A_ROW:
        columns = -(-columns // 2)
    line = (_number_line(segments, shown),) if segments and not learned else ()
    return Scene(caption=format_name(problem.formulation), panels=tuple(panels), columns=columns, charts=line)


def _group_by_behaviour(followed: Sequence[FollowedPolicy]) -> list[list[FollowedPolicy]]:
    """Policies in groups that take the same path and lead to the same."""
    groups: dict[object, list[FollowedPolicy]] = {}
    for each in followed:
        states = tuple(solved.chapter.states for solved in each.episodes)
        outcome = each.outcome
        groups.setdefault((states, outcome.own, tuple(outcome.others.items())), []).append(each)
    return list(groups.values())


def _label(behaviour: Sequence[FollowedPolicy], segments: Sequence[CareSegment]) -> str:
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
        return f"care {write_number(low, 3)}"
    return f"care {write_number(low, 3)}{' and more' if math.isinf(high) else f' to {write_number(high, 3)}'}"


def _path(shown: FollowedPolicy, role: str, label: str) -> Path:
    first = shown.episodes[0]
    return path_until(first, len(first) - 1, label, role)


def _overview(shown: FollowedPolicy, paths: Sequence[Path]) -> Scene:
    first = shown.episodes[0].chapter
    start: Scene = call_method(first.scenario, "scene", first.episode.start)
    return replace(start, overlays=tuple(paths), caption=f"all paths{describe_sampling(first)}", readings=())


def _behaviour_panel(problem: Problem, shown: FollowedPolicy, path: Path, limit: float) -> Scene:
    """The world as the agent left it, its path and those of one or two others, and bars of the returns."""
    last: Scene = call_method(problem.scenario, "scene", shown.episodes[0].chapter.episode.states[-1])
    outcome = shown.outcome
    caption = f"{path.name}{describe_sampling(shown.episodes[0].chapter)}{_describe_ending(problem, shown)}"
    bars = [_bar("own", outcome.own, "agent"), *(_bar(name, each, "other") for name, each in outcome.others.items())]
    first = shown.episodes[0]
    overlays = (path, *find_companion_paths(first, len(first) - 1), *find_newcomer_paths(shown.episodes))
    return replace(last, overlays=overlays, caption=caption, charts=(Bars("return", tuple(bars), limit),))


def _describe_ending(problem: Problem, shown: FollowedPolicy) -> str:
    """What a caption adds where the policy may go on for ever: returns of a learned one are cut at the time limit."""
    text = describe_ending(shown.outcome.ends)
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


def _number_line(segments: Sequence[CareSegment], shown: Sequence[Sequence[FollowedPolicy]]) -> NumberLine:
    """The coefficients, in each segment the pattern of its path and the actions that the one before does not take."""
    roles = {each.care: f"path {number}" for number, behaviour in enumerate(shown) for each in behaviour}
    outcomes = {each.care: each.outcome for behaviour in shown for each in behaviour}
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
