"""The four kitchen tasks: a selfish cook, one that considers its own kind, and one that considers the other kind.

The experiments published with the paper train them, and then let a newcomer of the other kind cook in the kitchen that
each leaves. `own_behind` and `newcomer_behind` are how many more steps each takes than it would alone in an untouched
kitchen; negative is better. Somebody who never finishes is worth -1000. Where a method leaves a tie, `newcomer_if_tied`
is what the newcomer gets from the other optimal policies.

Agents: exact; `q_learning`, the learner of 'caregrid sweep'; `textbook`, Q-learning as in the published scripts:
learning rate 1, epsilon 0.2, all values -1000 at first, ties at random, their numbers of steps. What the scripts print
depends on their seed; without the restrictions below this learner found an optimal policy from every seed tried.

Differs from the published scripts
- newcomers begin training with what can be handed over to them, the acting agent with an untouched kitchen;
- no action is kept from anybody while exploring, and `put up` is not preferred where it ties;
- the baseline cares for its own kind in every task, at the same coefficient as the considerate agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from experiments.caring_problem import NamedProblem
from experiments.experiment import Claim, Experiment, LearnedRuns, Rows
from experiments.rows import mean, numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.scenario import Newcomer
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Floats, Policy, TabularMDP

TASKS = ("salad", "peanut", "salt", "cookie")
SELFISH, BASELINE, CONSIDERATE = METHODS = ("selfish", "baseline", "considerate")
AGENTS = ("exact", "q_learning", "textbook")
OTHER_KIND = {"salad": "next cook", "peanut": "allergic cook", "salt": "short cook", "cookie": "baker"}
NEVER = -1000.0
FARTHEST = 4.0  # steps that the figure shows


def make_kitchen_problem(task: str, method: str) -> Problem:
    """What a method solves; both kinds of newcomer are reported. The selfish agent solves it at coefficient 0."""
    kind = "own" if method == BASELINE else "other"
    return NamedProblem(f"kitchen_{task}", "expected", options=(f"kind={kind}", "report=both")).make_problem()


def run(task: str, method: str, care: float, agent: str, seed: int, key: int) -> Rows:
    """One demonstration: the acting agent's return and the newcomer's, and how far each is behind being alone."""
    from craftworld.solution.exact_solution import find_alternative_outcomes
    from engine.planning.dynamic_programming import plan

    problem = make_kitchen_problem(task, method)
    care = 0.0 if method == SELFISH else care
    start = int(problem.mdp.start_states()[0])
    name = OTHER_KIND[task]
    best = find_alternative_outcomes(problem, care, start)
    own, others = (best[0].own, best[0].others) if agent == "exact" else LEARNERS[agent](problem, care, seed)
    alone = dict(zip(problem.others.names, problem.others.baseline_value, strict=True))  # type: ignore[attr-defined]
    return [
        {
            "own": own,
            "newcomer": others[name],
            "own_behind": float(plan(problem.mdp).value[start]) - own,
            "newcomer_behind": float(alone[name]) - others[name],
            "newcomer_if_tied": " ".join(f"{each.others[name]:g}" for each in best[1:]),
            "optimal": any(own == each.own and others == each.others for each in best),
        }
    ]


def learn_as_sweep(problem: Problem, care: float, seed: int) -> tuple[float, Mapping[str, float]]:
    """Own return and the newcomers' after learning as 'caregrid sweep' does."""
    from craftworld.solution.sweep import sweep_by_learning

    [row] = sweep_by_learning(problem, (care,), (seed,))
    return row["own"], {name: row[name] for name in problem.others.names}


def learn_by_textbook(problem: Problem, care: float, seed: int) -> tuple[float, Mapping[str, float]]:
    """Own return and the newcomers' after learning as in the published scripts; greedy policies are followed."""
    from craftworld.others.value_distribution import precompute
    from craftworld.solution.exact_solution import describe_limited_outcome

    protocol = problem.scenario.learning
    limit = problem.scenario.time_limit

    def learn_policy(table: TabularMDP, who: str, steps: int) -> Policy:
        from engine.learning.q_learning import QLearningSettings, find_greedy_policy, learn_action_values
        from engine.randomness.counter_based import split

        settings = QLearningSettings(steps, limit, protocol.epsilon, planning_steps=0, ties="random")
        return find_greedy_policy(learn_action_values(table, split(seed, who), settings, NEVER))

    def learn_value(newcomer: Newcomer, table: TabularMDP) -> Floats:
        import numpy as np

        from engine.planning.dynamic_programming import evaluate_policy

        value = evaluate_policy(table, learn_policy(table, newcomer.name, protocol.newcomer_steps))
        return np.where(np.isneginf(value), NEVER, value)

    others = precompute(problem.scenario, problem.mdp, learn_value)
    believed = replace(problem, others=others, weighed=others)
    start = int(problem.mdp.start_states()[0])
    outcome = describe_limited_outcome(
        believed, learn_policy(believed.make_augmented_table(care, start), "agent", protocol.steps), start, limit
    )
    return outcome.own, outcome.others


