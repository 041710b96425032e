"""`caregrid.theory`: an agent in an example of the formal theory of extended environments, with exact totals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from caregrid.results.film import RecordedFilm, film_writers, scene_figure
from caregrid.results.result import Result, Writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xenv.theory.histories import Percept, Play
    from xenv.theory.interaction import Interaction


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
        """A row a turn: turn (1, 2, ...), reward (a text, p/q), observation, action."""
        return [
            {"turn": number, "reward": str(reward), "observation": observation, "action": action}
            for number, (reward, observation, action) in enumerate(self.play.turns, 1)
        ]

    def as_dict(self) -> dict[str, Any]:
        """{"example", "agent", "turns": [[reward, observation, action], ...], "total"}, rewards and total as texts."""
        turns = [[row["reward"], row["observation"], row["action"]] for row in self.rows()]
        return {"example": self.example, "agent": self.agent, "turns": turns, "total": str(self.total)}

    def text(self) -> str:
        """The turns and the total."""
        from experiments.rows import align_lines

        rows = enumerate(self.rows(), 1)
        lines = [("turn", "reward", "observation", "action")]
        lines += [(str(number), row["reward"], str(row["observation"]), str(row["action"])) for number, row in rows]
        reward, observation = self.last
        last = f"then: reward {reward}, observation {observation}"
        kind = "total" if self.discount == 1 else f"discounted total ({self.discount})"
        return "\n".join([self.title, *align_lines(lines), last, f"{kind}: {self.total}"])

    def film(self) -> RecordedFilm:
        """A scene a turn: rewards, observations and actions so far."""
        from caregrid.programmes.theory.film import film_interaction
        from experiments.figures.labels import format_name

        caption = f"{format_name(self.example)}, {format_name(self.agent)}"
        return RecordedFilm(self.title, film_interaction(self.interaction, caption))

    def figure(self) -> Figure:
        """The last scene of the film."""
        return scene_figure(self.film().scenes[-1], tile=32)

    def writers(self) -> dict[str, Writer]:
        """Tables, pictures and arrays as every result, and films: .gif, .mp4, and .html with a player."""
        return super().writers() | film_writers(self.film)
