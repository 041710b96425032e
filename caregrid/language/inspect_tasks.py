"""The worlds of caregrid as tasks of Inspect: caring, kitchen, levels, self_reflection, bench.

    inspect eval caregrid/caring -T world=workshop --model openai/...

Providers, limits, logs and `inspect view` are Inspect's. What is known after an episode is its score: realised and
luck-free, with the optimum and actions at random of the same world beside them (`caregrid.language.worlds`); means are
of one world each, since worlds have scales of their own.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model, get_model
from inspect_ai.model._model import active_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from caregrid.language.episodes import LanguageEpisode, Message, TellingSettings, make_behaviour
from caregrid.language.exact_speaker import make_player, note_turns, note_world
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
from caregrid.language.inspect_provider import exact, require_fitting
from caregrid.language.inspect_situations import copies, terminal
from caregrid.language.memo import Cost, ModelQuestion, estimate_tokens, open_memo
from caregrid.language.self_reflection import (
    SelfQuestion,
    SelfReflectionRun,
    choose_unread,
    list_environments,
    read_answer,
)
from caregrid.language.worlds import MOST_STEPS, LanguageWorld
from craftworld.identification.behaviour import ObservedStep
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue, UnknownName
from engine.printable import print_notice
from experiments.bench.suites import SUITES
from xenv.names import agent_spec

__all__ = ["bench", "caring", "copies", "exact", "kitchen", "levels", "self_reflection", "terminal"]

MOST_TURNS = 1000


@dataclass(frozen=True)
class RunSettings:
    """What a task is told with `-T`, beside its worlds and how they are told.

    episodes: of each world. seed: of the first. limit: the most steps, twice the exact length where None. identify:
    whether to ask how much the agent cares. out: the results directory, where answers are kept. most_calls: above them
    nothing is asked before `yes`. price: of a million tokens, for the cost that is said.
    """

    episodes: int
    seed: int
    limit: int | None
    identify: bool
    out: str
    most_calls: int
    yes: bool
    price: float | None


REFLECTED: Mapping[str, Any] = {
    "turns": 50, "seed": 0, "mode": "same", "opposites": False, "reality_check": False, "prompts": "plain",
    "out": RESULTS, "most_calls": MOST_CALLS, "yes": False, "price": None,
}  # fmt: skip
DEFAULTS: Mapping[str, Any] = {
    "episodes": 1, "seed": 0, "limit": None, "identify": False, "out": RESULTS, "most_calls": MOST_CALLS, "yes": False,
    "price": None,
}  # fmt: skip


def read_arguments(given: Mapping[str, Any], place: str) -> tuple[TellingSettings, RunSettings]:
    """Read what `-T` says; BadValue for a name that is unknown, which Inspect only warns of, or a wrong value."""
    telling = {each.name: each.default for each in fields(TellingSettings)}
    require_known(given, [*DEFAULTS, *telling], place)
    values = {**DEFAULTS, **given}
    settings = TellingSettings(**{name: str(given.get(name, default)) for name, default in telling.items()})
    return settings, RunSettings(
        read_whole("episodes", values["episodes"], 1, 10_000),
        read_whole("seed", values["seed"], 0, 2**53),
        None if values["limit"] is None else read_whole("limit", values["limit"], 1, MOST_STEPS),
        read_flag("identify", values["identify"]),
        str(values["out"]),
        read_whole("most_calls", values["most_calls"], 1, 10**9),
        read_flag("yes", values["yes"]),
        read_price(values["price"]),
    )


def name_worlds(given: Any, known: Sequence[str]) -> list[str]:
    """Read worlds: one, or several separated by "+", each NAME or NAME,OPTION=VALUE,...; of known names only."""
    listed = [",".join(map(str, given))] if isinstance(given, list | tuple) else [str(given)]
    names = [name.strip() for name in "".join(listed).split("+")]
    for name in names:
        if name.split(",")[0] not in known:
            raise UnknownName("world", name.split(",")[0], known, place="language")
    return names


@task
def caring(world: Any = "workshop", **arguments: Any) -> Task:
    """Act in a world where others are affected: any scenario, or several joined by "+"."""
    return _make_world_task("caring", world, SCENARIOS.names(), arguments)


@task
def kitchen(world: Any = None, **arguments: Any) -> Task:
    """Cook in the kitchen tasks, where another cook comes next; in all of them by default."""
    known = [name for name in SCENARIOS.names() if name.startswith("kitchen_")]
    return _make_world_task("kitchen", world, known, arguments)


@task
def levels(world: Any = None, **arguments: Any) -> Task:
    """Act in the levels, whose hidden performance nobody is told; in all that fit a table by default."""
    known = [name for name in SCENARIOS.names() if SCENARIOS.file(name).parent.name == "levels"]
    return _make_world_task("levels", world, known, arguments)


@task
def self_reflection(environments: Any = None, **arguments: Any) -> Task:
    """Act in extended environments, which ask copies of the model; in all of the battery that apply by default.

    Arguments: turns, seed, mode ("same" key or drawn "anew"), opposites, reality_check, prompts, out, most_calls, yes,
    price.
    """
    with one_line():
        require_known(arguments, [*REFLECTED], "task self_reflection")
        given = {**REFLECTED, **arguments}
        turns, seed = read_whole("turns", given["turns"], 1, MOST_TURNS), read_whole("seed", given["seed"], 0, 2**53)
        opposites = read_flag("opposites", given["opposites"])
        checked = read_flag("reality_check", given["reality_check"])
        listed = list_environments(opposites)
        if environments is not None:
            several = environments if isinstance(environments, list | tuple) else str(environments).split(",")
            listed = [str(name).strip() for name in several]
        require_fitting(active_model(), "self_reflection", agent_spec)
        told = (str(given["mode"]), checked, str(given["prompts"]))
        runs = [SelfReflectionRun(name, turns, seed, *told) for name in dict.fromkeys(listed)]
        most, yes = read_whole("most_calls", given["most_calls"], 1, 10**9), read_flag("yes", given["yes"])
        cost = estimate_runs(runs)
        price = read_price(given["price"])
        cost.require_confirmed(most, yes, price)
        memo = open_memo(str(given["out"]))
    print_notice(f"self_reflection: {cost.describe(price)}; {len(memo):,} answers are known")
    return make_turns_task({run.environment: run for run in runs}, str(given["out"]))


def make_turns_task(runs: Mapping[str, SelfReflectionRun], out: str) -> Task:
    """Make the task of some runs. runs: name of the sample -> run."""
    samples = [
        Sample(input=f"{run.environment}, {run.turns} turns", id=name, metadata={"run": asdict(run)})
        for name, run in runs.items()
    ]
    return Task(
        dataset=MemoryDataset(samples, name="self_reflection"),
        solver=play_turns(out),
        scorer=reward_per_turn(),
        config=CONFIG,
    )


def estimate_runs(runs: Sequence[SelfReflectionRun]) -> Cost:
    """Estimate what runs may cost: the questions that an agent is asked that always takes action 0."""
    costs = []
    for run in runs:
        asked, distinct = run.count_calls()
        costs.append(Cost(asked, asked * (100 + 25 * run.turns // 2), distinct))
    return Cost.add(costs)


@solver
def play_turns(out: str) -> Solver:
    """Run the turns of a sample again and again, each time with one answer more."""
    memo = open_memo(out)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run, model = SelfReflectionRun(**state.metadata["run"]), get_model()
        given, unread, refusals, questions = run.start(), 0, 0, 0
        while isinstance(question := run.advance(given), SelfQuestion):
            questions += 1
            seed = question.seed + state.epoch - 1
            told = run.tell(question)
            note_turns(told[0].text, question.shape)
            answer = await ask_model(memo, model, ModelQuestion(told, (), seed))
            action = read_answer(question, answer.text)
            refusals += answer.refused
            if action is None:
                again = (*told, Message("assistant", answer.text or "..."), run.remind(question))
                answer = await ask_model(memo, model, ModelQuestion(again, (), seed))
                action = read_answer(question, answer.text)
            if action is None:
                unread, action = unread + 1, choose_unread(question)
            given.keep(question, action)
        measures = {"reward_per_turn": question, "calls": given.calls, "questions": questions}
        state.metadata["measures"] = {
            name: float(n) for name, n in (measures | {"unread": unread, "refusals": refusals}).items()
        }
        state.metadata["world"] = run.environment
        state.completed = True
        return state

    return solve


@metric
def over_environments() -> Metric:
    """Return the mean reward per turn over environments, its standard error, and that of each environment."""

    def compute(scores: list[SampleScore]) -> Value:
        rewards = {}
        for each in scores:
            assert isinstance(each.score.value, dict)
            rewards[str(each.sample_id)] = float(each.score.value["reward_per_turn"] or 0.0)
        numbers = [*rewards.values()]
        error = statistics.stdev(numbers) / math.sqrt(len(numbers)) if len(numbers) > 1 else math.nan
        return {"mean": statistics.fmean(numbers), "standard_error": error, **rewards}

    return compute


@scorer(metrics=[over_environments()])
def reward_per_turn() -> Scorer:
    """Score the mean reward per turn, and how many questions were asked."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=state.metadata["measures"])

    return score


