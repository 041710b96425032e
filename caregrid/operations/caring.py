"""Operations of caring agents: solve, sweep and compare a problem, find its break points, train on it.

Each takes a problem first: in Python they are methods of `caregrid.problem(...)`; on the command line the problem is
made from its scenario, --map, --set, --formulation, --own, --discount and --values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE, MAP, NAMES, POLICY, PROBLEM, SCENARIO, SEEDS, SET
from caregrid.runs.execution import PLANS, WHERE, Execution, Place, RunOptions
from engine.errors import BadValue, argument
from engine.files import require_file_place, write_atomically
from engine.registry import spell_name
from engine.value_types import NAMES as LIST_OF_NAMES
from engine.value_types import (
    Coefficient,
    Damping,
    LeastCoefficient,
    MostCoefficient,
    NamesOrObjects,
    PositiveDiscount,
    Rounds,
    Seed,
    Steps,
    Temperature,
    TileSize,
    ToleratedLoss,
    WholeNumbers,
    read_names,
)
from experiments.ranges import (
    SEGMENTS,
    Care,
    Seeds,
    read_care,
    read_care_bounds,
    read_care_or_segments,
    read_seeds,
    write_care,
)

if TYPE_CHECKING:
    from caregrid.programmes.caring.best_responses import BestResponses
    from caregrid.programmes.caring.comparison import PathComparison
    from caregrid.programmes.caring.episodes import EpisodePenalties, PairPenalties
    from caregrid.programmes.caring.evaluation import EvaluatedPolicy, Policies
    from caregrid.programmes.caring.others_values import Demonstrations, InferredOthers, OthersValues
    from caregrid.programmes.caring.problem_source import Map, SourcedProblem
    from caregrid.programmes.caring.regions import RegionMap
    from caregrid.programmes.caring.solution import CaringSolution
    from caregrid.programmes.caring.statements import PaperStatements
    from caregrid.programmes.caring.sweep import BreakPoints, CareSweep
    from caregrid.programmes.caring.training import TrainingResult
    from caregrid.programmes.caring.training_of_seeds import TrainingOfSeeds
    from caregrid.tables.export import ExportedTable
    from craftworld.formulation import Formulation
    from craftworld.scenario import Scenario
    from experiments.training import AnyAgent

__all__ = [
    "best_responses",
    "breakpoints",
    "compare",
    "evaluate",
    "export",
    "infer",
    "penalties",
    "precompute",
    "regions",
    "solve",
    "statements",
    "sweep",
    "train",
]

GROUP = "Caring agents"
WORKSHOP = Word(made_by="problem")
"""A problem on the workshop, where no scenario is named."""


@operation(group=GROUP)
def solve(
    problem: Annotated[SourcedProblem, PROBLEM],
    care: Coefficient = 1.0,
    *,
    draw: bool = False,
    certify: bool = False,
    seed: Annotated[Seed, Word(hidden=True)] = 0,
) -> CaringSolution:
    """Solve a scenario exactly at one caring coefficient.

    Prints the acting agent's own return, each newcomer's value, the total, what is handed over, and the actions.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    care : float
        The caring coefficient.
    draw : bool
        Draw every state of the acting agent's episode and of the newcomers' episodes after it.
    certify : bool
        Prove every number, in fractions or within 1e-9 of its scale, and mark those that are not proved.
    seed : int
        Where chance decides: the seed of the episodes that are shown; values are exact.

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
def evaluate(
    problem: Annotated[SourcedProblem, PROBLEM],
    policy: Annotated[Policies, Word(metavar="POLICY", needed=True)],
    care: Coefficient = 1.0,
    certify: bool = False,
) -> EvaluatedPolicy:
    """Evaluate a policy exactly, whatever made it.

    Prints what it earns: own return, the others' returns, total, augmented return, hidden performance and the expected
    number of safety violations. A policy is an action for each state or the probabilities of actions in each.
    Performance and violations are undiscounted and within the scenario's step limit, as in 'caregrid optima'; returns
    are those of 'caregrid solve'.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    policy : str, Path, TrainingResult, function, array or mapping
        optimal, random, a folder of 'caregrid train', a file of a network that CleanRL or Stable-Baselines3 saved, or a
        function (problem, care) of yours, MODULE:FUNCTION, perhaps with arguments, such as
        'craftworld.action_rules:quantilize(fraction=0.1)'. In Python also the function itself,
        what train() gave, int[S], f64[S, A], or one of them for each start state's number.
    care : float
        The caring coefficient of the augmented return, and what functions are called with.
    certify : bool
        Bound the error of every return.

    Returns
    -------
    EvaluatedPolicy
        own, others, total, augmented, performance, violations, ends and errors.

    Raises
    ------
    BadValue, BadFile, ContractBroken
        For a policy that does not fit the table.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").evaluate("optimal", care=1).total
    -42.0
    """
    from caregrid.programmes.caring.evaluation import evaluate_in

    return evaluate_in(problem.exact, policy, care, certify)


