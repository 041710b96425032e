"""Infer who comes afterwards from what they did: Bayesian inverse reinforcement learning over a scenario's newcomers.

The candidates are the scenario's newcomers; they act by Boltzmann's rule, exp(Q / temperature). DEMONSTRATIONS is a
JSON file, {"demonstrations": [{"start": {...}, "actions": [...]}]}; "start" is a state in words, as 'caregrid solve'
prints its handover. Prints the posterior after each demonstration, and the break points. --out values.npz stores the
posterior as others' values, for --values; --out also writes .png, .csv and .json."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import ProblemArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text
from engine.bounds import require_coefficient

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class InferArguments(ProblemArguments, JsonArgument):
    """A problem and demonstrations."""

    demonstrations: str | None = option(None, "what a newcomer did (default: nothing seen yet)", metavar="FILE")
    temperature: float = option(1.0, "of Boltzmann's rule, in units of the reward (default 1)", metavar="T")
    worth_at: float | None = option(
        None, "also what one more demonstration is worth before acting at this coefficient", metavar="CARE"
    )
    out: str | None = option(None, "write the others' values, a picture or a table", metavar="FILE")


def run(arguments: InferArguments) -> int:
    if arguments.worth_at is not None:
        require_coefficient(arguments.worth_at, "--worth-at")
    result = arguments.problem().infer(
        arguments.demonstrations or (), temperature=arguments.temperature, out=arguments.out or None
    )
    worth = None if arguments.worth_at is None else result.worth_of_watching(arguments.worth_at)
    if arguments.json:
        more = {} if worth is None else {"worth_of_watching": {"care": arguments.worth_at, **worth._asdict()}}
        print_json("infer", result.as_dict() | more)
        return 0
    print_text(result.text())
    if worth is not None:
        low, high = worth.interval
        estimate = f"{worth.worth:.4g} ({low:.4g} to {high:.4g})"
        print_text(f"one more demonstration is worth {estimate} at {arguments.worth_at:g}")
    return 0
