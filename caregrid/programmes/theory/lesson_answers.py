"""What the live page of a lesson shows of the formal theory: several agents, by discount or by a remembered past."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate

from caregrid.programmes.programme import SweepAnswer
from caregrid.programmes.theory.interaction import make_reward_tick
from engine.scene import Strip, Tick
from xenv.theory.examples.handicap_examples import false_memories
from xenv.theory.histories import Play
from xenv.theory.interaction import Interaction, interact
from xenv.theory.naming import read_agent, read_environment


def answer_by_discount(example: str, agents: Mapping[str, str], turns: int, discount: Fraction) -> SweepAnswer:
    """Discounted totals, and who is ahead of whom. agents: name -> as it is written."""
    environment = read_environment(example).environment
    return _make_answer(
        {title: interact(read_agent(name), environment, turns) for name, title in agents.items()}, discount
    )


def answer_by_memory(agents: Mapping[str, str], turns: int, reward: Fraction) -> SweepAnswer:
    """Totals of agents that are to act as if a first turn with a reward had come before all others."""
    environment = false_memories(Play((reward, 0, 0)))
    return _make_answer({title: interact(read_agent(name), environment, turns) for name, title in agents.items()})


def _make_answer(runs: Mapping[str, Interaction], discount: Fraction = Fraction(1)) -> SweepAnswer:
    totals = {title: run.sum_discounted(discount) for title, run in runs.items()}
    strips = [strip for title, run in runs.items() for strip in _draw_strips(title, run)]
    series = {title: [float(total) for total in accumulate(run.rewards[1:])] for title, run in runs.items()}
    return SweepAnswer(_rank(totals), totals, tuple(strips), series=series)


def _draw_strips(title: str, run: Interaction) -> tuple[Strip, Strip]:
    """Return an agent's actions, and the reward that follows each."""
    actions = tuple(Tick(str(action), f"path {action % 8}") for action in run.play.actions)
    rewards = tuple(make_reward_tick(reward) for reward in run.rewards[1:])
    return Strip(f"{title}: acts", actions), Strip(f"{title}: reward", rewards)


def _rank(totals: Mapping[str, Fraction]) -> str:
    """Who is ahead, equal ones in one place, and who is above 0."""
    by_total: dict[Fraction, list[str]] = {}
    for title, total in sorted(totals.items(), key=lambda ranked: -ranked[1]):
        by_total.setdefault(total, []).append(title)
    signs = {1: "above 0", 0: "at 0", -1: "below 0"}
    return "; ".join(f"{' and '.join(titles)} {signs[(total > 0) - (total < 0)]}" for total, titles in by_total.items())
