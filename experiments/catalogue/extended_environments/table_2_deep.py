"""The self-reflection of DQN, A2C and PPO and of their reality checks, in the whole battery.

    measure = mean over the environments and their opposites of the reward per turn

The published reality check and the published form of ignoring observations stand in for the paper's, as in its table;
Definition 10's reality check is measured beside them. Alexander et al. 2021, Table 2.

Differs from the paper:
- beside a mean over seeds stand the lowest and the highest of them
- PPO keeps the log-probability of the action taken, see `ppo_artefact`
- the learners are lanes of stacks, which take Stable-Baselines3's gradient steps (`engine.learning.stacks`)
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
from xenv.environments import benchmark

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEEP = ("stacked_dqn", "stacked_a2c", "stacked_ppo")
CHECKS = ("reality_check_published", "reality_check")
AGENTS = (*DEEP, *(f"{check}({agent})" for check in CHECKS for agent in DEEP))
PRINTED = {
    "stacked_dqn": 0.5174,
    "stacked_a2c": 0.6145,
    "stacked_ppo": 0.0696,
    "reality_check_published(stacked_dqn)": 0.6072,
    "reality_check_published(stacked_a2c)": 0.6368,
    "reality_check_published(stacked_ppo)": 0.3332,
}


def run(agent: str, environment: str, turns: int, seed: int, key: int) -> Rows:
    """Run one agent in one environment and its opposite."""
    from xenv.interaction_loop import run_environment

    as_published = f"{environment}_published" if environment == "ignore_observations" else environment
    names = as_published, f"opposite({as_published})"
    return [{"run": name, "reward_a_turn": run_environment(name, agent, turns, seed).mean} for name in names]


def _claim_gain(agent: str) -> Claim:
    return Claim(
        f"{agent} gains by the reality check",
        lambda rows: measure_gain(rows, agent, f"reality_check({agent})").mean > 0,
    )


def _publish(agent: str, number: float) -> Published:
    return Published(f"measure of {agent}", number, lambda rows: measure_agent(rows, agent).mean)


SCORES = ScoreColumns(score="reward_a_turn", method="agent", environment="run", pairs=pair_with_checks(AGENTS))


def _draw(rows: Rows) -> Figure:
    from experiments.figures.scores import draw_scores

    return draw_scores(rows, SCORES, describe_reward(rows), PRINTED)


experiment = Experiment(
    reproduces="Extending Environments To Measure Self-Reflection, Table 2, deep agents",
    settings={
        "agent": AGENTS,
        "environment": benchmark(),
        "turns": (100_000,),
        "seed": (1, 2, 3, 4, 5),
    },
    run=run,
    lengths={"turns": TURNS._replace(runs=2)},
    quick={"environment": ("ignore_rewards",), "turns": (5_000,), "seed": (1,)},
    claims=tuple(_claim_gain(agent) for agent in DEEP),
    published=tuple(_publish(agent, number) for agent, number in PRINTED.items()),
    scores=SCORES,
    figure=_draw,
    table=tabulate_statistics,
    extras=("deep",),
    version=4,  # 3 had Stable-Baselines3's own learners, fewer turns, and neither published form
)
