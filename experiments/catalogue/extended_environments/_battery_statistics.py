"""Measures of self-reflection from stored rows of the battery: means over environments, their spread over seeds, gains.

A row has an agent, a seed, an environment and its reward per turn; see `xenv.battery` for the definitions.
"""

from __future__ import annotations

from experiments.experiment import NotEnoughRows, ResultRow, Rows, Scalar
from experiments.rows import select, values
from xenv.battery import BatteryRow, SeedMean, mean_over_seeds, mean_reward, mean_reward_by_seed


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
    return mean_over_seeds(gains(rows, agent, other, **where))


def gains(rows: Rows, agent: str, other: str, **where: Scalar) -> list[float]:
    """How much more the other agent measures with each seed that both have; NotEnoughRows where there is none."""
    ours, theirs = (mean_reward_by_seed(battery_rows(rows, agent=name, **where), name) for name in (agent, other))
    found = [theirs[seed] - ours[seed] for seed in ours if seed in theirs]
    if not found:
        raise NotEnoughRows(f"no seed that both {agent} and {other} have")
    return found


def statistics_table(rows: Rows, *columns: str) -> Rows:
    """A line an agent (and value of other columns): the measure, and the gain over the agent without its check.

    Beside each mean over the seeds the lowest and the highest of them, for a handful of seeds tells no error.
    """
    table: Rows = []
    for agent in values(rows, "agent"):
        for where in _combinations(rows, columns):
            name = str(agent)
            by_seed = list(mean_reward_by_seed(battery_rows(rows, agent=name, **where), name).values())
            line: ResultRow = {"agent": name, **where, "seeds": len(by_seed), **_spread("measure", by_seed)}
            plain = unchecked(name)
            known = plain in values(rows, "agent")
            table.append(line | _spread("gain", gains(rows, plain, name, **where) if known else []))
    return table


def unchecked(agent: str) -> str:
    """The agent that a reality check holds, "" for an agent without one."""
    return agent.partition("(")[2].removesuffix(")")


def pairs_with_checks(agents: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Each checked agent with the agent that it holds."""
    return tuple((agent, unchecked(agent)) for agent in agents if unchecked(agent) in agents)


def _spread(name: str, numbers: list[float]) -> ResultRow:
    if not numbers:
        return {name: None, f"{name}_lowest": None, f"{name}_highest": None}
    mean = mean_over_seeds(numbers).mean
    return {name: mean, f"{name}_lowest": min(numbers), f"{name}_highest": max(numbers)}


def _combinations(rows: Rows, columns: tuple[str, ...]) -> list[dict[str, Scalar]]:
    return [dict(key) for key in dict.fromkeys(tuple((column, row[column]) for column in columns) for row in rows)]
