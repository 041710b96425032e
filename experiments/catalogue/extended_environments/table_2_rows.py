"""Deep agents row by row: each agent in each environment and its opposite, beside the published row.

    difference = mean of our seeds - mean of the published ones, with its 95 % interval by Welch's t

A mean over environments hides differences of opposite signs. Here are 13 environments and their opposites, of which
the published rows are known (`_published_deep_rows.csv`, mean and deviation over five seeds). PPO keeps the
log-probability of another draw, as published wrappers do (see `ppo_artefact`). Both ways to draw are measured: by turn,
where an agent and its copy draw the same numbers whatever each has learned, and by history, where they draw
independently once their pasts differ, as agents with generators of their own do (`engine.learning.stacks.lanes`).

References: Alexander et al. 2021, Table 2 (means over the battery); B. L. Welch, "The generalization of Student's
problem when several different population variances are involved", Biometrika 34, 1947.
"""

from __future__ import annotations

import csv
import math
import re
import statistics
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from experiments.experiment import TURNS, Claim, Experiment, NotEnoughRows, ResultRow, Rows
from experiments.rows import numbers, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = Path(__file__).with_name("_published_deep_rows.csv")
LEARNERS = {"DQN_learner": "stacked_dqn", "A2C_learner": "stacked_a2c", "PPO_learner": "stacked_ppo_redrawn"}
AGENTS = (*LEARNERS.values(), *(f"reality_check_published({agent})" for agent in LEARNERS.values()))
DRAWS = ("turn", "history")
OTHER_NAMES = {
    "punish_nondeterministic_agent": "punish_nondeterministic",
    "ignore_observations": "ignore_observations_published",
}
LEVEL = 0.95
NEAR = 0.05
"""A difference that is small beside rewards of 1 and -1."""


class PublishedRow(NamedTuple):
    """Mean and deviation of the reward per turn over some seeds."""

    seeds: int
    mean: float
    deviation: float


@cache
def read_published_rows() -> dict[tuple[str, str], PublishedRow]:
    """(our agent, our run) -> the published row."""
    with FILE.open(encoding="utf-8", newline="") as stream:
        return {
            (_translate_agent(line["agent"]), _translate_run(line["environment"])): PublishedRow(
                int(line["seeds"]), float(line["mean_reward_per_turn"]), float(line["sd"])
            )
            for line in csv.DictReader(stream)
        }


def _translate_agent(name: str) -> str:
    inner = name.removeprefix("reality_check(").removesuffix(")")
    return LEARNERS[inner] if inner == name else f"reality_check_published({LEARNERS[inner]})"


def _translate_run(name: str) -> str:
    inner = name.removeprefix("minus_rewards(").removesuffix(")")
    words = re.sub(r"(?<!^)(?=[A-Z0-9])", "_", inner).lower()
    ours = OTHER_NAMES.get(words, words)
    return ours if inner == name else f"opposite({ours})"


ENVIRONMENTS = tuple(dict.fromkeys(run for _, run in read_published_rows() if "(" not in run))


def run(agent: str, environment: str, draws: str, turns: int, seed: int, key: int) -> Rows:
    """Run one agent in one environment and its opposite."""
    from xenv.interaction_loop import run_environment

    learner = agent.removeprefix("reality_check_published(").removesuffix(")")
    drawing = agent.replace(learner, f"{learner}(draws='{draws}')")
    names = environment, f"opposite({environment})"
    return [{"run": name, "reward_a_turn": run_environment(name, drawing, turns, seed).mean} for name in names]


class RowDifference(NamedTuple):
    """Ours less the published mean, and the ends of its interval; they are None for one seed."""

    seeds: int
    mean: float
    published: float
    low: float | None
    high: float | None

    @property
    def value(self) -> float:
        """Ours less theirs."""
        return self.mean - self.published

    @property
    def agrees(self) -> bool | None:
        """Whether the interval holds 0; None without one."""
        return None if self.low is None or self.high is None else self.low <= 0.0 <= self.high


