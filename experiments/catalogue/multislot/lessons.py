"""The worked examples of each named scenario: exact action values against the numbers written in its file."""

from __future__ import annotations

from experiments.experiment import Claim, Experiment, Rows
from experiments.rows import select
from multislot.scenarios import SLOT_SCENARIOS


def run(scenario: str, key: int) -> Rows:
    """Return one row per example: its statement, the value and action it is about, whether its numbers are exact."""
    from multislot.scenarios import slot_scenario

    environment = slot_scenario(scenario).environment
    examples = slot_scenario(scenario).examples
    rows: Rows = []
    for example in examples:
        evaluation = example.evaluate(environment)
        rows.append(
            {
                "says": example.statement,
                "value": example.value,
                "horizon": example.horizon,
                "history": example.history,
                "worth": ", ".join(f"{action}: {number}" for action, number in evaluation.Q.items()),
                "action": str(evaluation.action),
                "holds": example.holds(environment),
            }
        )
    return rows


experiment = Experiment(
    reproduces="The Multi-slot Framework, section 4 (worked examples)",
    settings={"scenario": SLOT_SCENARIOS.names()},
    run=run,
    version=2,  # 1 had the same numbers with other words for some of the statements
    claims=(
        Claim("every number of the worked examples is exact", lambda rows: all(row["holds"] for row in select(rows))),
    ),
    no_figure="each example is a statement with exact fractions, which a table shows in full",
    table=lambda rows: [{name: row[name] for name in ("scenario", "value", "worth", "says")} for row in select(rows)],
)
