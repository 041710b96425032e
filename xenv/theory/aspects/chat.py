"""h: an agent as a chatbot, which answers a user letter by letter.

Letter k of the alphabet (1, 2, ...) is shown as 2 k + 1; what the agent does meanwhile does not count. Then 1 is shown,
and again after each letter that it says: its action, mod one more than there are letters, is the next letter, and 0
ends its answer, which has at most `LONGEST` letters. All rewards are 0.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (The Turing Test), which leaves h open.
"""

from __future__ import annotations

from typing import TypeAlias

from xenv.theory.agents.history_agent import HistoryAgent
from xenv.theory.histories import Percept, Play
from xenv.theory.response import ZERO

ALPHABET = "abcdefghijklmnopqrstuvwxyz ?!.,'"
LONGEST = 8
SILENCE = Percept(ZERO, 1)
Conversation: TypeAlias = tuple[str, ...]
"""What the user says, what the chatbot answers, and so on by turns."""


def chatbot(agent: HistoryAgent, said: Conversation) -> Conversation:
    """h(A): its answers to what a user says, one after the other."""
    play, answers = Play(), list[str]()
    for text in said:
        for letter in text:
            prompt = play.prompt(Percept(ZERO, 2 * (ALPHABET.index(letter) + 1) + 1))
            play = prompt.play(agent(prompt))
        answer = ""
        while True:
            prompt = play.prompt(SILENCE)
            action = agent(prompt)
            play, number = prompt.play(action), action % (len(ALPHABET) + 1)
            if number == 0 or len(answer) == LONGEST:
                break
            answer += ALPHABET[number - 1]
        answers.append(answer)
    return tuple(answers)


def looks_said(agent: HistoryAgent, conversation: Conversation) -> bool:
    """Whether the even-numbered texts are what h(A) would say to the odd-numbered ones."""
    answered = conversation[1::2]
    return chatbot(agent, conversation[0::2])[: len(answered)] == answered


def default_conversations() -> tuple[Conversation, ...]:
    """Two questions with each of some answers, and longer conversations."""
    answers = ("", "a", "b", "a" * LONGEST, "me")
    short = [(question, answer) for question in ("hi", "who?") for answer in answers]
    return (*short, *(("hi", answer, "who?", answer) for answer in answers))
