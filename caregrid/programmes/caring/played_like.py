"""What a person played like: at which care every move is optimal, and which care is likely if moves may be slips.

The computation is that of `caregrid identify` (`craftworld.identification`), of one formulation and one episode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.errors import CaregridError
from engine.plain_values import write_number

if TYPE_CHECKING:
    from caregrid.programmes.game import Facts
    from craftworld.identification.likelihood import Choices
    from craftworld.solution.problem import Problem
    from engine.mdp.policies import Trajectory

MOST_STATES = 5000
"""Of a world that is solved again from every state that was visited."""


def describe_player(problem: Problem, path: Trajectory) -> Facts:
    """Describe at which care somebody plays so, in two lines; none before the first move and in very large worlds."""
    from craftworld.identification.identify import find_optimal_care
    from craftworld.identification.posterior import CARE, Prior, integrate

    if not path.actions:
        return ()
    try:
        choices = gather_choices(problem, path)
        if choices is None:
            return ()
        if all(len(lines) < 2 and not (lines[:, 1] if len(lines) else lines).any() for lines in choices.lines):
            return (("you played like", "any care: where you were, it changes nothing"),)
        optimal = find_optimal_care(choices)
        low, high = integrate(choices, Prior()).find_interval(CARE)
    except CaregridError as refused:
        return (("you played like", str(refused)),)
    likely = f"care {_write(low)} to {_write(high)}, with a probability of 90 percent"
    return (("you played like", describe_intervals(optimal)), ("if you may slip, like", likely))


def gather_choices(problem: Problem, path: Trajectory) -> Choices | None:
    """Gather what was chosen on a path under the problem's own formulation; None in very large worlds."""
    from craftworld.identification.action_values import CaringReward, find_choice_values, pays_at_the_end
    from craftworld.identification.likelihood import Choices

    reward = CaringReward.of(problem, path.states[0])
    if len(problem.mdp.terminal) > MOST_STATES and not pays_at_the_end(reward):
        return None
    taken: dict[int, dict[int, float]] = {}
    for state, action in zip(path.states, path.actions, strict=False):
        actions = taken.setdefault(state, {})
        actions[action] = actions.get(action, 0.0) + 1.0
    (values,) = find_choice_values([reward], sorted(taken))
    return Choices.of((values, state, actions) for state, actions in taken.items())


def describe_intervals(optimal: Sequence[tuple[float, float]]) -> str:
    """Describe the intervals of care at which every move is optimal, and what one would have done elsewhere."""
    if not optimal:
        return "no exact agent: no care makes every move optimal"
    words = [_describe_interval(low, high) for low, high in optimal]
    if optimal[0] == (-math.inf, math.inf):
        return words[0]
    (low, _), (_, high) = optimal[0], optimal[-1]
    if len(optimal) > 1 or (math.isfinite(low) and math.isfinite(high)):
        elsewhere = "anything else"
    elif math.isfinite(low):
        elsewhere = f"anything below {_write(low)}"
    else:
        elsewhere = f"anything above {_write(high)}"
    return f"{' or '.join(words)}; {elsewhere} would have gone elsewhere"


def _describe_interval(low: float, high: float) -> str:
    if low == high:
        return f"care {_write(low)} alone"
    if math.isinf(low) and math.isinf(high):
        return "any care: every agent would have moved so, or could have"
    if math.isinf(high):
        return f"care {_write(low)} and above"
    return f"care {_write(high)} and below" if math.isinf(low) else f"care between {_write(low)} and {_write(high)}"


def _write(care: float) -> str:
    return write_number(care, 3)
