"""The self-reflection of DQN, A2C and PPO and of their reality checks, over fewer turns than the paper's.

    measure = mean over the environments and their opposites of the reward per turn

Alexander et al. 2021, Table 2 (Definition 10's reality check).

Differs from the paper:
- fewer turns, since what is claimed shows early: set `turns` to the paper's for its own numbers
- beside a mean over seeds stand the lowest and the highest of them
- PPO keeps the log-probability of the action taken, see `ppo_artefact`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.extended_environments._battery_statistics import (
    agent_mean,
    gain,
    pairs_with_checks,
    statistics_table,
)
from experiments.experiment import Claim, Experiment, Published, Rows, ScoreColumns
from experiments.lengths import TURNS
from xenv.environments import benchmark

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEEP = ("sb3_dqn", "sb3_a2c", "sb3_ppo")
AGENTS = (*DEEP, *(f"reality_check({agent})" for agent in DEEP))
PRINTED = {
    "sb3_dqn": 0.5174,
    "sb3_a2c": 0.6145,
    "sb3_ppo": 0.0696,
    "reality_check(sb3_dqn)": 0.6072,
    "reality_check(sb3_a2c)": 0.6368,
    "reality_check(sb3_ppo)": 0.3332,
}


def run(agent: str, environment: str, turns: int, seed: int, key: int) -> Rows:
    """One agent in one environment and its opposite."""
    from xenv.interaction_loop import run_environment

    names = environment, f"opposite({environment})"
    return [{"run": name, "reward_a_turn": run_environment(name, agent, turns, seed).mean} for name in names]


def _gains(agent: str) -> Claim:
    return Claim(
        f"{agent} gains by the reality check", lambda rows: gain(rows, agent, f"reality_check({agent})").mean > 0
    )


def _published(agent: str, number: float) -> Published:
    return Published(f"measure of {agent}", number, lambda rows: agent_mean(rows, agent).mean)


SCORES = ScoreColumns(score="reward_a_turn", method="agent", environment="run", pairs=pairs_with_checks(AGENTS))


def _draw(rows: Rows) -> Figure:
    from experiments.figures.scores import scores_figure

    return scores_figure(rows, SCORES, "reward per turn", PRINTED)


experiment = Experiment(
    reproduces="Extending Environments To Measure Self-Reflection, Table 2, deep agents",
    settings={
        "agent": AGENTS,
        "environment": benchmark(),
        "turns": (10_000,),
        "seed": (1, 2, 3, 4, 5),
    },
    run=run,
    lengths={"turns": TURNS},
    quick={"environment": ("ignore_rewards",), "turns": (5_000,), "seed": (1,)},
    claims=tuple(_gains(agent) for agent in DEEP),
    published=tuple(_published(agent, number) for agent, number in PRINTED.items()),
    scores=SCORES,
    figure=_draw,
    table=statistics_table,
    extras=("deep",),
    version=3,  # 1 called the agents dqn, a2c and ppo; 2 had the baby of `crying_baby_2` fed before the first turn
)
