"""`caregrid.measure`: how self-reflective agents are, over examples of the theory and their opposites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from caregrid.results import Result
from engine.errors import BadValue
from engine.value_types import to_list


class AgentMeasure(NamedTuple):
    """An agent's mean score, and the interval of that mean over environments: its ends and what they are."""

    agent: str
    measure: float
    low: float | None
    high: float | None
    interval: str


@dataclass(frozen=True, repr=False, eq=False)
class MeasureResult(Result):
    """Scores of agents.

    scores: (agent, example) -> the exact score, from -1 to 1. scales: example -> what its rewards are divided by.
    """

    agents: tuple[str, ...]
    examples: tuple[str, ...]
    turns: int
    scores: Mapping[tuple[str, str], Fraction]
    scales: Mapping[str, Fraction]

    @property
    def title(self) -> str:
        """How many agents and examples."""
        return f"{len(self.agents)} agents in {len(self.examples)} examples of the theory, {self.turns} turns each"

    @property
    def measures(self) -> Mapping[str, Fraction]:
        """Agent -> its exact measure: the mean of its scores."""
        return {
            agent: sum((self.scores[agent, example] for example in self.examples), Fraction(0)) / len(self.examples)
            for agent in self.agents
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return agent, example, turns, scale (a text, p/q), score."""
        return [
            {
                "agent": agent,
                "example": example,
                "turns": self.turns,
                "scale": str(self.scales[example]),
                "score": float(self.scores[agent, example]),
            }
            for agent in self.agents
            for example in self.examples
        ]

    def statistics(self) -> list[AgentMeasure]:
        """Return each agent's measure with its interval, None and "" where there is a single example."""
        import numpy as np

        from experiments.statistics import mean_interval

        found = list[AgentMeasure]()
        for agent, measure in self.measures.items():
            scores = np.array([[float(self.scores[agent, example])] for example in self.examples])
            interval = mean_interval(scores, agent)
            low, high, kind = (None, None, "") if interval is None else interval
            found.append(AgentMeasure(agent, float(measure), low, high, kind.replace("run", "example")))
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return {"rows", "measures"}: scores, and a measure with its interval for each agent."""
        return super().as_dict() | {"measures": [one._asdict() for one in self.statistics()]}

    def text(self) -> str:
        """Return each agent's measure with its interval, then its scores by example."""
        from experiments.rows import align_lines

        measures = list[tuple[str, ...]]()
        for agent, measure, low, high, kind in self.statistics():
            ends = "" if low is None or high is None else f"[{_write_score(low)}, {_write_score(high)}]"
            measures.append((agent, _write_score(measure), ends, kind))
        scores = [("example", *self.agents)]
        scores += [
            (example, *(_write_score(self.scores[agent, example]) for agent in self.agents))
            for example in self.examples
        ]
        return "\n".join([self.title, *align_lines(measures), "", *align_lines(scores)])


REWARDS_CHANGED = {"opposite", "with_rewards"}


def list_default_examples() -> list[str]:
    """Return every example but those that only change the rewards of another one."""
    from xenv.theory import THEORY_EXAMPLES

    return [name for name in THEORY_EXAMPLES if name not in REWARDS_CHANGED]


def _write_score(score: float | Fraction) -> str:
    return f"{round(float(score), 4) + 0.0:.4f}"


def read_things(things: Any, place: str) -> dict[str, Any]:
    """Read names separated by commas, objects, several of both, or a mapping, as a mapping from names to things."""
    from xenv.theory.naming import split_names

    if isinstance(things, Mapping):
        return dict(things)
    one = isinstance(things, str) or not isinstance(things, Iterable)
    found: dict[str, Any] = {}
    for thing in [things] if one else to_list(things, "things", place, "give names"):
        words = split_names(thing) if isinstance(thing, str) else []
        if not all(words):
            raise BadValue(f"an empty name in '{thing}'", place=place, remedy="separate names by single commas")
        found.update((word, word) for word in words)
        if not words:
            label = str(getattr(thing, "name", getattr(thing, "__name__", type(thing).__name__)))
            found[label if label not in found else f"{label}_{len(found)}"] = thing
    if not found:
        raise BadValue("nothing to measure", place=place, remedy="name at least one")
    return found


def measure_agents(agents: Mapping[str, Any], examples: Mapping[str, Any], turns: int) -> MeasureResult:
    """Score every agent in every example; both are names or objects, under the names that results call them."""
    from xenv.theory.measures import find_scale, score
    from xenv.theory.naming import resolve_agent, resolve_environment

    environments = {name: resolve_environment(example) for name, example in examples.items()}
    for agent in agents.values():
        resolve_agent(agent, None, 2)  # what cannot be is refused before the work
    scales = {name: find_scale(one.environment) for name, one in environments.items()}
    scores = {
        (title, name): score(
            resolve_agent(agent, one.n_observations, one.n_actions), one.environment, turns, scales[name]
        )
        for title, agent in agents.items()
        for name, one in environments.items()
    }
    return MeasureResult(tuple(agents), tuple(environments), turns, scores, scales)
