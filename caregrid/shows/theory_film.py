"""An interaction of the formal theory turn by turn: what was observed, what was done, what it was worth."""

from __future__ import annotations

from fractions import Fraction

from engine.plain_values import number_text
from engine.scene import Film, Scene, Strip, Tick
from xenv.theory.histories import PlayedTurn
from xenv.theory.interaction import Interaction

TURNS_SHOWN = 14
LONGEST_WORD, LONGEST_TOTAL, MILLION = 5, 24, 1_000_000


def theory_film(interaction: Interaction, title: str) -> Film:
    """One scene a turn: strips of observations, actions and the rewards that followed, and the total so far."""
    turns, rewards = interaction.play.turns, interaction.rewards
    return tuple(
        _scene(turns[:number], rewards[1 : number + 1], rewards[0], title) for number in range(1, len(turns) + 1)
    )


def _scene(turns: list[PlayedTurn], rewards: tuple[Fraction, ...], first: Fraction, title: str) -> Scene:
    shown = turns[-TURNS_SHOWN:]
    strips = (
        ("observation", [Tick(_short(turn.observation), f"history {turn.observation % 8}") for turn in shown]),
        ("action", [Tick(_short(turn.action), f"path {turn.action % 8}") for turn in shown]),
        ("reward for it", [reward_tick(reward) for reward in rewards[-len(shown) :]]),
    )
    now, total = turns[-1], first + sum(rewards)
    return Scene(
        caption=f"{title}, turn {len(turns)}: observation {_short(now.observation)}, action {_short(now.action)}, "
        f"reward {_total(rewards[-1])}",
        readings=(("return", _total(total)), ("first reward", _total(first))),
        charts=tuple(Strip(name, tuple(ticks), len(shown) - 1) for name, ticks in strips),
    )


def reward_tick(reward: Fraction) -> Tick:
    """A reward in a few characters and the colour of its sign."""
    return Tick(_short(reward), "gain" if reward > 0 else "loss" if reward < 0 else "plain")


def _total(number: Fraction) -> str:
    """A number with room: integers by thousands."""
    return f"{int(number):,}" if number == int(number) and abs(number) < MILLION**2 else _short(number, LONGEST_TOTAL)


def _short(number: Fraction | int, longest: int = LONGEST_WORD) -> str:
    """A number in a few characters: exact where it fits, else rounded; 1M is a million."""
    text = str(number)
    if len(text) <= longest:
        return text
    number = Fraction(number)
    if abs(number) >= MILLION**2:
        return f"{'-' * (number < 0)}10^{len(str(abs(number.numerator) // number.denominator)) - 1}"
    in_millions = 10 * abs(number) >= MILLION
    return number_text(float(number / MILLION if in_millions else number), 2) + "M" * in_millions
