"""`caregrid.theory`: an agent in an example of the formal theory of extended environments: exact totals, film."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from caregrid.results import RecordedFilm, Result, Writer, film_writers, scene_figure
from engine.plain_values import write_number
from engine.scene import Film, Scene, Strip, Tick, choose_reward_role

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xenv.theory.histories import Percept, Play, PlayedTurn
    from xenv.theory.interaction import Interaction
    from xenv.theory.pictures import WorldPicture


@dataclass(frozen=True, repr=False, eq=False)
class TheoryResult(Result):
    """The beginning of the result of an interaction.

    example, agent: their names. interaction: the play and the last percept. discount: of the total.
    """

    example: str
    agent: str
    interaction: Interaction
    discount: Fraction

    @property
    def title(self) -> str:
        """Example, agent and number of turns."""
        return f"{self.example}, {self.agent}, {len(self.play.actions)} turns"

    @property
    def play(self) -> Play:
        """<r_0, o_0, a_0, ..., a_{n-1}>, as fractions and integers."""
        return self.interaction.play

    @property
    def last(self) -> Percept:
        """The reward and observation that the last action has led to."""
        return self.interaction.last

    @property
    def total(self) -> Fraction:
        """The sum of all rewards, discounted where a discount was given; the last percept's reward is among them."""
        return self.interaction.sum_discounted(self.discount)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per turn: turn (1, 2, ...), reward (a text, p/q), observation, action."""
        return [
            {"turn": number, "reward": str(reward), "observation": observation, "action": action}
            for number, (reward, observation, action) in enumerate(self.play.turns, 1)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return {"example", "agent", "turns": [[reward, observation, action], ...], "total"}; rewards are texts."""
        turns = [[row["reward"], row["observation"], row["action"]] for row in self.rows()]
        return {"example": self.example, "agent": self.agent, "turns": turns, "total": str(self.total)}

    def text(self) -> str:
        """Return the turns and the total."""
        from experiments.rows import align_lines

        rows = enumerate(self.rows(), 1)
        lines = [("turn", "reward", "observation", "action")]
        lines += [(str(number), row["reward"], str(row["observation"]), str(row["action"])) for number, row in rows]
        reward, observation = self.last
        last = f"then: reward {reward}, observation {observation}"
        kind = "total" if self.discount == 1 else f"discounted total ({self.discount})"
        return "\n".join([self.title, *align_lines(lines), last, f"{kind}: {self.total}"])

    def film(self) -> RecordedFilm:
        """Return a scene a turn: rewards, observations and actions so far."""
        from experiments.figures.labels import format_name

        caption = f"{format_name(self.example)}, {format_name(self.agent)}"
        return RecordedFilm(self.title, film_interaction(self.interaction, caption, _find_picture(self.example)))

    def figure(self) -> Figure:
        """Return the last scene of the film."""
        return scene_figure(self.film().scenes[-1], tile=32)

    def writers(self) -> dict[str, Writer]:
        """Return what writes each ending: those of every result, and films: .gif, .mp4, and .html with a player."""
        return super().writers() | film_writers(self.film)


TURNS_SHOWN = 14
LONGEST_WORD = 5
LONGEST_TOTAL = 24
MILLION = 1_000_000


def _find_picture(example: str) -> WorldPicture | None:
    """Return the picture of an example's own world; None for one made of others, and for users' own."""
    from xenv.theory import THEORY_EXAMPLES

    return THEORY_EXAMPLES[example].picture if example in THEORY_EXAMPLES else None


def film_interaction(interaction: Interaction, title: str, picture: WorldPicture | None = None) -> Film:
    """One scene a turn: the world, strips of observations, actions and the rewards that followed, and the total so far.

    picture: draws the world; None for strips alone.
    """
    turns = interaction.play.turns
    rewards = interaction.rewards
    scenes = [
        _draw_turns(turns[:number], rewards[1 : number + 1], rewards[0], title) for number in range(1, len(turns) + 1)
    ]
    if picture is None:
        return tuple(scenes)
    worlds = [picture(turn.observation, turn.action) for turn in turns]
    return tuple(
        replace(scene, floor=world.floor, marks=world.marks) for scene, world in zip(scenes, worlds, strict=True)
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
    """Return a reward in a few characters and the colour of its sign."""
    return Tick(_round(reward), choose_reward_role(reward))


def _write_total(number: Fraction) -> str:
    """Return a number with room: integers by thousands."""
    return f"{int(number):,}" if number == int(number) and abs(number) < MILLION**2 else _round(number, LONGEST_TOTAL)


def _round(number: Fraction | int, longest: int = LONGEST_WORD) -> str:
    """Return a number in a few characters: exact where it fits, else rounded; 1M is a million."""
    text = str(number)
    if len(text) <= longest:
        return text
    number = Fraction(number)
    if abs(number) >= MILLION**2:
        return f"{'-' * (number < 0)}10^{len(str(abs(number.numerator) // number.denominator)) - 1}"
    in_millions = 10 * abs(number) >= MILLION
    return write_number(float(number / MILLION if in_millions else number), 2) + "M" * in_millions
