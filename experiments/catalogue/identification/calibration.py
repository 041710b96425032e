"""Simulation-based calibration of `identify`: what is drawn from the prior lies uniformly in its posterior.

    hypothesis ~ equal,   (c, T, e) ~ its prior,   behaviour ~ the model,   rank = P(parameter below the true one | it)

All ranks are uniform if and only if the posteriors are right, on average over the prior. The posterior of the
hypothesis is discrete: its rank is uniform between the sums of probability before and up to the true one. Reference:
S. Talts et al., "Validating Bayesian Inference Algorithms with Simulation-Based Calibration", 2018, arXiv:1804.06788.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from experiments.experiment import Claim, Experiment, NotEnoughRows, ResultRow, Rows
from experiments.rows import values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.identification.information import ModelAgents
    from craftworld.identification.posterior import Prior

FORMULATIONS = ("expected",)
DRAWS = 50
EPISODES, LIMIT = 1, 30
PARAMETERS = ("hypothesis", "care", "temperature", "slip")
BINS, FEWEST = 10, 20
LEVELS = (0.5, 0.9, 0.95)


def run(world: str, block: int, key: int) -> Rows:
    """Fifty draws: the ranks of hypothesis, care, temperature and slips; None where nothing was open."""
    import numpy as np

    from craftworld.identification.behaviour import ObservedWorld, record_behaviour
    from craftworld.identification.identify import Question, compare_hypotheses, count_steps
    from craftworld.identification.information import WorldChoices
    from craftworld.identification.posterior import Prior
    from engine.randomness.counter_based import split, uniform

    observed = ObservedWorld.make(world)
    choices = WorldChoices(observed, int(observed.table.start_states()[0]), FORMULATIONS)
    names = [*(name + exact for name in FORMULATIONS for exact in ("", ", exact")), "own", "own, exact", "random"]
    prior, drawn = Prior(), []
    for draw in range(DRAWS):
        own = split(key, draw)
        name = names[int(len(names) * uniform(own, 0))]
        agent = _draw_agent(name, [uniform(own, n) for n in (1, 2, 3)], prior)
        policy = np.zeros(observed.table.next_state.shape[:2])
        policy[choices.states] = choices.compute_chances(agent)[0, choices.kind]
        behaviour = record_behaviour(policy, observed, EPISODES, own >> 1, limit=LIMIT)
        drawn.append((name, agent, behaviour, uniform(own, 4)))
    question = Question([behaviour for _, _, behaviour, _ in drawn], FORMULATIONS)
    rows: Rows = []
    for name, agent, behaviour, within in drawn:
        found = compare_hypotheses(question, prior, count_steps([behaviour]))
        evidence = np.array([each[1] for each in found])
        share = np.exp(evidence - evidence.max())
        share /= share.sum()
        (number,) = [n for n, each in enumerate(found) if each[0] == name]
        row: ResultRow = {"truth": name, "hypothesis": float(share[:number].sum() + within * share[number])}
        posterior = found[number][2]
        at = math.atan(agent.care[0]), math.log(max(agent.temperature[0], 1e-300)), float(agent.slip[0])
        for parameter, coordinate in zip(range(3), at, strict=True):
            is_open = posterior is not None and posterior.free[parameter]
            row[PARAMETERS[parameter + 1]] = (
                posterior.find_share_below(parameter, coordinate) if posterior is not None and is_open else None
            )
        rows.append(row)
    return rows


def _draw_agent(name: str, chance: list[float], prior: Prior) -> ModelAgents:
    """Return the agent of a hypothesis at three numbers from 0 to 1. The prior of slips is Beta(1, b)."""
    import numpy as np

    from craftworld.identification.information import ModelAgents

    reward = name.removesuffix(", exact")
    cold, hot = map(math.log, prior.temperature)
    care = 0.0 if reward in ("own", "random") else math.tan(math.pi * (chance[0] - 0.5))
    temperature = 0.0 if name.endswith(", exact") else math.exp(cold + (hot - cold) * chance[1])
    slip = 1.0 if reward == "random" else 1.0 - (1.0 - chance[2]) ** (1.0 / prior.slip[1])
    one = (np.array([number]) for number in (care, temperature, slip))
    return ModelAgents("own" if reward == "random" else reward, *one)


def _list_ranks(rows: Rows, parameter: str) -> list[float]:
    ranks = [float(str(row[parameter])) for row in rows if row.get(parameter) is not None]
    if len(ranks) < FEWEST:
        raise NotEnoughRows(f"{len(ranks)} ranks of {parameter}")
    return ranks


def _are_uniform(rows: Rows) -> bool:
    import numpy as np
    from scipy.stats import chisquare

    counts = [np.histogram(_list_ranks(rows, name), bins=BINS, range=(0.0, 1.0))[0] for name in PARAMETERS]
    return all(chisquare(each).pvalue > 0.01 for each in counts)


def _cover(rows: Rows) -> bool:
    for name in PARAMETERS:
        ranks = _list_ranks(rows, name)
        for level in LEVELS:
            share = sum(abs(rank - 0.5) <= level / 2 for rank in ranks) / len(ranks)
            if abs(share - level) > 3.0 * math.sqrt(level * (1.0 - level) / len(ranks)):
                return False
    return True


def _tabulate(rows: Rows) -> Rows:
    table: Rows = []
    for name in PARAMETERS:
        ranks = _list_ranks(rows, name)
        covered = {f"{level:.0%}": sum(abs(rank - 0.5) <= level / 2 for rank in ranks) / len(ranks) for level in LEVELS}
        table.append({"parameter": name, "draws": len(ranks), **covered})
    return table


def _draw(rows: Rows) -> Figure:
    """Return the ranks of each parameter, and between which counts 99 of 100 bins lie if they are uniform."""
    import numpy as np
    from scipy.stats import binom

    from experiments.figures.style import GREY, OWN, new_figure

    figure = new_figure(7.0, 4.6)
    for axes, name in zip(figure.subplots(2, 2, sharex=True).ravel(), PARAMETERS, strict=True):
        ranks = _list_ranks(rows, name)
        low, high = binom.interval(0.99, len(ranks), 1.0 / BINS)
        axes.axhspan(low, high, color=GREY, alpha=0.3, linewidth=0)
        counts = np.histogram(ranks, bins=BINS, range=(0.0, 1.0))[0]
        axes.stairs(counts, np.linspace(0.0, 1.0, BINS + 1), fill=True, color=OWN, alpha=0.8)
        axes.set(title=f"{name} ({len(ranks):,} draws)", xlim=(0, 1), ylim=(0, None))
    figure.supxlabel("posterior probability of less than the truth")
    worlds = ", ".join(str(world) for world in values(rows, "world"))
    figure.supylabel(f"draws ({worlds})")
    return figure


experiment = Experiment(
    reproduces="identify: calibration of posteriors by simulation (Talts et al. 2018)",
    settings={"world": ("kitchen_peanut",), "block": tuple(range(80))},
    quick={"block": (0, 1)},
    run=run,
    claims=(
        Claim("ranks are uniform: chi-square above 0.01 for hypothesis, care, temperature and slips", _are_uniform),
        Claim("50, 90 and 95 percent intervals cover the truth so often, within three standard errors", _cover),
    ),
    figure=_draw,
    table=_tabulate,
)
