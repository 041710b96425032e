"""The battery: agents times environments times seeds, and the measure of self-reflection that they give.

    mean_reward(agent, seed) = mean over environments of the reward per turn
    standard error = sample standard deviation over seeds / sqrt(number of seeds)

Alexander et al. 2021, section 6.

Differs from the paper:
- the standard errors printed in Table 2 are the sample standard deviation divided by n
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.errors import BadValue, UnknownName
from engine.randomness.random_sources import RANDOM_SOURCES
from xenv.agents import BATTERY_AGENTS
from xenv.environments import ENVIRONMENTS
from xenv.interaction_loop import require_key, require_turns, run_environment
from xenv.names import agent_spec, environment_factory, normalise_name


class BatteryRow(NamedTuple):
    """The result of one run: its agent, environment, seed, number of turns and total reward."""

    agent: str
    environment: str
    seed: int
    turns: int
    total_reward: float


class SeedMean(NamedTuple):
    """A mean over seeds; standard_error: None where there is one seed."""

    mean: float
    standard_error: float | None
    seeds: int


class Battery:
    """The runs of agents in environments; names are looked up at once, so that bad ones fail before any run.

    Parameters
    ----------
    agents : sequence of str, or mapping from str
        Names of agents, or agents by the names that their rows have.
    environments : sequence of str, or mapping from str
        Names of environments, or environments by the names that their rows have.
    turns : int
        The number of turns of each run.
    seeds : sequence of int
        The keys of the runs.
    randomness : str
        The name of a source of random numbers.

    Raises
    ------
    BadValue
        If there is no agent, environment or seed, or a number is out of its bounds.
    UnknownName
        If there is no agent, environment or source of a name.

    Examples
    --------
    >>> from xenv.battery import Battery, mean_reward
    >>> rows = list(Battery(["constant"], ["repeater", "opposite(repeater)"], turns=10, seeds=[0, 1]))
    >>> [row.total_reward for row in rows]
    [10, 10, -10, -10]
    >>> mean_reward(rows, "constant")
    SeedMean(mean=0.0, standard_error=0.0, seeds=2)
    """

    def __init__(
        self,
        agents: Sequence[str] | Mapping[str, Any],
        environments: Sequence[str] | Mapping[str, Any],
        turns: int,
        seeds: Sequence[int],
        randomness: str = "keys",
    ) -> None:
        self.agents = {normalise_name(name, BATTERY_AGENTS): agent_spec(agent) for name, agent in _pairs(agents)}
        self.environments: dict[str, Any] = {
            normalise_name(name, ENVIRONMENTS): environment_factory(environment)
            for name, environment in _pairs(environments)
        }
        self.turns = turns
        self.seeds = tuple(dict.fromkeys(seeds))
        self.randomness = randomness
        require_turns(turns)
        for seed in self.seeds:
            require_key(seed, "seed")
        if not (self.agents and self.environments and self.seeds):
            raise BadValue("a battery without agents, environments or seeds", remedy="name at least one of each")
        if randomness not in RANDOM_SOURCES:
            raise UnknownName("source of randomness", randomness, RANDOM_SOURCES)

    def __len__(self) -> int:
        return len(self.agents) * len(self.environments) * len(self.seeds)

    def __iter__(self) -> Iterator[BatteryRow]:
        """Run everything, agent by agent."""
        for agent, spec in self.agents.items():
            for environment, factory in self.environments.items():
                for seed in self.seeds:
                    result = run_environment(factory, spec, self.turns, seed, randomness=self.randomness)
                    yield BatteryRow(agent, environment, seed, self.turns, result.total_reward)


def _pairs(things: Sequence[str] | Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    return things.items() if isinstance(things, Mapping) else zip(things, things, strict=True)


def mean_reward(rows: Sequence[BatteryRow], agent: str) -> SeedMean:
    """Return the measure of an agent over the seeds and environments in the rows."""
    return mean_over_seeds(list(mean_reward_by_seed(rows, agent).values()))


def mean_reward_by_seed(rows: Sequence[BatteryRow], agent: str) -> dict[int, float]:
    """Return the agent's mean reward per turn over the environments in the rows, by seed."""
    rewards: dict[int, list[float]] = {}
    for row in rows:
        if row.agent == agent:
            rewards.setdefault(row.seed, []).append(row.total_reward / row.turns)
    return {seed: statistics.fmean(of_seed) for seed, of_seed in rewards.items()}


def mean_over_seeds(numbers: Sequence[float]) -> SeedMean:
    """Return mean and standard error; raise BadValue where there are no numbers."""
    if not numbers:
        raise BadValue("no numbers to summarise", remedy="give rows of the agent")
    n = len(numbers)
    error = statistics.stdev(numbers) / n**0.5 if n > 1 else None
    return SeedMean(statistics.fmean(numbers), error, n)
