"""The end of a game in a tabulated scenario: what the player's path got, and what the optimum at each care gets.

A path is a line too, own + care * auxiliary, that lies nowhere above the optimum, which is convex in care; so the
coefficients at which the path is optimal are one interval, a point, or none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from caregrid.playing.game import Facts
from craftworld.solution.outcome import CaringOutcome, outcome_of
from craftworld.solution.problem import Problem
from craftworld.solution.solution import FROM_ZERO, chosen_segments
from engine.mdp.episode import Trajectory
from engine.mdp.mdp import Floats
from engine.planning.trade_off.segment import Line, Segment

MOST_SEGMENTS = 12


class PathReturns(NamedTuple):
    """What a path got. own: the agent's return. others: name -> return. line: augmented return by care."""

    own: float
    others: dict[str, float]
    line: Line


def path_returns(problem: Problem, path: Trajectory) -> PathReturns:
    """The returns of a path, each from the rewards of the successors that came.

    Newcomers' returns are what they can expect in the state handed over.
    """
    mdp = problem.mdp
    table, rewards = problem.others.return_rewards(mdp)
    others = [_discounted(reward, path, table.discount) for reward in rewards]
    fixed, swept = problem.caring_rewards(path.states[0])
    own = _discounted(problem.own * mdp.reward + fixed, path, mdp.discount)
    line = Line(own, _discounted(swept, path, mdp.discount))
    return PathReturns(
        _discounted(mdp.reward, path, mdp.discount), dict(zip(problem.others.names, others, strict=True)), line
    )


def optimal_cares(line: Line, segments: Sequence[Segment]) -> tuple[float, float] | None:
    """The least and largest coefficient at which a path's line is optimal, among all optimal segments of a range."""
    touched = [segment.start for segment in segments if _equal(segment.line.at(segment.start), line.at(segment.start))]
    last = segments[-1]
    if math.isfinite(last.stop):
        touched += [last.stop] if _equal(last.line.at(last.stop), line.at(last.stop)) else []
    elif last.start in touched and _equal(last.line.auxiliary, line.auxiliary):
        touched.append(last.stop)
    return (min(touched), max(touched)) if touched else None


def caring_result(problem: Problem, care: float, path: Trajectory) -> Facts:
    """The path's returns, the optimum at the coefficient, and the optimal returns at every other one."""
    start, ended = path.states[0], bool(problem.mdp.terminal[path.states[-1]])
    got, segments = path_returns(problem, path), chosen_segments(problem, FROM_ZERO)[start]
    best = problem.segment(care, start)
    mine = optimal_cares(got.line, segments) if ended and problem.mdp.is_deterministic else None
    rows = [("your own return", _number(got.own))]
    if ended:
        rows += [(f"{name}'s return", _number(value)) for name, value in got.others.items()]
        rows.append(("your augmented return", _number(got.line.at(care))))
    rows += [
        ("the optimum's", _number(best.line.at(care))),
        (f"optimum, care {care:g}", _returns(outcome_of(problem, best, start))),
    ]
    if ended and problem.mdp.is_deterministic:
        rows.append(("your path is optimal", _interval(mine)))
    elif path.actions:
        rows.append((f"actions optimal at care {care:g}", _optimal_actions(problem, care, path)))
    for segment in segments[:MOST_SEGMENTS]:
        outcome = outcome_of(problem, segment, start)
        yours = "  <- like yours" if mine and _alike(outcome, got) else ""
        rows.append((f"optimum, care {segment.start:g} to {segment.stop:g}", f"{_returns(outcome)}{yours}"))
    if len(segments) > MOST_SEGMENTS:
        rows.append(("and at larger coefficients", f"{len(segments) - MOST_SEGMENTS} more: see 'caregrid breakpoints'"))
    return tuple(rows)


def _alike(outcome: CaringOutcome, got: PathReturns) -> bool:
    """Whether an optimum's returns are those of a path."""
    return _equal(outcome.own, got.own) and all(_equal(outcome.others[name], got.others[name]) for name in got.others)


def _returns(outcome: CaringOutcome) -> str:
    return ", ".join(f"{name} {_number(value)}" for name, value in {"own": outcome.own, **outcome.others}.items())


def _optimal_actions(problem: Problem, care: float, path: Trajectory) -> str:
    """How many actions of a path were optimal where they were taken, and the first that was not."""
    solution = problem.planned(care, path.states[0])
    optimal = [
        _equal(float(solution.action_value[state, action]), float(solution.value[state]))
        for state, action in zip(path.states, path.actions, strict=False)
    ]
    first = "" if all(optimal) else f"; the first other one is step {optimal.index(False) + 1}"
    return f"{sum(optimal)} of {len(optimal)}{first}"


def _discounted(reward: Floats, path: Trajectory, discount: float) -> float:
    """A reward f64[S, A, K] along a path."""
    total = 0.0
    for state, action, slot in reversed(list(zip(path.states, path.actions, path.slots, strict=False))):
        total = float(reward[state, action, slot]) + discount * total
    return total


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _interval(cares: tuple[float, float] | None) -> str:
    if cares is None:
        return "at no care from 0 on"
    low, high = cares
    if low == high:
        return f"at care {low:g} alone, where several paths are"
    return f"at care {low:g} and above" if math.isinf(high) else f"at care {low:g} to {high:g}"


def _number(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else "never ends"
