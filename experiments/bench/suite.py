"""A suite of the benchmark: worlds, the methods that are measured in each, and how one of them is measured.

    case = SUITE/WORLD/METHOD or SUITE/WORLD/METHOD/SEED          world = NAME or NAME,OPTION=VALUE,...

Only the method of an agent that is asked in words has a "/" in its name; it always has a seed.

A file of `experiments/bench/suites/` declares suites by calling `Suite`. A method of a user's own is
`module:attribute`; what sort of thing it is decides which worlds can measure it.

| sort           | what it is                                                           | where it is measured    |
| -------------- | -------------------------------------------------------------------- | ----------------------- |
| formulation    | a `Formulation` (`craftworld.formulation`)                           | scenarios, exactly      |
| policy         | a function (problem, care) -> int[S], an action for each state, or   | scenarios               |
|                | f64[S, A], the probabilities of actions (`craftworld.action_rules`)  |                         |
| agent          | a spec, or a class with act and train                                | scenarios, environments |
| model          | a class or function of `env` that makes one of Stable-Baselines3     | scenarios               |
| planning agent | a `PlanningAgent` (`counterfactual.agents`)                          | terminal worlds         |
| future         | a `Future` (`multislot.futures`)                                     | slot scenarios          |
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.contracts import require_parameters
from engine.errors import BadValue, ContractBroken, add_article, argument
from engine.mdp.policies import require_policy
from engine.registry import split_call
from engine.user_code import describe_place, load_user_code, names_user_code, user_code
from experiments.experiment import ResultRow, Rows

if TYPE_CHECKING:
    from craftworld.identification.behaviour import ObservedWorld
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Floats, Policy

SHARES = ("own_share", "quality_share")
"""How much of what can be reached is reached, from 0, at random, to 1 (`craftworld.trade_off_curve.Shares`)."""
MEASURES = ("own", "others", "performance", "violations", *SHARES)
COLUMNS = ("care_from", "care_to", *MEASURES, "area", "actions")
SEPARATOR = "/"


class BenchCase(NamedTuple):
    """One method in one world of a suite. seed: of a method that draws random numbers, else None."""

    suite: str
    world: str
    method: str
    seed: int | None = None

    @property
    def text(self) -> str:
        """As a setting of an experiment."""
        return SEPARATOR.join([*self[:3], *([] if self.seed is None else [str(self.seed)])])


def parse_case(text: str) -> BenchCase:
    """Return the case of a text."""
    suite, world, rest = text.split(SEPARATOR, 2)
    method, _, seed = rest.rpartition(SEPARATOR)
    return BenchCase(suite, world, method, int(seed)) if method and seed.isdecimal() else BenchCase(suite, world, rest)


def split_world(world: str) -> tuple[str, tuple[str, ...]]:
    """Name and options (texts NAME=VALUE) of a world; a value may have commas."""
    name, *parts = world.split(",")
    options: list[str] = []
    for part in parts:
        if "=" in part or not options:
            options.append(part)
        else:
            options[-1] += f",{part}"
    return name, tuple(options)


def make_observed_world(world: str) -> ObservedWorld:
    """Make a suite's world, NAME or NAME,OPTION=VALUE,..., to observe behaviour in; UnknownName or BadValue."""
    from craftworld.identification.behaviour import ObservedWorld
    from experiments.caring_problem import parse_options

    name, options = split_world(world)
    return ObservedWorld.make(name, None, parse_options(options))


def make_measured_row(
    own: float,
    others: float | None = None,
    performance: float | None = None,
    violations: float | None = None,
    actions: str = "",
    own_share: float | None = None,
) -> ResultRow:
    """Return the row of a case without a coefficient."""
    return {
        "care_from": None,
        "care_to": None,
        "own": own,
        "others": others,
        "performance": performance,
        "violations": violations,
        "own_share": own_share,
        "quality_share": None,
        "area": own_share,
        "actions": actions,
    }


def has_no_random_maps(world: str) -> bool:
    """Return a suite without random maps."""
    return False


def takes_none(world: str, sort: str) -> bool:
    """Return a suite that measures its own methods only."""
    return False


@dataclass(frozen=True)
class Suite:
    """A suite of the benchmark.

    Parameters
    ----------
    says : str
        What the suite measures, in one sentence.
    worlds, quick : tuple of str
        The worlds of the whole suite, and the few of a quick run.
    methods : callable
        (world, quick) -> list of (method, seed), one for each run.
    measure : callable
        case -> rows, a row for each interval of coefficients: care_from, care_to (None: without end; both None where
        there is no coefficient), the MEASURES (None where a world has no such measure), `area` (see
        `craftworld.trade_off_curve`), and `actions` (those of one episode, joined by commas; "" where chance decides).
        It raises BadValue or NoPlan where a method does not fit a world.
    takes : callable
        (world, sort) -> whether a user's own methods of that sort are measured there (`experiments.bench.suite`).
    seeds, quick_seeds : tuple of int
        The seeds of a user's own agents.
    random_maps : callable
        world -> whether it has held-out maps, which the option held_out names.
    break_points : int
        How many break points its held-out maps have at least (`craftworld.random_maps`).
    takes_worlds : bool
        Whether scenarios of a user's own may stand in the place of its worlds.
    copies_agents : bool
        Whether its worlds make copies of a user's own agents, of which `act` may then change nothing.
    """

    says: str
    worlds: tuple[str, ...]
    quick: tuple[str, ...]
    methods: Callable[[str, bool], Sequence[tuple[str, int | None]]]
    measure: Callable[[BenchCase], Rows]
    takes: Callable[[str, str], bool] = takes_none
    seeds: tuple[int, ...] = (0, 1, 2)
    quick_seeds: tuple[int, ...] = (0,)
    random_maps: Callable[[str], bool] = has_no_random_maps
    break_points: int = 0
    takes_worlds: bool = False
    copies_agents: bool = False


