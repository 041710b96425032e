"""`problem.film` and `problem.compare`: films of exact solutions, and pictures that compare their paths."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from caregrid.programmes.caring.outcome_json import outcome_dict
from caregrid.results.film import MILLISECONDS, TILE, RecordedFilm, scene_figure
from caregrid.results.result import Result, Writer
from engine.errors import UnknownName, argument
from engine.plain_values import finite_or_none

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.solution.outcome import CaringOutcome, StartOutcome
    from craftworld.solution.problem import Problem
    from engine.scene import Scene
    from experiments.learned_policy import LearnedPolicy

PAPER_PICTURES = ("pdf", "svg")  # written by matplotlib; every other ending is a film of one scene


def film_problem(
    problem: Problem,
    cares: Sequence[float],
    overlay: str = "path",
    tile: int = TILE,
    milliseconds: int = MILLISECONDS,
    seed: int = 0,
    learned: Sequence[LearnedPolicy] = (),
) -> RecordedFilm:
    """The episodes at one coefficient, or at several side by side, learned policies beside them.

    Raises UnknownName for an overlay that is not there.
    """
    from caregrid.programmes.caring.path_scenes import film_solutions
    from caregrid.programmes.caring.scenes import list_overlays, solve_episodes

    overlays = list_overlays(solve_episodes(problem, cares[0], seed))
    if overlay not in overlays:
        raise UnknownName("overlay", overlay, overlays, place=argument("overlay"))
    chosen = ", ".join(f"{care:g}" for care in cares)
    name = f"{problem.scenario.name}, {problem.formulation}, care {chosen}"
    return RecordedFilm(name, film_solutions(problem, cares, overlay, seed, learned), tile, milliseconds)


@dataclass(frozen=True, repr=False, eq=False)
class PathComparison(Result):
    """The paths that coefficients and formulations lead to, side by side ("Be Considerate", Figures 2 and 3).

    problems: one for each formulation. care: the coefficients; without any, every segment of them is shown. scene: the
    picture. tile: pixels a cell when saved.
    learned: learned policies beside the optimal ones.
    """

    problems: Sequence[Problem]
    care: tuple[float, ...]
    scene: Scene
    tile: int = 32
    learned: Sequence[LearnedPolicy] = ()
    out: str | Path | None = None
    as_wide_as_terminal: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """The scenario."""
        return f"paths in {self.problems[0].scenario.name}"

    def outcomes(self) -> list[dict[str, Any]]:
        """What each path leads to, ready for JSON."""
        from caregrid.programmes.caring.path_scenes import list_care_segments
        from craftworld.solution.exact_solution import solve
        from craftworld.solution.outcome import describe_policy_outcome

        result = []
        for problem in self.problems:
            for care in self.care or [segment.inside for segment in list_care_segments(problem)]:
                heading = {"formulation": problem.formulation, "policy": "optimal", "care": care}
                result.append(heading | _describe_outcome(*solve(problem, care)))
            for policy in self.learned:
                heading = {"formulation": problem.formulation, "policy": policy.label, "care": policy.care}
                result.append(heading | _describe_outcome(describe_policy_outcome(problem, policy.actions)))
        return result

    def rows(self) -> list[dict[str, Any]]:
        """A row a path: formulation, policy, coefficient, own return, the others' values, total, chance of its end."""
        return [
            {
                "formulation": outcome["formulation"],
                "policy": outcome["policy"],
                "care": outcome["care"],
                "own": outcome["own"],
                **outcome["others"],
                "total": outcome["total"],
                "ends": outcome["ends"],
            }
            for outcome in self.outcomes()
        ]

    def as_dict(self) -> dict[str, Any]:
        """{"scenario", "rows"}."""
        return {"scenario": self.problems[0].scenario.name, "rows": self.outcomes()}

    def figure(self) -> Figure:
        """The picture."""
        return scene_figure(self.scene, self.tile)

    def text(self) -> str:
        """The picture, drawn as text."""
        from renderers.text import draw

        return draw(self.scene)

    def writers(self) -> dict[str, Writer]:
        """As every result; .png, .gif, .mp4 and .txt are the picture as `caregrid compare` draws it."""
        film = RecordedFilm(self.title, (self.scene,), self.tile).writers()
        return super().writers() | {ending: film[ending] for ending in ("png", "gif", "mp4", "txt")}

    def output(self) -> dict[str, Any]:
        """What `caregrid compare --json` prints."""
        compared = self.as_dict()
        return {"scenario": compared["scenario"], "out": None if self.out is None else str(self.out), **compared}

    def output_text(self) -> str:
        """What `caregrid compare` prints: the picture as wide as the terminal, or where it was written."""
        from renderers.text import draw, shows_colour

        if self.out is not None:
            return f"{self.title}: {self.out}"
        return draw(self.scene, coloured=shows_colour(sys.stdout), width=shutil.get_terminal_size().columns)

    def save_picture(self, path: str | Path) -> Path:
        """Write the picture in any format that films have, or as .svg or .pdf."""
        if _read_ending(path) in PAPER_PICTURES:
            return self.save(path)
        return RecordedFilm(self.title, (self.scene,), self.tile).save(path)

    @staticmethod
    def checked_picture(path: str | Path) -> None:
        """Refuse, before anything is solved, what `save_picture` cannot write; raises as `save` does."""
        from experiments.figures.style import require_matplotlib
        from renderers.film import FORMATS, format_for

        if (ending := _read_ending(path)) in PAPER_PICTURES:
            require_matplotlib()
        elif ending not in FORMATS:
            endings = {*FORMATS, *PAPER_PICTURES}
            raise UnknownName("kind of picture", ending or str(path), endings, place=argument("out"))
        else:
            format_for(path)


def _read_ending(path: str | Path) -> str:
    return Path(path).suffix.removeprefix(".").lower()


def _describe_outcome(outcome: CaringOutcome, cases: Sequence[StartOutcome] = ()) -> dict[str, Any]:
    """An outcome ready for JSON, with the probability that the policy ends."""
    return outcome_dict(outcome, cases) | {"ends": finite_or_none(outcome.ends)}


def compare_paths(
    problems: Sequence[Problem], care: tuple[float, ...], tile: int, learned: Sequence[LearnedPolicy] = ()
) -> PathComparison:
    """The comparison of several problems on one scenario."""
    from caregrid.programmes.caring.path_scenes import draw_path_comparison

    return PathComparison(problems, care, draw_path_comparison(problems, care, learned), tile, learned)
