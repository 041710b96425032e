"""i: an agent as a mechanical knowing agent, which enumerates the sentences that it knows, step by step.

At step m = 1, 2, ..., with m - 1 <-> (k, t) Cantor's pairing, the agent is shown sentence k, as 2 k + 1 with reward 0,
for t + 1 turns. Where its last action is greater than 0, sentence k is enumerated; where there is no sentence k, none.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Mechanical knowing agent), which leaves i open.
"""

from __future__ import annotations

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.enumerations.pairs import unpaired
from xenv.theory.histories import Percept
from xenv.theory.response import ZERO

SENTENCES = ("0=0", "0=1", "K(0=0)", "K(0=1)", "~K(0=1)", "K(0=0)->0=0", "K(K(0=0))", "Ax K(x=x)")
"""Sentences in the language of Epistemic Arithmetic: A is "for all", ~ "not", K "it is known that"."""


def sentence_enumerated(agent: HistoryAgent, n_sentences: int, step: int) -> int | None:
    """The number of the sentence that i(A) enumerates at a step, None where it enumerates none then."""
    sentence, times = unpaired(step - 1)
    if sentence >= n_sentences:
        return None
    actions = agent.answers(Percept(ZERO, 2 * sentence + 1) for _ in range(times + 1)).actions
    return sentence if actions[-1] > 0 else None


def knows(agent: HistoryAgent, n_sentences: int, sentence: int, steps: int) -> bool:
    """Whether i(A) enumerates a sentence in that many steps."""
    return any(sentence_enumerated(agent, n_sentences, step) == sentence for step in range(1, steps + 1))
