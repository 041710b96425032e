"""Runs whose learners are lanes of the same stacks: every run goes on until its learners must learn, then all learn.

    repeat:  for each run: turns until one of its learners waits;   then: all that wait learn in one call

An environment asks and trains copies within a turn, where nothing can be interrupted. It need not be: a lane only notes
what it is trained on, and answers from what it has looked up. Where a copy must have learned before the turn is over,
it learns at once, and so do all that wait. Who learns together changes no lane (bit for bit on a CPU), so that the
results are those of the runs one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.learning.stacks.stacks import Stacks
from xenv.interaction_loop import AgentRun, InteractionResult, PlainInteraction
from xenv.limits import require_key, require_turns
from xenv.specs.names import agent_spec, environment_factory
from xenv.specs.stackable import in_stacks


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
    interactions = [PlainInteraction(_run(job, stacks)) for job in jobs]
    unfinished = interactions
    while unfinished:
        for interaction in unfinished:
            before = len(stacks.waiting.lanes)
            interaction.go_on_until(lambda before=before: len(stacks.waiting.lanes) != before)  # type: ignore[misc]
        stacks.waiting.learn()
        unfinished = [interaction for interaction in unfinished if not interaction.finished]
    return [interaction.finish() for interaction in interactions]


def _run(job: JointRun, stacks: Stacks) -> AgentRun:
    turns, key = require_turns(job.turns), require_key(job.key)
    spec = in_stacks(agent_spec(job.agent), stacks)
    return AgentRun(environment_factory(job.environment), spec, turns, key, job.randomness, job.record)
