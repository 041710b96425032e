"""What the others can expect, and who they are: `problem.precompute` and `problem.infer`.

The others' values are precomputed on the acting agent's states, exactly or by Q-learning. Who comes afterwards is
inferred from demonstrations, as a probability after each of them; a band of break points and the worth of watching
say how much longer it pays to look.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.results import Result, Writer
from engine.effort import require_learning_confirmed
from engine.errors import BadValue, UnknownName, argument
from engine.plain_values import finite_or_none
from engine.printable import show_value
from engine.value_types import Coefficient, Samples, Seed, to_list
from experiments.figures.style import CYCLE, HATCHES, Look, new_figure, set_whole_ticks, use_figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from caregrid.programmes.caring.policies_of_newcomers import NewcomerPolicy
    from craftworld.inference import Posterior
    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from craftworld.value_of_information import PointBand, WorthOfWatching
    from engine.mdp.mdp import TabularMDP

PRECOMPUTE_METHODS = ("exact", "q_learning")


@dataclass(frozen=True, repr=False, eq=False)
class OthersValues(Result):
    """The values of those who come afterwards, one for each state in which the acting agent may end.

    scenario, mdp: the acting agent's world and table. distribution: names, values f64[N, S], probabilities f64[N].
    fingerprint: of what the values belong to. note: how they were made. warning:
    one line where learned values are not the exact ones, else None. followed: what newcomers follow in place of an
    optimal policy, by name. file: where the command wrote them.
    """

    scenario: Scenario
    mdp: TabularMDP
    distribution: ValueDistribution
    fingerprint: str
    note: Mapping[str, object]
    warning: str | None = None
    followed: Mapping[str, NewcomerPolicy] = field(default_factory=dict)
    file: str | None = None

    @property
    def title(self) -> str:
        """The scenario, who comes afterwards, and the number of states."""
        return f"{self.scenario.name}: values of {', '.join(self.names)} on {len(self.mdp.states)} states"

    @property
    def names(self) -> tuple[str, ...]:
        """Who comes afterwards."""
        return self.distribution.names

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per state: its fields, whether it is terminal, and the value of each who comes afterwards."""
        columns = {name: self.distribution.value[number] for number, name in enumerate(self.names)}
        return [
            {
                **state._asdict(),
                "terminal": bool(self.mdp.terminal[number]),
                **{name: float(column[number]) for name, column in columns.items()},
            }
            for number, state in enumerate(self.mdp.states)
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return value f64[N, S], probability, weight and baseline_value f64[N]."""
        return {name: getattr(self.distribution, name) for name in ("value", "probability", "weight", "baseline_value")}

    def as_dict(self) -> dict[str, Any]:
        """Return scenario, fingerprint, states, names, baseline_value, warning, followed."""
        return {
            "scenario": self.scenario.name,
            "fingerprint": self.fingerprint,
            "states": len(self.mdp.states),
            "names": list(self.names),
            "baseline_value": [float(value) for value in self.distribution.baseline_value],
            "warning": self.warning,
            "followed": {name: policy._asdict() for name, policy in self.followed.items()},
        }

    @use_figure_style
    def figure(self) -> Figure:
        """Draw how many terminal states give each value, one histogram for each who comes afterwards."""
        import numpy as np

        figure = new_figure()
        axes = figure.subplots()
        shown = self.mdp.terminal if self.mdp.terminal.any() else ~self.mdp.terminal
        values = self.distribution.value[:, shown]
        edges = np.histogram_bin_edges(values[np.isfinite(values)], bins=30)
        share = np.diff(edges)[0] / (len(self.names) + 1)  # of a bin, one bar beside the other
        for number, name in enumerate(self.names):
            counts, _ = np.histogram(values[number][np.isfinite(values[number])], bins=edges)
            look: Look = {"color": CYCLE[number % len(CYCLE)], "hatch": HATCHES[number % len(HATCHES)]}
            at = edges[:-1] + (number + 1) * share
            axes.bar(at, counts, share, label=name, edgecolor="white", linewidth=0.0, **look)
        axes.set_xlabel("value of what the acting agent leaves (sum of rewards)")
        axes.set_ylabel("terminal states (count)")
        set_whole_ticks(axes, "y")
        axes.legend()
        return figure

    def text(self) -> str:
        """Return the title and the fingerprint, and who follows which policy."""
        return "\n".join([f"{self.title}, {self.fingerprint}", *self._list_followed()])

    def _list_followed(self) -> list[str]:
        return [
            f"{name} follows {policy} in {states} of {among} states"
            + (", elsewhere an optimum" if states < among else "")
            for name, (policy, states, among) in self.followed.items()
        ]

    def output(self) -> dict[str, Any]:
        """Return what `caregrid precompute --json` prints."""
        made = self.as_dict()
        return {"scenario": made.pop("scenario"), "file": self.file, **made}

    def output_text(self) -> str:
        """Return what `caregrid precompute` prints."""
        return "\n".join([f"wrote {self.file}: {', '.join(self.names)}, {self.fingerprint}", *self._list_followed()])

    def writers(self) -> dict[str, Writer]:
        """Return those of every result; .npz is the file that `values=` and --values load."""
        from craftworld.others.value_distribution import save_values

        def as_values(path: Path) -> None:
            save_values(path, self.distribution, self.fingerprint, self.note)

        return super().writers() | {"npz": as_values}


def precompute_others_values(
    scenario: Scenario,
    discount: float | None,
    method: str,
    seed: int,
    steps: int | None,
    yes: bool = False,
    follow: Mapping[str, Any] | Sequence[str] = (),
) -> OthersValues:
    """Return the others' values, exact or learned; the arguments are those of `CaringProblem.precompute`."""
    from caregrid.programmes.caring.policies_of_newcomers import apply_policies
    from craftworld.others.value_distribution import compute_fingerprint, precompute
    from craftworld.solution.learning import (
        NewcomerLearners,
        choose_newcomer_learning,
        measure_values_error,
        warn_of_values,
    )
    from engine.mdp.tabulate import tabulate

    require_learning_confirmed(yes, steps=steps)
    if method not in PRECOMPUTE_METHODS:
        raise UnknownName("method", method, PRECOMPUTE_METHODS, place=argument("method"))
    mdp = tabulate(scenario, scenario.discount if discount is None else discount)
    newcomers, followed = apply_policies(scenario, mdp, follow)
    exact = precompute(scenario, mdp, newcomers=newcomers)
    mark = compute_fingerprint(scenario, mdp)
    note: dict[str, object] = {"follow": {name: list(policy) for name, policy in followed.items()}} if followed else {}
    if method == "exact":
        return OthersValues(scenario, mdp, exact, mark, {"method": method, **note}, followed=followed)
    learning = choose_newcomer_learning(scenario, steps)
    learners = NewcomerLearners(learning, seed)
    learned = precompute(scenario, mdp, learners, newcomers)
    error = measure_values_error(exact, learned)
    note |= {"method": "q-learning", "seed": seed, **asdict(learning.settings), "steps": learners.steps, "error": error}
    return OthersValues(scenario, mdp, learned, mark, note, warn_of_values(scenario, mdp, error, learning), followed)


Demonstrations = str | Path | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, repr=False, eq=False)
class InferredOthers(Result):
    """Who comes, with which probability, after every demonstration.

    problem: the acting agent's. steps: the posterior before any demonstration, after the first, and so on. temperature:
    of Boltzmann's rule. worth_at: the coefficient at which the command says what one more demonstration is worth.
    """

    problem: Problem
    steps: tuple[Posterior, ...]
    temperature: float
    worth_at: float | None = None

    @property
    def title(self) -> str:
        """The scenario and how many demonstrations there were."""
        return f"{self.problem.scenario.name}: who comes, after {len(self.steps) - 1} demonstrations"

    @property
    def posterior(self) -> dict[str, float]:
        """Name -> P(V | demonstrations)."""
        last = self.steps[-1]
        return {candidate.name: float(p) for candidate, p in zip(last.candidates, last.probability, strict=True)}

    @property
    def indistinguishable(self) -> tuple[tuple[str, ...], ...]:
        """Groups of names that no behaviour can tell apart."""
        from craftworld.inference import group_indistinguishable

        return group_indistinguishable(self.steps[-1].candidates)

    @property
    def values(self) -> OthersValues:
        """The value functions with the posterior as P(V), to be saved and given to `caregrid.problem(values=...)`."""
        from craftworld.others.value_distribution import compute_fingerprint, precompute

        scenario = self.problem.scenario
        mdp = self.problem.mdp
        exact = replace(precompute(scenario, mdp), probability=self.steps[-1].probability)
        note = {"method": "exact", "inferred": {"demonstrations": len(self.steps) - 1, "temperature": self.temperature}}
        return OthersValues(scenario, mdp, exact, compute_fingerprint(scenario, mdp), note)

    def updated(self, demonstrations: Demonstrations) -> InferredOthers:
        """Return what is inferred after more demonstrations; as in `problem.infer`."""
        return replace(self, steps=(*self.steps, *_update_by_demonstrations(self.steps[-1], demonstrations)))

    def bands(self, level: float = 0.9) -> list[PointBand]:
        """Return break points under the posterior, and where each may lie by who the newcomer may be."""
        from craftworld.value_of_information import find_break_point_bands

        return find_break_point_bands(self.problem, self.steps[-1], level)

    def worth_of_watching(self, care: Coefficient = 1.0, *, samples: Samples = 200, seed: Seed = 0) -> WorthOfWatching:
        """Return what one more demonstration is worth before acting, in units of the return own + care * value."""
        from craftworld.value_of_information import estimate_worth_of_watching

        return estimate_worth_of_watching(self.problem, self.steps[-1], care, samples, seed)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per demonstration, the first for none: how many were seen, and each candidate's probability."""
        return [
            {
                "demonstrations": number,
                **{candidate.name: float(p) for candidate, p in zip(step.candidates, step.probability, strict=True)},
            }
            for number, step in enumerate(self.steps)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return {"scenario", "temperature", "posterior", "demonstrations", "indistinguishable", "break_points"}."""
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

    @use_figure_style
    def figure(self) -> Figure:
        """Draw the probability of each candidate as demonstrations come."""
        from experiments.figures.curves import Curve, draw_curves

        figure = new_figure()
        axes = figure.subplots()
        rows = self.rows()
        seen = [row["demonstrations"] for row in rows]
        axes.set_xlabel("demonstrations seen")
        axes.set_ylabel("probability")
        axes.set_ylim(-0.02, 1.02)
        set_whole_ticks(axes, "x")
        draw_curves(axes, {name: Curve(seen, [row[name] for row in rows]) for name in self.posterior})
        return figure

    def text(self) -> str:
        """Return the probabilities, what cannot be told apart, and the break points with their bands."""
        from experiments.rows import align_lines

        names = list(self.posterior)
        rows = [(str(row["demonstrations"]), *(f"{row[name]:.4g}" for name in names)) for row in self.rows()]
        lines = align_lines([("seen", *names), *rows], right=range(len(names) + 1))
        same = [f"no behaviour tells {' from '.join(group)}" for group in self.indistinguishable]
        return "\n".join([*lines, *same, *map(_write_band, self.bands())])

    def output(self) -> dict[str, Any]:
        """Return what `caregrid infer --json` prints: also what one more demonstration is worth, where asked for."""
        if self.worth_at is None:
            return self.as_dict()
        worth = self.worth_of_watching(self.worth_at)
        return {**self.as_dict(), "worth_of_watching": {"care": self.worth_at, **worth._asdict()}}

    def output_text(self) -> str:
        """Return what `caregrid infer` prints."""
        if self.worth_at is None:
            return self.text()
        worth = self.worth_of_watching(self.worth_at)
        low, high = worth.interval
        estimate = f"{worth.worth:.4g} ({low:.4g} to {high:.4g})"
        return f"{self.text()}\none more demonstration is worth {estimate} at {self.worth_at:g}"

    def writers(self) -> dict[str, Writer]:
        """Return those of every result; .npz is the file of values that `values=` and --values load."""
        return super().writers() | {"npz": self.values.writers()["npz"]}


def infer_others(
    problem: Problem,
    demonstrations: Demonstrations,
    temperature: float,
    prior: Mapping[str, float] | None,
    out: str | Path | None,
    worth_at: float | None = None,
) -> InferredOthers:
    """Who comes; the arguments are those of `caregrid.operations.caring.infer`."""
    from craftworld.inference import Posterior, make_candidates

    if out is not None:
        InferredOthers.check_place(out)
    candidates = make_candidates(problem.scenario, problem.mdp, temperature)
    names = [candidate.name for candidate in candidates]
    if prior is not None and not (isinstance(prior, Mapping) and set(prior) == set(names)):
        over = f"a prior over {', '.join(map(str, prior))}" if isinstance(prior, Mapping) else show_value(prior)
        raise BadValue(over, place="prior", remedy=f"give one over {', '.join(names)}")
    first = Posterior.prior(candidates, None if prior is None else [prior[name] for name in names])
    result = InferredOthers(problem, (first, *_update_by_demonstrations(first, demonstrations)), temperature, worth_at)
    if out is not None:
        result.save(out)
    return result


def _update_by_demonstrations(posterior: Posterior, demonstrations: Demonstrations) -> list[Posterior]:
    from craftworld.inference import parse_demonstration, read_demonstrations

    remedy = 'give a file, or several {"start": ..., "actions": ...}'
    if isinstance(demonstrations, str | Path):
        listed = read_demonstrations(demonstrations, posterior.candidates)
    else:
        listed = [
            parse_demonstration(demonstration, posterior.candidates, f"demonstration {number}")
            for number, demonstration in enumerate(to_list(demonstrations, "demonstrations", "infer", remedy), start=1)
        ]
    result = []
    for demonstration in listed:
        posterior = posterior.update(demonstration)
        result.append(posterior)
    return result


def _write_band(band: PointBand) -> str:
    point = "no break point" if band.care is None else f"break point at {band.care:.6g}"
    if math.isnan(band.low):
        return f"{point}; no single newcomer has one there"
    return f"{point}; by who comes, from {band.low:.6g} to {band.high:.6g} (probability {band.chance:.3g})"
