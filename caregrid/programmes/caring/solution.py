"""A problem solved at one caring coefficient: outcome, path, policy, heat maps of values, film."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from caregrid.programmes.caring.outcome_json import (
    describe_loss,
    describe_observed,
    measure_hidden,
    write_certificate,
    write_exact_number,
    write_loss,
    write_observed,
    write_outcome,
    write_values,
)
from caregrid.results import MILLISECONDS, TILE, RecordedFilm, Result, Writer, film_writers, scene_figure
from engine.contracts import call_method
from engine.grid import Cell
from engine.value_types import Milliseconds, TileSize
from experiments.figures.labels import format_name

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from caregrid.programmes.caring.scenes import SolvedEpisode
    from craftworld.solution.certificate import CaringCertificate
    from craftworld.solution.exact_solution import CaringOutcome, StartOutcome
    from craftworld.solution.problem import Problem
    from engine.scene import Scene


@dataclass(frozen=True, repr=False, eq=False)
class CaringSolution(Result):
    """The exact optimum of a problem at a coefficient.

    problem: what was solved. care: the coefficient. outcome: own return, the others' values, total, handover and
    actions, averaged over the start states. cases: the outcome from each of them. seed: of chance, in the episodes.
    drawn, proved: whether the command prints the episodes, and what is proved of each number.
    """

    problem: Problem
    care: float
    outcome: CaringOutcome
    cases: Sequence[StartOutcome]
    seed: int = 0
    drawn: bool = False
    proved: bool = False

    @property
    def title(self) -> str:
        """Scenario, formulation and coefficient."""
        return f"{self.problem.scenario.name}, {self.problem.formulation}, care {self.care:g}"

    @property
    def own(self) -> float:
        """The acting agent's own return."""
        return self.outcome.own

    @property
    def others(self) -> Mapping[str, float]:
        """Other agent's name -> its value."""
        return self.outcome.others

    @property
    def total(self) -> float:
        """Own return and the others' values, weighed by their probabilities."""
        return self.outcome.total

    @property
    def actions(self) -> tuple[str, ...]:
        """The acting agent's actions; empty with several start states, or where chance decides."""
        return self.outcome.actions

    @property
    def path(self) -> tuple[Cell, ...]:
        """The cells (row, column) that the acting agent passes, from the first start state; () without a place."""
        from caregrid.programmes.caring.scenes import list_visited_cells

        first = self.episodes[0]
        return tuple(Cell(*cell) for cell in list_visited_cells(first, len(first) - 1))

    @cached_property
    def alternatives(self) -> Sequence[Sequence[CaringOutcome]]:
        """For each start state, other optimal outcomes in which others get something else; none where chance decides.

        The augmented return of each is the optimum's: the formulation does not choose among them.
        """
        from craftworld.solution.exact_solution import find_alternative_outcomes

        starts = map(int, self.problem.mdp.start_states())
        return [find_alternative_outcomes(self.problem, self.care, start)[1:] for start in starts]

    @cached_property
    def certificate(self) -> CaringCertificate:
        """Bounds of every number and of what another policy may earn more, exact fractions where there are any."""
        from craftworld.solution.certificate import certify_solution

        return certify_solution(self.problem, self.care)

    @cached_property
    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Heat maps f64[rows, columns]: the value if the agent were there, all else as at the start; nan elsewhere.

        By name: "own value", one for each other agent, "augmented value".
        """
        return {name: self._map(name, float("nan"), float) for name in self.episodes[0].solution.values}

    @cached_property
    def policy(self) -> NDArray[np.str_]:
        """The action's name in each cell, text[rows, columns], all else as at the start; "" where there is none."""
        from caregrid.programmes.caring.scenes import POLICY

        policy: NDArray[np.str_] = self._map(POLICY, "", str)
        return policy

    @cached_property
    def policies(self) -> Mapping[int, NDArray[np.int32]]:
        """The complete optimal policy from each start state, by its number: int32[S], an action's number in each state.

        State s is `problem.mdp.states[s]`, action a is `problem.mdp.actions[a]`. `problem.evaluate` takes it.
        """
        from craftworld.solution.exact_solution import find_optimal_policies

        return find_optimal_policies(self.problem, self.care)

    @cached_property
    def hidden(self) -> Mapping[str, float]:
        """ "performance" and "violations", expected within the step limit; {} where nothing is hidden."""
        from craftworld.solution.exact_solution import find_segment_policies_at

        return measure_hidden(self.problem, lambda: find_segment_policies_at(self.problem, self.care))

    @cached_property
    def episodes(self) -> Sequence[SolvedEpisode]:
        """The acting agent's episode from the first start state, then every newcomer's; chance is drawn from `seed`."""
        from caregrid.programmes.caring.scenes import solve_episodes

        return solve_episodes(self.problem, self.care, self.seed)

    def film(
        self, overlay: str = "path", tile: TileSize = TILE, milliseconds: Milliseconds = MILLISECONDS
    ) -> RecordedFilm:
        """Film the episodes, a scene per state. overlay: "path", "policy", a value's name, "visit counts", "none"."""
        from caregrid.programmes.caring.comparison import film_problem

        return film_problem(self.problem, (self.care,), overlay, tile, milliseconds, self.seed)

    def drawings(self) -> list[str]:
        """Return every state of the episodes from each start state, drawn as text."""
        from craftworld.solution.episodes import film_episodes, make_episodes
        from renderers.text import draw

        starts = map(int, self.problem.mdp.start_states())
        return [
            draw(scene, legend=False)
            for start in starts
            for scene in film_episodes(make_episodes(self.problem, self.care, start, self.seed))
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per start state: probability, own return, the others' values, total, number of steps."""
        return [
            {
                "care": self.care,
                "start": number,
                "probability": case.probability,
                "own": case.outcome.own,
                **case.outcome.others,
                "total": case.outcome.total,
                "steps": len(case.outcome.actions),
            }
            for number, case in enumerate(self.cases)
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the rows, the policy, and every heat map."""
        maps = {name.replace(" ", "_"): value for name, value in self.values.items()}
        return {**super().arrays(), "path": _array(self.path), "policy": self.policy, **maps}

    def as_dict(self) -> dict[str, Any]:
        """Return what `caregrid solve --json` prints."""
        result = {
            "scenario": self.problem.scenario.name,
            "formulation": self.problem.formulation,
            "care": self.care,
            "own_coefficient": self.problem.own,
            **write_observed(self.problem),
            **write_outcome(self.outcome, self.cases),
            **self.hidden,
            "alternatives": [[write_outcome(outcome, ()) for outcome in listed] for listed in self.alternatives],
        }
        compared = self._compared
        return {**result, "return": result["own"]} | ({"plain_episodes": asdict(compared)} if compared else {})

    @property
    def _compared(self) -> Any:
        """How much of a wrapped world was compared with plain episodes; None of others."""
        return getattr(self.problem.scenario, "certificate", None)

    def as_certified_dict(self) -> dict[str, Any]:
        """Return the same with a "certificate" of its numbers and the "loss", what another policy may earn more."""
        certified = write_certificate(self.certificate.outcomes[0], self.outcome)
        return {**self.as_dict(), "certificate": certified, "loss": write_loss(self.certificate.loss)}

    def output(self) -> dict[str, Any]:
        """Return what `caregrid solve --json` prints: with certificate and drawings where they are asked for."""
        result = self.as_certified_dict() if self.proved else self.as_dict()
        return result | ({"frames": self.drawings()} if self.drawn else {})

    def output_text(self) -> str:
        """Return what `caregrid solve` prints: the drawings before it where they are asked for."""
        drawings = [f"{drawing}\n" for drawing in (self.drawings() if self.drawn else [])]
        return "\n".join([*drawings, self.as_certified_text() if self.proved else self.text()])

    def scene(self, overlay: str = "path") -> Scene:
        """Return the last state of the acting agent's episode with an overlay."""
        from caregrid.programmes.caring.scenes import draw_solution

        return draw_solution(self.episodes, len(self.episodes[0]) - 1, overlay)

    def figure(self) -> Figure:
        """Return the path of the acting agent, and the world as it leaves it."""
        summary = f"own {self.own:g}, {write_values(self.others)}"
        title = ", ".join(map(format_name, self.title.split(", ")))
        return scene_figure(replace(self.scene(), caption=f"{title}: {summary}"))

    def writers(self) -> dict[str, Writer]:
        """Return what writes each ending: those of every result, and films: .gif, .mp4, and .html with a player."""
        return super().writers() | film_writers(self.film)

    def text(self) -> str:
        """Return what `caregrid solve` prints."""
        lines = [
            f"own return  {self.outcome.own:g}",
            f"others      {write_values(self.outcome.others)}",
            f"total       {self.outcome.total:g}",
            *(f"{name:11} {value:g}" for name, value in self.hidden.items()),
            *([f"compared    {self._compared.text()}"] if self._compared else []),
            *describe_observed(self.problem),
        ]
        if not self.outcome.actions and not any(case.outcome.actions for case in self.cases):
            return "\n".join(lines)
        for case, others in zip(self.cases, self.alternatives, strict=True):
            if len(self.cases) > 1:
                lines.append(f"from {case.start} (probability {case.probability:g}):")
            lines.append(f"handover    {case.outcome.handover or 'never: the policy does not end'}")
            lines.append(f"actions     {', '.join(case.outcome.actions)}")
            lines += [f"as good     own return {outcome.own:g}, {write_values(outcome.others)}" for outcome in others]
        return "\n".join(lines)

    def as_certified_text(self) -> str:
        """Return the same with what is known of each number."""
        bounds = self.certificate.outcomes[0]
        scale = bounds.scale(self.outcome)
        bounded = [
            f"own return {write_exact_number(bounds.own, self.outcome.own, scale)}",
            *(
                f"{name} {write_exact_number(bounds.others[name], value, scale)}"
                for name, value in self.outcome.others.items()
            ),
            f"total {write_exact_number(bounds.total, self.outcome.total, scale)}",
        ]
        return "\n".join([self.text(), "bounds      " + "; ".join(bounded), describe_loss(self.certificate.loss)])

    def _map(self, overlay: str, empty: Any, kind: type) -> Any:
        """Return an overlay of the first scene as an array[rows, columns]."""
        from caregrid.programmes.caring.scenes import draw_overlay

        first = self.episodes[0]
        floor = call_method(first.chapter.scenario, "scene", first.chapter.episode.states[0]).floor
        cells = {
            (row, column): content for row, column, content in getattr(draw_overlay(first, 0, overlay), "cells", ())
        }
        listed = [[cells.get((row, column), empty) for column in range(len(line))] for row, line in enumerate(floor)]
        return np.array(listed or [[]], dtype=np.str_ if kind is str else np.float64)


def _array(path: tuple[Cell, ...]) -> NDArray[Any]:
    return np.array(path, dtype=np.int64).reshape(-1, 2)
