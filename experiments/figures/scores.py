"""Scores of methods over seeds and environments in panels (Agarwal et al. 2021): aggregates, profiles, chances.

First mean and interquartile mean with their intervals and single runs as dots, beside what the paper printed; then the
share of runs above each score, in a panel for each learner with all of its variants; then how likely one method
scores higher than another. The last two are left out where there is one environment or there are no pairs.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.mdp.mdp import Floats
from experiments.experiment import NotEnoughRows, ResultRow, Rows, ScoreColumns
from experiments.figures.curves import choose_look
from experiments.figures.labels import format_label
from experiments.figures.style import (
    OTHER,
    OWN,
    SOFT,
    letter_panels,
    mark_printed,
    measure_relative_letters,
    new_figure,
    use_figure_style,
)
from experiments.statistics import (
    BOOTSTRAP,
    RANGE,
    group_scores,
    make_score_matrices,
    percentile_interval,
    performance_profile,
    resample,
    tabulate_improvement,
    tabulate_scores,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INTERVALS = {BOOTSTRAP: "95 % bootstrap interval", RANGE: "from the lowest to the highest run"}
INCHES_A_LINE = 0.34
THRESHOLDS = 121
LETTERS_A_LINE = 30
LETTERS_OF_UNIT = 46


@use_figure_style
def draw_scores(rows: Rows, columns: ScoreColumns, score: str, printed: Mapping[str, float]) -> Figure:
    """A figure of the first group of rows. score: the scores in words, with their unit. printed: method -> number."""
    (group, part), *_ = group_scores(rows, columns)
    whole = columns._replace(groups=())
    summary = tabulate_scores(part, whole)
    pairs = tabulate_improvement(part, whole)
    if not summary:
        raise NotEnoughRows("no run is complete")
    several = max(int(str(line["environments"])) for line in summary) > 1
    heights = [INCHES_A_LINE * len(summary) + 1.1]
    heights += [2.6] if several else []
    chances = _describe_pairs(pairs)
    lines = max((words.count("\n") + 1 for words in chances), default=1)
    heights += [INCHES_A_LINE * max(1.0, lines / 2) * len(pairs) + 0.7] if several and pairs else []
    letters = max(1.0, measure_relative_letters())
    figure = new_figure(6.5, sum(heights) * letters)
    panels = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    matrices = make_score_matrices(part, whole)
    families = _group_by_learner(matrices) if several else {}
    across = [1, len(families), 1][: len(heights)]
    every = [
        list(panel.subplots(1, count, squeeze=False, sharey=True).flat)
        for panel, count in zip(panels, across, strict=True)
    ]
    first = every[0][0]
    _draw_aggregates(first, summary, matrices, printed, score)
    panels[0].legend(*first.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    if group:
        first.set_title(", ".join(f"{name}: {format_label(value)}" for name, value in group.items()))
    if several:
        _draw_profiles(every[1], families, score)
        if "" not in families:
            panels[1].legend(*every[1][0].get_legend_handles_labels(), loc="outside lower center", ncols=len(families))
        every[1][len(families) // 2].set_xlabel(textwrap.fill(f"threshold: {score}", LETTERS_A_LINE))
    if several and pairs:
        _draw_improvement(every[2][0], pairs, chances)
    if several:
        letter_panels(itertools.chain(*every))
    return figure


MOST_ACROSS = 4


def _group_by_learner(matrices: Mapping[str, Floats]) -> dict[str, dict[str, Floats]]:
    """Learner -> method -> its scores: "reality_check(dqn)" belongs to "dqn"; "" where all share a panel.

    They do where nothing, or not the same, is made of every learner.
    """
    families: dict[str, dict[str, Floats]] = {}
    for method, scores in matrices.items():
        families.setdefault(method.rpartition("(")[2].rstrip(")") or method, {})[method] = scores
    made = {tuple(_name_beside(method, learner) for method in family) for learner, family in families.items()}
    is_alike = len(made) == 1 and len(next(iter(made))) > 1
    return families if is_alike and 1 < len(families) <= MOST_ACROSS else {"": dict(matrices)}


def _draw_aggregates(
    axes: Axes, summary: Rows, matrices: Mapping[str, Floats], printed: Mapping[str, float], score: str
) -> None:
    kinds = sorted({str(line["interval"]) for line in summary if line["interval"]})
    spread = "".join(f", {INTERVALS[kind]}" for kind in kinds)
    several = any(len(scores) > 1 for scores in matrices.values())
    for place, line in enumerate(summary):
        method = str(line["method"])
        first = place == 0
        runs = matrices[method].mean(axis=1)
        axes.plot(
            runs,
            [place - 0.18] * len(runs),
            ".",
            color=SOFT,
            label="means of single runs" if first and several else None,
        )
        _draw_interval(axes, line, "mean", place - 0.18, OWN, "o", f"mean{spread}" if first else None)
        if int(str(line["environments"])) > 1:
            band = f", {INTERVALS[BOOTSTRAP]}" if BOOTSTRAP in kinds else ""
            _draw_interval(axes, line, "iqm", place + 0.18, OTHER, "s", f"interquartile mean{band}" if first else None)
    places = [(printed[name], place - 0.18) for place, name in enumerate(matrices) if name in printed]
    if places:
        mark_printed(axes, places)
    names = [textwrap.fill(format_label(line["method"]), LETTERS_A_LINE) for line in summary]
    axes.set_yticks(range(len(summary)), names)
    axes.set_ylim(len(summary) - 0.5, -0.5)
    axes.set_xlabel(textwrap.fill(score, LETTERS_OF_UNIT))


def _draw_interval(
    axes: Axes, line: ResultRow, name: str, place: float, colour: str, marker: str, label: str | None
) -> None:
    low, high = line[f"{name}_low"], line[f"{name}_high"]
    if low is not None and high is not None:
        axes.plot([float(low), float(high)], [place, place], color=colour, linewidth=3.2, alpha=0.45)
    axes.plot(float(str(line[name])), place, marker, color=colour, label=label)


def _draw_profiles(panels: Sequence[Axes], families: Mapping[str, Mapping[str, Floats]], score: str) -> None:
    """A panel per learner: a curve for each different profile, with the band of its bootstrap from three runs on."""
    scores_of_all = [scores for family in families.values() for scores in family.values()]
    low, high = (extreme([extreme(scores) for scores in scores_of_all]) for extreme in (np.min, np.max))
    thresholds = np.linspace(low, high, THRESHOLDS)
    for axes, (learner, family) in zip(panels, families.items(), strict=True):
        different: dict[tuple[float, ...], list[str]] = {}
        for method, scores in family.items():
            profile = tuple(float(share) for share in performance_profile(scores, thresholds))
            different.setdefault(profile, []).append(method)
        for number, (profile, methods) in enumerate(different.items()):
            colour, _, dashes = choose_look(number)
            words = ", ".join(_name_beside(method, learner) for method in methods)
            label = textwrap.fill(words, LETTERS_A_LINE if learner else 2 * LETTERS_A_LINE)
            axes.plot(thresholds, profile, color=colour, linestyle=dashes, label=label)
            scores = family[methods[0]]
            if len(scores) > 2:
                band = percentile_interval(performance_profile(resample(scores, methods[0]), thresholds))
                axes.fill_between(thresholds, *band, color=colour, alpha=0.15, linewidth=0)
        axes.set(title=format_label(learner) if learner else "", ylim=(-0.02, 1.02))
        if not learner:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    panels[0].set_ylabel("share of runs above")


def _name_beside(method: str, learner: str) -> str:
    """Return a method's name in the panel of its learner: what is made of it."""
    return "alone" if method == learner else format_label(method).removeprefix(f"{format_label(learner)} + ")


def _describe_pairs(pairs: Sequence[ResultRow]) -> list[str]:
    words = [f"{format_label(line['method'])} above {format_label(line['other'])}" for line in pairs]
    return [textwrap.fill(text, LETTERS_A_LINE) for text in words]


def _draw_improvement(axes: Axes, pairs: Sequence[ResultRow], words: Sequence[str]) -> None:
    for place, line in enumerate(pairs):
        _draw_interval(axes, line, "probability", place, OWN, "o", None)
    axes.axvline(0.5, color=SOFT, linewidth=0.8, linestyle=":", zorder=0)
    axes.set_yticks(range(len(pairs)), words)
    axes.set(
        xlim=(-0.02, 1.02), ylim=(len(pairs) - 0.5, -0.5), xlabel="probability of a higher score (0.5: no difference)"
    )
