"""Runs of an agent in an extended environment: plain or compiled with the same results, one by one or jointly.

A run is compiled where the environment is a registered one, the run is long enough, and the first turns are the same
plain and compiled (`xenv.turns`). Alexander et al. 2021, section 4.

Joint runs have learners that are lanes of the same stacks: every run goes on until its learners must learn, then
all learn.

    repeat:  for each run: turns until one of its learners waits;   then: all that wait learn in one call

An environment asks and trains copies within a turn, where nothing can be interrupted. Nothing has to be: a lane only
notes its transitions, and answers from what it has looked up. Where a copy must have learned before the turn is over,
it learns at once, and so do all that wait. Which lanes learn together changes no lane (bit for bit on a CPU), so that
the results are those of the runs one by one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.agent import AgentSpec, UnknownHyperparameter, hyperparameter, with_hyperparameters
from engine.compiling.objects import Compilable
from engine.errors import BadValue, ContractBroken
from engine.printable import print_notice
from engine.shared_state import SharedState, keep_shared_state
from engine.user_code import describe_place, user_code
from engine.value_types import ANY, Turns, require, show_whole_number
from xenv.environments import ENVIRONMENTS
from xenv.names import agent_spec, agent_title, environment_factory
from xenv.opposites import SignedEnvironment, SignedFactory
from xenv.simulation import Simulate
from xenv.turns import (
    STEP,
    Kinds,
    Participants,
    compiled_loop,
    find_turn,
    interaction_loop,
    run_checked_loop,
    why_plain,
)
from xenv.user_agents import is_our_spec, tell_if_not_semi_deterministic
from xenv.user_environments import (
    BoundedSimulate,
    ValidatedEnvironment,
    ValidatedSimulate,
    find_reward_range,
    make_bounded,
)

if TYPE_CHECKING:
    from engine.learning.stacks.stacks import Stacks


def require_turns(turns: Any) -> int:
    """Return the number of turns; raise BadValue unless it is a whole number that `Turns` has."""
    return operator.index(require("turns", turns, Turns))


def require_key(key: Any, name: str = "key") -> int:
    """Return the key or seed; raise BadValue unless it is a whole number of 64 bits, signed or not."""
    if not ANY.admit(key):
        raise BadValue(f"{name} {show_whole_number(key)}", remedy=f"choose a whole number from {ANY}")
    return operator.index(key)


WORTH_COMPILING = 20_000
WORTH_COMPILING_PLAIN_CLASSES = 1_000_000  # of users' own, which take a second or three to compile


@dataclass(frozen=True)
class InteractionResult:
    """What an agent earned in a run.

    Parameters
    ----------
    total_reward : float
        The sum of the rewards; an integer where it is whole.
    turns : int
        The number of turns.
    record : array of shape (turns,) with the fields observation, action, reward and next_observation, optional
        Every turn, where the run was asked to keep them.
    compiled : bool
        Whether the turns ran in compiled code, which changes nothing but the time.
    """

    total_reward: float
    turns: int
    record: NDArray[np.void] | None = None
    compiled: bool = field(default=False, compare=False)

    @property
    def mean(self) -> float:
        """Return the mean reward per turn."""
        return self.total_reward / self.turns


def run_environment(
    environment: Any,
    agent: Any,
    turns: int,
    key: int = 0,
    *,
    randomness: str = "keys",
    record: bool = False,
    compiled: bool | None = None,
) -> InteractionResult:
    """Run an agent in an extended environment for a number of turns.

    Parameters
    ----------
    environment : str or class or function
        A name, or a class or factory of extended environments that takes `simulate`.
    agent : str or AgentSpec or function
        A name, a spec, or a factory of objects with `act` and `train`.
    turns : int
        The number of turns, at least 1.
    key : int
        The key of all random numbers, of 64 bits; with the published source, its seed.
    randomness : str
        The name of a source of random numbers (`engine.randomness.random_sources`).
    record : bool
        Whether the result keeps every turn.
    compiled : bool, optional
        Whether the turns run in compiled code; by default, long runs do (`is_worth_compiling`). What compiled code
        cannot take, or would do otherwise, runs plainly, with a notice.

    Returns
    -------
    InteractionResult
        The total and mean reward, and the turns where they are kept.

    Raises
    ------
    UnknownName
        If there is no environment, agent or source of that name.
    BadValue
        If `turns` or `key` is not a whole number within its bounds.
    ContractBroken
        If an action or observation is out of range, or a user's own code raises an exception.

    Examples
    --------
    >>> import xenv
    >>> xenv.run_environment("repeater", "constant", turns=10).total_reward
    10
    >>> xenv.run_environment("crying_baby", "constant", turns=3, record=True).record["reward"]
    array([1., 1., 1.])

    References
    ----------
    S. A. Alexander et al., "Extending environments to measure self-reflection in reinforcement learning", 2021,
    section 4.
    """
    turns, key = require_turns(turns), require_key(key)
    run = AgentRun(environment_factory(environment), agent_spec(agent), turns, key, randomness, record)
    tell_if_not_semi_deterministic(run.spec, *run.shape)
    if compiled is None:
        compiled = is_worth_compiling(run) and not is_stackable(run.spec)
    outcome = _run_compiled(run) if compiled else None
    result = outcome if isinstance(outcome, InteractionResult) else PlainInteraction(run).finish()
    if isinstance(outcome, str):
        print_notice(f"{run.title} ran plainly, not compiled: {outcome}")
    return result


def is_worth_compiling(run: AgentRun) -> bool:
    """Return whether a run is long enough: 20,000 turns of what is made for it, a million of plain classes."""
    if not run.is_registered:
        return run.turns >= WORTH_COMPILING_PLAIN_CLASSES
    if run.turns < WORTH_COMPILING or not run.unsigned.compiled:
        return False
    if is_our_spec(run.spec):
        return True
    with run.keep_shared_state():
        made_for_it = isinstance(run.make(run.key, Simulate).agent, Compilable)
    return made_for_it or run.turns >= WORTH_COMPILING_PLAIN_CLASSES


def why_run_plainly(environment: Any, agent: Any, key: int = 0) -> str | None:
    """Return why the turns of an agent in an environment must run plainly; None where compiled code gives the same.

    Arguments as in `run_environment`.
    """
    run = AgentRun(environment_factory(environment), agent_spec(agent), 1, require_key(key), "keys", False)
    with run.keep_shared_state():
        return why_plain(run.make, run.kinds, run.shape, run.key)


@dataclass(frozen=True)
class AgentRun:
    """An environment, an agent and the settings of a run, which can be made again with fresh ones."""

    factory: Any
    spec: Any
    turns: int
    key: int
    randomness: str
    record: bool

    @property
    def unsigned(self) -> Any:
        """Return the factory of the environment without a sign."""
        return self.factory.environment if isinstance(self.factory, SignedFactory) else self.factory

    @property
    def is_registered(self) -> bool:
        """Return whether the environment is one of ours."""
        return str(getattr(self.unsigned, "__module__", "")).startswith(f"{ENVIRONMENTS.package}.")

    @property
    def shape(self) -> tuple[int, int]:
        """Return the numbers of observations and actions."""
        return self.factory.n_observations, self.factory.n_actions

    @property
    def title(self) -> str:
        """Return what messages call the run: `reality_check(q_learning) in Repeater`."""
        return f"{agent_title(self.spec)} in {getattr(self.unsigned, '__name__', type(self.unsigned).__name__)}"

    @property
    def kinds(self) -> Kinds:
        """Return what makes the copies: they are checked where environment or agent are a user's own."""
        ours = self.is_registered and is_our_spec(self.spec)
        return Kinds(Simulate, Simulate) if ours else Kinds(ValidatedSimulate, BoundedSimulate)

    def keep_shared_state(self) -> AbstractContextManager[SharedState]:
        """Put back after a trial what classes of a user's own, and what they reach, hold before it."""
        if self.kinds.plain is Simulate:
            return keep_shared_state()
        return keep_shared_state(self.spec, self.unsigned)

    def make(self, key: int, kind: type[Simulate]) -> Participants:
        """Make a fresh environment and a fresh agent. kind: the class that makes the copies."""
        simulate = kind(self.spec, *self.shape, key, self.randomness)
        instance: Any = self.factory(simulate)
        sign = 1.0
        if isinstance(instance, SignedEnvironment):
            instance, sign = instance.environment, instance.agent_reward_sign
        if kind is BoundedSimulate:
            instance = make_bounded(instance, find_reward_range(self.unsigned))
        elif kind is ValidatedSimulate:
            instance = ValidatedEnvironment(instance, *self.shape, find_reward_range(self.unsigned))
        return Participants(instance, simulate.make_measured_agent(), sign)

    def make_record(self) -> NDArray[np.void]:
        """Make the record to fill, or an empty one."""
        return np.zeros(self.turns if self.record else 0, dtype=STEP)

    def make_result(self, total: float, steps: NDArray[np.void], *, compiled: bool) -> InteractionResult:
        """Make the result; a whole total is an integer."""
        total = int(total) if float(total).is_integer() else float(total)
        return InteractionResult(total, self.turns, steps if self.record else None, compiled)


