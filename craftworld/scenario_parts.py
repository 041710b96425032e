"""What a scenario declares beside its rules: agents of the same time, options, demonstrations, how to learn there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class SimultaneousAgent(NamedTuple):
    """An agent that acts at the same time as the acting agent, by a fixed policy inside the scenario's `step`.

    reward: (state, action, next state), columns in, the agent's reward out. The rest as in `Newcomer`,
    probability being P(r), how likely the reward function is the real one (Eq 6).
    """

    name: str
    reward: Callable[[Any, int, Any], Any]
    probability: float = 1.0
    weight: float = 1.0
    owner: str = ""
    swept: bool = True


class Option(NamedTuple):
    """An option that others may want to use afterwards (Eqs 7 and 8).

    initiation_set: state columns -> bool[n], its indicator. value: state columns -> f64[n], what the
    option is worth where it can start; None where it is not known. probability: P(I), or P(<I, V>).
    """

    name: str
    initiation_set: Callable[[Any], Any]
    probability: float
    value: Callable[[Any], Any] | None = None


class LearningProtocol(NamedTuple):
    """How many steps the acting agent and each newcomer learn here by Q-learning; epsilon explores (Table 2)."""

    steps: int = 700_000
    newcomer_steps: int = 400_000
    epsilon: float = 0.5


class Shuffle(NamedTuple):
    """What a random map keeps of a drawing (`craftworld.random_maps`): all else changes places.

    margin: so many rows above and below, and columns on either side. fixed: glyphs that stay where they are.
    """

    margin: tuple[int, int] = (1, 1)
    fixed: str = ""


class Demonstration(NamedTuple):
    """A course of action worth watching, from the first board on.

    name: a word. says: what it shows, in one sentence. actions: their names. chance: the outcomes of chance, as
    `caregrid rollout` takes them.
    """

    name: str
    says: str
    actions: tuple[str, ...]
    chance: tuple[str, ...] = ()
