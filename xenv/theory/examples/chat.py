"""Recognise what you would say in a conversation.

    r = 1 where a > 0 and h(T) would give the answers, or a = 0 and not, else 0; trial k of n is shown as 2 k

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (The Turing Test); the transformation is in
`xenv/theory/aspects/chat.py`.

Choices:
- trials are finitely many, shown in order again and again;
  `chat(my_trials)` in Python takes others, or more
"""

from __future__ import annotations

from collections.abc import Sequence

from xenv.theory.aspects.chat import Conversation, default_conversations, looks_said
from xenv.theory.aspects.recognition import Recognition, trials_of
from xenv.theory.example import TheoryExample


def _chat(shown: Sequence[Conversation]) -> Recognition:
    return trials_of(shown, looks_said)


chat = TheoryExample(_chat, sample=(default_conversations(),), is_merciful=True, n_observations=None)
