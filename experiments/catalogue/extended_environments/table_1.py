"""Classic agents before the tempting button: no agent learns not to push it.

    always pushing: 1/4 - 3/4 = -1/2 per turn        never pushing: -1/4 + 3/4 = +1/2 per turn

Random numbers come from the published pools (deep agents draw from the seed itself, so that theirs are not the
published numbers). Alexander et al. 2021, Example 4 and Table 1.

Differs from the paper:
- beside a mean over seeds stand the lowest and the highest of them
- PPO keeps the log-probability of the action taken, see `ppo_artefact`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.catalogue.extended_environments._battery_statistics import describe_reward, tabulate_statistics
from experiments.experiment import TURNS, Claim, Experiment, Published, Rows, ScoreColumns
from experiments.rows import mean, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRINTED = {
    "q_learning": -0.44858,
    "sb3_dqn": -0.46687,
    "sb3_a2c": -0.49820,
    "sb3_ppo": -0.24217,
}


def run(agent: str, turns: int, seed: int, key: int) -> Rows:
    """Make one run."""
    from xenv.interaction_loop import run_environment

    result = run_environment("tempting_button", agent, turns, seed, randomness="published")
    return [{"environment": "tempting_button", "reward_a_turn": result.mean}]


def _no_agent_profits(rows: Rows) -> bool:
    return all(mean(rows, "reward_a_turn", agent=agent) < 0 for agent in values(rows, "agent"))


def _always_pushing_loses_more(rows: Rows) -> bool:
    return mean(rows, "reward_a_turn", agent="simple") < mean(rows, "reward_a_turn", agent="q_learning")


def _publish(agent: str, number: float) -> Published:
    return Published(f"{agent}, reward per turn", number, lambda rows: mean(rows, "reward_a_turn", agent=agent))


SCORES = ScoreColumns(score="reward_a_turn", method="agent")


def _draw(rows: Rows) -> Figure:
    from experiments.figures.scores import draw_scores

    return draw_scores(rows, SCORES, describe_reward(rows, " in the tempting button, best: 0.5"), PRINTED)


experiment = Experiment(
    reproduces="Extending Environments To Measure Self-Reflection, Table 1",
    settings={
        "agent": ("simple", "q_learning", "sb3_dqn", "sb3_a2c", "sb3_ppo"),
        "turns": (100_000,),
        "seed": (1, 2, 3, 4, 5),
    },
    run=run,
    lengths={"turns": TURNS},
    quick={"turns": (3_000,), "seed": (1,)},
    claims=(
        Claim("every agent loses, though never pushing would gain a half per turn", _no_agent_profits),
        Claim("Simple, which always pushes, loses more than Q-learning", _always_pushing_loses_more),
    ),
    published=tuple(_publish(agent, number) for agent, number in PRINTED.items()),
    scores=SCORES,
    figure=_draw,
    table=tabulate_statistics,
    extras=("deep",),
    version=2,  # 1 called the agents dqn, a2c and ppo
)
