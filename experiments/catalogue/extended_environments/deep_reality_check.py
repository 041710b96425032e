"""Does the reality check help the deep agents too? DQN, A2C and PPO in the battery, at a reduced number of turns.

    measure(agent) = mean over environments of the reward a turn;  gain = measure(reality_check(agent)) - measure(agent)

Alexander et al. 2021, Table 2 (there with many more turns) and Conjecture 12. Agent and checked agent share the seed's
numbers, so that gains are paired; the standard error is that of the mean over environments and seeds.

Differs from the paper
- Fewer turns, no opposites, and PPO as it should be (see `ppo_artefact`). PPO first learns when its rollout is full.
"""

from __future__ import annotations

from statistics import mean, stdev

from engine.randomness import split
from experiments.experiment import Claim, Experiment, Rows
from experiments.rows import select, values
from xenv.environments import benchmark
from xenv.names import agent as agent_named
from xenv.running import run_environment

PLAIN = ("dqn", "a2c", "ppo")


def run(agent: str, environment: str, turns: int, seed: int, key: int) -> Rows:
    """The agent and its reality check in one environment, on the same numbers."""
    earned = {
        name: run_environment(environment, agent_named(name), turns, split(0, seed)).mean
        for name in (agent, f"reality_check({agent})")
    }
    plain, checked = earned.values()
    return [{"plain": plain, "checked": checked, "gain": checked - plain}]


def measures(rows: Rows) -> Rows:
    """For each agent: its measure, that of its reality check, the mean gain and its standard error."""
    answer: Rows = []
    for agent in values(rows, "agent"):
        part = select(rows, agent=agent)
        columns = {name: [float(row[name]) for row in part] for name in ("plain", "checked", "gain")}  # type: ignore[arg-type]
        error = stdev(columns["gain"]) / len(part) ** 0.5 if len(part) > 1 else None
        answer.append({"agent": agent, "runs": len(part)} | {name: mean(found) for name, found in columns.items()})
        answer[-1]["standard_error_of_gain"] = error
    return answer


def _check_helps(rows: Rows) -> bool:
    return all(float(row["gain"]) > 0 for row in measures(rows))  # type: ignore[arg-type]


experiment = Experiment(
    reproduces="Extending Environments To Measure Self-Reflection, Table 2 and Conjecture 12, deep agents",
    settings={"agent": PLAIN, "environment": benchmark(), "turns": (4_096,), "seed": (1, 2, 3)},
    run=run,
    quick={"agent": ("a2c",), "turns": (500,), "seed": (1,)},
    claims=(Claim("the reality check raises the measure of every one of the deep agents", _check_helps),),
    extras=("deep",),
    table=measures,
)
