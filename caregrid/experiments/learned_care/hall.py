"""Does care that is learned by networks switch where exact care does? A sweep of coefficients in a hall with lamps.

In every unit one stacked DQN acts, and another learns what the next agent can expect of the hall as it is really left
(`caregrid.Considerate`). All networks of a chunk of units, of other coefficients and seeds, are lanes of one stack;
each learns what it learns alone. `caregrid.wrap` solves the same hall: lamp n is lit at coefficients above n / 4.

    below = max_policy (own + care V(left)) - (own + care V(left)),   V exact
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.randomness.counter_based import randrange
from experiments.experiment import LEARNING_STEPS, Claim, Experiment, LearnedRuns, ResultRow, Rows
from experiments.rows import numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from engine.learning.stacks.stacks import Stacks
    from experiments.learners import LearningTask

TIME_LIMIT = 40
CLOSE = 1e-6
NEXT = "next agent"
SETTINGS: dict[str, Any] = {
    "learning_rate": 1e-3,
    "train_freq": 2,
    "target_update_interval": 50,
    "exploration_fraction": 0.6,
    "exploration_final_eps": 0.1,
}
CARES = tuple(round(0.02 * step, 2) for step in range(50))


def run(care: float, steps: int, seed: int, key: int) -> Rows:
    """Compute what one trained agent leaves, beside the exact optimum."""
    [rows] = run_together([{"care": care, "steps": steps, "seed": seed}])
    return rows


def run_together(settings: Sequence[Mapping[str, Any]]) -> list[Rows]:
    """Return the same for many agents, whose networks lie in the same stacks."""
    from engine.learning.stacks.stacks import Stacks
    from experiments.learners import step_learners
    from xenv.agents.dqn import StackedDQN

    stacks = Stacks()
    worlds = [_considerate(stacks, **setting) for setting in settings]
    specs = [StackedDQN(gamma=1.0, total_timesteps=each["steps"], stacks=stacks, **SETTINGS) for each in settings]
    tasks = [_task(world, each["steps"], each["seed"]) for world, each in zip(worlds, settings, strict=True)]
    policies = [found[-1] for found in step_learners(specs, tasks, stacks.waiting)]
    return [
        [_left(world, policy, each["care"])] for world, policy, each in zip(worlds, policies, settings, strict=True)
    ]


def _task(world: Any, steps: int, seed: int) -> LearningTask:
    from experiments.learners import LearningTask

    return LearningTask(lambda: world, 1.0, steps, every=steps, seed=randrange(2**31, 0, seed, 0))


def _considerate(stacks: Stacks, care: float, steps: int, seed: int) -> Any:
    from gymnasium.wrappers import TimeLimit

    import caregrid
    from caregrid.experiments.learned_care._hall import Hall
    from caregrid.wrapping.value_learners.stacked_dqn import StackedDqn

    learner = StackedDqn(total_timesteps=max(1, steps // 2), stacks=stacks, **SETTINGS)
    refresh = caregrid.Refresh(first=steps // 2, every=50, steps=max(1, steps // 50), growth=1.25, memory=50)
    return caregrid.Considerate(TimeLimit(Hall(), TIME_LIMIT), care=care, learner=learner, refresh=refresh, seed=seed)


def _left(world: Any, policy: Any, care: float) -> ResultRow:
    """Return what the greedy policy gives oneself and leaves to the next agent."""
    from caregrid.experiments.learned_care._hall import Hall, best_return, exact_problem

    hall = Hall()
    own = 0.0
    terminated = False
    observation, _ = hall.reset()
    info: dict[str, Any] = {}
    world.reset()
    for _ in range(TIME_LIMIT):
        action = int(policy[int(observation)])
        observation, reward, terminated, _, _ = hall.step(action)
        *_, info = world.step(action)
        own += reward
        if terminated:
            break
    exact = exact_problem().solve(care=care)
    left = best_return(hall.lit)
    below = exact.own + care * exact.others[NEXT] - own - care * left
    row: ResultRow = {
        "own": own,
        "lit": hall.lit,
        "others": left,
        "others_estimated": info["others"][NEXT]["estimated"],
    }
    return row | {
        "exact_own": exact.own,
        "exact_others": exact.others[NEXT],
        "below": below if abs(below) > CLOSE else 0.0,
    }


def sweep_table(rows: Rows) -> Rows:
    """Return a line per stretch of coefficients with the same exact optimum: how many agents reach it."""
    table: Rows = []
    for others in values(rows, "exact_others"):
        part = select(rows, exact_others=others)
        cares, below = numbers(part, "care"), numbers(part, "below")
        errors = [abs(float(str(row["others"])) - float(str(row["others_estimated"]))) for row in part]
        line: ResultRow = {"care_from": min(cares), "care_to": max(cares), "exact_own": part[0]["exact_own"]}
        line |= {"exact_others": others, "agents": len(part), "at_the_optimum": sum(gap == 0.0 for gap in below)}
        table.append(line | {"largest_below": max(below), "mean_error_of_estimate": sum(errors) / len(errors)})
    return table


def figure(rows: Rows) -> Figure:
    """Own and the next agent's return and their total by coefficient: lines are exact, marks the trained agents'."""
    from caregrid.experiments.learned_care._hall import exact_problem
    from experiments.figures.trade_off import draw_trade_off

    learned = [_returns(row, "stacked_dqn", "") for row in rows]
    exact = [_returns(row, "exact", "exact_") for row in select(rows, seed=rows[0]["seed"])]
    cares = numbers(rows, "care")
    low, high = min(cares), max(cares)
    breaks = exact_problem().breakpoints(care_min=low, care_max=high).points if low < high else []
    return draw_trade_off([*exact, *learned], [NEXT], breaks, title="hall with lamps")


def _returns(row: ResultRow, method: str, of: str) -> dict[str, Any]:
    own, others = (float(str(row[f"{of}{column}"])) for column in ("own", "others"))
    return {"care": row["care"], "seed": row["seed"], "method": method, "own": own, "total": own + others}


def _never_beyond(rows: Rows) -> bool:
    return min(numbers(rows, "below")) >= 0.0


def _most_are_exact(rows: Rows) -> bool:
    below = numbers(rows, "below")
    return sum(gap == 0.0 for gap in below) > 0.8 * len(below)


def _estimates_are_close(rows: Rows) -> bool:
    errors = [float(str(row["mean_error_of_estimate"])) for row in sweep_table(rows)]
    return max(errors) < 1.0


experiment = Experiment(
    reproduces="Be Considerate, section 3 (learned values), 50 coefficients with networks for actor and others",
    settings={"care": CARES, "steps": (4_000,), "seed": (1, 2, 3, 4, 5)},
    run=run,
    together=run_together,
    lengths={"steps": LEARNING_STEPS._replace(least=1)},
    quick={"care": (0.0, 0.4, 0.9), "seed": (1,)},
    claims=(
        Claim("no agent is above the exact optimum", _never_beyond),
        Claim("four in five agents leave exactly what is optimal", _most_are_exact),
        Claim("estimates of what is left are within 1 on average", _estimates_are_close),
    ),
    learned=LearnedRuns(lambda row: row["below"] == 0.0, by=("care",)),
    figure=figure,
    table=sweep_table,
    extras=("deep",),
)
