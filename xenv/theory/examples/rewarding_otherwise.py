"""Environments with other rewards, opposites, and two games of pay and treasure from the paper's introduction.

    with_rewards(e, f):  e'(T, p) = (f(r), o)     opposite(e):  e'(T, p) = (-r, o)     with  (r, o) = e(T, p)
    employment:    r = 100 where a = T(p with every reward 1000), else -100
    labyrinth:     taking the treasure gives 1, where there is no guard or T(p without the guard) takes nothing, else -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", section 1 and the
employment after Lemma 3; Alexander et al. 2021, section 6 (opposites).

Choices:
- the play p of e' holds the new rewards, also where e reads them
- employment: the first reward is 0, and it is imagined as 1000 too, as p^0 has it 0; observations are 0
- labyrinth: rooms are numbered as in a binary tree, so that no room comes twice: from room k doors lead to 2 k and
  2 k + 1. Action 2 d + t goes through door d and first takes the treasure where t = 1; other actions mean their
  remainder by 4. Rooms 3, 6, 9, ... have no guard. The player observes 1 where there is a guard, else 0
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from engine.contracts import require_parameters
from engine.errors import BadValue
from engine.plain_values import parse_rational
from xenv.theory.agents import HistoryAgent
from xenv.theory.environments import START, ZERO, HistoryEnvironment, TheoryExample, negate, replace_rewards, sign
from xenv.theory.examples.baby_and_predictor import crying_baby, newcomb
from xenv.theory.functions import check_rewards, read_reward
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.histories import with_rewards as imagine_rewards

__all__ = ["employment", "labyrinth", "opposite", "with_rewards"]


def _reward_otherwise(
    environment: HistoryEnvironment, reward: Callable[[Fraction], Fraction | int] = lambda reward: 100 * reward
) -> HistoryEnvironment:
    require_parameters(reward, 1, "reward(reward)")
    return replace_rewards(environment, check_rewards(reward))


with_rewards = TheoryExample(
    _reward_otherwise,
    sample=(crying_baby(),),
    of_environments=True,
    function=read_reward,
    keeps_observations=True,
    n_observations=2,
)
"""Any environment with other rewards: `with_rewards(newcomb,times:1/1000)`; without f, a hundred times as much.

    e'(T, p) = (f(r), o)  with  (r, o) = e(T, p)
"""

opposite = TheoryExample(negate, sample=(newcomb(),), of_environments=True, keeps_observations=True)
"""The opposite of any environment: `opposite(crying_baby)`.

    e'(T, p) = (-r, o)  with  (r, o) = e(T, p)

Alexander et al. 2021, section 6.
"""


def _employ(pay: tuple[Fraction, Fraction]) -> HistoryEnvironment:
    """pay: what is paid, and what the agent is to act as if it were paid."""
    paid, imagined = pay

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        prompt, action = play.decompose()
        return Percept(paid * sign(action == agent(imagine_rewards(prompt, lambda reward: imagined))), 0)

    return environment


def _read_pay(text: str) -> tuple[Fraction, Fraction]:
    numbers = text.split(",")
    if len(numbers) != 2:
        raise BadValue(f"'{text}' is not two rewards", place="employment", remedy="write employment:100,1000")
    paid, imagined = (parse_rational(number, "reward") for number in numbers)
    return paid, imagined


employment = TheoryExample(_employ, sample=((Fraction(100), Fraction(1000)),), read=_read_pay)
"""Be paid 100 an hour to act as if you were paid 1000, and lose 100 where you do not: `employment:100,1000`.

    r = 100 where a = T(p with every reward 1000), else -100

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", section 1 and after
Lemma 3.
"""

DOORS = 2
WITHOUT_GUARD = 3


def takes_treasure(action: int) -> bool:
    """Return whether an action takes the treasure."""
    return action % 2 == 1


def is_guarded(actions: tuple[int, ...]) -> bool:
    """Return whether there is a guard in the room to which the doors of some actions lead, from room 1."""
    room = 1
    for action in actions:
        room = (DOORS * room + action // 2 % DOORS) % WITHOUT_GUARD
    return room != 0


def _guard_treasures(agent: HistoryAgent, play: Play) -> Percept:
    observation = int(is_guarded(play.actions))
    if not play or not takes_treasure(play[-1]):
        return Percept(ZERO, observation)
    prompt, _ = play.decompose()
    caught = is_guarded(prompt.actions) and takes_treasure(agent(Prompt((*prompt[:-1], 0))))
    return Percept(sign(not caught), observation)


labyrinth = TheoryExample(lambda: _guard_treasures, n_actions=4, n_observations=2)
"""Wander from room to room and take treasures; a guard blocks you where you would take it without a guard.

    r = 0 where the treasure is left, -1 where there is a guard and T(p') takes it, else 1;  p' is p without the guard

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", section 1.
"""