def _run_compiled(run: AgentRun) -> InteractionResult | str:
    """Run the turns in compiled code, or return the reason why they must run plainly."""
    with _name_culprit(run):
        with run.keep_shared_state() as before:
            reason = why_plain(run.make, run.kinds, run.shape, run.key)
        if reason is not None:
            return reason
        environment, actor, sign = run.make(run.key, run.kinds.compiled)
        first = environment.start()
    steps = run.make_record()
    try:
        total, done, *_ = compiled_loop(environment, actor, run.shape, run.turns, sign, first, steps)
    except Exception as error:
        before.put_back()
        return f"compiled code raised {type(error).__name__}: {error}"
    if done < run.turns or not math.isfinite(total):
        before.put_back()
        return "an action, an observation or a reward is out of range"
    return run.make_result(total, steps, compiled=True)


class PlainInteraction:
    """The plain turns of a run, which can pause between two turns; raises ContractBroken as `run_environment` does.

    done: turns so far. total: the reward so far.
    """

    def __init__(self, run: AgentRun) -> None:
        self.run = run
        self.done = 0
        self.total = 0.0
        self._steps = run.make_record()
        with _name_culprit(run, self):
            self._environment, self._agent, self._sign = run.make(run.key, run.kinds.plain)
            self._observation = self._environment.start()

    @property
    def finished(self) -> bool:
        """Return whether all turns are done."""
        return self.done == self.run.turns

    def finish(self) -> InteractionResult:
        """Run the turns that are left and return what the agent has earned."""
        with _name_culprit(self.run, self):
            self._run_turns(self.run.turns - self.done)
        return self.run.make_result(self.total, self._steps, compiled=False)

    def go_on_until(self, pause: Callable[[], bool]) -> None:
        """Run turn by turn until `pause()` is true or all turns are done."""
        with _name_culprit(self.run, self):
            while not self.finished:
                self._run_turns(1)
                if pause():
                    break

    def _run_turns(self, turns: int) -> None:
        steps = self._steps[self.done :] if self.run.record else self._steps
        parts: tuple[Any, Any] = (self._environment, self._agent)
        if self.run.kinds.plain is ValidatedSimulate:
            total, last = run_checked_loop(*parts, turns, self._sign, self._observation, steps)
            done = turns
        else:
            total, done, action, last = interaction_loop(
                *parts, self.run.shape, turns, self._sign, self._observation, steps
            )
            if done < turns:
                _refuse_out_of_range(self.run, self.done + done, action, last)
        self.total += total
        self.done += done
        self._observation = last


