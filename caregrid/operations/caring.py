"""Operations of caring agents: solve, sweep and compare a problem, find its break points, train on it.

Each takes a problem first: in Python they are methods of `caregrid.problem(...)`; on the command line the problem is
made from its scenario, --map, --set, --formulation, --own, --discount and --values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE, MAP, NAMES, OPTIONS, POLICIES, PROBLEM, SCENARIO, SEEDS, YES
from caregrid.input_checks import SEGMENTS, Care, Seeds, read_care, read_care_or_segments, read_seeds, write_care
from caregrid.runs.execution import Execution, Place, RunOptions
from engine.value_types import NAMES as LIST_OF_NAMES
from engine.value_types import Rounds, Seed, Steps, TileSize, Utilities

if TYPE_CHECKING:
    from caregrid.programmes.caring.best_responses import BestResponses
    from caregrid.programmes.caring.comparison import PathComparison
    from caregrid.programmes.caring.episodes import EpisodePenalties
    from caregrid.programmes.caring.others_values import Demonstrations, InferredOthers, OthersValues
    from caregrid.programmes.caring.problem_source import Map, SourcedProblem
    from caregrid.programmes.caring.regions import RegionMap
    from caregrid.programmes.caring.solution import CaringSolution
    from caregrid.programmes.caring.sweep import BreakPoints, CareSweep
    from caregrid.programmes.caring.training import PolicyOrFolder, TrainingResult
    from craftworld.formulation import Formulation
    from craftworld.scenario import Scenario

__all__ = [
    "best_responses",
    "breakpoints",
    "compare",
    "infer",
    "penalties",
    "precompute",
    "regions",
    "solve",
    "sweep",
    "train",
]

GROUP = "Caring agents"
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
    -6.0
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
    >>> caregrid.problem("garden").breakpoints().points
    (0.2, 3.5)
    """
    from caregrid.programmes.caring.sweep import solve_break_points

    return solve_break_points(problem.exact, between, epsilon, certify)


