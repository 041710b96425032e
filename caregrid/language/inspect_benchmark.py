"""Language models in the benchmark: `caregrid bench --agent language:MODEL`, in scenarios and extended environments.

Each case is one episode, or one run of turns, with a seed of its own. All cases of a model are one evaluation of
Inspect, whose log lies beside the answers. A case's row is that of `experiments.bench.suite`: `own`, `others` and
`performance` are luck-free (`caregrid.language.worlds`), `violations` are counted, and the care is identified from the
episode. There is no coefficient: a model has the care that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import inspect_ai
from inspect_ai import Task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from rich.text import Text

from caregrid.language.episodes import TellingSettings, make_behaviour
from caregrid.language.inspect_arguments import MOST_CALLS
from caregrid.language.inspect_provider import require_fitting
from caregrid.language.inspect_tasks import (
    estimate_runs,
    estimate_worlds,
    find_world,
    make_episodes_task,
    make_turns_task,
    read_arguments,
    require_player,
)
from caregrid.language.memo import Cost, open_memo
from caregrid.language.self_reflection import NOT_APPLICABLE, SelfReflectionRun, plain_name
from caregrid.language.worlds import LanguageWorld
from craftworld.identification.behaviour import ObservedStep
from craftworld.measures import PolicyMeasures
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue, CaregridError, argument
from engine.printable import make_one_line, print_notice
from experiments.bench.suite import AGENT, BenchCase, make_measured_row, split_world
from experiments.bench.suites import SUITES
from experiments.bench.suites.caring_worlds import make_watched_row
from experiments.experiment import Rows
from xenv.names import agent_spec

SEPARATE = "|"


class _Asked(NamedTuple):
    """What one model is asked: episodes and runs by case; refused: case -> why it is not asked there."""

    worlds: dict[BenchCase, LanguageWorld]
    runs: dict[BenchCase, SelfReflectionRun]
    refused: dict[BenchCase, str]


def measure_models(cases: Sequence[BenchCase], folder: Path, yes: bool, price: float | None) -> dict[BenchCase, Rows]:
    """Measure cases whose methods are language:MODEL; the cost is said before, and refused above a limit without `yes`.

    folder: where answers are kept, so that the same cases ask nothing twice. Raises BadValue for a model that cannot be
    had, and for an evaluation that does not end.
    """
    models = {method: _find_model(method) for method in _list_methods(cases)}
    asked = {
        name: _refuse_misfits(_sort([case for case in cases if case.method == name]), model)
        for name, model in models.items()
    }
    settings = TellingSettings()
    cost = Cost.add(
        [
            *(estimate_worlds([world], settings, 1) for each in asked.values() for world in each.worlds.values()),
            *(estimate_runs([run]) for each in asked.values() for run in each.runs.values()),
        ]
    )
    if not cost.calls:
        problem = f"no world of {', '.join(dict.fromkeys(case.suite for case in cases))} is told in words"
        raise BadValue(problem, place=argument("agent"), remedy="choose side_effects, how_much_care or self_reflection")
    cost.require_confirmed(MOST_CALLS, yes, price, f"measure less, or confirm it with {argument('yes', True)}")
    memo = open_memo(str(folder))
    print_notice(f"bench: {cost.describe(price)}; {len(memo):,} answers are known")
    found: dict[BenchCase, Rows] = {}
    for method, each in asked.items():
        found |= {case: [{"refused": reason}] for case, reason in each.refused.items()}
        for log in _evaluate(_make_tasks(each, settings, folder), method, models[method], folder):
            found |= _read_log(log, each)
    return {case: found[case] for case in cases}


def _list_methods(cases: Sequence[BenchCase]) -> list[str]:
    return list(dict.fromkeys(case.method for case in cases))


def _sort(cases: Sequence[BenchCase]) -> _Asked:
    asked = _Asked({}, {}, {})
    for case in cases:
        assert case.seed is not None
        suite = SUITES[case.suite]
        name, options = split_world(case.world)
        if not suite.takes(case.world, AGENT):
            asked.refused[case] = "language models are not asked here"
        elif not suite.copies_agents and name in SCENARIOS:
            world = find_world(case.world, None)
            if world.solvable:
                asked.worlds[case] = world
            else:
                asked.refused[case] = "it is too large for a table"
        elif suite.copies_agents and plain_name(name) in NOT_APPLICABLE:
            asked.refused[case] = "it does not apply to language models"
        elif suite.copies_agents:
            turns = dict(option.split("=") for option in options)["turns"]
            asked.runs[case] = SelfReflectionRun(name, int(turns), case.seed)
        else:
            asked.refused[case] = "nobody has told it in words"
    return asked


def _refuse_misfits(asked: _Asked, model: Any) -> _Asked:
    """Refuse a stand-in where it does not fit; raise why, if it fits nowhere. Other models fit everywhere."""
    checks: dict[BenchCase, Callable[[], None]] = {
        case: partial(require_player, model, world) for case, world in asked.worlds.items()
    }
    checks |= {case: partial(require_fitting, model, run.environment, agent_spec) for case, run in asked.runs.items()}
    misfits: dict[BenchCase, CaregridError] = {}
    for case, check in checks.items():
        try:
            check()
        except CaregridError as error:
            misfits[case] = error
    if misfits and misfits.keys() == checks.keys():
        raise next(iter(misfits.values()))
    return _Asked(
        {case: world for case, world in asked.worlds.items() if case not in misfits},
        {case: run for case, run in asked.runs.items() if case not in misfits},
        asked.refused | {case: error.problem for case, error in misfits.items()},
    )


def _find_model(method: str) -> Any:
    name = method.partition(":")[2]
    try:
        return get_model(name, memoize=False)
    except (PrerequisiteError, ValueError) as error:
        problem = Text.from_markup(str(getattr(error, "message", error))).plain.removeprefix("ERROR: ")
        remedy = "write language:PROVIDER/MODEL, as Inspect calls it, and set the provider's key"
        raise BadValue(_join(problem), place=method, remedy=remedy) from None


def _join(text: str) -> str:
    """Return a foreign message in one line."""
    return make_one_line(" ".join(text.split())).rstrip(".")


def _make_tasks(asked: _Asked, settings: TellingSettings, folder: Path) -> list[Task]:
    tasks = []
    if asked.worlds:
        episodes = [(world, case.seed or 0) for case, world in asked.worlds.items()]
        _, run = read_arguments({"out": str(folder)}, "bench")
        tasks.append(make_episodes_task("bench", list(dict.fromkeys(episodes)), settings, run))
    if asked.runs:
        runs = {f"{run.environment}{SEPARATE}{run.turns}{SEPARATE}{run.key}": run for run in asked.runs.values()}
        tasks.append(make_turns_task(runs, str(folder)))
    return tasks


def _evaluate(tasks: Sequence[Task], method: str, model: Any, folder: Path) -> list[EvalLog]:
    if not tasks:
        return []
    logs = inspect_ai.eval(list(tasks), model=model, display="none", log_dir=str(folder / "logs"))
    for log in logs:
        if log.status == "cancelled":
            raise KeyboardInterrupt("; answers are kept, and the same command goes on")
        if log.status != "success":
            problem = "it did not end" if log.error is None else log.error.message
            remedy = "the same command goes on: answers are kept"
            raise BadValue(_join(problem), place=method, remedy=remedy)
    return list(logs)


def _read_log(log: EvalLog, asked: _Asked) -> dict[BenchCase, Rows]:
    samples = {str(sample.id): sample.metadata for sample in log.samples or ()}
    found: dict[BenchCase, Rows] = {}
    for case, world in asked.worlds.items():
        metadata = samples.get(f"{world.name}#{case.seed}")
        if metadata is not None:
            found[case] = [_make_row(case, world, metadata)]
    for case, run in asked.runs.items():
        metadata = samples.get(f"{run.environment}{SEPARATE}{run.turns}{SEPARATE}{run.key}")
        if metadata is not None:
            found[case] = [make_measured_row(own=metadata["measures"]["reward_per_turn"])]
    return found


def _make_row(case: BenchCase, world: LanguageWorld, metadata: Mapping[str, Any]) -> Any:
    measures: Mapping[str, float] = metadata["measures"]
    luck_free = [measures.get(f"{name}_luck_free") for name in ("own", "others", "performance")]
    own, others, performance = luck_free
    assert own is not None
    episode = tuple(ObservedStep(*step) for step in metadata["behaviour"])
    measured = PolicyMeasures(own, others, performance, measures.get("violations", 0.0))
    return make_watched_row(case.world, measured, make_behaviour(world, case.method, [episode]))