def require_measured(rows: Any) -> Rows:
    """Return the rows of a case; ContractBroken where a column is missing."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise ContractBroken(f"measure gave {type(rows).__name__}", place="suite", remedy="give a list of dicts")
    missing = [name for row in rows for name in COLUMNS if name not in row]
    if missing:
        remedy = f"give {', '.join(COLUMNS)}"
        raise ContractBroken(f"measure gave no '{missing[0]}'", place="suite", remedy=remedy)
    return rows


FORMULATION, POLICY, PLANNING_AGENT, FUTURE, AGENT = "formulation", "policy", "planning agent", "future", "agent"
MODEL = "model"
LEARNERS = (AGENT, MODEL)
REMEDY = "give a function (problem, care) -> actions, a Formulation, a Future or a PlanningAgent"


def classify_method(name: str) -> str:
    """Return the sort of a method; BadValue where nothing has the name, ContractBroken where it is none."""
    thing, arguments = _load_method(name, "method")
    from counterfactual.agents import PlanningAgent
    from craftworld.formulation import Formulation
    from multislot.futures import Future

    for kind, sort in ((Formulation, FORMULATION), (Future, FUTURE), (PlanningAgent, PLANNING_AGENT)):
        if isinstance(thing, kind) and not arguments:
            return sort
    if inspect.isclass(thing) or not callable(thing):
        raise ContractBroken(f"'{name}' is {_describe_type(thing)}", place=describe_place(thing), remedy=REMEDY)
    require_parameters(thing, 2, "method(problem, care)")
    try:
        inspect.signature(thing).bind(None, None, **arguments)
    except TypeError as error:
        raise ContractBroken(str(error), place=describe_place(thing), remedy="choose from its parameters") from None
    return POLICY


def classify_agent(name: str, copied: bool) -> str:
    """Return the sort of an agent; UnknownName, BadValue or ContractBroken where a name is that of none.

    name: a registered one, such as dqn or reality_check(sb3_ppo), or the user's own. copied: whether worlds copy it, so
    that `act` may change nothing. MissingExtra where it needs one.
    """
    from engine.agent import check_agent, check_learner
    from experiments.learners import find_own_model
    from xenv.names import agent_spec

    if names_user_code(split_call(name, "agent")[0]):
        _load_method(name, "agent")
    if find_own_model(name) is not None:
        return MODEL
    (check_agent if copied else check_learner)(agent_spec(name))
    return AGENT


def tabulate_policy(name: str, problem: Problem, care: float) -> Policy | Floats:
    """Return what a function of the user's own chooses: int32[S], or the probabilities of actions, f64[S, A].

    name: `module:function`, or with arguments beside the problem and care, `module:function(fraction=0.2)`.
    ContractBroken, naming it, where it is no function or that cannot be followed.
    """
    if classify_method(name) != POLICY:
        raise ContractBroken(f"'{name}' is no function", place="policy", remedy="give one of (problem, care)")
    function, arguments = _load_method(name, "method")
    return call_policy(partial(function, **arguments), f"method {name}", problem, care)


def call_policy(function: Callable[..., Any], place: str, problem: Problem, care: float) -> Policy | Floats:
    """What a function (problem, care) chooses; ContractBroken, naming the place, where that cannot be followed."""
    with user_code(place):
        returned = function(problem, care)
    try:
        return require_policy(problem.mdp, returned)
    except BadValue as error:
        states, actions = len(problem.mdp.terminal), len(problem.mdp.actions)
        remedy = f"give {states} whole numbers below {actions}, an action per state, or f64[{states}, {actions}]"
        if "available" in error.problem:
            remedy = "look at problem.mdp.available"
        raise ContractBroken(f"it gave {error.problem}", place=place, remedy=remedy) from None


def _load_method(name: str, kind: str) -> tuple[Any, dict[str, Any]]:
    """Return the object of a name, and its arguments."""
    plain, arguments = split_call(name, kind)
    if not names_user_code(plain):
        raise BadValue(
            f"'{name}' is not {add_article(kind)} of your own", place=argument(kind), remedy="write module:attribute"
        )
    if SEPARATOR in name:
        raise BadValue(f"'{name}' has a '{SEPARATOR}'", place=argument(kind), remedy=f"write it without '{SEPARATOR}'")
    return load_user_code(plain, kind), arguments


def _describe_type(thing: Any) -> str:
    return "a class" if inspect.isclass(thing) else f"of type {type(thing).__name__}"
