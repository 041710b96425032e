"""Do deep learners find the exact optimum of the augmented reward? Playroom and mailroom, learned through Gymnasium.

Beyond the paper, whose agents are tabular: lanes of stacks and Stable-Baselines3's DQN, A2C and PPO see only the
state's number and the augmented reward (scaled, which changes no comparison between policies). Now and then their
greedy policy is followed through the table; an episode that does not end costs what its step limit lets it cost.

Units that are run at once, other seeds and caring coefficients, are lanes of one stack for `dqn`, `stacked_dqn`,
`stacked_a2c` and `stacked_ppo`: a sweep is `--set care=0,1,2,5,10 --set learner=stacked_dqn`. Where care is so large
that ending costs more than 1 / (1 - discount) steps (in the playroom from about 33 on), a learner that discounts
never ends.

A2C and PPO get more turns than the DQNs, in several copies of the world at once: with one copy, as many turns as the
DQNs and a small weight of entropy A2C never ends an episode in the mailroom and PPO stays with the first room it found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.errors import UnknownName
from engine.randomness.counter_based import randrange
from experiments.experiment import Claim, Experiment, LearnedRuns, ResultRow, Rows
from experiments.figures.learning_curves import collect_curves, draw_learners

if TYPE_CHECKING:
    from craftworld.caring_table import CaringTable
    from experiments.learners import LearningTask

STEP_LIMIT = 1000
CHECKPOINTS = 20
CLOSE = 1e-6


class Training(NamedTuple):
    """How many turns a learner gets, and its discount.

    A discount bounds what it expects while it does not yet know how to end; at `CARE` the optimal policies are those
    of discount 1, by which it is judged.
    """

    turns: int
    discount: float


class World(NamedTuple):
    """A world to learn, by a formulation; scale: of the rewards, up to a caring coefficient of `CARE`.

    replaying: the training of the DQNs. forgetting: that of A2C and PPO, whose turns are those of all copies together.
    """

    formulation: str
    scale: float
    replaying: Training
    forgetting: Training

    def choose_training(self, learner: str) -> Training:
        """Return the training that a learner gets here."""
        return self.replaying if learner in REPLAYING else self.forgetting


CARE = 10.0
WORLDS = {
    "playroom": World("expected", 0.1, Training(16_000, 0.99), Training(60_000, 0.99)),
    "mailroom": World("options", 0.5, Training(40_000, 0.95), Training(300_000, 0.98)),
}
REPLAYING = ("stacked_dqn", "dqn", "sb3_dqn")
FORGETTING = ("stacked_a2c", "stacked_ppo", "sb3_a2c", "sb3_ppo")


def make_table(world: str, care: float) -> CaringTable:
    """Return the table that is learned; UnknownName for another world, BadValue for a coefficient that is none."""
    from craftworld.caring_table import make_caring_table

    if world not in WORLDS:
        raise UnknownName("world", world, WORLDS, place="deep_learners")
    return make_caring_table(world, WORLDS[world].formulation, care)


def prepare(world: str, care: float, learner: str) -> CaringTable:
    """Return what is learned; as `make_table`, and UnknownName for another learner."""
    if learner not in (*REPLAYING, *FORGETTING):
        raise UnknownName("learner", learner, (*REPLAYING, *FORGETTING), place="deep_learners")
    return make_table(world, care)


def run(world: str, care: float, learner: str, seed: int, key: int) -> Rows:
    """Return the learning curve of one learner: its greedy return at each checkpoint beside the exact optimum."""
    [rows] = run_together([{"world": world, "care": care, "learner": learner, "seed": seed}])
    return rows


def run_together(settings: Sequence[Mapping[str, Any]]) -> list[Rows]:
    """Return the learning curves of many learners, those of one kind learned at once."""
    from experiments.learners import LEARNERS

    found: dict[int, Rows] = {}
    for learner in dict.fromkeys(setting["learner"] for setting in settings):
        numbers_of_kind = [number for number, setting in enumerate(settings) if setting["learner"] == learner]
        tasks = [_make_task(**settings[number]) for number in numbers_of_kind]
        for number, task, policies in zip(numbers_of_kind, tasks, LEARNERS[learner](tasks), strict=True):
            found[number] = _trace_curve(settings[number]["world"], settings[number]["care"], task.every, policies)
    return [found[number] for number in range(len(settings))]


def _make_task(world: str, care: float, learner: str, seed: int) -> LearningTask:
    from gymnasium.wrappers import TimeLimit, TransformReward

    from craftworld.gymnasium_environments import CaringEnvironment
    from experiments.learners import LearningTask

    table = make_table(world, care)
    scale = WORLDS[world].scale * CARE / max(CARE, abs(care))

    def make() -> Any:
        made = TimeLimit(CaringEnvironment(table), STEP_LIMIT)
        return TransformReward(made, lambda reward: float(reward) * scale)

    turns, discount = WORLDS[world].choose_training(learner)
    return LearningTask(make, discount, turns, turns // CHECKPOINTS, randrange(2**31, 0, seed, 0))


def _trace_curve(world: str, care: float, every: int, policies: Sequence[Any]) -> Rows:
    from engine.planning.dynamic_programming import plan

    table = make_table(world, care)
    start = int(table.starts[0])
    augmented = table.problem.make_augmented_table(care, start)
    optimum = float(plan(augmented).value[start])
    return [
        _score(augmented, start, policy, optimum) | {"turns": (checkpoint + 1) * every}
        for checkpoint, policy in enumerate(policies)
    ]


def _score(augmented: Any, start: int, policy: Any, optimum: float) -> ResultRow:
    from engine.mdp.policies import rollout

    earned = rollout(augmented, lambda state: int(policy[state]), start, STEP_LIMIT).total()
    return {"greedy_return": earned, "optimum": optimum, "exact": earned >= optimum - CLOSE}


def tabulate_shares(rows: Rows) -> Rows:
    """For each world, coefficient and learner: the share of seeds that end exactly optimal, and when one first was."""
    from statistics import median

    result: Rows = []
    for (world, care, learner), part in groupby(rows, key=lambda row: (row["world"], row["care"], row["learner"])):
        curves = collect_curves(list(part))
        first = [next((row["turns"] for row in curve if row["exact"]), None) for curve in curves]
        reached = [turns for turns in first if isinstance(turns, int)]
        result.append(
            {
                "world": world,
                "care": care,
                "learner": learner,
                "seeds": len(curves),
                "share_exact_at_last": sum(bool(curve[-1]["exact"]) for curve in curves) / len(curves),
                "share_exact_ever": len(reached) / len(curves),
                "median_turns_to_exact": float(median(reached)) if reached else None,
            }
        )
    return result


def _most_reach(rows: Rows) -> bool:
    return all(float(row["share_exact_ever"]) > 0.5 for row in tabulate_shares(rows))  # type: ignore[arg-type]


def _finds_at_last(row: ResultRow) -> bool | None:
    """Return whether the last policy of a training is exactly optimal; None for those before."""
    turns = WORLDS[str(row["world"])].choose_training(str(row["learner"])).turns
    return None if row["turns"] != turns // CHECKPOINTS * CHECKPOINTS else bool(row["exact"])


def _never_beats_optimum(rows: Rows) -> bool:
    return all(float(row["greedy_return"]) <= float(row["optimum"]) + CLOSE for row in rows)  # type: ignore[arg-type]


experiment = Experiment(
    reproduces="Be Considerate, Figures 2(c) and 3 (the worlds), with deep learners in place of tabular ones",
    settings={"world": tuple(WORLDS), "care": (CARE,), "learner": (*REPLAYING, *FORGETTING), "seed": (1, 2, 3, 4, 5)},
    run=run,
    together=run_together,
    prepare=prepare,
    quick={"world": ("playroom",), "learner": ("stacked_dqn", "stacked_a2c", "stacked_ppo", "dqn"), "seed": (1,)},
    extras=("deep",),
    version=4,
    claims=(
        Claim("no learner beats the exact optimum", _never_beats_optimum),
        Claim("more than half of the seeds of every learner reach it", _most_reach),
    ),
    learned=LearnedRuns(
        _finds_at_last, by=("world", "care", "learner"), failing="end with a policy below the exact optimum"
    ),
    figure=draw_learners,
    table=tabulate_shares,
)
