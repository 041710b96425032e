"""Operations of caring agents: solve, sweep and compare a problem, find its break points, train on it.

Each takes a problem first: in Python they are methods of `caregrid.problem(...)`; on the command line the problem is
made from its scenario, --map, --set, --formulation, --own, --discount and --values.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, Unpack

from caregrid.command_line.operation import Word, operation
from caregrid.input_checks import Care, Seeds, read_care, read_seeds, write_care
from caregrid.runs.execution import Execution, Place, RunOptions
from engine.bounds import Seed, Steps

if TYPE_CHECKING:
    from caregrid.programmes.caring.problem_source import SourcedProblem
    from caregrid.programmes.caring.solution import CaringSolution
    from caregrid.programmes.caring.sweep import BreakPoints, CareSweep

__all__ = ["breakpoints", "solve", "sweep"]

GROUP = "Caring agents"
PROBLEM = Word(made_by="problem", required=("scenario",))
WORKSHOP = Word(made_by="problem")
"""A problem on the workshop, where no scenario is named."""


@operation(group=GROUP)
def solve(
    problem: Annotated[SourcedProblem, PROBLEM],
    care: float = 1.0,
    *,
    draw: bool = False,
    certify: bool = False,
    seed: Annotated[Seed, Word(hidden=True)] = 0,
) -> CaringSolution:
    """Solve a scenario exactly at one caring coefficient.

    Prints the acting agent's own return, each newcomer's value, the total, what is handed over, and the actions.

    Parameters
    ----------
    care : float
        The caring coefficient.
    draw : bool
        Draw every state of the acting agent's episode and of the newcomers' episodes after it.
    certify : bool
        Prove every number: in fractions, or within 1e-9 of its scale; what is not, is marked.
    seed : int
        Where chance decides, which sample the episodes show; values are exact.

    Returns
    -------
    CaringSolution
        Outcome, path, policy, values and film.

    Raises
    ------
    BadValue
        Where no finite optimum exists at this coefficient.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").solve(care=0).own
    -9.0
    """
    from caregrid.programmes.caring.solution import CaringSolution
    from craftworld.solution.exact_solution import solve as solve_exactly

    return CaringSolution(problem.exact, care, *solve_exactly(problem.exact, care), seed, draw, certify)


@operation(group=GROUP)
def breakpoints(
    problem: Annotated[SourcedProblem, PROBLEM],
    between: Annotated[tuple[float, float], Word(made_by="care_range")] = (0.0, math.inf),
    *,
    epsilon: Annotated[float, Word(metavar="E")] = 0.0,
    certify: bool = False,
) -> BreakPoints:
    """Find every coefficient at which the optimal policy changes, and what it changes to.

    Exact: every segment between two break points, its own return and the others' values.

    Parameters
    ----------
    between : tuple of two floats
        The least and the largest coefficient, -inf and inf for no bound.
    epsilon : float
        Keep only the fewest segments whose augmented return, own + care * auxiliary, is nowhere more than this below
        the optimum, absolutely.
    certify : bool
        Prove every number: in fractions, or within 1e-9 of its scale; what is not, is marked.

    Returns
    -------
    BreakPoints
        Segments, ties and the range that was solved; its `certificate` proves them.

    Raises
    ------
    BadValue
        For an empty range.

    Examples
    --------
    >>> import caregrid
    >>> len(caregrid.problem("garden").breakpoints())
    4
    """
    from caregrid.programmes.caring.sweep import solve_break_points

    return solve_break_points(problem.exact, between, epsilon, certify)


@operation(group=GROUP, instead=("dry_run",))
def sweep(
    problem: Annotated[SourcedProblem, WORKSHOP],
    care: Annotated[Care, Word(metavar="RANGE")] = "0:7:0.01",
    *,
    method: Literal["exact", "q_learning", "both"] = "exact",
    seeds: Annotated[Seeds, Word(metavar="SEEDS")] = "1",
    seed: Seed = 0,
    steps: Steps | None = None,
    others_steps: Steps | None = None,
    quick: bool = False,
    certify: bool = False,
    out: Annotated[Place, Word(metavar="DIR", default=True)] = None,
    **options: Unpack[RunOptions],
) -> CareSweep:
    """Sweep the caring coefficient: a table, the break points and the paper's figure.

    Without arguments: Figure 1(b) of "Be Considerate", exactly. `--method q_learning` runs the paper's learning
    protocol, `--method both` draws one over the other. Writes sweep.csv, breakpoints.json, sweep.png and manifest.json;
    finished units are stored beside them, and the same command continues where it stopped.

    Parameters
    ----------
    care : str or floats
        Coefficients: start:stop:step (stop left out), a,b,c, or numbers.
    method : str
        Exact solutions, policies learned from each seed, or both.
    seeds : str or ints
        Of the learning agents: how many (10: seeds 0 to 9), a list (1,2,3) or a range (0:10).
    seed : int
        The number that all random keys derive from.
    steps : int
        The acting agent learns for so many; until it is settled by default.
    others_steps : int
        Newcomers learn for so many; until they are settled by default.
    quick : bool
        Every tenth coefficient only.
    certify : bool
        Add a column of proved error bounds, 0 for exact fractions, and certificates of the break points.
    out : str, Path or True
        A directory for table, break points, figure and finished units, which goes on where it stopped; by default
        one below results/ on the command line, and none in Python. True: one below results/.

    Returns
    -------
    CareSweep
        A row for each coefficient, method and seed.

    Raises
    ------
    BadValue
        For a range that is empty or has more than 1,000,000 coefficients.
    RunNotFinished
        Where a unit fails or the run is stopped.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").sweep(care="0,1").rows()[1]["own"]
    -10.0
    """
    from caregrid.programmes.caring.sweep import run_sweep
    from experiments.requests.sweep import CareSweepRequest

    coefficients = read_care(care)[::10] if quick else care
    learned = (read_seeds(seeds), seed, steps, others_steps)
    request = CareSweepRequest.of(problem.source, write_care(coefficients), method, *learned)
    return run_sweep(request, out, Execution(**options), certify)
