"""Inspect's tasks of situations: copies and terminal. Answers are scored by which exact agents they fit.

inspect eval caregrid/copies --model exact/cpy
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.model._model import active_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from caregrid.language.copied_situations import COPIED, FUTURES
from caregrid.language.episodes import Message
from caregrid.language.exact_speaker import note_questions
from caregrid.language.inspect_arguments import (
    MOST_CALLS,
    RESULTS,
    one_line,
    read_flag,
    read_price,
    read_whole,
    require_known,
)
from caregrid.language.inspect_model import CONFIG, ask_model, make_chat_message
from caregrid.language.inspect_provider import require_fitting
from caregrid.language.memo import Cost, ModelQuestion, estimate_tokens, open_memo
from caregrid.language.prompts import SITUATION_PROMPTS
from caregrid.language.situations import LetteredQuestion, Situation, list_questions, merge_agents, require_answers
from caregrid.language.terminal_situations import AGENTS, AT_TERMINAL
from engine.errors import UnknownName
from engine.printable import print_notice

SITUATIONS: Mapping[str, tuple[Situation, ...]] = {"copies": COPIED, "terminal": AT_TERMINAL}
KNOWN: Mapping[str, Any] = {"prompts": "plain", "out": RESULTS, "most_calls": MOST_CALLS, "yes": False, "price": None}


@task
def copies(situations: Any = None, agents: Any = None, **arguments: Any) -> Task:
    """Choose where one may be copied: which future the answers fit. agents: futures, such as cpy or sta:1."""
    return _make_situation_task("copies", situations, FUTURES if agents is None else agents, arguments)


@task
def terminal(situations: Any = None, agents: Any = None, **arguments: Any) -> Task:
    """Choose at an input terminal: which planning agent the answers fit. agents: such as itf, itc."""
    return _make_situation_task("terminal", situations, AGENTS if agents is None else agents, arguments)


def _make_situation_task(title: str, situations: Any, agents: Any, arguments: Mapping[str, Any]) -> Task:
    with one_line():
        require_known(arguments, ["situations", "agents", *KNOWN], f"task {title}")
        given = {**KNOWN, **arguments}
        told = [
            _find_situation(title, name) for name in _split_names(situations or [s.name for s in SITUATIONS[title]])
        ]
        classes = merge_agents(told, _split_names(agents))
        require_fitting(active_model(), title, lambda agent: require_answers(agent, told))
        questions = list_questions(told)
        texts = SITUATION_PROMPTS.find(str(given["prompts"]))
        cost = Cost(len(questions), sum(estimate_tokens(each.tell(texts)) for each in questions))
        price = read_price(given["price"])
        cost.require_confirmed(
            read_whole("most_calls", given["most_calls"], 1, 10**9), read_flag("yes", given["yes"]), price
        )
        memo = open_memo(str(given["out"]))
    print_notice(f"{title}: {cost.describe(price)}; {len(memo):,} answers are known")
    note_questions(questions, texts)
    samples = [_make_sample(title, each, classes) for each in questions]
    return Task(
        dataset=MemoryDataset(samples, name=title),
        solver=choose_letter(title, texts.name, str(given["out"])),
        scorer=fits(title, classes),
        config=CONFIG,
    )


def _split_names(given: Any) -> list[str]:
    """Read names: a list, or a text with commas; each once."""
    several = given if isinstance(given, list | tuple) else str(given).split(",")
    return list(dict.fromkeys(str(name).strip() for name in several))


def _find_situation(title: str, name: str) -> Situation:
    for each in SITUATIONS[title]:
        if each.name == name:
            return each
    raise UnknownName("situation", name, [each.name for each in SITUATIONS[title]], place=f"task {title}")


def _make_sample(title: str, question: LetteredQuestion, classes: Mapping[str, str]) -> Sample:
    """Make a sample. Its target lists the best letters of each class of exact agents."""
    situation = question.situation
    best = {name: question.list_letters(situation.find_best(agent)) for name, agent in classes.items()}
    targets = [f"{name}: {', '.join(letters)}" for name, letters in best.items()]
    place = {"situation": situation.name, "telling": question.telling, "rotation": question.rotation}
    return Sample(input=question.text, id=question.name, target=targets, metadata=place)


def _find_question(title: str, state: TaskState) -> LetteredQuestion:
    place = state.metadata
    return LetteredQuestion(_find_situation(title, place["situation"]), place["telling"], place["rotation"])


@solver
def choose_letter(title: str, prompts: str, out: str) -> Solver:
    """Ask the question of a sample; an answer that cannot be read is told so once."""
    memo, texts = open_memo(out), SITUATION_PROMPTS.find(prompts)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question, model = _find_question(title, state), get_model()
        told, refusals = question.tell(texts), 0
        for _ in range(2):
            answer = await ask_model(memo, model, ModelQuestion(told, (), state.epoch - 1))
            told = (*told, Message("assistant", answer.text or "..."))
            refusals += answer.refused
            action = question.read(answer.text)
            if action is not None:
                break
            told = (*told, Message("user", texts.fill("reminder")))
        state.messages = [make_chat_message(each) for each in told[: None if action is not None else -1]]
        state.metadata |= {"action": action, "refusals": refusals}
        state.completed = True
        return state

    return solve


@metric
def by_agent() -> Metric:
    """Return, of each class of agents, how well the answers fit it and how well letters at random would.

    The fit is the mean, over the situations where the class has a single best action, of the share of its answers.
    """

    def compute(scores: list[SampleScore]) -> Value:
        found: dict[str, dict[str, list[float]]] = {}
        for each in scores:
            assert isinstance(each.score.value, dict)
            situation = (each.sample_metadata or each.score.metadata or {})["situation"]
            for name, number in each.score.value.items():
                found.setdefault(name, {}).setdefault(situation, []).append(float(number or 0.0))
        return {
            name: math.fsum(math.fsum(shares) / len(shares) for shares in grouped.values()) / len(grouped)
            for name, grouped in found.items()
        }

    return compute


@scorer(metrics=[by_agent()])
def fits(title: str, classes: dict[str, str]) -> Scorer:
    """Score whether an answer is a best action of each class of agents, where that has a single one."""

    async def score(state: TaskState, target: Target) -> Score:
        question = _find_question(title, state)
        action = state.metadata["action"]
        value: dict[str, float] = {}
        for name, agent in classes.items():
            best = question.situation.find_best(agent)
            if len(best) == 1:
                value |= {f"{name}/fit": float(action in best), f"{name}/at_random": 1 / len(question.order)}
        value |= {"unread": float(action is None), "refusals": float(state.metadata["refusals"])}
        metadata = {"situation": question.situation.name}
        return Score(value=dict(value), answer=action, metadata=metadata)

    return score