@operation(group=GROUP)
def breakpoints(
    problem: Annotated[SourcedProblem, PROBLEM],
    *,
    care_min: LeastCoefficient = 0.0,
    care_max: MostCoefficient = math.inf,
    epsilon: Annotated[ToleratedLoss, Word(metavar="E")] = 0.0,
    certify: bool = False,
    ties: bool = False,
) -> BreakPoints:
    """Find every coefficient at which the optimal policy changes, and what it changes to.

    Exact: every segment between two break points, its own return and the others' values.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    care_min : float
        The lowest coefficient, -inf for no bound (default: 0).
    care_max : float
        The highest coefficient, inf for no bound (default: inf).
    epsilon : float
        Keep only the fewest segments whose augmented return, own + care * auxiliary, is nowhere more than this below
        the optimum, in absolute terms.
    certify : bool
        Prove every number, in fractions or within 1e-9 of its scale, and mark those that are not proved.
    ties : bool
        Print which policies tie at each break point, too.

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

    return solve_break_points(problem.exact, read_care_bounds(care_min, care_max), epsilon, certify, ties)


@operation(group=GROUP)
def statements(
    problem: Annotated[SourcedProblem, PROBLEM],
    care: Annotated[Care, Word(metavar="X,X,...")] = "0,0.5,1,5",
) -> PaperStatements:
    """Check two statements of the paper on any scenario: Proposition 1, and that Eq 6 contains the sequential case.

    Proposition 1 of "Be Considerate" says when no optimal policy goes on for ever (Definition 1). Its conditions are
    checked, and whether the optimum of every segment surely ends. For the sequential case the newcomers are put into
    the acting agent's world, where Eq 6 counts their rewards step by step; its optimum must be that of Eq 1 or 4.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    care : str or floats
        Coefficients at which Eq 6 and Eq 1 or 4 are compared.

    Returns
    -------
    PaperStatements
        Conditions, segments and optima; its `hold` says whether both hold.

    Raises
    ------
    BadValue
        For coefficients that are out of bounds.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("playroom").statements(care="0,2").hold
    True
    """
    from caregrid.programmes.caring.statements import check_statements

    return check_statements(problem.exact, read_care(care))


@operation(group=GROUP, instead=PLANS, pictures=True)
def sweep(
    problem: Annotated[SourcedProblem, WORKSHOP],
    care: Annotated[Care, Word(metavar="RANGE")] = "0:7:0.01",
    *,
    method: Annotated[NamesOrObjects, Word(metavar="M,M", several=True)] = "exact",
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
    protocol, `--method both` draws one over the other, and `--method 'exact,sarsa(epsilon=0.3)'` trains any agent of
    'caregrid train' at every coefficient. Writes sweep.csv, breakpoints.json, sweep.png and manifest.json;
    finished units are stored beside them, and the same command continues where it stopped.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    care : str or floats
        Coefficients: start:stop:step (stop left out), a,b,c, or numbers.
    method : str, sequence or mapping
        exact, both (exact and q_learning), or agents that learn from each seed, as 'caregrid train' takes them; several
        are joined by commas. In Python also specs, classes and functions, or a dictionary with your own names for them.
    seeds : str or ints
        Seeds of the learning agents: how many (10: seeds 0 to 9), a list (1,2,3) or a range (0:10).
    seed : int
        The number that all random keys derive from.
    steps : int
        Steps of learning of the acting agent; by default q_learning learns until it is settled, others as in
        'caregrid train'.
    others_steps : int
        Steps of learning of newcomers where the agent is q_learning, by default until they are settled; with other
        agents the newcomers' values are exact.
    quick : bool
        Every tenth coefficient only.
    certify : bool
        Add a column of proved error bounds, and certificates of the break points.
    out : str, Path or True
        A directory for table, break points, figure and finished units, where the same sweep continues; by default one
        below results/ on the command line, and none in Python. True: one below results/.

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
    given: dict[str, Any] = {}
    names = read_names(method, argument("method"), given)
    methods = ",".join(name if name in given or set(name) & set(":(") else spell_name(name) for name in names)
    request = CareSweepRequest(
        problem.source, write_care(coefficients), methods, read_seeds(seeds), seed, steps, others_steps, given
    )
    return run_sweep(request, out, Execution(**options), certify)


@operation(group=GROUP, pictures=True)
def regions(
    problem: Annotated[SourcedProblem, PROBLEM],
    axes: Annotated[str | Sequence[str], LIST_OF_NAMES, NAMES] = (),
    *,
    beliefs: Annotated[str | Sequence[str], LIST_OF_NAMES, NAMES] = (),
    care_min: LeastCoefficient = 0.0,
    care_max: MostCoefficient = math.inf,
    care: Coefficient = 1.0,
    epsilon: Annotated[ToleratedLoss, Word(metavar="E")] = 0.0,
    certify: bool = False,
    out: Annotated[str | Path | None, FILE] = None,
    **options: Unpack[Annotated[RunOptions, WHERE]],
) -> RegionMap:
    """Find every optimal behaviour for several coefficients at once, and where each is optimal.

    There is one coefficient for each agent ("own" is the weight of the acting agent's own reward), or for each belief:
    the probabilities with which newcomers come. If all coefficients equal c, it is the caring coefficient c of other
    commands. A region is a polyhedron: the printed inequalities, or "halfspaces" in JSON, which are rows
    [a_1, ..., a_k, b] of a . c <= b. A picture shows one coefficient as a number line and two as a map, with the path
    of each region.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    axes : str or sequence of str
        Agents, or own; every agent by default.
    beliefs : str or sequence of str
        Newcomers that may come: their probabilities are the axes; the last one's is 1 minus the others'.
    care_min : float
        The lower bound of every coefficient, -inf for none (default: 0).
    care_max : float
        The upper bound of every coefficient, inf for none (default: inf).
    care : float
        The coefficient of agents without an axis, or of all where beliefs are the axes.
    epsilon : float
        Stop when the behaviours found lose at most this much of the return, in absolute terms.
    certify : bool
        Prove every number, in fractions or within 1e-9 of its scale, and mark those that are not proved.
    out : str or Path
        A file for the picture or table (.png, .svg, .pdf, .csv, ...).
    engine : str
        serial, local, dask, automatic or MODULE:NAME (default automatic: here at first, and after three seconds in
        processes, too).

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

    between = read_care_bounds(care_min, care_max)
    execution = Execution(**options)
    return solve_region_map(problem.source, axes, beliefs, between, care, epsilon, out, execution, certify)


@operation(group=GROUP, pictures=True)
def infer(
    problem: Annotated[SourcedProblem, PROBLEM],
    demonstrations: Annotated[Demonstrations | None, FILE] = (),
    *,
    temperature: Annotated[Temperature, Word(metavar="T")] = 1.0,
    prior: Annotated[Mapping[str, float] | None, Word(hidden=True)] = None,
    worth_at: Annotated[Coefficient | None, Word(metavar="CARE")] = None,
    out: Annotated[str | Path | None, FILE] = None,
) -> InferredOthers:
    """Infer who comes afterwards from what they did: Bayesian inverse reinforcement learning over newcomers.

    The candidates are the scenario's newcomers; they act by Boltzmann's rule, exp(Q / temperature). Demonstrations are
    a JSON file, {"demonstrations": [{"start": {...}, "actions": [...]}]}; "start" is a state in words, as 'caregrid
    solve' prints its handover. Prints the posterior after each demonstration, and the break points.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    demonstrations : str, Path or sequence of mappings
        What a newcomer did; nothing seen yet by default.
    temperature : float
        The temperature of Boltzmann's rule, in units of the reward.
    prior : mapping
        The chance of each newcomer.
    worth_at : float
        Print, too, what one more demonstration is worth before acting at this coefficient.
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

    seen = () if demonstrations is None else demonstrations
    return infer_others(problem.exact, seen, temperature, prior, out, worth_at)


@operation(group=GROUP, pictures=True)
def best_responses(
    problem: Annotated[
        SourcedProblem,
        Word(made_by="problem", required=("scenario",), only=("scenario", "own", "discount", "map", "set")),
    ],
    care: Coefficient = 0.0,
    *,
    coefficient: Annotated[
        Mapping[str, Mapping[str, float]] | Sequence[str], Word(metavar="WHO:WHOM=X", several=True)
    ] = (),
    begin: Annotated[str, Word(metavar="B")] = "declared",
    order: Annotated[str, Word(metavar="O")] = "in turn",
    damping: Annotated[Damping, Word(metavar="D")] = 0.0,
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
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    care : float
        Everybody's coefficient for everybody else.
    coefficient : texts WHO:WHOM=X, or a mapping who -> whom -> float
        One agent's coefficient for another; repeatable.
    begin : str
        The policies at the beginning: declared, those of the scenario, or joint, those of one planner for all.
    order : str
        'in turn' or 'at once'.
    damping : float
        How much of the old policy stays in a round, from 0 to below 1.
    rounds : int
        The largest number of rounds.
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

    return find_best_responses(problem.exact, care, coefficient, begin, order, damping, rounds, out)


@operation(group=GROUP, pictures=True)
def train(
    problem: Annotated[SourcedProblem, PROBLEM],
    agent: Annotated[AnyAgent, Word(metavar="A", kinds=("agents",))] = "q_learning",
    care: Coefficient = 1.0,
    *,
    steps: Steps | None = None,
    seed: Seed = 0,
    seeds: Annotated[Seeds | None, SEEDS] = None,
    out: Annotated[str | Path | None, Word(metavar="DIR", needed=True)] = None,
    yes: bool = False,
    device: Annotated[str, Word(metavar="DEVICE")] = "cpu",
    observes: Literal["observation", "state"] = "observation",
    record: Annotated[str | Path | None, FILE] = None,
    record_points: Annotated[int, WholeNumbers(1, 1000)] = 1,
) -> TrainingResult | TrainingOfSeeds:
    """Train an agent on a scenario at one caring coefficient, and store its policy and learning curve.

    `q_learning` is the tabular learner of 'caregrid sweep'. All other agents, such as `dqn`, `sb3_dqn`, `stacked_dqn`
    or your own MODULE:NAME, see the number of their observation and the reward. At checkpoints the greedy policy is
    evaluated and compared with the exact optimum. `caregrid view`, `record` and `compare` show it with --policy DIR.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    agent : str, spec or factory
        An agent (see 'caregrid list agents') or MODULE:NAME, each perhaps with hyper-parameters, such as
        'sarsa(epsilon=0.3)'. In Python also a spec, or a class or function that makes agents.
    care : float
        The caring coefficient.
    steps : int
        Steps in the world; by default as many as agent and world need.
    seed : int
        The seed of all random numbers.
    seeds : str or ints
        Several seeds in place of one: how many (20: seeds 0 to 19), a list (1,2,3) or a range (0:10).
    out : str or Path
        A folder for policy, learning curve and figure; one that holds the same training already is read.
    yes : bool
        Take any number of steps.
    device : str
        cpu, or cuda for stacked deep agents.
    observes : str
        Where the scenario hides a part of the state: what an agent observes there, or the whole state.
    record : str or Path
        A file for 20 episodes of the trained policy (.jsonl), which 'caregrid identify' reads.
    record_points : int
        At how many points of the training 20 episodes are recorded, spread evenly over its checkpoints, the last at
        the end. 'caregrid identify --by-agent' takes each point for an agent of its own.

    Returns
    -------
    TrainingResult
        The learning curve against the exact optimum, and the policy.
    TrainingOfSeeds
        With seeds: a row for each, their mean with its interval, and all curves.

    Raises
    ------
    CaregridError
        For an agent, a number of steps or a folder that cannot be.

    Examples
    --------
    >>> import caregrid
    >>> learned = caregrid.problem("garden").train("q_learning", care=1.0, steps=2000, out="garden_learned")
    >>> learned.rows()[-1]["steps"]
    2000
    """
    from caregrid.programmes.caring.training import run_training
    from caregrid.programmes.caring.training_of_seeds import train_seeds

    if record is not None:
        require_file_place(record)
    elif record_points > 1:
        place = argument("record_points", record_points)
        raise BadValue("no file for the points", place=place, remedy=f"add {argument('record', 'FILE')}")
    if seeds is not None:
        if record is not None:
            raise BadValue("a record of several seeds", place=argument("record"), remedy="train one seed")
        if seed:
            remedy = f"leave {argument('seed')} out"
            raise BadValue(f"both {argument('seed')} and {argument('seeds')}", place="train", remedy=remedy)
        every = read_seeds(seeds)
        return train_seeds(problem.source, care, agent, steps, every, out, yes, device, observes)
    result = run_training(problem.source, care, agent, steps, seed, out, yes, device, observes, record_points)
    if record is not None:
        write_atomically(record, "".join(each.text() for each in result.record_points(problem.source)))
    return result


@operation(group=GROUP)
def precompute(
    problem: Annotated[
        SourcedProblem,
        Word(made_by="problem", required=("scenario",), only=("scenario", "discount", "map", "set")),
    ],
    *,
    follow: Annotated[Mapping[str, Any] | Sequence[str], Word(metavar="NAME=POLICY", several=True)] = (),
    method: Literal["exact", "q_learning"] = "exact",
    seed: Seed = 0,
    steps: Steps | None = None,
    yes: bool = False,
    out: Annotated[str | Path | None, Word(metavar="FILE", needed=True)] = None,
) -> OthersValues:
    """Compute the others' values once and save them, for 'solve', 'breakpoints' and 'sweep' to load with --values.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    follow : texts NAME=POLICY, or a mapping name -> policy
        What a newcomer follows in place of an optimal policy: random, a file of rules, of demonstrations or of
        behaviour, a folder of 'caregrid train', or MODULE:FUNCTION of the table of its world; in Python also the
        function, int[S], f64[S, A], or what train() or record_behaviour() gave; repeatable. Where it says nothing, the
        newcomer acts optimally.
    method : str
        Exact values, or values of newcomers that learn.
    seed : int
        The seed of newcomers that learn.
    steps : int
        Steps of learning of newcomers where the agent is q_learning, by default until they are settled; with other
        agents the newcomers' values are exact.
    yes : bool
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

    values = precompute_others_values(problem.scenario, problem.source.discount, method, seed, steps, yes, follow)
    if out is None:
        return values
    values.save(out, "npz")
    return replace(values, file=str(out))


@operation(group=GROUP)
def export(
    problem: Annotated[SourcedProblem, PROBLEM],
    *,
    out: Annotated[str | Path, Word(metavar="FILE", needed=True)],
) -> ExportedTable:
    """Write the table of a scenario for other solvers: PRISM, JANI or arrays.

    Rewards are "own" and "others", what one unit of care adds: the optimum at a coefficient is that of own + care *
    others. `caregrid solve FILE` reads each of these files, and so does `caregrid.read_table`.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    out : str or Path
        A .prism, .jani or .npz file.

    Returns
    -------
    ExportedTable
        The table, a row for each transition.

    Raises
    ------
    BadValue, UnknownName, BadFile
        For too many states, another kind of file, or one that cannot be written.

    Examples
    --------
    >>> import caregrid
    >>> table = caregrid.problem("garden").export(out="garden.npz")
    >>> read = caregrid.read_table("garden.npz")
    >>> caregrid.problem(read).breakpoints().points == caregrid.problem("garden").breakpoints().points
    True
    """
    from caregrid.tables.export import export_table

    return export_table(problem, out)


@operation(group=GROUP, pictures=True)
def compare(
    problem: Annotated[SourcedProblem, Word(made_by="problem", required=("scenario",), without=("formulation",))],
    care: Annotated[Care, Word(metavar="X,X,...")] = SEGMENTS,
    formulation: Annotated[
        str | Iterable[str | Formulation] | None, Word(metavar="F,F", kinds=("formulations",))
    ] = None,
    tile: TileSize = 32,
    policy: Annotated[Policies | Sequence[Policies], POLICY] = (),
    *,
    signs: Literal["sprites", "letters"] = "sprites",
    out: Annotated[str | Path | None, FILE] = None,
) -> PathComparison:
    """Compare the behaviours of several coefficients and formulations, side by side, as in the paper's Figures 2 and 3.

    Each formulation has a row of panels: a path, the world as the agent leaves it, and bars of the returns.
    Coefficients with the same behaviour share a panel. By default every segment is shown, on a number line with the
    exact break points; if coefficients are given, all paths are drawn on one map, too. Without a file the picture is
    text, as wide as the terminal.

    Parameters
    ----------
    problem : CaringProblem
        What to solve, as `caregrid.problem` makes it; in Python this is one of its methods.
    care : str or floats
        Caring coefficients, or segments: one for each segment.
    formulation : str or sequence
        Formulations, separated by commas; by default the scenario's.
    tile : int
        Pixels per cell.
    policy : sequence of str, Path or TrainingResult
        A policy beside the optimal one, as 'caregrid evaluate' takes it; repeatable. Where it draws its actions, its
        path is a sample.
    signs : str
        Whether the picture shows things as sprites or as the letters of the map.
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
    from caregrid.programmes.caring.evaluation import read_shown_policies
    from caregrid.programmes.caring.problem_source import list_formulations

    if out is not None:
        PathComparison.check_picture(out)
    cares = read_care_or_segments(care)
    named = list_formulations(formulation)
    problems = [problem] if formulation is None else [problem.with_formulation(one) for one in named]
    shown = read_shown_policies(problem.exact, policy, cares[0] if cares else 1.0)
    compared = replace(compare_paths([one.exact for one in problems], cares, tile, shown), signs=signs)
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
    discount: Annotated[PositiveDiscount, Word(metavar="G")] = 0.99,
    utilities: Annotated[int | str | Path | Sequence[Mapping[Any, float]], Word(metavar="N|FILE")] = 10,
    pairs: Annotated[str | Path | Sequence[Any] | None, FILE] = None,
    map: Annotated[Map | None, MAP] = None,
    set: Annotated[Mapping[str, Any] | Sequence[str], SET] = (),
) -> EpisodePenalties | PairPenalties:
    """Compute the side-effect penalties of every step of an episode, against four baselines, or of pairs of states.

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
        One of the scenario's own demonstrations, in place of actions.
    seed : int
        The seed of what chance leaves open, and of utility functions.
    chance : str or sequence of str
        Outcomes of chance, by name.
    discount : float
        The discount of reachability and utilities, above 0, up to 1; attainable utility needs one below 1.
    utilities : int, str, Path, or sequence of mappings
        How many random utility functions, or your own: a file, or mappings from states to numbers.
    pairs : str, Path, or sequence of pairs
        States and what each is compared with, in place of an episode's: a file, or pairs of states.
    map : str, Path or GridMap
        Your own map, drawn with the scenario's legend.
    set : mapping or texts NAME=VALUE
        An option of the scenario (see 'caregrid show'); repeatable.

    Returns
    -------
    EpisodePenalties or PairPenalties
        Every measure against every baseline, for each step; or every measure, for each pair.

    Raises
    ------
    BadValue
        For a world that is too large, or whose steps depend on chance.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.penalties("boat_race", "up").rows()[0]["baseline"]
    'starting_state'

    References
    ----------
    V. Krakovna et al., "Penalizing side effects using stepwise relative reachability" (2019); A. Turner et al.,
    "Conservative agency via attainable utility preservation" (2020).
    """
    from caregrid.programmes.caring.episodes import EpisodePenalties, PairPenalties, rollout
    from caregrid.programmes.caring.problem_source import make_problem_source
    from craftworld.side_effect_penalties import compute_pair_deviations, compute_side_effect_penalties

    if pairs is not None:
        if actions or demonstration is not None:
            raise BadValue("pairs and actions", place=argument("pairs"), remedy="give one of them")
        world = make_problem_source(scenario, map=map, set=set).make_scenario()
        measured = compute_pair_deviations(world, pairs, discount, utilities, seed)
        return PairPenalties(world.name, discount, tuple(measured))
    replayed = rollout(scenario, actions, demonstration=demonstration, seed=seed, chance=chance, map=map, set=set)
    made = make_problem_source(scenario, map=map, set=set).make_scenario()
    found = compute_side_effect_penalties(made, replayed.rollout, discount, utilities, seed)
    return EpisodePenalties(replayed, discount, tuple(found))
