"""Measures of self-reflection from stored rows of the battery: means over environments, errors over seeds, differences.

A row has an agent, a seed, an environment and its reward per turn; see `xenv.battery` for the definitions.
"""

from __future__ import annotations

from experiments.experiment import NotEnoughRows, Rows, Scalar
from experiments.rows import select, values
from xenv.battery import BatteryRow, SeedMean, mean_reward, paired_difference


def battery_rows(rows: Rows, **where: Scalar) -> list[BatteryRow]:
    """The selected rows as runs of one turn; NotEnoughRows where there are none."""
    return [
        BatteryRow(str(row["agent"]), str(row["environment"]), int(row["seed"]), 1, float(row["reward_a_turn"]))  # type: ignore[arg-type]
        for row in select(rows, **where)
    ]


def agent_mean(rows: Rows, agent: str, **where: Scalar) -> SeedMean:
    """An agent's measure."""
    return mean_reward(battery_rows(rows, agent=agent, **where), agent)


def gain(rows: Rows, agent: str, other: str, **where: Scalar) -> SeedMean:
    """How much more the other agent measures, paired by seed; NotEnoughRows where one of them is missing."""
    selected = battery_rows(rows, agent=agent, **where) + battery_rows(rows, agent=other, **where)
    if not {row.seed for row in selected if row.agent == agent} & {row.seed for row in selected if row.agent == other}:
        raise NotEnoughRows(f"no seed that both {agent} and {other} have")
    return paired_difference(selected, agent, other)


def statistics_table(rows: Rows, *columns: str) -> Rows:
    """A line an agent (and value of other columns): measure, its standard error, the gain over the unchecked agent."""
    table: Rows = []
    for agent in values(rows, "agent"):
        for where in _combinations(rows, columns):
            name = str(agent)
            result = agent_mean(rows, name, **where)
            line = {
                "agent": name,
                **where,
                "seeds": result.seeds,
                "measure": result.mean,
                "error": result.standard_error,
            }
            plain = name.partition("(")[2].removesuffix(")")
            if plain and plain in values(rows, "agent"):
                difference = gain(rows, plain, name, **where)
                line |= {"gain": difference.mean, "gain_error": difference.standard_error}
            else:
                line |= {"gain": None, "gain_error": None}
            table.append(line)
    return table


def _combinations(rows: Rows, columns: tuple[str, ...]) -> list[dict[str, Scalar]]:
    return [dict(key) for key in dict.fromkeys(tuple((column, row[column]) for column in columns) for row in rows)]
