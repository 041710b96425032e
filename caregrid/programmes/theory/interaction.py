"""`caregrid.theory`: an agent in an example of the formal theory of extended environments, with exact totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from caregrid.input_checks import check_arguments
from caregrid.results.film import RecordedFilm, film_writers, scene_figure
from caregrid.results.result import Result, Writer
from engine.value_types import HistoryTurns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xenv.theory.agents import HistoryAgent
    from xenv.theory.environments import HistoryEnvironment, TheoryExample
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


@check_arguments
def theory(
    example: str | TheoryExample | HistoryEnvironment,
    agent: str | HistoryAgent | Callable[..., int] = "always:0",
    turns: HistoryTurns = 20,
    *,
    discount: str | int | Fraction = 1,
) -> TheoryResult:
    """Let an agent interact with an example of the formal theory.

    example: a name ("deja_vu", "newcomb*deja_vu", "self_insertion(crying_baby)", `module:attribute`), a
    `TheoryExample`, or a function of agent and play. agent: a name ("always:1", "reality_check(parity)", "q_learning",
    `module:function`), or a function from a prompt, the tuple (r_0, o_0, a_0, ..., r_n, o_n), to an action 0, 1, 2, ...
    turns: how many actions, from 1 to 1000. discount: a fraction from 0 to 1. Raises UnknownName, BadValue,
    ContractBroken, which names the file and line of a user's function that gives no action.
    """
    from engine.plain_values import parse_rational
    from xenv.theory.interaction import interact, require_theory_turns
    from xenv.theory.naming import resolve_agent, resolve_environment

    gamma = parse_rational(discount, "discount", "theory")
    count = require_theory_turns(turns)
    environment = resolve_environment(example)
    measured = resolve_agent(agent, environment.n_observations, environment.n_actions)
    interaction = interact(measured, environment.environment, count)
    interaction.sum_discounted(gamma)
    return TheoryResult(environment.name, measured.name, interaction, gamma)
