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
from caregrid.language.prompts import PromptSet
from caregrid.language.self_reflection import speak_as
from caregrid.language.situations import LetteredQuestion, answer_as
from caregrid.language.worlds import LanguageWorld
from engine.errors import BadValue

AnswerQuestion = Callable[[str, ModelQuestion], str]
TOLD: dict[str, AnswerQuestion] = {}
"""First message -> what answers (name of the agent, question)."""
SITUATIONS: dict[tuple[str, str], LetteredQuestion] = {}
"""First message, second message -> the question of a situation."""


def note_world(world: LanguageWorld, settings: TellingSettings) -> None:
    """Let stand-ins know a world by its rules."""
    system = LanguageEpisode(world, settings, 0).system
    TOLD[system] = lambda kind, question: make_player(world, kind).answer(question.messages, question.seed)


def note_turns(system: str, shape: tuple[int, int]) -> None:
    """Let stand-ins know a game of an extended environment by its rules. shape: as of `SelfQuestion`."""
    TOLD[system] = lambda kind, question: speak_as(kind, shape, question.messages, question.seed)


def note_questions(questions: Iterable[LetteredQuestion], texts: PromptSet) -> None:
    """Let stand-ins know situations by their texts."""
    for question in questions:
        system, asked = (message.text for message in question.tell(texts))
        SITUATIONS[system, asked] = question
        TOLD[system] = _answer_situation


def _answer_situation(kind: str, question: ModelQuestion) -> str:
    system, asked = (message.text for message in question.messages[:2])
    if (system, asked) not in SITUATIONS:
        raise _refuse_unknown(kind)
    return answer_as(kind, SITUATIONS[system, asked], question.seed)


@lru_cache(maxsize=64)
def make_player(world: LanguageWorld, kind: str) -> ExactPlayer:
    """Make an exact agent of a world, once."""
    return ExactPlayer(world, kind)


def speak(kind: str, question: ModelQuestion) -> str:
    """Answer a question as the exact agent of a name; BadValue for rules that nobody has noted."""
    system = question.messages[0].text
    if system not in TOLD:
        raise _refuse_unknown(kind)
    return TOLD[system](kind, question)


def _refuse_unknown(kind: str) -> BadValue:
    remedy = "ask it in the process that tells the world"
    return BadValue("an exact agent does not know these rules", place=f"exact/{kind}", remedy=remedy)