@task
def bench(suites: Any = "side_effects,corrigibility,how_much_care", quick: Any = True, **arguments: Any) -> Task:
    """Act in the scenarios of the benchmark's suites (`caregrid bench`): the quick ones, or with quick=no all."""
    with one_line():
        several = suites if isinstance(suites, list | tuple) else str(suites).split(",")
        chosen = [SUITES[str(name).strip()] for name in several]
        shown = [world for suite in chosen for world in (suite.quick if read_flag("quick", quick) else suite.worlds)]
        names = [world for world in dict.fromkeys(shown) if world.split(",")[0] in SCENARIOS.names()]
        if not names:
            raise BadValue(
                "these suites have no scenario", place="task bench", remedy="name side_effects, for instance"
            )
    return _make_world_task("bench", "+".join(names), SCENARIOS.names(), arguments)


def _make_world_task(title: str, world: Any, known: Sequence[str], arguments: Mapping[str, Any]) -> Task:
    with one_line():
        settings, run = read_arguments(arguments, f"task {title}")
        names = (
            [name for name in known if find_world(name, None).solvable] if world is None else name_worlds(world, known)
        )
        worlds = [find_world(name, run.limit) for name in names]
        for each in worlds:
            require_player(active_model(), each)
        cost = estimate_worlds(worlds, settings, run.episodes)
        cost.require_confirmed(run.most_calls, run.yes, run.price)
        memo = open_memo(run.out)
    print_notice(f"{title}: {cost.describe(run.price)}; {len(memo):,} answers are known")
    seeds = range(run.seed, run.seed + run.episodes)
    return make_episodes_task(title, [(each, seed) for each in worlds for seed in seeds], settings, run)


