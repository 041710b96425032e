"""Agents that are known, recovered by `identify`: exact ones by their interval, noisy ones by the width of theirs.

Without noise the segment of care to which an agent belongs always lies inside the exact interval. With noise the 90
percent interval of care, as a share of the line of arctan c, is compared with what `caregrid design` expects, in one
world and over the suite `how_much_care`. Twenty episodes are seen in each world.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from experiments.experiment import Claim, Experiment, NotEnoughRows, Rows
from experiments.rows import mean, numbers, select, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.identification.behaviour import ObservedWorld
    from craftworld.identification.information import WorldChoices

FORMULATION, SUITE, ALONE = "expected", "how_much_care", "playroom"
EPISODES, LIMIT, SLIP = 20, 60, 0.1
EXACT = 0.0
ROUNDING = 1e-9


def run(worlds: str, temperature: float, draw: int, key: int) -> Rows:
    """Run one agent with a coefficient from the prior: its intervals, and the width that is expected."""
    import numpy as np

    from craftworld.identification.behaviour import record_behaviour
    from craftworld.identification.design import NoiseModel, expect_widths, list_hypotheses
    from craftworld.identification.identify import Question, find_optimal_care
    from craftworld.identification.information import ModelAgents, expect_evidence
    from craftworld.identification.posterior import Prior, integrate
    from engine.randomness.counter_based import split, uniform

    shared = split(0, f"recovery {draw}")
    care = math.tan(math.pi * (uniform(shared, 0) - 0.5))
    exact = temperature == EXACT
    agent = ModelAgents(FORMULATION, *(np.array([x]) for x in (care, temperature, 0.0 if exact else SLIP)))
    observed = _make_worlds(worlds)
    behaviours = []
    (hypothesis, *_) = list_hypotheses([FORMULATION], NoiseModel((0.5,), SLIP, LIMIT))
    against = np.zeros((1, len(hypothesis.others)))
    for number, (world, choices) in enumerate(observed):
        policy = np.zeros(world.table.next_state.shape[:2])
        policy[choices.states] = choices.compute_chances(agent)[0, choices.kind]
        episodes = 1 if exact else EPISODES
        behaviours.append(record_behaviour(policy, world, episodes, split(shared, number) >> 1, limit=LIMIT))
        if not exact:
            against = against + EPISODES * expect_evidence(choices, [agent], [hypothesis.others], LIMIT).against
    choices_seen = Question(behaviours, [FORMULATION]).gather(FORMULATION)
    if exact:
        found = find_optimal_care(choices_seen)
        low, high = next(((a, b) for a, b in found if a <= care <= b), (math.inf, -math.inf))
        segments = [_find_segment(world, care) for world, _ in observed]
        slack = [ROUNDING * max(1.0, abs(edge)) if math.isfinite(edge) else 0.0 for edge in (low, high)]
        true_low, true_high = max(a for a, _ in segments), min(b for _, b in segments)
        inside = low <= true_low + slack[0] and true_high - slack[1] <= high
        return [{"care": care, "inside": inside, "width": _measure(low, high), "expected": None}]
    low, high = integrate(choices_seen, Prior()).find_interval(0)
    expected = float(expect_widths(against, hypothesis)[0])
    return [{"care": care, "inside": low <= care <= high, "width": _measure(low, high), "expected": expected}]


@functools.cache
def _make_worlds(worlds: str) -> list[tuple[ObservedWorld, WorldChoices]]:
    """The worlds in which agents are seen and what can be chosen there, solved once for all units of a process."""
    from craftworld.identification.information import WorldChoices
    from experiments.bench.suite import make_observed_world
    from experiments.bench.suites import SUITES

    made = [make_observed_world(name) for name in (SUITES[worlds].worlds if worlds == SUITE else (worlds,))]
    return [(world, WorldChoices(world, int(world.table.start_states()[0]), [FORMULATION])) for world in made]


def _find_segment(world: ObservedWorld, care: float) -> tuple[float, float]:
    """Return the coefficients at which the same policy is optimal."""
    from craftworld.solution.problem import make_problem

    problem = make_problem(world.scenario, FORMULATION, mdp=world.table)
    segments = problem.segments[int(world.table.start_states()[0])]
    return next((each.start, each.stop) for each in segments if each.start <= care <= each.stop)


def _measure(low: float, high: float) -> float:
    """Return a share of the line of arctan c; 0 for no interval."""
    return max(math.atan(high) - math.atan(low), 0.0) / math.pi


def _holds_segment(rows: Rows) -> bool:
    return all(row["inside"] is True for row in select(rows, temperature=EXACT))


def _list_noisy(rows: Rows) -> list[float]:
    noisy = [float(str(t)) for t in values(rows, "temperature") if t != EXACT]
    if not noisy:
        raise NotEnoughRows("no rows with noise")
    return noisy


def _is_short(rows: Rows) -> bool:
    return all(mean(rows, "width", worlds=SUITE, temperature=t) < 0.05 for t in _list_noisy(rows))


def _is_shorter(rows: Rows) -> bool:
    return all(
        mean(rows, "width", worlds=SUITE, temperature=t) < mean(rows, "width", worlds=ALONE, temperature=t) / 3.0
        for t in _list_noisy(rows)
    )


def _is_expected(rows: Rows) -> bool:
    return all(
        1 / 2 < mean(rows, "expected", worlds=w, temperature=t) / mean(rows, "width", worlds=w, temperature=t) < 2
        for w in values(rows, "worlds")
        for t in _list_noisy(rows)
    )


def _tabulate(rows: Rows) -> Rows:
    table: Rows = []
    for worlds in values(rows, "worlds"):
        for temperature in values(rows, "temperature"):
            chosen = select(rows, worlds=worlds, temperature=temperature)
            expected = None if temperature == EXACT else mean(chosen, "expected")
            inside = sum(row["inside"] is True for row in chosen) / len(chosen)
            table.append(
                {
                    "worlds": worlds,
                    "temperature": temperature,
                    "inside": inside,
                    "width": mean(chosen, "width"),
                    "expected": expected,
                }
            )
    return table


def _draw(rows: Rows) -> Figure:
    """Return each agent's interval against the expected one, a panel per temperature."""
    from experiments.figures.style import GREY, OTHER, OWN, new_figure

    temperatures = _list_noisy(rows)
    figure = new_figure(5.0 + len(temperatures), 3.4)
    every = figure.subplots(1, len(temperatures), sharex=True, sharey=True, squeeze=False)[0]
    for axes, temperature in zip(every, temperatures, strict=True):
        for worlds, colour, marker in ((ALONE, OTHER, "s"), (SUITE, OWN, "o")):
            chosen = select(rows, worlds=worlds, temperature=temperature)
            name = f"{worlds} alone" if worlds == ALONE else "ten short worlds"
            axes.plot(numbers(chosen, "expected"), numbers(chosen, "width"), marker, color=colour, label=name)
        axes.plot([0.003, 0.9], [0.003, 0.9], "--", color=GREY, label="as expected")
        axes.set(title=f"T = {temperature:g}", xscale="log", yscale="log", xlabel="interval expected")
    every[0].set_ylabel("90 percent interval found")
    handles, labels = every[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


experiment = Experiment(
    reproduces="identify: recovery of exact and noisy agents, in one world and over the suite how_much_care",
    settings={"worlds": (ALONE, SUITE), "temperature": (EXACT, 0.05, 0.2, 0.5), "draw": tuple(range(12))},
    quick={"temperature": (EXACT, 0.5), "draw": (0, 1, 2)},
    run=run,
    claims=(
        Claim("without noise the true segment always lies inside the exact interval", _holds_segment),
        Claim("over the suite the mean interval is below 5 percent of the line, at T up to 0.5", _is_short),
        Claim("it is less than a third of that in one world", _is_shorter),
        Claim("mean intervals are those that design expects, within a factor of two", _is_expected),
    ),
    figure=_draw,
    table=_tabulate,
)
