"""What agents of the formal theory do and are rewarded with, exactly, by discount or by a memory of another past."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate

from caregrid.lessons.sweeps.live_sweep import SweepAnswer
from caregrid.shows.theory_film import reward_tick
from engine.scene import Strip, Tick
from xenv.theory.examples.false_memories import false_memories
from xenv.theory.histories import Play
from xenv.theory.interaction import Interaction, interact
from xenv.theory.naming import named_agent, named_environment


def discount_answer(example: str, agents: Mapping[str, str], turns: int, discount: Fraction) -> SweepAnswer:
    """Discounted totals, and who is ahead of whom. agents: name -> as it is written."""
    environment = named_environment(example).environment
    return _answer({title: interact(named_agent(name), environment, turns) for name, title in agents.items()}, discount)


def memory_answer(agents: Mapping[str, str], turns: int, reward: Fraction) -> SweepAnswer:
    """Totals of agents that are to act as if a first turn with a reward had come before all others."""
    environment = false_memories(Play((reward, 0, 0)))
    return _answer({title: interact(named_agent(name), environment, turns) for name, title in agents.items()})


def _answer(runs: Mapping[str, Interaction], discount: Fraction = Fraction(1)) -> SweepAnswer:
    totals = {title: run.discounted(discount) for title, run in runs.items()}
    strips = [strip for title, run in runs.items() for strip in _strips(title, run)]
    series = {title: [float(total) for total in accumulate(run.rewards[1:])] for title, run in runs.items()}
    return SweepAnswer(_ranking(totals), totals, tuple(strips), series=series)


def _strips(title: str, run: Interaction) -> tuple[Strip, Strip]:
    """An agent's actions, and the reward that follows each."""
    actions = tuple(Tick(str(action), f"path {action % 8}") for action in run.play.actions)
    rewards = tuple(reward_tick(reward) for reward in run.rewards[1:])
    return Strip(f"{title}: acts", actions), Strip(f"{title}: reward", rewards)


def _ranking(totals: Mapping[str, Fraction]) -> str:
    """Who is ahead, equal ones in one place, and who is above 0."""
    places: dict[Fraction, list[str]] = {}
    for title, total in sorted(totals.items(), key=lambda each: -each[1]):
        places.setdefault(total, []).append(title)
    signs = {1: "above 0", 0: "at 0", -1: "below 0"}
    return "; ".join(f"{' and '.join(titles)} {signs[(total > 0) - (total < 0)]}" for total, titles in places.items())
