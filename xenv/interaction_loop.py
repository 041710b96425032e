"""Runs of an agent in an extended environment: plain or compiled with the same results, one by one or jointly.

A run is compiled where the environment is a registered one, the run is long enough, and the first turns of the two
are the same plain and compiled (`xenv.turns`). Alexander et al. 2021, section 4.

Joint runs have learners that are lanes of the same stacks: every run goes on until its learners must learn, then
all learn.

    repeat:  for each run: turns until one of its learners waits;   then: all that wait learn in one call

An environment asks and trains copies within a turn, where nothing can be interrupted. It need not be: a lane only
notes what it is trained on, and answers from what it has looked up. Where a copy must have learned before the turn
is over, it learns at once, and so do all that wait. Who learns together changes no lane (bit for bit on a CPU), so
that the results are those of the runs one by one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue, ContractBroken
from engine.learning.stacks.stacks import Stacks
from engine.notices import print_notice
from engine.user_code import describe_place, user_code
from engine.value_types import ANY, TURNS, show_whole_number
from xenv import names
from xenv.environments import ENVIRONMENTS
from xenv.hyperparameters import is_stackable, put_in_stacks
from xenv.names import agent_spec, environment_factory
from xenv.opposites import SignedEnvironment, SignedFactory
from xenv.simulation import Simulate
from xenv.turns import STEP, Participants, compiled_loop, find_turn, interaction_loop, why_plain
from xenv.user_environments import ValidatedEnvironment, ValidatedSimulate


def require_turns(turns: Any) -> int:
    """The number of turns; BadValue unless it is a whole number within `TURNS`."""
    if not TURNS.admit(turns):
        raise BadValue(f"{show_whole_number(turns)} turns", remedy=f"run a whole number of turns from {TURNS}")
    return operator.index(turns)


def require_key(key: Any, name: str = "key") -> int:
    """The key or seed; BadValue unless it is a whole number of 64 bits, signed or not."""
    if not ANY.admit(key):
        raise BadValue(f"{name} {show_whole_number(key)}", remedy=f"choose a whole number from {ANY}")
    return operator.index(key)


WORTH_COMPILING = 20_000


@dataclass(frozen=True)
class InteractionResult:
    """What an agent earned.

    record: [turns] of (observation, action, reward, next_observation), on demand. compiled: whether the turns ran in
    compiled code, which changes nothing but the time.
    """

    total_reward: float
    turns: int
    record: NDArray[np.void] | None = None
    compiled: bool = field(default=False, compare=False)

    @property
    def mean(self) -> float:
        """The mean reward per turn."""
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

    environment: a class or factory of extended environments that takes `simulate`, or a name. agent: a spec, a factory
    of objects with act and train, or a name. key: an integer; with the published source, its seed. randomness: a named
    source of numbers (`engine.randomness.random_sources`). record: keep every turn. compiled: by default, long runs of
    registered environments; what compiled code cannot take, or would do otherwise, runs plainly, with a notice.

    Raises BadValue for turns or a key that `xenv.interaction_loop` refuses, ContractBroken for an action or observation out of
    range and for whatever a user's own code raises.
    """
    turns, key = require_turns(turns), require_key(key)
    run = AgentRun(names.environment_factory(environment), names.agent_spec(agent), turns, key, randomness, record)
    if compiled is None:
        worth_it = turns >= WORTH_COMPILING and run.is_registered and run.unsigned.compiled
        compiled = worth_it and not is_stackable(run.spec)
    outcome = _run_compiled(run) if compiled else None
    if isinstance(outcome, InteractionResult):
        return outcome
    result = _run_plainly(run)
    if outcome is not None:
        print_notice(f"{run.title} ran plainly, not compiled: {outcome}")
    return result


def why_run_plainly(environment: Any, agent: Any, key: int = 0) -> str | None:
    """Why the turns of an agent in an environment must be run plainly; None where compiled code gives the same.

    Arguments as in `run_environment`.
    """
    run = AgentRun(names.environment_factory(environment), names.agent_spec(agent), 1, require_key(key), "keys", False)
    return why_plain(run.make, run.shape, run.key)