LEARNERS = {"q_learning": learn_as_sweep, "textbook": learn_by_textbook}


def _read_newcomer(rows: Rows, task: str, method: str) -> float:
    return numbers(rows, "newcomer_behind", task=task, method=method, agent="exact")[0]


def _list_own(rows: Rows, method: str) -> list[float]:
    return numbers(rows, "own_behind", method=method, agent="exact")


def _own_kind_is_not_enough(rows: Rows) -> bool:
    return _read_newcomer(rows, "peanut", BASELINE) == _read_newcomer(rows, "peanut", SELFISH) > 100


def _leaves_salt_open(rows: Rows) -> bool:
    salt = select(rows, task="salt", method=BASELINE, agent="exact")[0]
    return sorted([f"{salt['newcomer']:g}", *str(salt["newcomer_if_tied"]).split()]) == ["-8", "-9"]


def _tabulate(rows: Rows) -> Rows:
    """Means over seeds, and the share of learned policies that are optimal."""
    shown = ("own_behind", "newcomer_behind", "optimal")
    return [
        {"task": task, "method": method, "agent": agent}
        | {column: mean(rows, column, task=task, method=method, agent=agent) for column in shown}
        | {"if_tied": select(rows, task=task, method=method)[0]["newcomer_if_tied"]}
        for task in values(rows, "task")
        for method in values(rows, "method")
        for agent in values(rows, "agent")
    ]


def _draw(rows: Rows) -> Figure:
    """Return how many more steps each takes than alone; a bar that is cut is somebody who never finishes."""
    from experiments.figures.bars import PairOfBars, draw_paired_bars

    first = rows[0]
    panels = {}
    for task in values(rows, "task"):
        shown = select(rows, task=task, agent="exact", seed=first["seed"], care=first["care"])
        panels[str(task)] = [
            PairOfBars(str(row["method"]), float(row["own_behind"] or 0), float(row["newcomer_behind"] or 0))
            for row in shown
        ]
    labels = "acting agent", "newcomer of the other kind"
    unit = "steps more than alone in an untouched kitchen (992: never finishes)"
    return draw_paired_bars(panels, labels, unit, FARTHEST)


experiment = Experiment(
    reproduces="the kitchen tasks of the experiments published with Be Considerate",
    settings={"task": TASKS, "method": METHODS, "care": (1.0,), "agent": AGENTS, "seed": (0, 1, 2, 3, 4)},
    quick={"agent": AGENTS[:2], "seed": (0,)},
    run=run,
    claims=(
        Claim(
            "a considerate cook leaves no newcomer worse off than alone in an untouched kitchen",
            lambda rows: all(_read_newcomer(rows, task, CONSIDERATE) <= 0 for task in TASKS),
        ),
        Claim(
            "after a selfish cook nobody finishes, but for the baker, who heats the stove itself",
            lambda rows: [_read_newcomer(rows, task, SELFISH) > 100 for task in TASKS] == [True, True, True, False],
        ),
        Claim("caring for people like oneself does not help the allergic one", _own_kind_is_not_enough),
        Claim(
            "nor the baker",
            lambda rows: _read_newcomer(rows, "cookie", BASELINE) == _read_newcomer(rows, "cookie", SELFISH),
        ),
        Claim("caring for tall people leaves open whether the short one needs an extra step", _leaves_salt_open),
        Claim("being considerate costs at most two steps", lambda rows: max(_list_own(rows, CONSIDERATE)) <= 2),
        Claim(
            "the learner of 'caregrid sweep' finds an optimal policy in each task",
            lambda rows: all(row["optimal"] for row in select(rows, agent="q_learning")),
        ),
    ),
    learned=LearnedRuns(lambda row: None if row["agent"] == "exact" else bool(row["optimal"]), by=("task", "agent")),
    figure=_draw,
    table=_tabulate,
)