@contextmanager
def _name_culprit(run: AgentRun, interaction: PlainInteraction | None = None) -> Iterator[None]:
    """Name agent, environment and turn in an error that is raised inside. interaction: the one whose turns run."""
    try:
        with user_code("" if run.is_registered else describe_place(run.unsigned)):
            yield
    except ContractBroken as error:
        turn = find_turn(error)
        before = interaction.done if interaction else 0
        when = f"{run.title}{'' if turn is None else f', turn {before + turn}'}"
        place = f"{when}: {error.place}" if error.place else when
        raise ContractBroken(error.problem, place=place, remedy=error.remedy) from error


def _refuse_out_of_range(run: AgentRun, turns: int, action: int, observation: int) -> NoReturn:
    """Raise ContractBroken, naming the numbers of which one is out of range."""
    problem = f"action {action} or observation {observation} is out of range for {run.shape}"
    raise ContractBroken(problem, place=f"turn {turns + 1}", remedy="report this: both are of our own packages")


class JointRun(NamedTuple):
    """The arguments of one run, those of `xenv.run_environment`; the agent's spec must be stackable."""

    environment: Any
    agent: Any
    turns: int
    key: int = 0
    randomness: str = "keys"
    record: bool = False


def run_jointly(jobs: Sequence[JointRun], stacks: Stacks | None = None) -> list[InteractionResult]:
    """Run several agents whose learners share stacks.

    Parameters
    ----------
    jobs : sequence of JointRun
        The runs; the spec of each agent must be stackable.
    stacks : Stacks, optional
        Where the learners lie; by default fresh stacks on the CPU.

    Returns
    -------
    list of InteractionResult
        What `run_environment` returns for each job, in their order.

    Raises
    ------
    UnknownHyperparameter
        If an agent cannot be a lane.
    BadValue, UnknownName, ContractBroken
        As `run_environment`.
    """
    from engine.learning.stacks.stacks import Stacks

    stacks = Stacks() if stacks is None else stacks
    interactions = [PlainInteraction(_make_run(job, stacks)) for job in jobs]
    unfinished = interactions
    while unfinished:
        for interaction in unfinished:
            before = len(stacks.waiting.lanes)
            interaction.go_on_until(lambda before=before: len(stacks.waiting.lanes) != before)  # type: ignore[misc]
        stacks.waiting.learn()
        unfinished = [interaction for interaction in unfinished if not interaction.finished]
    return [interaction.finish() for interaction in interactions]


def _make_run(job: JointRun, stacks: Stacks) -> AgentRun:
    turns, key = require_turns(job.turns), require_key(job.key)
    spec = put_in_stacks(agent_spec(job.agent), stacks)
    return AgentRun(environment_factory(job.environment), spec, turns, key, job.randomness, job.record)


def is_stackable(spec: AgentSpec) -> bool:
    """Return whether the learners of a spec, or of one that it transforms, can lie in stacks."""
    try:
        hyperparameter(spec, "stacks")
    except UnknownHyperparameter:
        return False
    return True


def put_in_stacks(spec: AgentSpec, stacks: Stacks) -> AgentSpec:
    """Return the spec with its learners in these stacks; raise UnknownHyperparameter where it is not stackable."""
    return with_hyperparameters(spec, stacks=stacks)