def make_episodes_task(
    title: str, episodes: Sequence[tuple[LanguageWorld, int]], settings: TellingSettings, run: RunSettings
) -> Task:
    """Make the task of some episodes, each of a world and a seed, which its sample is called after: WORLD#SEED."""
    samples = []
    for world, seed in episodes:
        note_world(world, settings)
        text = "\n\n".join(message.text for message in LanguageEpisode(world, settings, seed).messages())
        metadata = {"world": world.name, "seed": seed}
        samples.append(Sample(input=text, id=f"{world.name}#{seed}", metadata=metadata))
    return Task(
        dataset=MemoryDataset(samples, name=title),
        solver=act_in_world(asdict(settings), run.limit, run.out),
        scorer=[world_scores(), *([identified_care()] if run.identify else [])],
        config=CONFIG,
    )


def require_player(model: Model | None, world: LanguageWorld) -> None:
    """Raise BadValue or UnknownName where a stand-in cannot act in a world."""
    require_fitting(model, world.name, lambda kind: make_player(world, kind).prepare())


@functools.lru_cache(maxsize=64)
def find_world(name: str, limit: int | None) -> LanguageWorld:
    """Make a world, once."""
    return LanguageWorld(name, steps=limit)


def estimate_worlds(worlds: Sequence[LanguageWorld], settings: TellingSettings, episodes: int) -> Cost:
    """Estimate what episodes may cost at most: a question a step, and what is remembered."""
    calls = tokens = 0
    for world in worlds:
        first = LanguageEpisode(world, settings, 0)
        told = estimate_tokens(first.messages())
        turn = told - estimate_tokens(first.messages()[:1])
        remembered = min(settings.count_remembered(bool(world.scenario.hidden)), world.limit)
        asked = episodes * (1 if settings.form == "plan" else world.limit)
        calls += asked
        tokens += asked * told + episodes * turn * sum(min(n, remembered) for n in range(world.limit))
    return Cost(calls, tokens)


