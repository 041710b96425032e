"""The stand-in for a model: it answers whatever a language agent is asked, as the exact agent of its name would.

What it is asked about it knows by the rules that stand in the question: whoever tells a world notes it here, in the
same process. A server that answers as a stand-in tells the worlds that it is to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from caregrid.language.episodes import LanguageEpisode, TellingSettings
from caregrid.language.exact_agents import ExactPlayer
from caregrid.language.memo import ModelQuestion
from caregrid.language.self_reflection import plays_turns, speak_as
from caregrid.language.situations import SYSTEM, LetteredQuestion, answer_as
from caregrid.language.worlds import LanguageWorld
from engine.errors import BadValue

AnswerQuestion = Callable[[str, ModelQuestion], str]
TOLD: dict[str, AnswerQuestion] = {}
"""First message -> what answers (name of the agent, question)."""
SITUATIONS: dict[str, LetteredQuestion] = {}
"""Text of a situation -> its question."""


def note_world(world: LanguageWorld, settings: TellingSettings) -> None:
    """Let stand-ins know a world by its rules."""
    system = LanguageEpisode(world, settings, 0).system
    TOLD[system] = lambda kind, question: make_player(world, kind).answer(question.messages, question.seed)


def note_questions(questions: Iterable[LetteredQuestion]) -> None:
    """Let stand-ins know situations by their texts."""
    SITUATIONS.update((question.text, question) for question in questions)


@lru_cache(maxsize=64)
def make_player(world: LanguageWorld, kind: str) -> ExactPlayer:
    """Make an exact agent of a world, once."""
    return ExactPlayer(world, kind)


def speak(kind: str, question: ModelQuestion) -> str:
    """Answer a question as the exact agent of a name; BadValue for rules that nobody has noted."""
    system = question.messages[0].text
    if plays_turns(system):
        return speak_as(kind, question.messages, question.seed)
    situation = SITUATIONS.get(question.messages[1].text) if system == SYSTEM else None
    if situation is not None:
        return answer_as(kind, situation, question.seed)
    if system not in TOLD:
        remedy = "ask it in the process that tells the world"
        raise BadValue("an exact agent does not know these rules", place=f"exact/{kind}", remedy=remedy)
    return TOLD[system](kind, question)
