"""Measures of self-reflection from stored rows of the battery: means over environments, their spread over seeds, gains.

A row has an agent, a seed, an environment and its reward per turn; see `xenv.battery` for the definitions.
"""

from __future__ import annotations

from collections import Counter

from experiments.experiment import NotEnoughRows, ResultRow, Rows, Scalar
from experiments.rows import select, values
from xenv.battery import BatteryRow, SeedMean, mean_over_seeds, mean_reward, mean_reward_by_seed


def select_battery_rows(rows: Rows, **where: Scalar) -> list[BatteryRow]:
    """Return the selected rows as runs of one turn; NotEnoughRows where there are none."""
    return [
        BatteryRow(str(row["agent"]), str(row["environment"]), int(row["seed"]), 1, float(row["reward_a_turn"]))  # type: ignore[arg-type]
        for row in select(rows, **where)
    ]


def measure_agent(rows: Rows, agent: str, **where: Scalar) -> SeedMean:
    """Return an agent's measure."""
    return mean_reward(select_battery_rows(rows, agent=agent, **where), agent)


def measure_gain(rows: Rows, agent: str, other: str, **where: Scalar) -> SeedMean:
    """Return how much more the other agent measures, paired by seed; NotEnoughRows where one of them is missing."""
    return mean_over_seeds(list_gains(rows, agent, other, **where))


def list_gains(rows: Rows, agent: str, other: str, **where: Scalar) -> list[float]:
    """How much more the other agent measures with each seed, over the environments that both were run in with it.

    NotEnoughRows where there is no such environment.
    """
    of_both = [select_battery_rows(rows, agent=name, **where) for name in (agent, other)]
    in_both = set.intersection(*({(row.seed, row.environment) for row in found} for found in of_both))
    paired = [[row for row in found if (row.seed, row.environment) in in_both] for found in of_both]
    ours, theirs = (mean_reward_by_seed(found, name) for found, name in zip(paired, (agent, other), strict=True))
    if not in_both:
        raise NotEnoughRows(f"no environment and seed that both {agent} and {other} have")
    return [theirs[seed] - ours[seed] for seed in ours]


def tabulate_statistics(rows: Rows, *columns: str) -> Rows:
    """Return a line per agent (and value of other columns): the measure, and the gain over the agent without its check.

    Beside each mean over the seeds the lowest and the highest of them, for a handful of seeds tells no error.
    environments: the fewest that a seed was run in.
    """
    table: Rows = []
    for agent in values(rows, "agent"):
        for where in _list_combinations(rows, columns):
            name = str(agent)
            found = select_battery_rows(rows, agent=name, **where)
            by_seed = list(mean_reward_by_seed(found, name).values())
            fewest = min(Counter(seed for seed, _ in {(row.seed, row.environment) for row in found}).values())
            counts: ResultRow = {"seeds": len(by_seed), "environments": fewest}
            line: ResultRow = {"agent": name, **where, **counts, **_summarise("measure", by_seed)}
            plain = find_unchecked(name)
            known = plain in values(rows, "agent")
            table.append(line | _summarise("gain", list_gains(rows, plain, name, **where) if known else []))
    return table


def describe_reward(rows: Rows, where: str = "") -> str:
    """Return the label of an axis of scores, with the length of the runs."""
    turns = " or ".join(f"{turns:,}" for turns in values(rows, "turns"))
    return f"reward per turn{where} ({turns} turns a run)"


def find_unchecked(agent: str) -> str:
    """Return the agent that a reality check holds, "" for an agent without one."""
    return agent.partition("(")[2].removesuffix(")")


def pair_with_checks(agents: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return each checked agent with the agent that it holds."""
    return tuple((agent, find_unchecked(agent)) for agent in agents if find_unchecked(agent) in agents)


def _summarise(name: str, numbers: list[float]) -> ResultRow:
    if not numbers:
        return {name: None, f"{name}_lowest": None, f"{name}_highest": None}
    mean = mean_over_seeds(numbers).mean
    return {name: mean, f"{name}_lowest": min(numbers), f"{name}_highest": max(numbers)}


def _list_combinations(rows: Rows, columns: tuple[str, ...]) -> list[dict[str, Scalar]]:
    return [dict(key) for key in dict.fromkeys(tuple((column, row[column]) for column in columns) for row in rows)]
