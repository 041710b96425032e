"""An example of the formal theory: what an agent sees, does and gets, turn by turn (`--set agent=parity`)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from engine.plain_values import write_number
from engine.scene import Film, Scene, Strip, Tick
from experiments.figures.labels import format_name
from xenv.theory.histories import PlayedTurn
from xenv.theory.interaction import Interaction, interact
from xenv.theory.naming import read_agent, read_environment

TURNS_SHOWN = 14
LONGEST_WORD = 5
LONGEST_TOTAL = 24
MILLION = 1_000_000


def film_interaction(interaction: Interaction, title: str) -> Film:
    """One scene a turn: strips of observations, actions and the rewards that followed, and the total so far."""
    turns = interaction.play.turns
    rewards = interaction.rewards
    return tuple(
        _draw_turns(turns[:number], rewards[1 : number + 1], rewards[0], title) for number in range(1, len(turns) + 1)
    )


def _draw_turns(turns: list[PlayedTurn], rewards: tuple[Fraction, ...], first: Fraction, title: str) -> Scene:
    shown = turns[-TURNS_SHOWN:]
    strips = (
        ("observation", [Tick(_round(turn.observation), f"history {turn.observation % 8}") for turn in shown]),
        ("action", [Tick(_round(turn.action), f"path {turn.action % 8}") for turn in shown]),
        ("reward for it", [make_reward_tick(reward) for reward in rewards[-len(shown) :]]),
    )
    now = turns[-1]
    total = first + sum(rewards)
    return Scene(
        caption=f"{title}, turn {len(turns)}: observation {_round(now.observation)}, action {_round(now.action)}, "
        f"reward {_write_total(rewards[-1])}",
        readings=(("return", _write_total(total)), ("first reward", _write_total(first))),
        charts=tuple(Strip(name, tuple(ticks), len(shown) - 1) for name, ticks in strips),
    )


def make_reward_tick(reward: Fraction) -> Tick:
    """A reward in a few characters and the colour of its sign."""
    return Tick(_round(reward), "gain" if reward > 0 else "loss" if reward < 0 else "plain")


def _write_total(number: Fraction) -> str:
    """A number with room: integers by thousands."""
    return f"{int(number):,}" if number == int(number) and abs(number) < MILLION**2 else _round(number, LONGEST_TOTAL)


def _round(number: Fraction | int, longest: int = LONGEST_WORD) -> str:
    """A number in a few characters: exact where it fits, else rounded; 1M is a million."""
    text = str(number)
    if len(text) <= longest:
        return text
    number = Fraction(number)
    if abs(number) >= MILLION**2:
        return f"{'-' * (number < 0)}10^{len(str(abs(number.numerator) // number.denominator)) - 1}"
    in_millions = 10 * abs(number) >= MILLION
    return write_number(float(number / MILLION if in_millions else number), 2) + "M" * in_millions


def film_of_theory(name: str, settings: dict[str, Any]) -> Film:
    """The first turns of an agent (default: parity) in an example."""
    turns = settings.get("turns", 30)
    named = read_environment(name)
    agent = read_agent(str(settings.get("agent", "parity")), named.n_observations, named.n_actions)
    return film_interaction(
        interact(agent, named.environment, turns), f"{format_name(named.name)}, {format_name(agent.name)}"
    )