def compare_row(ours: list[float], theirs: PublishedRow) -> RowDifference:
    """Compare our seeds with a published row by Welch's t; where neither varies the interval is a point."""
    from scipy.stats import t

    mean = statistics.fmean(ours)
    if len(ours) < 2:
        return RowDifference(len(ours), mean, theirs.mean, None, None)
    variances = statistics.variance(ours) / len(ours), theirs.deviation**2 / theirs.seeds
    error = math.sqrt(sum(variances))
    if error == 0.0:
        return RowDifference(len(ours), mean, theirs.mean, mean - theirs.mean, mean - theirs.mean)
    weights = variances[0] ** 2 / (len(ours) - 1) + variances[1] ** 2 / (theirs.seeds - 1)
    half = float(t.ppf((1 + LEVEL) / 2, error**4 / weights)) * error
    return RowDifference(len(ours), mean, theirs.mean, mean - theirs.mean - half, mean - theirs.mean + half)


def compare_rows(rows: Rows, agent: str, draws: str) -> dict[str, RowDifference]:
    """Run -> the comparison of an agent's row."""
    of_agent = _select_drawn(rows, agent, draws)
    found = {str(name): numbers(of_agent, "reward_a_turn", run=name) for name in values(of_agent, "run")}
    return {name: compare_row(rewards, read_published_rows()[agent, name]) for name, rewards in found.items()}


def measure_miss(rows: Rows, agents: tuple[str, ...], draws: str) -> float:
    """Return the mean over rows of |ours - published|; NotEnoughRows where a row is missing."""
    compared = [each for agent in agents for each in compare_rows(rows, agent, draws).values()]
    if not compared:
        raise NotEnoughRows(f"no rows drawn by {draws}")
    return statistics.fmean(abs(each.value) for each in compared)


def _tabulate(rows: Rows) -> Rows:
    """Return a line per agent and way to draw: how far its rows miss the published ones, and how many agree."""
    table: Rows = []
    for agent in (agent for agent in AGENTS if agent in values(rows, "agent")):
        for draws in (draws for draws in DRAWS if _select_drawn(rows, agent, draws)):
            compared = list(compare_rows(rows, agent, draws).values())
            judged = [each.agrees for each in compared if each.agrees is not None]
            line: ResultRow = {"agent": agent, "draws": draws, "rows": len(compared)}
            line["seeds"] = min(each.seeds for each in compared)
            line["mean_miss"] = statistics.fmean(abs(each.value) for each in compared)
            line["largest_miss"] = max(abs(each.value) for each in compared)
            line["near"] = sum(abs(each.value) < NEAR for each in compared)
            line["agree"] = sum(judged) if judged else None
            line["published_mean"] = statistics.fmean(each.published for each in compared)
            line["mean"] = statistics.fmean(each.mean for each in compared)
            table.append(line)
    return table


def _select_drawn(rows: Rows, agent: str, draws: str) -> Rows:
    """Return the rows of an agent and a way to draw, which may be none."""
    return [row for row in rows if row["agent"] == agent and row["draws"] == draws]


def _draw(rows: Rows) -> Figure:
    from experiments.figures.published_rows import RowOfFigure, draw_published_rows

    panels: dict[str, dict[str, list[RowOfFigure]]] = {}
    for agent in (agent for agent in AGENTS if agent in values(rows, "agent")):
        panels[agent] = {}
        for draws in (draws for draws in DRAWS if _select_drawn(rows, agent, draws)):
            panels[agent][f"drawn by {draws}"] = [
                RowOfFigure(name, each.value, each.low, each.high)
                for name, each in compare_rows(rows, agent, draws).items()
            ]
    return draw_published_rows(panels)


PPO = "stacked_ppo_redrawn", "reality_check_published(stacked_ppo_redrawn)"

experiment = Experiment(
    reproduces="Extending Environments To Measure Self-Reflection, Table 2, deep agents, row by row",
    settings={
        "agent": AGENTS,
        "environment": ENVIRONMENTS,
        "draws": DRAWS,
        "turns": (100_000,),
        "seed": (1, 2, 3, 4, 5),
    },
    run=run,
    lengths={"turns": TURNS._replace(runs=2)},
    quick={
        "agent": PPO[:1],
        "environment": ("delayed_rewards",),
        "turns": (20_000,),
        "seed": (1,),
    },
    claims=(
        Claim(
            "drawn by history, PPO's rows miss the published ones by less than a quarter of what those by turn do",
            lambda rows: 4 * measure_miss(rows, PPO[:1], "history") < measure_miss(rows, PPO[:1], "turn"),
        ),
    ),
    figure=_draw,
    table=_tabulate,
    extras=("deep",),
)
