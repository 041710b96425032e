"""Statistics of few runs in many environments: interquartile means, stratified bootstrap, profiles, improvement.

Scores are f64[R, M]: R runs (seeds) in M environments, on one scale in all of them. Leading axes, such as one of
resamples, are kept.

    mean         over environments of the means over runs, which is what papers print
    iqm          interquartile mean: the mean of the middle half of all R x M scores (section 4.3)
    P(X > Y)     mean over environments of the share of pairs of runs with x > y, a tie counting half (section 4.3)
    profile(t)   the share of runs that score above a threshold t (section 4.2, Eq. 2)
    interval     percentiles of an aggregate over stratified resamples (section 4.1); a resample draws R of the R
                 runs, with replacement, in each environment separately
    Wilson       (p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n), within 0 and 1, and with a
                 width at both ends

Random numbers are counter-based, so that the same scores give the same interval. Stored rows become scores, and
scores become tables: scores over seeds and environments, comparisons of methods, missed optima.

References: R. Agarwal et al., "Deep Reinforcement Learning at the Edge of the Statistical Precipice", NeurIPS 2021;
E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.

Choices
- fewer than `FEWEST_RUNS` runs, or fewer than `FEWEST_SCORES` scores altogether, are too few for percentiles: for
  the mean, the interval is from the lowest to the highest run, and says so;
- 2000 resamples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from engine.errors import BadValue
from engine.randomness.compiled import randrange_array
from engine.randomness.counter_based import split
from experiments.experiment import Experiment, LearnedRuns, NotEnoughRows, ResultRow, Rows, Scalar, ScoreColumns

if TYPE_CHECKING:
    from engine.mdp.mdp import Floats

Aggregate: TypeAlias = "Callable[[Floats], Any]"
TRIMMED = 0.25  # of all scores, at either end


def mean(scores: Floats) -> Any:
    """f64[...] from f64[..., R, M]."""
    return scores.mean(axis=(-2, -1))


def interquartile_mean(scores: Floats) -> Any:
    """f64[...] from f64[..., R, M]; a quarter of the scores, rounded down, is left out at either end."""
    pooled = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = int(TRIMMED * pooled.shape[-1])
    return pooled[..., cut : pooled.shape[-1] - cut].mean(axis=-1)


INTERVAL_LEVEL = 0.95
RESAMPLES = 2000
FEWEST_RUNS = 3
FEWEST_SCORES = 20
BOOTSTRAP = "95 % bootstrap"
RANGE = "lowest and highest run"


class ScoreInterval(NamedTuple):
    """Two ends and what they are: `BOOTSTRAP` or `RANGE`."""

    low: float
    high: float
    kind: str


def resample(scores: Floats, label: str, count: int = RESAMPLES) -> Floats:
    """f64[count, R, M]: the scores of resampled runs. label: of whose scores they are, for numbers of their own."""
    runs, environments = scores.shape
    chosen = randrange_array(runs, split(split(0, "bootstrap"), label), (count, runs, environments))
    return scores[chosen, np.arange(environments)]


def percentile_interval(estimates: Floats, level: float = INTERVAL_LEVEL) -> Any:
    """f64[2, ...] from f64[B, ...]: the ends between which the middle share of the estimates lies."""
    return np.quantile(estimates, [(1 - level) / 2, (1 + level) / 2], axis=0)


def bootstrap_interval(scores: Floats, aggregate: Aggregate, label: str) -> ScoreInterval | None:
    """Return the interval of an aggregate, None where there are too few scores for one."""
    if len(scores) < FEWEST_RUNS or scores.size < FEWEST_SCORES:
        return None
    low, high = percentile_interval(aggregate(resample(scores, label)))
    return ScoreInterval(float(low), float(high), BOOTSTRAP)


def mean_interval(scores: Floats, label: str) -> ScoreInterval | None:
    """Return the interval of the mean; of too few scores the lowest and the highest run, None for a single one."""
    if len(scores) < 2:
        return None
    by_run = scores.mean(axis=1)
    return bootstrap_interval(scores, mean, label) or ScoreInterval(float(by_run.min()), float(by_run.max()), RANGE)


def probability_of_improvement(better: Floats, worse: Floats) -> Any:
    """f64[...] from f64[..., R, M] and f64[..., R', M], the same environments in both."""
    environments = better.shape[-1]
    shares = [_share_of_pairs(better[..., m], worse[..., m]) for m in range(environments)]
    return np.mean(shares, axis=0)


def _share_of_pairs(better: Floats, worse: Floats) -> Any:
    pairs = better[..., :, np.newaxis], worse[..., np.newaxis, :]
    return (np.greater(*pairs) + 0.5 * np.equal(*pairs)).mean(axis=(-2, -1))


def performance_profile(scores: Floats, thresholds: Floats) -> Any:
    """f64[..., T] from f64[..., R, M] and f64[T]: over all runs and environments, the share of scores > threshold."""
    pooled = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    total = pooled.shape[-1]
    flat = pooled.reshape(-1, total)
    above = np.stack([total - np.searchsorted(row, thresholds, side="right") for row in flat])
    return above.reshape(*pooled.shape[:-1], len(thresholds)) / total


WILSON_LEVEL = 0.95


def wilson_interval(successes: int, trials: int, level: float = WILSON_LEVEL) -> tuple[float, float]:
    """The ends of the interval of a share; BadValue where it is not a share or the level none between 0 and 1."""
    if not 0 <= successes <= trials or trials < 1:
        remedy = "give 0 <= successes <= trials and at least one trial"
        raise BadValue(f"{successes} of {trials} is not a share", place="wilson_interval", remedy=remedy)
    if not 0 < level < 1:
        raise BadValue(f"level {level}", place="wilson_interval", remedy="choose it between 0 and 1, such as 0.95")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low, high = ((centre + sign * margin) / (1 + z * z / trials) for sign in (-1, 1))
    return (0.0 if successes == 0 else low, 1.0 if successes == trials else high)


THE_ONLY_ONE = "the only environment"


def group_scores(rows: Rows, columns: ScoreColumns) -> list[tuple[dict[str, Scalar], Rows]]:
    """Return the rows by the values of the columns that are summarised apart, in order of first appearance."""
    groups: dict[tuple[Scalar, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in columns.groups), []).append(row)
    return [(dict(zip(columns.groups, key, strict=True)), part) for key, part in groups.items()]


def make_score_matrices(rows: Rows, columns: ScoreColumns) -> Mapping[str, Floats]:
    """Method -> scores; NotEnoughRows where a method has no run in all environments that it was tried in."""
    cells: dict[str, dict[tuple[Scalar, Scalar], float]] = {}
    score = columns.score
    for row in rows:
        number = score(row) if callable(score) else float(row[score])  # type: ignore[arg-type]
        environment = row[columns.environment] if columns.environment else THE_ONLY_ONE
        cells.setdefault(str(row[columns.method]), {})[row[columns.run], environment] = number
    if not cells:
        raise NotEnoughRows("no scores")
    return {method: _make_matrix(method, of_method) for method, of_method in cells.items()}


def _make_matrix(method: str, cells: Mapping[tuple[Scalar, Scalar], float]) -> Floats:
    runs, environments = (sorted({key[place] for key in cells}, key=_sort_key) for place in (0, 1))
    common = [run for run in runs if all((run, environment) in cells for environment in environments)]
    if not common:
        raise NotEnoughRows(f"no run of {method} is complete")
    return np.array([[cells[run, environment] for environment in environments] for run in common])


def _sort_key(value: Scalar) -> tuple[int, float, str]:
    number = isinstance(value, int | float)
    return (0, float(value), "") if number else (1, 0.0, str(value))  # type: ignore[arg-type]


SCORES = "Scores over seeds and environments: mean and interquartile mean (iqm)"
IMPROVEMENT = "How likely a run of one method scores higher than a run of another"
DIGITS = 12
MISSED = "Learned: seeds that {}, and the 95 % Wilson interval of their share"
MISSED_COLUMNS = ("seeds", "missed", "share", "share_low", "share_high", "learned rows", "of them missed")


class StatisticsTable(NamedTuple):
    """What the table is of, and its rows.

    failing: what the seeds do that it counts, of a table of learned runs (`LearnedRuns.failing`).
    """

    title: str
    rows: Rows
    failing: str = ""


def make_statistics_tables(experiment: Experiment, rows: Rows) -> list[StatisticsTable]:
    """Return the tables that an experiment's declarations ask for, without those for which rows are missing."""
    tables = []
    if experiment.scores:
        columns = experiment.scores
        tables += [StatisticsTable(SCORES, tabulate_scores(rows, columns))]
        tables += [StatisticsTable(IMPROVEMENT, tabulate_improvement(rows, columns))]
    if experiment.learned:
        failing = experiment.learned.failing
        table = tabulate_failing_seeds(rows, experiment.learned)
        tables.append(StatisticsTable(MISSED.format(failing), table, failing))
    return [table for table in tables if table.rows]


def tabulate_scores(rows: Rows, columns: ScoreColumns) -> Rows:
    """A row per method (and group): mean and interquartile mean, each with its interval, and what the interval is."""
    table: Rows = []
    for group, part in group_scores(rows, columns):
        for method, scores in _find_matrices(part, columns).items():
            line: ResultRow = {"method": method, **group, "runs": len(scores), "environments": scores.shape[1]}
            of_mean = mean_interval(scores, method)
            line |= _add_ends("mean", float(mean(scores)), of_mean)
            of_iqm = bootstrap_interval(scores, interquartile_mean, method)
            line |= _add_ends("iqm", float(interquartile_mean(scores)), of_iqm)
            table.append(line | {"interval": of_mean.kind if of_mean else None})
    return table


def tabulate_improvement(rows: Rows, columns: ScoreColumns) -> Rows:
    """Return a row per pair of methods (and group): P(first > second) with its interval, None for single runs."""
    table: Rows = []
    for group, part in group_scores(rows, columns):
        scores = _find_matrices(part, columns)
        pairs = itertools.combinations(scores, 2) if columns.pairs is None else columns.pairs
        for one, other in pairs:
            if one in scores and other in scores and scores[one].shape[1] == scores[other].shape[1]:
                probability = float(probability_of_improvement(scores[one], scores[other]))
                ends = _add_ends("probability", probability, _improvement_interval(scores, one, other))
                table.append({"method": one, "other": other, **group, **ends})
    return table


def _improvement_interval(scores: dict[str, Floats], one: str, other: str) -> ScoreInterval | None:
    if min(len(scores[one]), len(scores[other])) < FEWEST_RUNS:
        return None
    estimates = probability_of_improvement(resample(scores[one], one), resample(scores[other], other))
    low, high = percentile_interval(estimates)
    return ScoreInterval(float(low), float(high), BOOTSTRAP)


def tabulate_failing_seeds(rows: Rows, learned: LearnedRuns) -> Rows:
    """Return a row per group: how many seeds fail in one of their rows, and Wilson's interval of the share."""
    seeds: dict[tuple[Scalar, ...], dict[Scalar, list[bool]]] = {}
    for row in rows:
        found = learned.found(row)
        if found is not None:
            group = tuple(row[name] for name in learned.by)
            seeds.setdefault(group, {}).setdefault(row[learned.run], []).append(found)
    table: Rows = []
    for group, of_seed in seeds.items():
        missed = sum(not all(found) for found in of_seed.values())
        total = len(of_seed)
        every = [found for of_one in of_seed.values() for found in of_one]
        low, high = wilson_interval(missed, total)
        line: ResultRow = {"seeds": total, "missed": missed, "share": missed / total}
        line |= {"share_low": low, "share_high": high}
        runs: ResultRow = {"learned rows": len(every), "of them missed": every.count(False)}
        table.append({**dict(zip(learned.by, group, strict=True)), **line, **runs})
    return table


def _find_matrices(rows: Rows, columns: ScoreColumns) -> dict[str, Floats]:
    """Return the matrices of a group, none where rows are missing."""
    try:
        return dict(make_score_matrices(rows, columns))
    except NotEnoughRows:
        return {}


def _add_ends(name: str, number: float, interval: ScoreInterval | None) -> ResultRow:
    """Return the number and its ends, rounded so that rewards that cancel are 0."""
    low, high = (_round(interval.low), _round(interval.high)) if interval else (None, None)
    return {name: _round(number), f"{name}_low": low, f"{name}_high": high}


def _round(number: float) -> float:
    return round(number, DIGITS) + 0.0