@solver
def act_in_world(telling: dict[str, str], limit: int | None, out: str) -> Solver:
    """Play the episode of a sample: ask, read, act, until it is over. telling: the fields of `TellingSettings`."""
    settings, memo = TellingSettings(**telling), open_memo(out)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        world, model = find_world(state.metadata["world"], limit), get_model()
        episode = LanguageEpisode(world, settings, state.metadata["seed"] + 1_000_003 * (state.epoch - 1))
        state.messages = []
        while not episode.over:
            told = episode.messages()
            state.messages += [make_chat_message(each) for each in (told[-1:] if state.messages else told)]
            actions = episode.actions if settings.form == "tool" else ()
            answer = await ask_model(memo, model, ModelQuestion(tuple(told), actions, episode.seed))
            said = answer.text if answer.called is None else f"{answer.text}\nACTION: {answer.called}".lstrip()
            state.messages.append(make_chat_message(told[0]._replace(role="assistant", text=said)))
            episode.answer(said, answer.called, answer.refused)
        state.metadata["measures"] = episode.measure()
        state.metadata["behaviour"] = [list(step) for step in episode.behaviour] if world.solvable else []
        state.completed = True
        return state

    return solve


@metric
def by_world() -> Metric:
    """Return the mean of each measure, world by world, as WORLD/MEASURE."""

    def compute(scores: list[SampleScore]) -> Value:
        found: dict[str, list[float]] = {}
        for each in scores:
            assert isinstance(each.score.value, dict)
            for name, number in each.score.value.items():
                found.setdefault(f"{_name_world(each)}/{name}", []).append(float(number or 0.0))
        return {name: math.fsum(numbers) / len(numbers) for name, numbers in found.items()}

    return compute


def _name_world(score: SampleScore) -> str:
    return str((score.sample_metadata or score.score.metadata or {}).get("world", ""))


@scorer(metrics=[by_world()])
def world_scores() -> Scorer:
    """Score what an episode was worth (`caregrid.language.episodes`)."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=state.metadata["measures"], metadata={"world": state.metadata["world"]})

    return score


@metric
def care_of_world() -> Metric:
    """Return the interval of care that all episodes of a world speak for, as WORLD/care_low, WORLD/care_high."""

    def compute(scores: list[SampleScore]) -> Value:
        grouped: dict[str, list[list[list[int]]]] = {}
        for each in scores:
            steps = (each.score.metadata or {}).get("behaviour")
            if steps:
                grouped.setdefault(_name_world(each), []).append(steps)
        found: dict[str, float] = {}
        for world, episodes in grouped.items():
            found |= {f"{world}/{name}": number for name, number in identify_care(world, episodes).items()}
        return dict(found)

    return compute


@scorer(metrics=[care_of_world()])
def identified_care() -> Scorer:
    """Identify how much the agent cares, by all its episodes of a world (`caregrid identify`)."""

    async def score(state: TaskState, target: Target) -> Score:
        metadata = {"world": state.metadata["world"], "behaviour": state.metadata["behaviour"]}
        return Score(value={"steps": float(len(state.metadata["behaviour"]))}, metadata=metadata)

    return score


def identify_care(name: str, episodes: Sequence[Sequence[Sequence[int]]]) -> dict[str, float]:
    """Identify the care of an agent under the world's own formulation; nothing where there is nobody to care for.

    care_low, care_high: an interval of 90 percent. care_weight: the posterior of the formulation among all hypotheses.
    """
    from caregrid.operations.identifying import identify

    world = find_world(name, None)
    if not world.has_others:
        return {}
    steps = [tuple(ObservedStep(*step) for step in episode) for episode in episodes]
    row = identify(make_behaviour(world, "language", steps), formulation=world.problem.formulation).rows()[0]
    found = {"care_low": row["care_low"], "care_high": row["care_high"], "care_weight": row["probability"]}
    return {name: float(number) for name, number in found.items() if number is not None}
