"""Why the published measure of PPO is so low: old log-probabilities of another draw turn its ratios into noise.

    rho = pi(a | o) / pi_old(a | o)    as it should be        rho = pi(a | o) / pi_old(a' | o)    with a' drawn again

Published wrappers feed PPO through `learn()`, whose rollout draws an action of its own: the action stored is put right,
the log-probability stored with it is not. Nothing else differs between the two agents here. A2C never uses the stored
log-probability, and its published measure is unharmed. Alexander et al. 2021, Table 2 (PPO's row).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.randomness.counter_based import split
from experiments.catalogue.extended_environments._battery_statistics import describe_reward
from experiments.experiment import TURNS, Claim, Experiment, Rows, ScoreColumns
from experiments.rows import mean, numbers, values
from xenv.agents.ppo import StackedPPO, StackedPPORedrawn
from xenv.interaction_loop import run_environment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KEPT = {"of the action taken": StackedPPO(), "of another draw": StackedPPORedrawn()}


def run(log_probability: str, turns: int, seed: int, key: int) -> Rows:
    """Make one run of `repeater`; both agents share the seed's numbers."""
    from xenv.environments import ENVIRONMENTS

    result = run_environment(ENVIRONMENTS["repeater"], KEPT[log_probability], turns, split(0, seed))
    return [{"reward_a_turn": result.mean}]


def summarise(rows: Rows) -> Rows:
    """Mean, lowest and highest reward per turn over the seeds."""
    table: Rows = []
    for kept in values(rows, "log_probability"):
        rewards = numbers(rows, "reward_a_turn", log_probability=kept)
        table.append(
            {"log_probability": kept, "seeds": len(rewards), "mean": sum(rewards) / len(rewards)}
            | {"lowest": min(rewards), "highest": max(rewards)}
        )
    return table


def _mended_is_better(rows: Rows) -> bool:
    taken, drawn = (numbers(rows, "reward_a_turn", log_probability=kept) for kept in KEPT)
    return min(taken) > max(drawn)


def _noise_learns_nothing(rows: Rows) -> bool:
    drawn, taken = (mean(rows, "reward_a_turn", log_probability=kept) for kept in reversed(KEPT))
    return drawn < taken / 3


SCORES = ScoreColumns(score="reward_a_turn", method="log_probability")


def _draw(rows: Rows) -> Figure:
    from experiments.figures.scores import draw_scores

    return draw_scores(rows, SCORES, describe_reward(rows, " in the environment repeater"), {})


experiment = Experiment(
    reproduces="Extending Environments To Measure Self-Reflection, Table 2, the row of PPO",
    settings={"log_probability": tuple(KEPT), "turns": (30_720,), "seed": (1, 2, 3, 4, 5)},
    run=run,
    lengths={"turns": TURNS},
    version=3,  # 2 had Stable-Baselines3's own networks, and other numbers for the other draw
    quick={"turns": (8_192,), "seed": (1,)},
    claims=(
        Claim(
            "with the log-probability of the action taken, PPO's worst seed beats the other's best", _mended_is_better
        ),
        Claim("with that of another draw it learns less than a third as much", _noise_learns_nothing),
    ),
    scores=SCORES,
    figure=_draw,
    table=summarise,
    extras=("deep",),
)
