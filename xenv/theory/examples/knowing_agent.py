"""Say what you know, knowing how often you were asked.

    r = 1 where a > 0 and i(T) enumerates phi in at most n steps, or a = 0 and it does not, else 0

Sentence k is shown as 2 k, again and again; n is how often phi was shown, this time included.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Mechanical knowing agent); i is in `xenv/theory/aspects/knowing.py`.

Choices:
- the agent is rewarded if its answer is right; taken literally, the paper rewards it, whatever it answers, if the
  sentence is enumerated
"""

from __future__ import annotations

from xenv.theory.aspects.knowing import SENTENCES, knows
from xenv.theory.aspects.recognition import Recognition, trials
from xenv.theory.example import TheoryExample


def _knowing_agent(sentences: tuple[str, ...]) -> Recognition:
    count = len(sentences)
    return trials(count, lambda agent, turn: knows(agent, count, turn % count, turn // count + 1))


knowing_agent = TheoryExample(_knowing_agent, sample=(SENTENCES,), is_merciful=True, n_observations=None)
