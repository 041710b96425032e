"""What each named scenario teaches: exact action values of the agents, against the numbers told in its file."""

from __future__ import annotations

from experiments.experiment import Claim, Experiment, Rows
from experiments.rows import select
from multislot.scenarios import SLOT_SCENARIOS


def run(scenario: str, key: int) -> Rows:
    """One row a lesson: what it says, the value and action it is about, whether its numbers are exact."""
    from multislot.scenarios import slot_scenario

    told = slot_scenario(scenario)
    rows: Rows = []
    for lesson in told.examples:
        answer = lesson.evaluate(told.environment)
        rows.append(
            {
                "says": lesson.statement,
                "value": lesson.value,
                "horizon": lesson.horizon,
                "history": lesson.history,
                "worth": ", ".join(f"{action}: {number}" for action, number in answer.Q.items()),
                "action": str(answer.action),
                "holds": lesson.holds(told.environment),
            }
        )
    return rows


experiment = Experiment(
    reproduces="The Multi-slot Framework, section 4 (worked examples)",
    settings={"scenario": SLOT_SCENARIOS.names()},
    run=run,
    claims=(
        Claim("every number that a scenario teaches is exact", lambda rows: all(row["holds"] for row in select(rows))),
    ),
    table=lambda rows: [{name: row[name] for name in ("scenario", "value", "worth", "says")} for row in select(rows)],
)
