"""Live with copies of yourself: raise one as a baby, live in a society of them, or be predicted, as by Newcomb.

    society(e_1, ..., e_k):  s_1 is the agent's play; person j > 1 perceives e_j(T, s_{j-1} up to this turn) and acts
                             by T, which makes s_j; the agent then perceives e_1(T, s_k)
    baby:       society(parent, infant);  infant: 1 where 50 <= s <= 200, else -1, it observes a_i;  parent: 1 where it
                laughs, else -1;  s(p) = 100 + 25 (times fed) - len(p)
    predictor:  r = (1 000 000 where T(p) = 0, else 0) + (1 000 where a > 0)

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", The Crying Baby
and the remark after it; Alexander et al. 2021, Example 7; R. Nozick, "Newcomb's problem and two principles of
choice", 1969.
"""

from __future__ import annotations

from fractions import Fraction

from xenv.theory.agents import HistoryAgent
from xenv.theory.environments import ONE, START, HistoryEnvironment, TheoryExample, respond, sign
from xenv.theory.histories import Percept, Play
from xenv.theory.pictures import FEED, LAUGH, draw_family

__all__ = ["crying_baby", "newcomb", "society"]


def live_together(*environments: HistoryEnvironment) -> HistoryEnvironment:
    """society(e_1, ..., e_k). The lives of the last play are kept, so that a turn more costs a turn."""
    first, *others = environments
    kept: tuple[HistoryAgent | None, list[Play]] = (None, [Play()] * len(environments))

    def respond_in_society(agent: HistoryAgent, play: Play) -> Percept:
        nonlocal kept
        lived = kept[1] if kept[0] is agent and play[: len(kept[1][0])] == kept[1][0] else [Play()] * len(environments)
        for turn in range(len(lived[0]) // 3 + 1, len(play) // 3 + 1):
            neighbour = Play(play[: 3 * turn])
            now = [neighbour]
            for environment, life in zip(others, lived[1:], strict=True):
                prompt = life.prompt(respond(environment, agent, neighbour))
                neighbour = prompt.play(agent.action(prompt))
                now.append(neighbour)
            lived = now
        kept = (agent, lived)
        return respond(first, agent, lived[-1])

    return respond_in_society


def compute_satiation(fed: int, length: int) -> int:
    """Return how full the baby is after a play of that length (3 entries a turn) in which it was fed so often."""
    return 100 + 25 * fed - length


def be_infant(agent: HistoryAgent, play: Play) -> Percept:
    """Return what a baby perceives of its parent: the last action, and a reward for being neither hungry nor full."""
    fed = play.actions.count(FEED)
    return Percept(sign(50 <= compute_satiation(fed, len(play)) <= 200), play[-1] if play else FEED)


def be_parent(agent: HistoryAgent, play: Play) -> Percept:
    """Return what a parent perceives of a child: its last sound, and a reward for laughter."""
    return Percept(sign(play[-1] == LAUGH), play[-1]) if play else Percept(ONE, LAUGH)


society = TheoryExample(
    live_together,
    sample=(be_parent, be_infant, be_infant),
    of_environments=True,
    keeps_observations=True,
    n_observations=2,
)
"""Live in a society of your own copies, each with other experiences: `society(crying_baby,newcomb,counting)`.

    s_1 is the agent's play.  Person j > 1:  (r_i, o_i) = e_j(T, s_{j-1} up to turn i),  a_i = T(...);  s_j is that life
    e(T, s_1) = e_1(T, s_k)

Everybody has the same nature, T. What somebody perceives is what the deeds of the neighbour lead to in an environment
of their own, their nurture; the agent is the neighbour of person 2, and person k is the agent's.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", after The Crying
Baby ("one could easily extend Example 10 into an example modelling an entire society").

Choices:
- the paper gives no definition; this one has The Crying Baby as the society of a parent and an infant, and a society of
  one person, society(e), is e itself
- without environments there is a family: the agent raises a child, the child raises a grandchild, whom the agent hears
"""

crying_baby = TheoryExample(lambda: live_together(be_parent, be_infant), n_observations=2, picture=draw_family)
"""Raise a baby with your own source code: nature is shared, nurture is not.

    s(p) = 100 + 25 (times fed) - len(p);  the baby's reward is 1 where 50 <= s <= 200, else -1, it observes a_i

The baby laughs (0) or cries; the adult gets 1 for laughter and -1 for crying.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", The Crying Baby.

Differs from the paper:
- every action of the baby but 0 is crying, as where the paper explains the actions; its formula for r names one only
"""

OPAQUE_ALONE = 0
OPAQUE, TRANSPARENT = Fraction(1_000_000), Fraction(1_000)


def _fill_boxes(agent: HistoryAgent, play: Play) -> Percept:
    if not play:
        return START
    prompt, action = play.decompose()
    opaque = OPAQUE if agent(prompt) == OPAQUE_ALONE else Fraction(0)
    return Percept(opaque if action == OPAQUE_ALONE else opaque + TRANSPARENT, 0)


newcomb = TheoryExample(lambda: _fill_boxes, is_merciful=True)
"""Newcomb's problem: the opaque box holds a million where you would take it alone.

    r = (1 000 000 where T(p) = 0, else 0) + (1 000 where a > 0)     0 takes the opaque box, 1 and more take both

The predictor predicts by running the agent on the prompt that it really saw.
Alexander et al. 2021, Example 7; R. Nozick, "Newcomb's problem and two principles of choice", 1969.
"""
