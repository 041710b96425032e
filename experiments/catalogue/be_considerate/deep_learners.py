"""Do deep learners find the exact optimum of the augmented reward? Playroom and mailroom, learned through Gymnasium.

Beyond the paper, whose agents are tabular: our DQN and Stable-Baselines3's DQN, A2C and PPO see only the state's number
and the augmented reward (scaled, which changes no comparison between policies). Now and then their greedy policy is
followed through the table; an episode that does not end costs what its step limit lets it cost.

A2C and PPO get more turns than the DQNs, in several copies of the world at once: with one copy, as many turns as the
DQNs and a small weight of entropy A2C never ends an episode in the mailroom and PPO stays with the first room it found.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.randomness.counter_based import randrange
from experiments.experiment import Claim, Experiment, LearnedRuns, ResultRow, Rows
from experiments.rows import numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEP_LIMIT, CHECKPOINTS, CLOSE = 1000, 20, 1e-6


class Training(NamedTuple):
    """How many turns a learner gets, and its discount.

    A discount bounds what it expects while it does not yet know how to end; the optimal policies are those of
    discount 1, by which it is judged.
    """

    turns: int
    discount: float


class World(NamedTuple):
    """A world to learn, by a formulation and a caring coefficient; scale: of the rewards.

    replaying: the training of the DQNs. forgetting: that of A2C and PPO, whose turns are those of all copies together.
    """

    formulation: str
    care: float
    scale: float
    replaying: Training
    forgetting: Training

    def training(self, learner: str) -> Training:
        """The training that a learner gets here."""
        return self.replaying if learner in REPLAYING else self.forgetting


WORLDS = {
    "playroom": World("expected", 10.0, 0.1, Training(16_000, 0.99), Training(60_000, 0.99)),
    "mailroom": World("options", 10.0, 0.5, Training(40_000, 0.95), Training(300_000, 0.98)),
}
REPLAYING, FORGETTING = ("dqn", "sb3_dqn"), ("sb3_a2c", "sb3_ppo")


def run(world: str, learner: str, seed: int, key: int) -> Rows:
    """The learning curve of one learner: its greedy return at each checkpoint beside the exact optimum."""
    from gymnasium.wrappers import TimeLimit, TransformReward

    from craftworld.environments.caring_environment import CaringEnvironment
    from engine.planning.dynamic_programming import plan
    from experiments.training.learners import LEARNERS

    setting = WORLDS[world]

    def make() -> Any:
        made = TimeLimit(CaringEnvironment(world, setting.formulation, setting.care), STEP_LIMIT)
        return TransformReward(made, lambda reward: float(reward) * setting.scale)

    table = make().unwrapped.table
    start, (turns, discount) = int(table.starts[0]), setting.training(learner)
    augmented = table.problem.augmented(setting.care, start)
    optimum, every = float(plan(augmented).value[start]), turns // CHECKPOINTS
    policies = LEARNERS[learner](make, discount, turns, every, randrange(2**31, 0, seed, 0))
    return [
        _scored(augmented, start, policy, optimum) | {"turns": (checkpoint + 1) * every}
        for checkpoint, policy in enumerate(policies)
    ]


def _scored(augmented: Any, start: int, policy: Any, optimum: float) -> ResultRow:
    from engine.mdp.episode import rollout

    earned = rollout(augmented, lambda state: int(policy[state]), start, STEP_LIMIT).total()
    return {"greedy_return": earned, "optimum": optimum, "exact": earned >= optimum - CLOSE}


def shares(rows: Rows) -> Rows:
    """For each world and learner: the share of seeds whose last policy is exactly optimal, and when it was first so."""
    from statistics import median

    result: Rows = []
    for (world, learner), part in groupby(rows, key=lambda row: (row["world"], row["learner"])):
        curves = _curves(list(part))
        first = [next((row["turns"] for row in curve if row["exact"]), None) for curve in curves]
        reached = [turns for turns in first if isinstance(turns, int)]
        result.append(
            {
                "world": world,
                "learner": learner,
                "seeds": len(curves),
                "share_exact_at_last": sum(bool(curve[-1]["exact"]) for curve in curves) / len(curves),
                "share_exact_ever": len(reached) / len(curves),
                "median_turns_to_exact": float(median(reached)) if reached else None,
            }
        )
    return result


def _curves(rows: Rows) -> list[Rows]:
    """One learning curve a seed, by turns."""
    return [sorted(select(rows, seed=seed), key=lambda row: row["turns"]) for seed in values(rows, "seed")]  # type: ignore[arg-type, return-value]


def _most_reach(rows: Rows) -> bool:
    return all(float(row["share_exact_ever"]) > 0.5 for row in shares(rows))  # type: ignore[arg-type]


def _found_at_last(row: ResultRow) -> bool | None:
    """Whether the last policy of a training is exactly optimal; None for those before."""
    turns = WORLDS[str(row["world"])].training(str(row["learner"])).turns
    return None if row["turns"] != turns // CHECKPOINTS * CHECKPOINTS else bool(row["exact"])


def _never_beyond(rows: Rows) -> bool:
    return all(float(row["greedy_return"]) <= float(row["optimum"]) + CLOSE for row in rows)  # type: ignore[arg-type]


def figure(rows: Rows) -> Figure:
    """Learning curves: how far the greedy return is below the optimum, each seed thin, their median bold."""
    from statistics import median

    from experiments.figures.curves import Curve, draw_curves
    from experiments.figures.names import name_of
    from experiments.figures.style import SOFT, new_figure

    worlds = values(rows, "world")
    drawn = new_figure(6.0, 3.2 * len(worlds))
    for axes, world in zip(drawn.subplots(len(worlds), 1, squeeze=False)[:, 0], worlds, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=1.0)
        medians, seeds = {}, 0
        for learner in values(rows, "learner"):
            curves = _curves(select(rows, world=world, learner=learner))
            gaps = [[float(row["optimum"]) - float(row["greedy_return"]) for row in curve] for curve in curves]  # type: ignore[arg-type]
            turns, seeds = numbers(curves[0], "turns"), max(seeds, len(curves))
            for gap in gaps if len(gaps) > 1 else ():
                axes.plot(turns, gap, color=SOFT, linewidth=0.5, zorder=0)
            medians[name_of(learner)] = Curve(turns, [median(at) for at in zip(*gaps, strict=True)])
        axes.set_xlabel("turns of training (logarithmic)")
        axes.set_ylabel("greedy return below the optimum\n(logarithmic above 1)")
        axes.set_title(f"{name_of(world)}: {'one seed' if seeds == 1 else f'median of {seeds} seeds, grey: each'}")
        draw_curves(axes, medians)
        axes.set_ylim(bottom=-0.1)
    return drawn


experiment = Experiment(
    reproduces="Be Considerate, Figures 2(c) and 3 (the worlds), with deep learners in place of tabular ones",
    settings={"world": tuple(WORLDS), "learner": (*REPLAYING, *FORGETTING), "seed": (1, 2, 3, 4, 5)},
    run=run,
    quick={"world": ("playroom",), "seed": (1,)},
    extras=("deep",),
    version=3,
    claims=(
        Claim("no learner beats the exact optimum", _never_beyond),
        Claim("more than half of the seeds of every learner reach it", _most_reach),
    ),
    learned=LearnedRuns(_found_at_last, by=("world", "learner")),
    figure=figure,
    table=shares,
)
