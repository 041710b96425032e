"""`caregrid.problem`: a scenario, a map, a formulation, and everything that can be asked of them.

Viewer and game of a problem open in a window or write a film headless.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from caregrid.operations import caring as operations
from caregrid.programmes.caring.problem_source import (
    SourcedProblem,
    change_map,
)
from caregrid.results import MILLISECONDS, TILE, RecordedFilm
from engine.value_types import Coefficient, Frames, Milliseconds, Seed, TileSize
from experiments.ranges import Care, read_care

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from caregrid.programmes.caring.evaluation import Policies
    from caregrid.programmes.caring.viewer import ByFormulation
    from caregrid.programmes.game import StartGame
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
    from caregrid.programmes.caring.viewer import EditableSolution, ViewableSolution
    from caregrid.programmes.screen import Screen, display

    shown_on = Screen(*screen).check()
    solution = ViewableSolution(*by_formulation(), care, seed, learned())
    display(EditableSolution(solution, on_map), shown_on)


def view_regions(
    problem: Problem, axes: Sequence[str], care: float, seed: int, screen: tuple[Out, int | None, str]
) -> None:
    """Open the viewer on a map of two coefficients. care: of agents without an axis, and where the map begins."""
    from caregrid.programmes.caring.regions import ViewableRegions, explain_axes, require_two
    from caregrid.programmes.screen import Screen, display
    from craftworld.regions import make_coefficient_axes, solve_regions

    shown_on = Screen(*screen).check()
    coefficients = require_two(make_coefficient_axes(problem, axes, care=care))
    at = (care,) * len(coefficients.names)
    display(ViewableRegions(problem, solve_regions(coefficients), explain_axes(coefficients), at, seed), shown_on)


def play_problem(game: Callable[[], StartGame], screen: tuple[Out, int | None, str], text: bool) -> None:
    """Play a game in a window, in the terminal where text says so, or into a film. game: solves, and what it makes."""
    from caregrid.programmes.play import present, require_place
    from caregrid.programmes.screen import Screen

    require_place(Screen(*screen), text)
    present(game(), Screen(*screen), text)


def start_game(problem: CaringProblem, care: float, seed: int) -> StartGame:
    """What makes the game of a caring problem; a scenario that is too large for a table is played without one."""
    from caregrid.programmes.caring.game import ReplayGame, ScenarioGame

    scenario = problem.scenario
    if scenario.replay_only:
        return lambda: ReplayGame(scenario, seed)
    exact, coefficient = problem.exact, care
    return lambda: ScenarioGame(exact, coefficient, seed, problem.source)


class CaringProblem(SourcedProblem):
    """A scenario with a formulation; its methods solve, sweep, draw and film it. Made by `caregrid.problem`."""

    solve = operations.solve
    evaluate = operations.evaluate
    breakpoints = operations.breakpoints
    statements = operations.statements
    sweep = operations.sweep
    regions = operations.regions
    infer = operations.infer
    best_responses = operations.best_responses
    train = operations.train
    precompute = operations.precompute
    compare = operations.compare
    export = operations.export

    def occupancy(self, policy: Policies, care: Coefficient = 1.0) -> NDArray[np.float64]:
        """Return how often a policy is expected to be in each state.

        Parameters
        ----------
        policy : as in `evaluate`
            What is followed.
        care : float
            The caring coefficient at which "optimal" is optimal, and with which functions are called.

        Returns
        -------
        f64[S]
            Discounted visits, the mean over the start states; of a terminal state the one when it is entered. inf
            where an undiscounted policy comes back for ever. State s is `problem.exact.mdp.states[s]`.

        Raises
        ------
        BadValue, BadFile, ContractBroken
            For a policy that does not fit the table.

        Examples
        --------
        >>> import caregrid
        >>> float(caregrid.problem("garden").occupancy("optimal", care=1).sum())
        11.0
        """
        from caregrid.programmes.caring.evaluation import read_policy
        from craftworld.policy_evaluation import compute_policy_occupancy

        return compute_policy_occupancy(self.exact, read_policy(self.exact, policy, care)[1])

    def performance(self) -> NDArray[np.float64]:
        """Return what each step adds to the hidden performance; the reward where the scenario hides none.

        Returns
        -------
        f64[S, A, K]
            By state, action and successor, which is state `problem.exact.mdp.next_state[s, a, k]`.

        Examples
        --------
        >>> import caregrid
        >>> caregrid.problem("island_navigation").performance().min()
        np.float64(-51.0)
        """
        from craftworld.measures import tabulate_performance
        from craftworld.scenario import observes_performance

        problem = self.exact
        if observes_performance(problem.scenario):
            return problem.mdp.reward
        return tabulate_performance(problem.scenario, problem.mdp)

    def film(
        self,
        care: Care = 1.0,
        overlay: str = "path",
        tile: TileSize = TILE,
        milliseconds: Milliseconds = MILLISECONDS,
        seed: Seed = 0,
        policy: Policies | Sequence[Policies] = (),
    ) -> RecordedFilm:
        """Return the episodes of the exact solution; several coefficients play side by side.

        overlay: "path", "policy", a value's name such as "own value", "visit counts" or "none". seed: where chance
        decides, which sample of it is shown. policy: as in `compare`.
        """
        from caregrid.programmes.caring.comparison import film_problem

        cares = read_care(care)
        shown = self.learned(policy, cares[0])
        return film_problem(self.exact, cares, overlay, tile, milliseconds, seed, shown)

    def view(
        self,
        care: Coefficient = 1.0,
        *,
        seed: Seed = 0,
        out: str | Path | None = None,
        frames: Frames | None = None,
        keys: str = "",
        policy: Policies | Sequence[Policies] = (),
        axes: str | Sequence[str] = (),
    ) -> None:
        """Open the viewer in a window, or, with `out`, write what it would show into a film.

        seed: where chance decides, which sample of it is shown. frames: at most so many. keys: to press, one a frame,
        joined by commas. policy: as in `compare`; the first is shown, with the optimal path beside its own. axes:
        two agents; a click on the map of their coefficients then chooses the behaviour that is shown.
        """
        screen = (out, frames, keys)
        if not isinstance(axes, str | tuple) or axes:
            from caregrid.programmes.caring.regions import list_axes

            if named := list_axes(axes):
                view_regions(self.exact, named, care, seed, screen)
                return
        view_problem(self.by_formulation, care, seed, screen, lambda: self.learned(policy, care), self._on_map)

    def play(
        self,
        care: Coefficient = 1.0,
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

    def game(self, care: Coefficient = 1.0, seed: Seed = 0) -> StartGame:
        """Return what makes the game that `play` plays (`caregrid.programmes.game.Game`), the same one each time."""
        return start_game(self, care, seed)

    def _on_map(self, grid: GridMap) -> ByFormulation:
        """Return the problems by formulation on another map."""
        return type(self)(change_map(self.source, grid)).by_formulation()

    def learned(self, policies: Policies | Sequence[Policies], care: Coefficient = 1.0) -> list[LearnedPolicy]:
        """Return the policies that stand beside optima, as `evaluate` takes them; BadFile for another table's."""
        from caregrid.programmes.caring.evaluation import read_shown_policies

        return read_shown_policies(self.exact, policies, care)
