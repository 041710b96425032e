"""Act as if you saw something else: only the mirror, the mirror and your own body, or what two eyes show together.

    e'(T, p a) = (r, o) with e(T, p a) = (., o);   r = 1 where a = T(r_0, o'_0, a_0, ..., r_n, o'_n), else -1
    mirror(e, view):      o'_i = view(o_i)
    binocular(e, model):  o'_i = model(s_1, s_2)  with  o_i <-> (s_1, s_2)

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", "Some more
ambitious examples" (Examples 8 and 9).

Choices:
- e is any environment; it answers the play before the mirror, whose rewards are r. The first reward is 0
- a pair of snapshots is encoded by Cantor's pairing (`xenv.theory.enumerations`), so that every observation shows one
- without e there is a world to try each with. In the mirror's room action a switches lamp 1 + a mod 3, and at first
  lamp 3 alone is lit; the room shows o = 8 d + m(d), with d = 4 b_1 + 2 b_2 + b_3 the lamps and m(d) = 4 b_3 + 2 b_2 +
  b_1. Two eyes see a point at 0 <= x, z <= 4, at first at (2, 1), as x + z and x + 4 - z; action 0 moves it one to the
  right, 1 one back, others not; beyond 4 comes 0
- without a view the mirror is o mod 8, and without a model o' is 10 x + z, rounded down where no point is shown so
"""

from __future__ import annotations

from collections.abc import Callable

from engine.contracts import require_parameters
from xenv.theory.agents import HistoryAgent
from xenv.theory.enumerations import pair_numbers, unpair_number
from xenv.theory.environments import ZERO, HistoryEnvironment, TheoryExample, respond, sign
from xenv.theory.functions import check_observations, read_model, read_view
from xenv.theory.histories import Percept, Play, Prompt, with_observations
from xenv.theory.pictures import draw_lamps, draw_point

__all__ = ["binocular", "mirror", "mirror_with_body"]


def act_as_if(environment: HistoryEnvironment, imagine: Callable[[HistoryAgent, Prompt], Prompt]) -> HistoryEnvironment:
    """Return e with other rewards: 1 where a = T(p'), else -1, with p' the prompt that the agent is to imagine."""

    def respond_to_acting(agent: HistoryAgent, play: Play) -> Percept:
        observation = respond(environment, agent, play).observation
        if not play:
            return Percept(ZERO, observation)
        prompt, action = play.decompose()
        return Percept(sign(action == agent(imagine(agent, prompt))), observation)

    return respond_to_acting


LAMPS, FIRST_LAMPS = 3, 1
STATES = 1 << LAMPS


def mirror_lamps(lamps: int) -> int:
    """Return the three bits in reverse."""
    return int(f"{lamps % STATES:0{LAMPS}b}"[::-1], 2)


def show_lamps(agent: HistoryAgent, play: Play) -> Percept:
    """Show the lamps and their mirror image, 8 d + m(d)."""
    lamps = FIRST_LAMPS
    for action in play.actions:
        lamps ^= STATES >> (1 + action % LAMPS)
    return Percept(ZERO, STATES * lamps + mirror_lamps(lamps))


def mirror_alone(observation: int) -> int:
    """Return the mirror image in a snapshot of the lamps."""
    return observation % STATES


def look_in_mirror(environment: HistoryEnvironment, view: Callable[[int], int] = mirror_alone) -> HistoryEnvironment:
    """mirror(e, view)."""
    require_parameters(view, 1, "view(observation)")
    seen = check_observations(view)
    return act_as_if(environment, lambda agent, prompt: with_observations(prompt, seen))


mirror = TheoryExample(
    look_in_mirror,
    sample=(show_lamps,),
    of_environments=True,
    function=read_view,
    keeps_observations=True,
    n_actions=3,
    n_observations=STATES**2,
    picture=draw_lamps,
)
"""Play in the mirror: act as if the mirror were the only thing to be seen: `mirror(crying_baby,modulo:2)`.

    r = 1 where a = T(r_0, view(o_0), a_0, ..., r_n, view(o_n)), else -1;   e' shows the observations of e

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Playing in the
mirror.
"""

LARGEST_BODY = 999


def with_body(agent: HistoryAgent, prompt: Prompt) -> Prompt:
    """Return the prompt with o'_i: the body, and after it the mirror image."""
    bodies = [0, *(min(work.steps, LARGEST_BODY) for work in agent.works(prompt))][:-1]
    entries = list(prompt)
    entries[1::3] = (
        STATES * body + mirror_alone(observation) for body, observation in zip(bodies, prompt.observations, strict=True)
    )
    return Prompt(entries)


mirror_with_body = TheoryExample(
    lambda: act_as_if(show_lamps, with_body),
    n_actions=3,
    n_observations=STATES * (LARGEST_BODY + 1),
    picture=draw_lamps,
)
"""Play in the mirror, where the agent's own body is to be seen too: what it was like to compute its last action.

    o'_i = 8 b_i + m(d_i);   b_i = min(steps of T(r_0, o_0, a_0, ..., r_{i-1}, o_{i-1}), 999), and b_0 = 0

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Playing in the
mirror (the image of the agent's "body", derived from the steps of T's computation).

Choices:
- a step is a line of Python that the agent runs (`xenv.theory.agents`)
"""

SIDE = 5
FIRST_POINT = (2, 1)


def show_point(agent: HistoryAgent, play: Play) -> Percept:
    """Show the pair of what the left and the right eye see."""
    x, z = FIRST_POINT
    x, z = (x + play.actions.count(0)) % SIDE, (z + play.actions.count(1)) % SIDE
    return Percept(ZERO, pair_numbers(x + z, x + SIDE - 1 - z))


def locate_in_space(left: int, right: int) -> int:
    """Return 10 x + z, with x = (left + right - 4)/2 and z = (left - right + 4)/2, rounded down and at least 0."""
    return 10 * (max(left + right - SIDE + 1, 0) // 2) + max(left - right + SIDE - 1, 0) // 2


def see_with_two_eyes(
    environment: HistoryEnvironment, model: Callable[[int, int], int] = locate_in_space
) -> HistoryEnvironment:
    """binocular(e, model)."""
    require_parameters(model, 2, "model(left, right)")
    perceived = check_observations(model)
    return act_as_if(
        environment, lambda agent, prompt: with_observations(prompt, lambda shown: perceived(*unpair_number(shown)))
    )


binocular = TheoryExample(
    see_with_two_eyes,
    sample=(show_point,),
    of_environments=True,
    function=read_model,
    keeps_observations=True,
    n_actions=3,
    n_observations=1 + pair_numbers(2 * SIDE - 2, 2 * SIDE - 2),
    picture=draw_point,
)
"""See with two eyes: act as if you saw what two snapshots show together: `binocular(counting,left)`.

    r = 1 where a = T(r_0, o'_0, a_0, ..., r_n, o'_n), else -1;   o'_i = model(s_1, s_2) with o_i <-> (s_1, s_2)

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Binocular vision.
"""
