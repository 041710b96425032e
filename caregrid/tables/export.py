"""Write any problem's table, for Storm, PRISM and other solvers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caregrid.results import Result
from caregrid.tables.decision_table import OTHERS, OWN, DecisionTable
from engine.errors import BadValue, UnknownName
from engine.files import require_other_place, require_writable, write_atomically
from engine.plain_values import make_json_value

if TYPE_CHECKING:
    from caregrid.programmes.caring.problem_source import SourcedProblem

WRITTEN = ("prism", "jani", "npz")
MOST_EXPORTED = 100_000


def make_table(problem: SourcedProblem) -> DecisionTable:
    """Return the table of a caring problem: reward "own", and "others", which one unit of care adds to it."""
    exact = problem.exact
    mdp = exact.mdp
    if len(mdp.states) > MOST_EXPORTED:
        remedy = "choose a smaller map"
        raise BadValue(
            f"{len(mdp.states):,} states, more than {MOST_EXPORTED:,}", place=exact.scenario.name, remedy=remedy
        )
    starts = [int(start) for start in mdp.start_states()]
    from craftworld.solution.problem import weigh_own_reward

    fixed, swept = exact.compute_caring_rewards(starts[0])
    for start in starts[1:]:
        if not all(map(np.array_equal, exact.compute_caring_rewards(start), (fixed, swept))):
            problem_words = f"'{exact.formulation}' rewards each start state differently"
            raise BadValue(problem_words, place=exact.scenario.name, remedy="choose another formulation")
    return DecisionTable(
        exact.scenario.name,
        tuple(make_json_value(exact.scenario.describe(state)) for state in mdp.states),
        mdp.actions,
        mdp.next_state,
        np.array(mdp.probability),
        {OWN: np.array(weigh_own_reward(mdp, exact.own, fixed)), OTHERS: np.array(swept)},
        mdp.terminal,
        mdp.start,
        mdp.discount,
        mdp.action_mask(np.arange(len(mdp.states))),
    ).check(exact.scenario.name)


@dataclass(frozen=True, repr=False, eq=False)
class ExportedTable(Result):
    """The table of a problem, as it was written. formulation: what "others" stands for. file: where it is."""

    table: DecisionTable
    formulation: str
    file: str

    @property
    def title(self) -> str:
        """The scenario."""
        return self.table.name

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each transition: state, action, next state, probability, and the rewards."""
        table = self.table
        asked = (table.available & ~table.terminal[:, None])[:, :, None] & (table.probability > 0.0)
        return [
            {
                "state": int(state),
                "action": table.actions[action],
                "next_state": int(table.next_state[state, action, slot]),
                "probability": float(table.probability[state, action, slot]),
                **{name: float(amount[state, action, slot]) for name, amount in table.rewards.items()},
            }
            for state, action, slot in np.argwhere(asked)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what `caregrid export --json` prints."""
        return {
            "scenario": self.table.name,
            "formulation": self.formulation,
            "states": len(self.table.states),
            "actions": list(self.table.actions),
            "rewards": list(self.table.rewards),
            "discount": self.table.discount,
            "out": self.file,
        }

    def text(self) -> str:
        """Return what `caregrid export` prints."""
        table = self.table
        return "\n".join(
            [
                f"{table.name}, {self.formulation}: {len(table.states)} states, {len(table.actions)} actions, "
                f"discount {table.discount:g}",
                f"rewards  {', '.join(table.rewards)} (own + care * others)",
                f"wrote    {self.file}",
            ]
        )


def export_table(problem: SourcedProblem, out: str | Path) -> ExportedTable:
    """Write a problem's table as the ending of the file says; BadFile, UnknownName or BadValue where that fails."""
    target = Path(out)
    ending = target.suffix.removeprefix(".").lower()
    if ending not in WRITTEN:
        raise UnknownName("kind of file", ending or target.name, WRITTEN, place="out")
    require_writable(target)
    require_other_place(target, problem.source.files.values())
    table = make_table(problem)
    write_table(table, target)
    return ExportedTable(table, problem.exact.formulation, str(out))


def write_table(table: DecisionTable, path: Path) -> None:
    """Write a table as the path's ending says."""
    ending = path.suffix.removeprefix(".").lower()
    if ending == "npz":
        from caregrid.tables.arrays import write_npz

        write_npz(table, path)
    elif ending == "jani":
        from caregrid.tables.jani import write_jani

        write_atomically(path, write_jani(table))
    else:
        from caregrid.tables.prism import write_prism

        write_atomically(path, write_prism(table))
