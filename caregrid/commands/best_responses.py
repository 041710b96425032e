"""Let every agent of a shared world plan for itself, against the others' policies, in rounds.

Each agent takes its best response to the others, in turn or all at once, until nobody changes. The result is then a
Markov perfect equilibrium: from no state does anybody gain by changing alone. It need not be the best for anybody, nor
the only equilibrium. --care is everybody's coefficient for everybody else, --coefficient that of one pair.
Prints everybody's own return before each round, and the regret: what the best change alone would gain. One planner for
all agents is an option of the scenario: 'caregrid solve SCENARIO --set planner=all'."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.craft import ScenarioArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from engine.errors import BadValue
from engine.value_types import Rounds

GROUP = "Caring agents"


@dataclass(frozen=True, kw_only=True)
class BestResponsesArguments(ScenarioArguments, JsonArgument):
    """A shared world, what agents weigh, and how rounds go."""

    own: float = option(1.0, "weight of everybody's own reward (default 1)", metavar="Y")
    discount: float | None = option(None, "gamma (default: the scenario's)", metavar="G")
    care: float = option(0.0, "everybody's coefficient for everybody else (default 0)", metavar="X")
    coefficient: tuple[str, ...] = option((), "one agent's coefficient for another; repeatable", metavar="WHO:WHOM=X")
    begin: str = option("declared", "policies at first: declared by the scenario, or joint", metavar="B")
    order: str = option("in turn", "'in turn' or 'at once'", metavar="O")
    damping: float = option(0.0, "how much of the old policy stays in a round (default 0)", metavar="D")
    rounds: Rounds = option(100, "at most so many (default 100)", metavar="N")
    out: str | None = option(None, "where to write the table or picture (.csv, .json, .png, ...)", metavar="FILE")


def run(arguments: BestResponsesArguments) -> int:
    result = arguments.problem().best_responses(
        arguments.care,
        coefficients=_pairs(arguments.coefficient),
        begin=arguments.begin,
        order=arguments.order,
        damping=arguments.damping,
        rounds=arguments.rounds,
        out=arguments.out or None,
    )
    arguments.print_result("best_responses", result)
    return 0


def _pairs(given: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """WHO:WHOM=X, as who -> whom -> coefficient."""
    result: dict[str, dict[str, float]] = {}
    for text in given:
        pair, equals, number = text.rpartition("=")
        who, colon, whom = pair.partition(":")
        try:
            value = float(number)
        except ValueError:
            equals = ""
        if not (equals and colon and who.strip() and whom.strip()):
            raise BadValue(f"'{text}' is not a coefficient", place="--coefficient", remedy="write WHO:WHOM=NUMBER")
        result.setdefault(who.strip(), {})[whom.strip()] = value
    return result
