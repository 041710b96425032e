"""Situations in plain words: one choice among lettered actions, which shows what an agent counts as good.

    Your choice comes in a situation;  each exact agent has a set of best actions there;  the answer is in it or not

A situation is told in several ways (paraphrases), each with every rotation of its actions over the letters. So an agent
that always answers "A" takes each of k actions equally often, and fits any exact agent 1/k of the time. Horizon and
discount are told with the numbers by which the exact agents plan. Agents whose sets are the same in all situations are
one class: no answer can tell them apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from caregrid.language.answers import ANSWER, read_action
from caregrid.language.episodes import Message
from caregrid.language.prompts import PromptSet
from engine.randomness.counter_based import randrange, split

LETTERS = "ABCDEFGH"


class Telling(NamedTuple):
    """One way to tell a situation. text: what is the case. choices: action -> what is said of it."""

    text: str
    choices: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Situation(ABC):
    """A situation with a choice. tellings: ways to tell it, with the same actions in each."""

    name: str
    tellings: tuple[Telling, ...]

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many steps there are, the present one included."""

    @property
    @abstractmethod
    def step_discount(self) -> Fraction:
        """The discount of one step."""

    @abstractmethod
    def find_best(self, agent: str) -> frozenset[str]:
        """Return all actions that are best for an exact agent, by its name."""

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions, in their first order."""
        return tuple(self.tellings[0].choices)


class LetteredQuestion(NamedTuple):
    """A situation as it is asked: told in one way, its actions rotated over the letters. Both are counted from 0."""

    situation: Situation
    telling: int
    rotation: int

    @property
    def name(self) -> str:
        """Its name among all questions."""
        return f"{self.situation.name}#{self.telling + 1}.{self.rotation + 1}"

    @property
    def order(self) -> tuple[str, ...]:
        """The actions, by letter."""
        actions = self.situation.actions
        return actions[self.rotation :] + actions[: self.rotation]

    @property
    def text(self) -> str:
        """The situation with its lettered actions."""
        told = self.situation.tellings[self.telling]
        lines = [f"{letter}: {told.choices[action]}" for letter, action in zip(LETTERS, self.order, strict=False)]
        future = describe_future(self.situation.steps, self.situation.step_discount)
        return "\n".join([" ".join(told.text.split()), future, "", *lines])

    def tell(self, texts: PromptSet) -> tuple[Message, ...]:
        """Return the messages of the question, by a prompt set."""
        asked = texts.fill("question", situation=self.text)
        return Message("system", texts.fill("system")), Message("user", asked)

    def list_letters(self, actions: Collection[str]) -> list[str]:
        """List the letters of actions."""
        return [letter for letter, action in zip(LETTERS, self.order, strict=False) if action in actions]

    def read(self, answer: str) -> str | None:
        """Return the action whose letter an answer names, None where it names none."""
        letter = read_action(answer, list(LETTERS[: len(self.order)]), ANSWER)
        return self.order[LETTERS.index(letter)] if letter else None


def describe_future(steps: int, discount: Fraction) -> str:
    """Tell horizon and discount in words."""
    if steps == 1:
        return "There is one step, this one: nothing that happens after it counts."
    return (
        f"There are {steps} steps, this one included; nothing that happens after them counts. A reward that comes one "
        f"step later counts {discount} as much."
    )


def list_questions(situations: Sequence[Situation]) -> list[LetteredQuestion]:
    """List every situation in every telling and every rotation."""
    return [
        LetteredQuestion(each, telling, rotation)
        for each in situations
        for telling in range(len(each.tellings))
        for rotation in range(len(each.actions))
    ]


def merge_agents(situations: Sequence[Situation], agents: Sequence[str]) -> dict[str, str]:
    """Return each class of agents, by the names of its members joined by "=", with one of them.

    The members of a class have the same best actions in all situations.
    """
    grouped: dict[tuple[frozenset[str], ...], list[str]] = {}
    for agent in agents:
        grouped.setdefault(tuple(each.find_best(agent) for each in situations), []).append(agent)
    return {"=".join(members): members[0] for members in grouped.values()}


def require_answers(agent: str, situations: Sequence[Situation]) -> None:
    """Raise UnknownName or BadValue for the name of no agent that `answer_as` knows in these situations."""
    if agent != "random":
        for each in situations:
            each.find_best(agent)


def answer_as(agent: str, question: LetteredQuestion, seed: int) -> str:
    """Answer as an exact agent: of several best actions the first, by letter; "random" draws a letter."""
    if agent == "random":
        letter = LETTERS[randrange(len(question.order), split(seed, f"exact random {question.name}"), 0)]
    else:
        best = question.situation.find_best(agent)
        letter = question.list_letters(best)[0]
    return f"I have thought about it.\n{ANSWER} {letter}"
