"""Which toy agents lose what to which handicap: every handicap of the theory on every merciful environment shipped.

    lost = total in e - total in e*h,    penalties = turns at which h punishes

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Handicaps.
Totals are computed exactly; a row holds them as numbers.

Differs from the paper:
- it proves nothing about these; the claims are what follows from the definitions
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.value_types import HISTORY_TURNS
from experiments.experiment import Claim, Experiment, Length, Rows
from experiments.rows import numbers, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MERCIFUL = (
    "chat",
    "clustering",
    "counting",
    "knowing_agent",
    "newcomb",
    "self_recognition",
    "sequence_prediction",
    "supervised_learning",
)
HANDICAPS = (
    "backward_consciousness",
    "deja_vu",
    "false_memories",
    "ignoring_rewards",
    "incentive_to_incentivize",
    "memory_inspector",
    "time_inspector",
)
AGENTS = (
    "after_punishment",
    "always:0",
    "always:1",
    "imitate",
    "once_rewarded",
    "parity",
    "reality_check(once_rewarded)",
    "scrambled:1",
    "win_stay",
)
FALSE_PASTS = ("backward_consciousness", "deja_vu", "false_memories", "ignoring_rewards")


def run(environment: str, handicap: str, agent: str, turns: int, key: int) -> Rows:
    """Return one row: totals without and with the handicap."""
    from xenv.theory.interaction import interact
    from xenv.theory.naming import read_agent, read_environment

    measured = read_agent(agent)
    free = interact(measured, read_environment(environment).environment, turns)
    constrained = interact(measured, read_environment(f"{environment}*{handicap}").environment, turns)
    return [
        {
            "total": float(free.total),
            "total_with_handicap": float(constrained.total),
            "lost": float(free.total - constrained.total),
            "penalties": constrained.rewards.count(-1),
        }
    ]


def _constant_agents_ignore_false_pasts(rows: Rows) -> bool:
    constant = [row for row in rows if str(row["agent"]).startswith("always:") and row["handicap"] in FALSE_PASTS]
    return all(row["lost"] == row["penalties"] == 0 for row in constant)


def _every_handicap_costs_someone(rows: Rows) -> bool:
    return all(max(numbers(rows, "penalties", handicap=handicap)) > 0 for handicap in values(rows, "handicap"))


def tabulate_penalties(rows: Rows) -> Rows:
    """Return a row per handicap: how often it punished each agent, over all environments."""
    return [
        {"handicap": handicap}
        | {
            str(agent): sum(numbers(rows, "penalties", handicap=handicap, agent=agent))
            for agent in values(rows, "agent")
        }
        for handicap in values(rows, "handicap")
    ]


def _draw(rows: Rows) -> Figure:
    """Punished turns, a handicap a row and an agent a column, over all environments."""
    import numpy as np

    from experiments.figures.heat_map import draw_heat_map
    from experiments.figures.labels import format_label

    table = tabulate_penalties(rows)
    agents = [name for name in table[0] if name != "handicap"]
    counts = np.array([[-float(row[agent] or 0) for agent in agents] for row in table])
    names = [format_label(row["handicap"]) for row in table], [format_label(agent) for agent in agents]
    bound = max(1.0, float(-counts.min()))

    def write_cell(number: float) -> str:
        return f"{number:.0f}".replace("-0", "0")

    title = f"{len(values(rows, 'environment'))} environments, {max(numbers(rows, 'turns')):.0f} turns each"
    return draw_heat_map(counts, *names, "penalties (sum of rewards)", write_cell, bound, title=title)


experiment = Experiment(
    reproduces="Extending environments to incentivize self-reflection, Handicaps",
    settings={"environment": MERCIFUL, "handicap": HANDICAPS, "agent": AGENTS, "turns": (60,)},
    run=run,
    lengths={"turns": Length("turns", most=HISTORY_TURNS.most)},
    quick={"environment": ("counting", "newcomb"), "turns": (20,)},
    figure=_draw,
    table=tabulate_penalties,
    claims=(
        Claim("agents that always do the same lose nothing to imagined pasts", _constant_agents_ignore_false_pasts),
        Claim("every handicap punishes some agent", _every_handicap_costs_someone),
    ),
)
