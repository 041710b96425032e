"""Compute the action values of agents that may be copied, or simulate such agents and print the trace.

FILE is an environment table in JSON, NAME a scenario (none: list them). --value is a future: cpy, cpy_joint, sta:1,
dyn, every, first, minimal, prime, same_history, slot:1; or, with --policy, common_ancestor or has_output:ACTIONS.
--history is "action,observation;action,observation"; --horizon counts the steps looked ahead from there. A file that
holds "horizon" and "discount" gives their defaults. --class FILE evaluates the learning agent of a class of
environments. --policy is always:ACTION, cycle:A,B, random:SEED or a future, for the agent that is optimal for it:
simulated with --simulate, evaluated without it. MODULE:NAME, and MODULE:NAME:ARGUMENT, is your own in each place."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument
from engine.plain_values import json_value

if TYPE_CHECKING:
    from fractions import Fraction

    from multislot.learning.mixture import Mixture
    from multislot.planning.evaluate import SlotEvaluation


@dataclass(frozen=True, kw_only=True)
class MultislotArguments(JsonArgument):
    """An environment or a class of them, what to evaluate or simulate_slots, and where agents are."""

    world: str | None = positional("environment table, scenario or MODULE:NAME", metavar="FILE|NAME", default=None)
    members: str | None = option(None, "a class of environments with prior weights", metavar="FILE", name="--class")
    likelihood: str = option("exists", "exists (default), count, path, prior or MODULE:NAME", metavar="NAME")
    value: str = option("cpy", "the future that counts (default cpy), or MODULE:NAME", metavar="FUTURE")
    horizon: int | None = option(None, "steps looked ahead from the history", metavar="T")
    discount: str | None = option(None, "a fraction from 0 to 1 (default 1/2)", metavar="P/Q")
    history: str = option("", "the agent's actions and observations so far", metavar="A,O;A,O")
    arithmetic: str = option("exact", "exact (default) or float", metavar="NAME", aliases=("--backend",))
    policy: str | None = option(None, "the policy of the agents", metavar="POLICY")
    simulate: int | None = option(None, "run T steps and print the trace", metavar="T")
    seed: int = option(0, "of the random outcomes in a simulation (default 0)", metavar="N")
    out: str | None = option(None, "with --simulate: write the run as a film (.gif, .png, .txt ...)", metavar="FILE")


def run(arguments: MultislotArguments) -> int:
    from engine.errors import BadValue

    if not arguments.world and not arguments.members:
        return _list_scenarios(arguments)
    if arguments.world and arguments.members:
        raise BadValue("both an environment and a class", remedy="leave one out")
    if arguments.simulate is not None:
        return _simulate(arguments, arguments.simulate)
    if arguments.out is not None:
        raise BadValue("only a simulation can be filmed", place="--out", remedy="add --simulate T --policy POLICY")
    evaluation = _evaluate(arguments)
    print(json.dumps(evaluation_json(evaluation)) if arguments.json else _described(evaluation))
    return 0


def evaluation_json(evaluation: SlotEvaluation) -> dict[str, Any]:
    """The values with fractions as "p/q" (floats as numbers) and all keys as strings."""
    names = ("Q", "V", "action", "ties", "P", "slot_Q")
    return {name: json_value(getattr(evaluation, name)) for name in names}


def _described(evaluation: SlotEvaluation) -> str:
    lines = [
        f"action {action}: {value}{'  <- taken' if action == evaluation.action else ''}"
        for action, value in evaluation.Q.items()
    ]
    slots = ", ".join(f"{slot}: {share}" for slot, share in evaluation.P.items()) or "no agent can have this history"
    return "\n".join([*lines, f"slot estimate: {slots}"])


def _mixture(arguments: MultislotArguments) -> Mixture:
    from multislot.learning.classes_json import load_environment, load_mixture
    from multislot.learning.mixture import single_environment

    if arguments.members is not None:
        return load_mixture(arguments.members, arguments.likelihood)
    return single_environment(load_environment(str(arguments.world)), arguments.likelihood)


def _file_default(arguments: MultislotArguments, key: str) -> Any:
    """What the file itself says about a setting, if anything."""
    from pathlib import Path

    from multislot.worlds.table_json import read_json

    source = Path(str(arguments.members or arguments.world))
    content = read_json(source) if source.is_file() else None
    return content.get(key) if isinstance(content, dict) else None


def _discount(arguments: MultislotArguments) -> Fraction:
    from multislot.planning.arithmetic import parse_fraction

    return parse_fraction(arguments.discount or _file_default(arguments, "discount") or "1/2", "discount")


def _horizon(arguments: MultislotArguments) -> int:
    from engine.errors import BadValue

    horizon = arguments.horizon if arguments.horizon is not None else _file_default(arguments, "horizon")
    if not isinstance(horizon, int):
        raise BadValue("no horizon", remedy="give --horizon T")
    return horizon


def _evaluate(arguments: MultislotArguments) -> SlotEvaluation:
    from multislot.crowds import is_crowd, named_crowd
    from multislot.planning.arithmetic import named_arithmetic
    from multislot.planning.crowd_value import evaluate_crowd
    from multislot.planning.evaluate import evaluate
    from multislot.policies import slot_policy
    from multislot.policy import PolicyContext
    from multislot.simulation.traces import parse_history

    mixture, arithmetic = _mixture(arguments), named_arithmetic(arguments.arithmetic)
    history = parse_history(arguments.history, mixture)
    horizon, discount = _horizon(arguments), _discount(arguments)
    context = PolicyContext(mixture, len(history) + horizon, discount, arithmetic)
    policy = slot_policy(arguments.policy, context) if arguments.policy else None
    if is_crowd(arguments.value):
        crowd = named_crowd(arguments.value, mixture)
        return evaluate_crowd(mixture, crowd, policy, horizon, discount, history, arithmetic)
    return evaluate(mixture, arguments.value, horizon, discount, history, arithmetic, policy)


def _simulate(arguments: MultislotArguments, steps: int) -> int:
    from engine.errors import BadValue
    from multislot.planning.arithmetic import named_arithmetic
    from multislot.policies import slot_policy
    from multislot.policy import PolicyContext
    from multislot.simulation.film import slot_film
    from multislot.simulation.simulation import simulate_slots
    from multislot.simulation.traces import trace_json
    from renderers.film import format_for, save_film

    if arguments.out is not None:
        format_for(arguments.out)
    mixture = _mixture(arguments)
    if len(mixture.environments) > 1:
        raise BadValue("a class cannot be simulated", remedy="name one environment")
    if steps < 0 or arguments.policy is None:
        raise BadValue("--simulate needs a number of steps >= 0 and a --policy", remedy="try --policy cpy")
    last_step = steps if arguments.horizon is None else arguments.horizon
    context = PolicyContext(mixture, last_step, _discount(arguments), named_arithmetic(arguments.arithmetic))
    trace = simulate_slots(mixture.environments[0], slot_policy(arguments.policy, context), steps, arguments.seed)
    if arguments.out is not None:
        save_film(arguments.out, slot_film(mixture.environments[0], trace), milliseconds=1000)
    if arguments.json:
        print(json.dumps(trace_json(trace)))
        return 0
    for step in trace_json(trace):
        print(f"t = {step['t']}: agents on slots {', '.join(map(str, step['agent_set'])) or 'none'}")
        for slot, history in step["histories"].items():
            print(f"  slot {slot}, came by {'-'.join(map(str, step['slot_histories'][slot]))}: {history}")
    return 0


def _list_scenarios(arguments: MultislotArguments) -> int:
    from experiments.tables import aligned_lines
    from multislot.scenarios import SLOT_SCENARIOS

    summaries = {name: SLOT_SCENARIOS.summary_or_fault(name) for name in SLOT_SCENARIOS}
    if arguments.json:
        print(json.dumps({"scenarios": summaries}))
    else:
        print("\n".join(aligned_lines(summaries.items())))
    return 0
