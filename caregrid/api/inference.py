"""`problem.infer`: who comes afterwards, from what they did, and what it is worth to watch longer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.api.caring.others_values import OthersValues
from caregrid.api.checked import checked
from caregrid.api.results.result import Result, Writer
from engine.errors import BadValue
from engine.limits.whole_numbers import Samples, Seed
from engine.plain_values import finite_or_none
from experiments.figures.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.inference.information import PointBand, WorthOfWatching
    from craftworld.inference.posterior import Posterior
    from craftworld.solution.problem import Problem

Demonstrations = str | Path | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, repr=False, eq=False)
class InferredOthers(Result):
    """Who comes, with which probability, after every demonstration.

    problem: the acting agent's. steps: the posterior before any demonstration, after the first, and so on. temperature:
    of Boltzmann's rule.
    """

    problem: Problem
    steps: tuple[Posterior, ...]
    temperature: float

    @property
    def title(self) -> str:
        """The scenario and how many demonstrations there were."""
        return f"{self.problem.scenario.name}: who comes, after {len(self.steps) - 1} demonstrations"

    @property
    def posterior(self) -> dict[str, float]:
        """Name -> P(V | demonstrations)."""
        last = self.steps[-1]
        return {each.name: float(p) for each, p in zip(last.candidates, last.probability, strict=True)}

    @property
    def indistinguishable(self) -> tuple[tuple[str, ...], ...]:
        """Groups of names that no behaviour can tell apart."""
        from craftworld.inference.candidates import indistinguishable

        return indistinguishable(self.steps[-1].candidates)

    @property
    def values(self) -> OthersValues:
        """The value functions with the posterior as P(V), to be saved and given to `caregrid.problem(values=...)`."""
        from craftworld.others.value_distribution import precompute
        from craftworld.others.value_file import fingerprint

        scenario, mdp = self.problem.scenario, self.problem.mdp
        exact = replace(precompute(scenario, mdp), probability=self.steps[-1].probability)
        note = {"method": "exact", "inferred": {"demonstrations": len(self.steps) - 1, "temperature": self.temperature}}
        return OthersValues(scenario, mdp, exact, fingerprint(scenario, mdp), note)

    @checked
    def updated(self, demonstrations: Demonstrations) -> InferredOthers:
        """After more demonstrations; as in `problem.infer`."""
        return replace(self, steps=(*self.steps, *_after(self.steps[-1], demonstrations)))

    @checked
    def bands(self, level: float = 0.9) -> list[PointBand]:
        """Break points under the posterior, and between which coefficients each lies by who the newcomer may be."""
        from craftworld.inference.information import break_point_bands

        return break_point_bands(self.problem, self.steps[-1], level)

    @checked
    def worth_of_watching(self, care: float = 1.0, *, samples: Samples = 200, seed: Seed = 0) -> WorthOfWatching:
        """What one more demonstration is worth before acting, in units of the return own + care * value."""
        from craftworld.inference.information import worth_of_watching

        return worth_of_watching(self.problem, self.steps[-1], care, samples, seed)

    def rows(self) -> list[dict[str, Any]]:
        """A row a demonstration, the first for none: how many were seen, and each candidate's probability."""
        return [
            {
                "demonstrations": number,
                **{each.name: float(p) for each, p in zip(step.candidates, step.probability, strict=True)},
            }
            for number, step in enumerate(self.steps)
        ]

    def as_dict(self) -> dict[str, Any]:
        """{"scenario", "temperature", "posterior", "demonstrations", "indistinguishable", "break_points"}."""
        bands = [
            {
                "care": band.care,
                "low": finite_or_none(band.low),
                "high": finite_or_none(band.high),
                "chance": band.chance,
            }
            for band in self.bands()
        ]
        return {
            "scenario": self.problem.scenario.name,
            "temperature": self.temperature,
            "posterior": self.posterior,
            "demonstrations": self.rows(),
            "indistinguishable": [list(group) for group in self.indistinguishable],
            "break_points": bands,
        }

    @styled
    def figure(self) -> Figure:
        """The probability of each candidate as demonstrations come."""
        from experiments.figures.curves import Curve, draw_curves
        from experiments.figures.style import new_figure, whole_ticks

        figure = new_figure()
        axes = figure.subplots()
        rows = self.rows()
        seen = [row["demonstrations"] for row in rows]
        axes.set_xlabel("demonstrations seen")
        axes.set_ylabel("probability")
        axes.set_ylim(-0.02, 1.02)
        whole_ticks(axes, "x")
        draw_curves(axes, {name: Curve(seen, [row[name] for row in rows]) for name in self.posterior})
        return figure

    def text(self) -> str:
        """The probabilities, what cannot be told apart, and the break points with their bands."""
        from experiments.tables import aligned_lines

        names = list(self.posterior)
        rows = [(str(row["demonstrations"]), *(f"{row[name]:.4g}" for name in names)) for row in self.rows()]
        lines = aligned_lines([("seen", *names), *rows], right=range(len(names) + 1))
        same = [f"no behaviour tells {' from '.join(group)}" for group in self.indistinguishable]
        return "\n".join([*lines, *same, *map(_band_text, self.bands())])

    def writers(self) -> dict[str, Writer]:
        """As every result; .npz is the file of values that `values=` and --values load."""
        return super().writers() | {"npz": self.values.writers()["npz"]}


def inferred(
    problem: Problem,
    demonstrations: Demonstrations,
    temperature: float,
    prior: Mapping[str, float] | None,
    out: str | Path | None,
) -> InferredOthers:
    """Who comes; the arguments are those of `CaringProblem.infer`."""
    from craftworld.inference.candidates import candidates_of
    from craftworld.inference.posterior import Posterior

    if out is not None:
        InferredOthers.checked_place(out)
    candidates = candidates_of(problem.scenario, problem.mdp, temperature)
    names = [each.name for each in candidates]
    if prior is not None and set(prior) != set(names):
        raise BadValue(f"a prior over {', '.join(prior)}", place="prior", remedy=f"give one over {', '.join(names)}")
    first = Posterior.prior(candidates, None if prior is None else [prior[name] for name in names])
    result = InferredOthers(problem, (first, *_after(first, demonstrations)), temperature)
    if out is not None:
        result.save(out)
    return result


def _after(posterior: Posterior, demonstrations: Demonstrations) -> list[Posterior]:
    from craftworld.inference.demonstrations import demonstration_of, read_demonstrations

    if isinstance(demonstrations, str | Path):
        listed = read_demonstrations(demonstrations, posterior.candidates)
    else:
        listed = [
            demonstration_of(each, posterior.candidates, f"demonstration {number}")
            for number, each in enumerate(demonstrations, start=1)
        ]
    result = []
    for each in listed:
        posterior = posterior.updated(each)
        result.append(posterior)
    return result


def _band_text(band: PointBand) -> str:
    point = "no break point" if band.care is None else f"break point at {band.care:.6g}"
    if math.isnan(band.low):
        return f"{point}; no single newcomer has one there"
    return f"{point}; by who comes, from {band.low:.6g} to {band.high:.6g} (probability {band.chance:.3g})"