@operation(group=GROUP, instead=("dry_run",))
def sweep(
    problem: Annotated[SourcedProblem, WORKSHOP],
    care: Annotated[Care, Word(metavar="RANGE")] = "0:7:0.01",
    *,
    method: Literal["exact", "q_learning", "both"] = "exact",
    seeds: Annotated[Seeds, SEEDS] = "1",
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


@operation(group=GROUP)
def regions(
    problem: Annotated[SourcedProblem, PROBLEM],
    axes: Annotated[str | Sequence[str], LIST_OF_NAMES, NAMES] = (),
    *,
    beliefs: Annotated[str | Sequence[str], LIST_OF_NAMES, NAMES] = (),
    between: Annotated[tuple[float, float], Word(made_by="care_range")] = (0.0, math.inf),
    care: float = 1.0,
    epsilon: Annotated[float, Word(metavar="E")] = 0.0,
    out: Annotated[str | Path | None, FILE] = None,
    progress: Annotated[Callable[[int, float], None] | None, Word(made_by="progress")] = None,
) -> RegionMap:
    """Find every optimal behaviour for several coefficients at once, and where each is optimal.

    There is one coefficient for each agent ("own" is the weight of the acting agent's own reward), or for each belief:
    the probabilities with which newcomers come. If all coefficients equal c, it is the caring coefficient c of other
    commands. A region is a polyhedron: the printed inequalities, or "halfspaces" in JSON, which are rows
    [a_1, ..., a_k, b] of a . c <= b. A picture shows one coefficient as a number line and two as a map, with the path
    of each region.

    Parameters
    ----------
    axes : str or sequence of str
        Agents, or own; every agent by default.
    beliefs : str or sequence of str
        Newcomers that may come: their probabilities are the axes; that of the last one is what is left to 1.
    between : tuple of two floats
        The range of every coefficient, -inf and inf for no bound.
    care : float
        The coefficient of agents without an axis, or of all where beliefs are the axes.
    epsilon : float
        Stop at behaviours that lose at most so much of the return, absolutely.
    out : str or Path
        A file for the picture or table (.png, .svg, .pdf, .csv, ...).
    progress : function
        Called with the plans done and those known to be needed.

    Returns
    -------
    RegionMap
        The regions, each with its inequalities, path and returns.

    Raises
    ------
    UnknownName, BadValue, BadFile
        For axes or a file that cannot be, before anything is solved.
    NoPlan
        Where nothing is finite.

    Examples
    --------
    >>> import caregrid
    >>> len(caregrid.problem("toll_road").regions().rows()) > 1
    True
    """
    from caregrid.programmes.caring.regions import solve_region_map

    return solve_region_map(problem.exact, axes, beliefs, between, care, epsilon, out, progress)


@operation(group=GROUP)
def infer(
    problem: Annotated[SourcedProblem, PROBLEM],
    demonstrations: Annotated[Demonstrations | None, FILE] = (),
    *,
    temperature: Annotated[float, Word(metavar="T")] = 1.0,
    prior: Annotated[Mapping[str, float] | None, Word(hidden=True)] = None,
    worth_at: Annotated[float | None, Word(metavar="CARE")] = None,
    out: Annotated[str | Path | None, FILE] = None,
) -> InferredOthers:
    """Infer who comes afterwards from what they did: Bayesian inverse reinforcement learning over newcomers.

    The candidates are the scenario's newcomers; they act by Boltzmann's rule, exp(Q / temperature). Demonstrations are
    a JSON file, {"demonstrations": [{"start": {...}, "actions": [...]}]}; "start" is a state in words, as 'caregrid
    solve' prints its handover. Prints the posterior after each demonstration, and the break points.

    Parameters
    ----------
    demonstrations : str, Path or sequence of mappings
        What a newcomer did; nothing seen yet by default.
    temperature : float
        Of Boltzmann's rule, in units of the reward.
    prior : mapping
        The chance of each newcomer.
    worth_at : float
        Also what one more demonstration is worth before acting at this coefficient.
    out : str or Path
        A file for the others' values (.npz, for --values), a picture (.png) or a table (.csv, .json).

    Returns
    -------
    InferredOthers
        The posterior after every demonstration; its `values` are values of others for `problem`.

    Raises
    ------
    BadValue, BadFile
        For demonstrations or a prior that do not fit the scenario.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").infer().posterior
    {'agent 2': 0.5, 'agent 3': 0.5}
    """
    from caregrid.programmes.caring.others_values import infer_others
    from engine.value_types import require_coefficient

    if worth_at is not None:
        require_coefficient(worth_at, "--worth-at")
    return infer_others(problem.exact, demonstrations or (), temperature, prior, out, worth_at)


@operation(group=GROUP)
def best_responses(
    problem: Annotated[
        SourcedProblem,
        Word(made_by="problem", required=("scenario",), only=("scenario", "own", "discount", "map", "options")),
    ],
    care: float = 0.0,
    *,
    coefficients: Annotated[Mapping[str, Mapping[str, float]] | None, Word(made_by="pair_coefficients")] = None,
    begin: Annotated[str, Word(metavar="B")] = "declared",
    order: Annotated[str, Word(metavar="O")] = "in turn",
    damping: Annotated[float, Word(metavar="D")] = 0.0,
    rounds: Rounds = 100,
    out: Annotated[str | Path | None, FILE] = None,
) -> BestResponses:
    """Let every agent of a shared world plan for itself, against the others' policies, in rounds.

    Each agent takes its best response to the others, in turn or all at once, until nobody changes. The result is then a
    Markov perfect equilibrium: from no state does anybody gain by changing alone. It need not be the best for anybody,
    nor the only equilibrium. Prints everybody's own return before each round, and the regret: what the best change
    alone would gain. One planner for all agents is an option of the scenario: 'caregrid solve SCENARIO --set
    planner=all'.

    Parameters
    ----------
    care : float
        Everybody's coefficient for everybody else.
    coefficients : mapping who -> whom -> float
        Coefficients of single pairs of agents.
    begin : str
        Policies at first: declared by the scenario, or joint, those of one planner for all.
    order : str
        'in turn' or 'at once'.
    damping : float
        How much of the old policy stays in a round, from 0 to below 1.
    rounds : int
        At most so many.
    out : str or Path
        A file for the table or picture (.csv, .json, .png, ...).

    Returns
    -------
    BestResponses
        Everybody's return and regret in each round, and the policies at the end.

    Raises
    ------
    BadValue, UnknownName
        For a scenario that nobody shares, or for agents, an order or a beginning that it does not have.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("passing_places").best_responses(rounds=5).title
    'passing_places: a Markov perfect equilibrium after 5 rounds: nobody gains alone, from any state'
    """
    from caregrid.programmes.caring.best_responses import find_best_responses

    return find_best_responses(problem.exact, care, coefficients, begin, order, damping, rounds, out)


@operation(group=GROUP)
def train(
    problem: Annotated[SourcedProblem, PROBLEM],
    agent: Annotated[str, Word(metavar="A", kinds=("agents",))] = "q_learning",
    care: float = 1.0,
    *,
    steps: Steps | None = None,
    seed: Seed = 0,
    out: Annotated[str | Path | None, Word(metavar="DIR", needed=True)] = None,
    confirmed: Annotated[bool, YES] = False,
    device: Annotated[str, Word(metavar="DEVICE")] = "cpu",
) -> TrainingResult:
    """Train an agent on a scenario at one caring coefficient, and store its policy and learning curve.

    `q_learning` is the tabular learner of 'caregrid sweep'. All other agents, such as `dqn`, `sb3_dqn`, `stacked_dqn`
    or your own MODULE:NAME, observe the state's number and the reward. At checkpoints the greedy policy is evaluated
    and compared with the exact optimum. `caregrid view`, `record` and `compare` show it with --policy DIR.

    Parameters
    ----------
    agent : str
        An agent (see 'caregrid list agents') or MODULE:NAME.
    care : float
        The caring coefficient.
    steps : int
        Of the world; by default as many as agent and world need.
    seed : int
        Of all random numbers.
    out : str or Path
        A folder for policy, learning curve and figure; one that holds the same training already is read.
    confirmed : bool
        Take any number of steps.
    device : str
        cpu, or cuda for stacked deep agents.

    Returns
    -------
    TrainingResult
        The learning curve against the exact optimum, and the policy.

    Raises
    ------
    CaregridError
        For an agent, a number of steps or a folder that cannot be.
    """
    from caregrid.programmes.caring.training import run_training

    return run_training(problem.source, care, agent, steps, seed, out, confirmed, device)


@operation(group=GROUP)
def precompute(
    problem: Annotated[
        SourcedProblem,
        Word(made_by="problem", required=("scenario",), only=("scenario", "discount", "map", "options")),
    ],
    *,
    method: Literal["exact", "q_learning"] = "exact",
    seed: Seed = 0,
    steps: Steps | None = None,
    confirmed: Annotated[bool, YES] = False,
    out: Annotated[str | Path | None, Word(metavar="FILE", needed=True)] = None,
) -> OthersValues:
    """Compute the others' values once and save them, for 'solve', 'breakpoints' and 'sweep' to load with --values.

    Parameters
    ----------
    method : str
        Exact values, or values of newcomers that learn.
    seed : int
        Of the learning newcomers.
    steps : int
        Newcomers learn for so many; until they are settled by default.
    confirmed : bool
        Take any number of steps.
    out : str or Path
        The .npz file to write.

    Returns
    -------
    OthersValues
        What the others can expect, on every state of the acting agent.

    Raises
    ------
    BadValue, BadFile
        For steps that must be confirmed, or a file that cannot be written.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").precompute().names
    ('agent 2', 'agent 3')
    """
    from caregrid.programmes.caring.others_values import precompute_others_values

    values = precompute_others_values(problem.scenario, problem.source.discount, method, seed, steps, confirmed)
    if out is None:
        return values
    values.save(out, "npz")
    return replace(values, file=str(out))


@operation(group=GROUP)
def compare(
    problem: Annotated[SourcedProblem, Word(made_by="problem", required=("scenario",), without=("formulation",))],
    care: Annotated[Care, Word(metavar="X,X,...")] = SEGMENTS,
    formulations: Annotated[
        str | Iterable[str | Formulation] | None, Word(option="--formulation", metavar="F,F", kinds=("formulations",))
    ] = None,
    tile: TileSize = 32,
    policies: Annotated[Sequence[PolicyOrFolder], POLICIES] = (),
    *,
    out: Annotated[str | Path | None, FILE] = None,
) -> PathComparison:
    """Compare the behaviours of several coefficients and formulations, side by side, as in the paper's Figures 2 and 3.

    Each formulation has a row of panels: a path, the world as the agent leaves it, and bars of the returns.
    Coefficients with the same behaviour share a panel. By default every segment is shown, on a number line with the
    exact break points; with coefficients also all paths on one map. Without a file it is drawn as text, as wide as the
    terminal.

    Parameters
    ----------
    care : str or floats
        Caring coefficients, or segments: all that differ.
    formulations : str or sequence
        Formulations, separated by commas; by default the scenario's.
    tile : int
        Pixels per cell.
    policies : sequence of str, Path or TrainingResult
        A learned policy, kept by 'caregrid train', beside the optimal one; repeatable.
    out : str or Path
        A file for the picture: .png, .svg, .pdf or any film format.

    Returns
    -------
    PathComparison
        A row for each path, and the picture.

    Raises
    ------
    UnknownName, BadValue, BadFile
        For formulations, coefficients or files that cannot be.

    Examples
    --------
    >>> import caregrid
    >>> [row["own"] for row in caregrid.problem("garden").compare("0,1").rows()]
    [-6.0, -10.0]
    """
    from caregrid.programmes.caring.comparison import PathComparison, compare_paths
    from caregrid.programmes.caring.problem_source import list_formulations
    from caregrid.programmes.caring.training import read_policies

    if out is not None:
        PathComparison.checked_picture(out)
    cares = read_care_or_segments(care)
    named = list_formulations(formulations)
    problems = [problem] if formulations is None else [problem.with_formulation(one) for one in named]
    compared = compare_paths([one.exact for one in problems], cares, tile, read_policies(problem.exact, policies))
    if out is not None:
        compared.save_picture(out)
    return replace(compared, out=out)


@operation(group=GROUP)
def penalties(
    scenario: Annotated[str | Scenario | type[Scenario], SCENARIO],
    actions: Annotated[str | Sequence[str], Word(metavar="ACTION,ACTION,...")] = (),
    *,
    demonstration: Annotated[str | None, Word(metavar="NAME")] = None,
    seed: Seed = 0,
    chance: Annotated[str | Sequence[str], Word(metavar="OUTCOME,...")] = (),
    discount: Annotated[float, Word(metavar="G")] = 0.99,
    utilities: Utilities = 10,
    map: Annotated[Map | None, MAP] = None,
    options: Annotated[Mapping[str, Any] | Sequence[str], OPTIONS] = (),
) -> EpisodePenalties:
    """Compute the side-effect penalties of every step of an episode, against four baselines.

    UR is unreachability, RR relative reachability, AU attainable utility; (t) counts losses only, (a) gains as well.
    The last step of an episode is penalised as the one before it. Baselines: the starting state, inaction from the
    start on, stepwise inaction, and stepwise inaction with inaction rollouts.

    Parameters
    ----------
    scenario : str, Scenario or class
        A scenario (caregrid list scenarios), MODULE:NAME of your own, or gym:ID.
    actions : str or sequence of str
        The actions, by name.
    demonstration : str
        One of the scenario's own, in place of actions.
    seed : int
        Of what chance leaves open, and of utilities.
    chance : str or sequence of str
        Outcomes of chance, by name.
    discount : float
        Of reachability and utilities, above 0, up to 1; attainable utility needs one below 1.
    utilities : int
        How many random utility functions.
    map : str, Path or GridMap
        Your own map, drawn with the scenario's legend.
    options : mapping or texts NAME=VALUE
        An option of the scenario (see 'caregrid show'); repeatable.

    Returns
    -------
    EpisodePenalties
        Every measure against every baseline, for each step.

    Raises
    ------
    BadValue
        For a world that is too large, or whose steps depend on chance.

    References
    ----------
    V. Krakovna et al., "Penalizing side effects using stepwise relative reachability" (2019); A. Turner et al.,
    "Conservative agency via attainable utility preservation" (2020).
    """
    from caregrid.programmes.caring.episodes import EpisodePenalties, rollout
    from caregrid.programmes.caring.problem_source import make_problem_source
    from craftworld.side_effect_penalties import compute_side_effect_penalties
    from engine.errors import BadValue

    if not 0.0 < discount <= 1.0:
        raise BadValue(f"discount = {discount}", place="penalties", remedy="choose a number above 0, up to 1")
    replayed = rollout(
        scenario, actions, demonstration=demonstration, seed=seed, chance=chance, map=map, options=options
    )
    made = make_problem_source(scenario, None, map, discount, None, None, options).make_scenario()
    found = compute_side_effect_penalties(made, replayed.rollout, discount, utilities, seed)
    return EpisodePenalties(replayed, discount, tuple(found))
