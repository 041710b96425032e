"""Statistics of stored rows as tables: scores over seeds and environments, comparisons of methods, missed optima."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from engine.mdp.mdp import Floats
from experiments.experiment import Experiment, LearnedRuns, NotEnoughRows, ResultRow, Rows, Scalar, ScoreColumns
from experiments.statistics.aggregates import interquartile_mean, mean
from experiments.statistics.bootstrap import (
    BOOTSTRAP,
    FEWEST_RUNS,
    ScoreInterval,
    bootstrap_interval,
    mean_interval,
    percentile_interval,
    resampled,
)
from experiments.statistics.improvement import probability_of_improvement
from experiments.statistics.proportions import wilson_interval
from experiments.statistics.score_matrices import groups_of, score_matrices

SCORES = "Scores over seeds and environments: mean and interquartile mean (iqm)"
IMPROVEMENT = "How likely a run of one method scores higher than a run of another"
DIGITS = 12
MISSED = "Learned against exact: seeds that miss the optimum, and the 95 % Wilson interval of their share"
MISSED_COLUMNS = ("seeds", "missed", "share", "share_low", "share_high", "learned rows", "of them missed")


class StatisticsTable(NamedTuple):
    """What the table is of, and its rows."""

    title: str
    rows: Rows


def statistics_tables(experiment: Experiment, rows: Rows) -> list[StatisticsTable]:
    """The tables that an experiment's declarations ask for, without those for which rows are missing."""
    tables = []
    if experiment.scores:
        columns = experiment.scores
        tables += [StatisticsTable(SCORES, score_rows(rows, columns))]
        tables += [StatisticsTable(IMPROVEMENT, improvement_rows(rows, columns))]
    if experiment.learned:
        tables.append(StatisticsTable(MISSED, missed_rows(rows, experiment.learned)))
    return [table for table in tables if table.rows]


def score_rows(rows: Rows, columns: ScoreColumns) -> Rows:
    """A row a method (and group): mean and interquartile mean, each with its interval, and what the interval is."""
    table: Rows = []
    for group, part in groups_of(rows, columns):
        for method, scores in _matrices(part, columns).items():
            line: ResultRow = {"method": method, **group, "runs": len(scores), "environments": scores.shape[1]}
            of_mean = mean_interval(scores, method)
            line |= _with_ends("mean", float(mean(scores)), of_mean)
            of_iqm = bootstrap_interval(scores, interquartile_mean, method)
            line |= _with_ends("iqm", float(interquartile_mean(scores)), of_iqm)
            table.append(line | {"interval": of_mean.kind if of_mean else None})
    return table


def improvement_rows(rows: Rows, columns: ScoreColumns) -> Rows:
    """A row a pair of methods (and group): P(first > second) with its interval, None for single runs."""
    table: Rows = []
    for group, part in groups_of(rows, columns):
        scores = _matrices(part, columns)
        pairs = itertools.combinations(scores, 2) if columns.pairs is None else columns.pairs
        for one, other in pairs:
            if one in scores and other in scores and scores[one].shape[1] == scores[other].shape[1]:
                probability = float(probability_of_improvement(scores[one], scores[other]))
                ends = _with_ends("probability", probability, _improvement_interval(scores, one, other))
                table.append({"method": one, "other": other, **group, **ends})
    return table


def _improvement_interval(scores: dict[str, Floats], one: str, other: str) -> ScoreInterval | None:
    if min(len(scores[one]), len(scores[other])) < FEWEST_RUNS:
        return None
    estimates = probability_of_improvement(resampled(scores[one], one), resampled(scores[other], other))
    low, high = percentile_interval(estimates)
    return ScoreInterval(float(low), float(high), BOOTSTRAP)


def missed_rows(rows: Rows, learned: LearnedRuns) -> Rows:
    """A row a group: how many seeds miss the exact optimum in one of their rows, and Wilson's interval of the share."""
    seeds: dict[tuple[Scalar, ...], dict[Scalar, list[bool]]] = {}
    for row in rows:
        found = learned.found(row)
        if found is not None:
            group = tuple(row[name] for name in learned.by)
            seeds.setdefault(group, {}).setdefault(row[learned.run], []).append(found)
    table: Rows = []
    for group, of_seed in seeds.items():
        missed, total = sum(not all(found) for found in of_seed.values()), len(of_seed)
        every = [found for of_one in of_seed.values() for found in of_one]
        low, high = wilson_interval(missed, total)
        line: ResultRow = {"seeds": total, "missed": missed, "share": missed / total}
        line |= {"share_low": low, "share_high": high}
        runs: ResultRow = {"learned rows": len(every), "of them missed": every.count(False)}
        table.append({**dict(zip(learned.by, group, strict=True)), **line, **runs})
    return table


def _matrices(rows: Rows, columns: ScoreColumns) -> dict[str, Floats]:
    """The matrices of a group, none where rows are missing."""
    try:
        return dict(score_matrices(rows, columns))
    except NotEnoughRows:
        return {}


def _with_ends(name: str, number: float, interval: ScoreInterval | None) -> ResultRow:
    """The number and its ends, rounded so that rewards that cancel are 0."""
    low, high = (_rounded(interval.low), _rounded(interval.high)) if interval else (None, None)
    return {name: _rounded(number), f"{name}_low": low, f"{name}_high": high}


def _rounded(number: float) -> float:
    return round(number, DIGITS) + 0.0
