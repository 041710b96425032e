"""`problem.best_responses`: every agent of a shared world plans against the others, in rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caregrid.results import Result
from engine.errors import BadValue, argument
from engine.plain_values import make_json_value
from engine.printable import show_value
from engine.value_types import is_number, to_list
from experiments.figures.style import CYCLE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Floats
    from engine.planning.games import MarkovGame, ResponseDynamics

Coefficients = Mapping[str, Mapping[str, float]]
DECLARED = "declared"
JOINT = "joint"
PLACE = "coefficient"


@dataclass(frozen=True, repr=False, eq=False)
class BestResponses(Result):
    """What rounds of best responses lead to.

    problem: on the shared world. game: its rewards and joint actions. coefficients: f64[N, N], an agent's row. found:
    the rounds and the last policies, and whether these are an equilibrium (`engine.planning.games` says
    of which kind). together: f64[N], what each agent gets where one planner acts for all and every agent's return
    weighs 1. begin, order, damping: as asked for.
    """

    problem: Problem
    game: MarkovGame
    coefficients: Floats
    found: ResponseDynamics
    together: Floats
    begin: str
    order: str
    damping: float

    @property
    def title(self) -> str:
        """The scenario, and how the rounds ended."""
        return f"{self.problem.scenario.name}: {self.verdict}"

    @property
    def agents(self) -> tuple[str, ...]:
        """Their names, in the order in which they act."""
        return self.game.agents

    @property
    def returns(self) -> dict[str, float]:
        """Agent -> its own expected return under the last policies."""
        return dict(zip(self.agents, map(float, self.found.rounds[-1].returns), strict=True))

    @property
    def verdict(self) -> str:
        """How the rounds ended, in words."""
        number = len(self.found.rounds) - 1
        count = f"{number} round{'s' if number != 1 else ''}"
        if self.found.is_markov_perfect:
            return f"a Markov perfect equilibrium after {count}: nobody gains alone, from any state"
        if self.found.is_nash:
            return f"a Nash equilibrium after {count}: nobody gains alone from the start, but elsewhere"
        if self.found.cycle:
            return f"policies come back every {self.found.cycle} rounds: no equilibrium was found"
        return f"no equilibrium after {count}"

    @property
    def actions(self) -> tuple[tuple[str, ...], ...] | None:
        """What everybody does from the first start state on, an action of each a step, up to the first state that comes
        back; None where chance decides or policies are stochastic."""
        policies = self.found.policies
        table = self.game.table
        if not table.is_deterministic or any((policy.max(axis=1) < 1.0).any() for policy in policies):
            return None
        state = int(table.start_states()[0])
        passed = set[int]()
        result = []
        while not table.terminal[state] and state not in passed:
            passed.add(state)
            numbers = [int(policy[state].argmax()) for policy in policies]
            result.append(tuple(names[one] for names, one in zip(self.game.actions, numbers, strict=True)))
            joint = int(np.ravel_multi_index(numbers, tuple(map(len, self.game.actions))))
            state = int(table.next_state[state, joint, 0])
        return tuple(result)

    def policy(self, agent: str) -> Floats:
        """Return an agent's last policy, f64[S, A], on the states of `game.table`; BadValue for nobody's."""
        if agent not in self.agents:
            raise BadValue(f"no agent '{agent}'", place="policy", remedy=f"choose from {', '.join(self.agents)}")
        return self.found.policies[self.agents.index(agent)]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per round, before it: each agent's own return, and its regret, what a best response would gain
        it in its weighed return from the start states; then who changed."""
        return [
            {
                "round": number,
                **{f"return {agent}": float(value) for agent, value in zip(self.agents, one.returns, strict=True)},
                **{f"regret {agent}": float(value) for agent, value in zip(self.agents, one.regret, strict=True)},
                "changed": ", ".join(self.agents[agent] for agent in one.changed),
            }
            for number, one in enumerate(self.found.rounds)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return how it was asked, the rounds, `nash`, `markov_perfect`, `cycle`, `returns`, `together`, `actions`."""
        listed = self.actions
        result = {
            "scenario": self.problem.scenario.name,
            "agents": list(self.agents),
            "coefficients": {
                agent: dict(zip(self.agents, row, strict=True))
                for agent, row in zip(self.agents, self.coefficients.tolist(), strict=True)
            },
            "begin": self.begin,
            "order": self.order,
            "damping": self.damping,
            "rounds": self.rows(),
            "nash": self.found.is_nash,
            "markov_perfect": self.found.is_markov_perfect,
            "cycle": self.found.cycle,
            "returns": self.returns,
            "together": dict(zip(self.agents, self.together.tolist(), strict=True)),
            "actions": None if listed is None else [list(step) for step in listed],
        }
        return {name: make_json_value(value) for name, value in result.items()}

    def text(self) -> str:
        """Return the rounds as a table, how they ended, what everybody does, what one planner for all would reach."""
        from experiments.rows import align_lines

        head = ("round", *self.agents, "largest regret", "who then changes")
        rows = [
            (
                str(number),
                *(f"{value:g}" for value in one.returns),
                f"{one.regret.max():g}",
                ", ".join(self.agents[agent] for agent in one.changed) or "nobody",
            )
            for number, one in enumerate(self.found.rounds)
        ]
        steps = [" | ".join(step) for step in self.actions or ()]
        found = float(self.found.rounds[-1].returns.sum())
        best = float(self.together.sum())
        shares = ", ".join(f"{agent} {value:g}" for agent, value in zip(self.agents, self.together, strict=True))
        return "\n".join(
            [
                *align_lines([head, *rows], right=range(len(self.agents) + 2)),
                self.verdict,
                *(f"{number:4}  {step}" for number, step in enumerate(steps, start=1)),
                f"together {found:g}; one planner for all reaches {best:g} ({shares})",
            ]
        )

    def figure(self) -> Figure:
        """Return each agent's return in every round."""
        figure = new_figure()
        axes = figure.subplots()
        for number, agent in enumerate(self.agents):
            returns = [float(one.returns[number]) for one in self.found.rounds]
            axes.plot(returns, label=agent, color=CYCLE[number % len(CYCLE)], marker="osD^v<>"[number % 7])
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel("round")
        axes.set_ylabel("own return")
        axes.set_title(self.title, loc="left", fontsize=9)
        axes.legend(frameon=False)
        return figure


def find_best_responses(
    problem: Problem,
    care: float,
    coefficient: Coefficients | Sequence[str],
    begin: str,
    order: str,
    damping: float,
    rounds: int,
    out: str | Path | None,
) -> BestResponses:
    """The arguments are those of `CaringProblem.best_responses`."""
    from craftworld.shared_scenario import SharedScenario, make_shared_game, plan_joint_policies, read_policies
    from engine.planning.games import compute_expected_returns, iterate_best_responses, make_coefficient_matrix

    if out is not None:
        BestResponses.check_place(out)
    if begin not in (DECLARED, JOINT):
        raise BadValue(f"it is '{begin}'", place="begin", remedy=f"choose '{DECLARED}' or '{JOINT}'")
    game = make_shared_game(problem.scenario, problem.mdp.discount)
    assert isinstance(problem.scenario, SharedScenario)
    matrix = make_coefficient_matrix(game.agents, problem.own, care, _read_coefficients(coefficient))
    together = plan_joint_policies(game, np.ones(len(game.agents)))
    first = together if begin == JOINT else read_policies(problem.scenario, game)
    found = iterate_best_responses(game, matrix, first, order, damping, rounds)
    result = BestResponses(
        problem, game, matrix, found, compute_expected_returns(game, together), begin, order, damping
    )
    if out is not None:
        result.save(out)
    return result


def _read_coefficients(given: Coefficients | Sequence[str]) -> Coefficients:
    """Who -> whom -> coefficient, from texts WHO:WHOM=NUMBER or a mapping; BadValue for anything else."""
    if not isinstance(given, Mapping):
        remedy = 'give {"WHO": {"WHOM": number}} or texts WHO:WHOM=NUMBER'
        return _read_texts([given] if isinstance(given, str) else to_list(given, "coefficients", PLACE, remedy))
    for who, row in given.items():
        if not isinstance(row, Mapping):
            remedy = 'give {"WHO": {"WHOM": number}}'
            raise BadValue(f"coefficients of {show_value(who)} are {show_value(row)}", place=PLACE, remedy=remedy)
        for whom, number in row.items():
            if not is_number(number):
                problem = f"{show_value(number)} as what {show_value(who)} weighs {show_value(whom)} with"
                raise BadValue(problem, place=PLACE, remedy="give a number")
    return given


def _read_texts(texts: Sequence[Any]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for text in texts:
        pair, equals, number = text.rpartition("=") if isinstance(text, str) else ("", "", "")
        who, colon, whom = pair.partition(":")
        try:
            value = float(number)
        except ValueError:
            equals = ""
        if not (equals and colon and who.strip() and whom.strip()):
            shown = text if isinstance(text, str) else show_value(text)
            raise BadValue(f"'{shown}' is not a coefficient", place=argument(PLACE), remedy="write WHO:WHOM=NUMBER")
        found.setdefault(who.strip(), {})[whom.strip()] = value
    return found