@dataclass(frozen=True)
class AgentRun:
    """What is run, with a fresh environment and a fresh agent each time that it is."""

    factory: Any
    spec: Any
    turns: int
    key: int
    randomness: str
    record: bool

    @property
    def unsigned(self) -> Any:
        """The factory of the environment without a sign."""
        return self.factory.environment if isinstance(self.factory, SignedFactory) else self.factory

    @property
    def is_registered(self) -> bool:
        """Whether the environment is one of ours."""
        return str(getattr(self.unsigned, "__module__", "")).startswith(f"{ENVIRONMENTS.package}.")

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of observations and actions."""
        return self.factory.n_observations, self.factory.n_actions

    @property
    def title(self) -> str:
        """What messages call it: `reality_check(q_learning) in Repeater`."""
        return f"{names.agent_title(self.spec)} in {getattr(self.unsigned, '__name__', type(self.unsigned).__name__)}"

    def make(self, key: int, kind: type[Simulate] = Simulate) -> Participants:
        """A fresh environment and a fresh agent. kind: what makes the copies."""
        simulate = kind(self.spec, *self.shape, key, self.randomness)
        instance, actor = self.factory(simulate), simulate.measured_agent()
        if isinstance(instance, SignedEnvironment):
            return Participants(instance.environment, actor, instance.agent_reward_sign)
        return Participants(instance, actor, 1.0)

    def steps(self) -> NDArray[np.void]:
        """The record to fill, or an empty one."""
        return np.zeros(self.turns if self.record else 0, dtype=STEP)

    def result(self, total: float, steps: NDArray[np.void], *, compiled: bool) -> InteractionResult:
        """What is returned; a whole total is an integer."""
        total = int(total) if float(total).is_integer() else float(total)
        return InteractionResult(total, self.turns, steps if self.record else None, compiled)


def _run_compiled(run: AgentRun) -> InteractionResult | str:
    """The result of compiled code, or the reason why the turns must be run plainly."""
    with _name_culprit(run):
        reason = why_plain(run.make, run.shape, run.key)
        if reason is not None:
            return reason
        environment, actor, sign = run.make(run.key)
        first = environment.start()
    steps = run.steps()
    try:
        total, done, *_ = compiled_loop(environment, actor, run.shape, run.turns, sign, first, steps)
    except Exception as error:
        return f"compiled code raised {type(error).__name__}: {error}"
    if done < run.turns or not math.isfinite(total):
        return "an action, an observation or a reward is out of range"
    return run.result(total, steps, compiled=True)


class PlainInteraction:
    """The plain turns of a run, some now and some later; ContractBroken, naming the turn, as `run_environment`.

    done: turns so far. total: the reward so far.
    """

    def __init__(self, run: AgentRun) -> None:
        self.run, self.done, self.total, self._steps = run, 0, 0.0, run.steps()
        with _name_culprit(run, self):
            self._environment, self._agent, self._sign = run.make(run.key, ValidatedSimulate)
            ours = run.is_registered
            self._checked = self._environment if ours else ValidatedEnvironment(self._environment, *run.shape)
            self._observation = self._checked.start()

    @property
    def finished(self) -> bool:
        """Whether all turns are done."""
        return self.done == self.run.turns

    def finish(self) -> InteractionResult:
        """Run the turns that are left; what the agent has earned."""
        with _name_culprit(self.run, self):
            self._turns(self.run.turns - self.done)
        return self.run.result(self.total, self._steps, compiled=False)

    def go_on_until(self, pause: Callable[[], bool]) -> None:
        """Run turn by turn until `pause()` says so, or all are done."""
        with _name_culprit(self.run, self):
            while not self.finished:
                self._turns(1)
                if pause():
                    break

    def _turns(self, turns: int) -> None:
        steps = self._steps[self.done :] if self.run.record else self._steps
        shape, world, agent, sign = self.run.shape, self._checked, self._agent, self._sign
        total, done, action, last = interaction_loop(world, agent, shape, turns, sign, self._observation, steps)
        self.total, self.done, self._observation = self.total + total, self.done + done, last
        if done < turns:
            _refuse_out_of_range(shape, self.done, action, last, self._environment, agent)


def _run_plainly(run: AgentRun) -> InteractionResult:
    """The result of plain code."""
    return PlainInteraction(run).finish()


@contextmanager
def _name_culprit(run: AgentRun, interaction: PlainInteraction | None = None) -> Iterator[None]:
    """Name agent, environment and turn in what goes wrong inside. interaction: whose turns they are."""
    try:
        with user_code("" if run.is_registered else describe_place(run.unsigned)):
            yield
    except ContractBroken as error:
        turn, before = find_turn(error), interaction.done if interaction else 0
        when = f"{run.title}{'' if turn is None else f', turn {before + turn}'}"
        place = f"{when}: {error.place}" if error.place else when
        raise ContractBroken(error.problem, place=place, remedy=error.remedy) from error


def _refuse_out_of_range(
    shape: tuple[int, int], done: int, action: int, observation: int, environment: Any, agent: Any
) -> NoReturn:
    """ContractBroken, naming what was out of range and the class that gave it."""
    n_observations, n_actions = shape
    if not 0 <= observation < n_observations:
        raise ContractBroken(
            f"observation {observation} is not in 0 .. {n_observations - 1}",
            place=f"{describe_place(environment)}, turn {done + 1}",
            remedy="give one that n_observations declares",
        )
    raise ContractBroken(
        f"action {action} is not in 0 .. {n_actions - 1}",
        place=f"{describe_place(agent)}, turn {done + 1}",
        remedy="choose from the n_actions of the environment",
    )


class JointRun(NamedTuple):
    """The arguments of one run, those of `xenv.run_environment`; the agent's spec must be stackable."""

    environment: Any
    agent: Any
    turns: int
    key: int = 0
    randomness: str = "keys"
    record: bool = False


def run_jointly(jobs: Sequence[JointRun], stacks: Stacks | None = None) -> list[InteractionResult]:
    """What `run_environment` gives for each job, in their order.

    stacks: where the learners lie, by default fresh ones on the CPU. Raises what `run_environment` raises, and
    UnknownHyperparameter for an agent that cannot be a lane.
    """
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
