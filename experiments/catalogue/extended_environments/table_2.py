"""The self-reflection of the tabular agents and of their reality checks, in the whole battery.

    measure = mean over the environments and their opposites of the reward per turn

Random numbers come from the published pools. The published reality check and the published form of ignoring
observations stand in for the paper's, as in its table; the faithful reality check is measured beside them, and so are
the opposites that feed copies the negated rewards.
Alexander et al. 2021, Table 2.

Differs from the paper:
- beside a mean over seeds stand the lowest and the highest of them; the printed errors are a deviation divided by n
- the printed measure of the checked Simple is of unseeded runs and does not come out, see docs/xenv.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.extended_environments._battery_statistics import (
    describe_reward,
    measure_agent,
    measure_gain,
    pair_with_checks,
    tabulate_statistics,
)
from experiments.experiment import TURNS, Claim, Experiment, Published, Rows, ScoreColumns
from experiments.rows import numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAIN = ("random", "constant", "simple", "q_learning")
CHECKS = ("reality_check_published", "reality_check")
AGENTS = (*PLAIN, *(f"{check}({agent})" for check in CHECKS for agent in PLAIN))
PRINTED = {
    "random": 0.0,
    "constant": 0.0,
    "simple": 0.7567,
    "q_learning": 0.5395,
    "reality_check_published(random)": 0.0,
    "reality_check_published(constant)": 0.0,
    "reality_check_published(simple)": 0.7146,
    "reality_check_published(q_learning)": 0.5720,
}


def run(agent: str, opposites: str, turns: int, seed: int, key: int) -> Rows:
    """Run one agent in every environment and its opposite."""
    from xenv.environments import benchmark
    from xenv.interaction_loop import run_environment

    rows: Rows = []
    for name in benchmark():
        as_published = f"{name}_published" if name == "ignore_observations" else name
        for environment in (as_published, f"{opposites}({as_published})"):
            result = run_environment(environment, agent, turns, seed, randomness="published")
            rows.append({"environment": environment, "reward_a_turn": result.mean})
    return rows


def _q_gains(rows: Rows) -> bool:
    return all(
        measure_gain(rows, "q_learning", f"{check}(q_learning)", opposites="opposite").mean > 0 for check in CHECKS
    )


def _simple_does_not_gain(rows: Rows) -> bool:
    return all(measure_gain(rows, "simple", f"{check}(simple)", opposites="opposite").mean <= 0 for check in CHECKS)


def _blind_agents_score_nothing(rows: Rows) -> bool:
    blind = [name for name in AGENTS if "random" in name or "constant" in name]
    totals = [measure_agent(rows, name, opposites="opposite").mean for name in blind if name in PLAIN]
    checked = [measure_agent(rows, name, opposites="opposite").mean for name in blind if name not in PLAIN]
    return all(abs(total) < 1e-12 for total in totals + checked)


def _literal_opposites_are_harder(rows: Rows) -> bool:
    return all(
        measure_agent(rows, name, opposites="literal_opposite").mean
        < measure_agent(rows, name, opposites="opposite").mean - 0.1
        for name in ("simple", "q_learning")
    )


def _stays_in_range(rows: Rows) -> bool:
    return all(-1 <= reward <= 1 for reward in numbers(rows, "reward_a_turn"))


def _publish(agent: str, number: float) -> Published:
    return Published(f"measure of {agent}", number, lambda rows: measure_agent(rows, agent, opposites="opposite").mean)


SCORES = ScoreColumns(
    score="reward_a_turn",
    method="agent",
    environment="environment",
    groups=("opposites",),
    pairs=pair_with_checks(AGENTS),
)


def _draw(rows: Rows) -> Figure:
    from experiments.figures.scores import draw_scores

    return draw_scores(rows, SCORES, describe_reward(rows), PRINTED)


experiment = Experiment(
    reproduces="Extending Environments To Measure Self-Reflection, Table 2, tabular agents",
    settings={
        "agent": AGENTS,
        "opposites": ("opposite", "literal_opposite"),
        "turns": (100_000,),
        "seed": (1, 2, 3, 4, 5),
    },
    run=run,
    lengths={"turns": TURNS._replace(runs=50)},
    quick={"turns": (400,), "seed": (1, 2)},
    claims=(
        Claim("Q-learning gains by the reality check", _q_gains),
        Claim("Simple does not gain by the reality check", _simple_does_not_gain),
        Claim("blind agents measure exactly 0 once opposites are included", _blind_agents_score_nothing),
        Claim("opposites that feed copies the negated rewards lower the measures", _literal_opposites_are_harder),
        Claim("no reward is outside -1 .. 1", _stays_in_range),
    ),
    published=tuple(_publish(agent, number) for agent, number in PRINTED.items()),
    scores=SCORES,
    figure=_draw,
    table=lambda rows: tabulate_statistics(rows, "opposites"),
    version=2,  # 1 refused Simple in `incentivize_learning_rate`, and the baby of `crying_baby_2` was fed at first
)
