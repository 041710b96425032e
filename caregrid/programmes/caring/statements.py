"""What `caregrid statements` says: Proposition 1 on a problem, and whether Eq 6 contains its sequential case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.results import Result
from engine.plain_values import finite_or_none, write_number

if TYPE_CHECKING:
    from craftworld.paper_statements import SequentialCase, TerminationCheck
    from craftworld.solution.problem import Problem

CLOSE = 1e-9  # of the larger number


@dataclass(frozen=True, repr=False, eq=False)
class PaperStatements(Result):
    """Two statements on a problem. name: what it is called. termination: Proposition 1. cases: Eq 6 beside Eq 1 or 4.

    no_cases: why there are none, else "".
    """

    name: str
    termination: TerminationCheck
    cases: Sequence[SequentialCase]
    no_cases: str = ""

    @property
    def title(self) -> str:
        """The problem."""
        return f"statements on {self.name}"

    @property
    def hold(self) -> bool:
        """Whether both hold, as far as they apply."""
        return self.termination.holds and all(map(_agree, self.cases))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per coefficient and start state: the optimum in turn, and at once."""
        return [{**case._asdict(), "agree": _agree(case)} for case in self.cases]

    def as_dict(self) -> dict[str, Any]:
        """Return {"applies", "holds", "conditions", "segments", "sequential", "no_sequential"}."""
        check = self.termination
        return {
            "applies": check.applies,
            "holds": self.hold,
            "conditions": dict(check.conditions),
            "segments": [
                {"care_from": finite_or_none(low), "care_to": finite_or_none(high), "ends": ends}
                for low, high, ends in check.ends
            ],
            "sequential": [
                {**row, "in_turn": finite_or_none(row["in_turn"]), "at_once": finite_or_none(row["at_once"])}
                for row in self.rows()
            ],
            "no_sequential": self.no_cases,
        }

    def text(self) -> str:
        """Return conditions and conclusion of Proposition 1, then a line per coefficient."""
        check = self.termination
        applies = "applies" if check.applies else "does not apply"
        lines = [f"Proposition 1 {applies}:"]
        lines += [f"  {'yes' if holds else 'no '} {words}" for words, holds in check.conditions.items()]
        lines += [f"  care {write_number(low)} to {write_number(high)}: {_say(ends)}" for low, high, ends in check.ends]
        if self.no_cases:
            return "\n".join([*lines, f"Eq 6 and the sequential case: {self.no_cases}"])
        lines += ["Eq 6 contains the sequential case:"]
        return "\n".join([*lines, *map(_write_case, self.cases)])


def _agree(case: SequentialCase) -> bool:
    if not math.isfinite(case.in_turn):
        return case.in_turn == case.at_once
    return math.isclose(case.in_turn, case.at_once, rel_tol=CLOSE, abs_tol=CLOSE)


def _write_case(case: SequentialCase) -> str:
    numbers = f"in turn {case.in_turn:.10g}, at once {case.at_once:.10g}"
    return f"  care {write_number(case.care)}: {numbers}{'' if _agree(case) else '  DIFFERENT'}"


def check_statements(problem: Problem, cares: Sequence[float]) -> PaperStatements:
    """Check both on a problem."""
    from craftworld.paper_statements import check_termination, compare_sequential_case
    from engine.errors import BadValue

    name = f"{problem.scenario.name}, {problem.formulation}"
    termination = check_termination(problem)
    try:
        return PaperStatements(name, termination, compare_sequential_case(problem, cares))
    except BadValue as refused:
        return PaperStatements(name, termination, (), f"{refused.problem}; {refused.remedy}")


def _say(ends: bool) -> str:
    return "the optimum surely ends" if ends else "the optimum may not end"
