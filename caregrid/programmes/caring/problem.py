"""`caregrid.problem`: a scenario, a map, a formulation, and everything that can be asked of them.

Viewer and game of a problem open in a window or write a film headless.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from caregrid.input_checks import (
    Care,
    check_arguments,
    read_care,
    require_finite_coefficient,
)
from caregrid.operations import caring as operations
from caregrid.programmes.caring.comparison import film_problem
from caregrid.programmes.caring.problem_source import (
    SourcedProblem,
    change_map,
)
from caregrid.programmes.caring.training import PolicyOrFolder, read_policies
from caregrid.results.film import MILLISECONDS, TILE, RecordedFilm
from engine.value_types import Frames, Milliseconds, Seed, TileSize

if TYPE_CHECKING:
    from caregrid.programmes.caring.map_editor import ByFormulation
    from caregrid.programmes.game import StartGame
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from engine.grid import GridMap
    from experiments.learned_policy import LearnedPolicy

Out = str | Path | None


def view_problem(
    by_formulation: Callable[[], ByFormulation],
    care: float,
    seed: int,
    screen: tuple[Out, int | None, str],
    learned: Callable[[], Sequence[LearnedPolicy]],
    on_map: Callable[[GridMap], ByFormulation],
) -> None:
    """Open the viewer. screen: a film's file or None for a window, frames and keys, see `Screen`.

    on_map: the problems on a map that is drawn in the viewer.
    """
    from caregrid.programmes.caring.map_editor import EditableSolution
    from caregrid.programmes.caring.viewer import ViewableSolution
    from caregrid.programmes.screen import Screen, display

    shown_on = Screen(*screen).checked()
    solution = ViewableSolution(*by_formulation(), require_finite_coefficient(care), seed, learned())
    display(EditableSolution(solution, on_map), shown_on)


def view_regions(
    problem: Problem, axes: str | Sequence[str], care: float, seed: int, screen: tuple[Out, int | None, str]
) -> None:
    """Open the viewer on a map of two coefficients. care: of agents without an axis, and where the map begins."""
    from caregrid.programmes.caring.region_viewer import ViewableRegions, require_two
    from caregrid.programmes.caring.regions import explain_axes, list_axes
    from caregrid.programmes.screen import Screen, display
    from craftworld.regions import make_coefficient_axes, solve_regions

    shown_on = Screen(*screen).checked()
    chosen = require_two(make_coefficient_axes(problem, list_axes(axes), care=care))
    at = (require_finite_coefficient(care),) * len(chosen.names)
    display(ViewableRegions(problem, solve_regions(chosen), explain_axes(chosen), at, seed), shown_on)


def play_problem(game: Callable[[], StartGame], screen: tuple[Out, int | None, str], text: bool) -> None:
    """Play a game in a window, in the terminal where text says so, or into a film. game: solves, and what it makes."""
    from caregrid.programmes.play import present, require_place
    from caregrid.programmes.screen import Screen

    require_place(Screen(*screen), text)
    present(game(), Screen(*screen), text)


def start_game(scenario: Scenario, by_formulation: Callable[[], ByFormulation], care: float, seed: int) -> StartGame:
    """What makes the game of a caring problem; a scenario that is too large for a table is played without one."""
    from caregrid.programmes.caring.scenario_games import ReplayGame, ScenarioGame

    if scenario.replay_only:
        return lambda: ReplayGame(scenario, seed)
    make_problem, (first, *_) = by_formulation()
    problem, coefficient = make_problem(first), require_finite_coefficient(care)
    return lambda: ScenarioGame(problem, coefficient, seed)


class CaringProblem(SourcedProblem):
    """A scenario with a formulation; its methods solve, sweep, draw and film it. Made by `caregrid.problem`."""

    solve = operations.solve
    breakpoints = operations.breakpoints
    sweep = operations.sweep
    regions = operations.regions
    infer = operations.infer
    best_responses = operations.best_responses
    train = operations.train
    precompute = operations.precompute
    compare = operations.compare

    @check_arguments
    def film(
        self,
        care: Care = 1.0,
        overlay: str = "path",
        tile: TileSize = TILE,
        milliseconds: Milliseconds = MILLISECONDS,
        seed: Seed = 0,
        policies: Sequence[PolicyOrFolder] = (),
    ) -> RecordedFilm:
        """The episodes of the exact solution; several coefficients play side by side.

        overlay: "path", "policy", a value's name such as "own value", "visit counts" or "none". seed: where chance
        decides, which sample of it is shown. policies: as in `compare`.
        """
        return film_problem(self.exact, read_care(care), overlay, tile, milliseconds, seed, self.learned(policies))

    @check_arguments
    def view(
        self,
        care: float = 1.0,
        *,
        seed: Seed = 0,
        out: str | Path | None = None,
        frames: Frames | None = None,
        keys: str = "",
        policies: Sequence[PolicyOrFolder] = (),
        axes: str | Sequence[str] = (),
    ) -> None:
        """Open the viewer in a window, or, with `out`, write what it would show into a film.

        seed: where chance decides, which sample of it is shown. frames: at most so many. keys: to press, one a frame,
        joined by commas. policies: as in `compare`; the first is shown, with the optimal path beside its own. axes:
        two agents; a click on the map of their coefficients then chooses the behaviour that is shown.
        """
        if axes:
            view_regions(self.exact, axes, care, seed, (out, frames, keys))
            return
        screen = (out, frames, keys)
        view_problem(self.by_formulation, care, seed, screen, lambda: self.learned(policies), self._on_map)

    @check_arguments
    def play(
        self,
        care: float = 1.0,
        *,
        seed: Seed = 0,
        out: str | Path | None = None,
        frames: Frames | None = None,
        keys: str = "",
        text: bool = False,
    ) -> None:
        """Play the acting agent in a window; with `out`, `keys` play (without any, the exact optimum) into a film.

        seed: where chance decides, what it is drawn from. text: play in the terminal. A world that is too large for a
        table is played without an optimum to compare with; without keys its first demonstration plays.
        """
        play_problem(lambda: self.game(care, seed), (out, frames, keys), text)

    @check_arguments
    def game(self, care: float = 1.0, seed: Seed = 0) -> StartGame:
        """What makes the game that `play` plays (`caregrid.programmes.game.Game`), the same one each time."""
        return start_game(self.scenario, self.by_formulation, care, seed)

    def _on_map(self, grid: GridMap) -> ByFormulation:
        """The problems by formulation on another map."""
        return type(self)(change_map(self.source, grid)).by_formulation()

    def learned(self, policies: Sequence[PolicyOrFolder]) -> list[LearnedPolicy]:
        """Learned policies as they are given, or read from folders; BadFile where one is for another table."""
        return read_policies(self.exact, policies)
