"""`caregrid.simulate_slots`: agents that may be copied, run step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.api.checked import checked
from caregrid.api.programmes.slot_world import given_policy, slot_discount, slot_mixture
from caregrid.api.results.film import RecordedFilm, film_writers
from caregrid.api.results.pictures import film_figure
from caregrid.api.results.result import Result, Writer
from engine.errors import BadValue, argument
from engine.limits.effort import ASK_FIRST, Effort
from engine.limits.whole_numbers import Horizon, Seed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multislot.learning.mixture import Mixture
    from multislot.scenario import SlotScenario
    from multislot.worlds.environment import HistoryBasedEnvironment, Label
    from multislot.worlds.protocol import Trace

MILLISECONDS = 1000


@dataclass(frozen=True, repr=False, eq=False)
class SlotSimulation(Result):
    """A run of the protocol. environment: the world. trace: one `ProtocolStep` a time step, the first at time 0."""

    environment: HistoryBasedEnvironment
    trace: Trace

    @property
    def title(self) -> str:
        """World and number of steps."""
        return f"{self.environment.name}, {len(self.trace) - 1} steps"

    def rows(self) -> list[dict[str, Any]]:
        """A row an agent and time step: its slot, the slots that it came by, its history."""
        return [
            {"t": step["t"], "slot": int(slot), "came_by": _came_by(step, slot), "history": history}
            for step in self.steps()
            for slot, history in step["histories"].items()
        ]

    def steps(self) -> list[dict[str, Any]]:
        """One object a time step: agents, actions, copies, observations, histories; ready for JSON."""
        from multislot.simulation.traces import trace_json

        return trace_json(self.trace)

    def as_dict(self) -> dict[str, Any]:
        """{"steps"}."""
        return {"steps": self.steps()}

    def film(self) -> RecordedFilm:
        """A scene a time step: a panel a slot, the slot estimates, the graph of slot histories."""
        from multislot.simulation.film import slot_film

        return RecordedFilm(self.title, slot_film(self.environment, self.trace), tile=48, milliseconds=MILLISECONDS)

    def figure(self) -> Figure:
        """The time steps beside each other."""
        return film_figure(self.film().scenes)

    def text(self) -> str:
        """The agents of every time step with their histories."""
        lines = []
        for step in self.steps():
            lines.append(f"t = {step['t']}: agents on slots {', '.join(map(str, step['agent_set'])) or 'none'}")
            for slot, history in step["histories"].items():
                lines.append(f"  slot {slot}, came by {_came_by(step, slot)}: {history}")
        return "\n".join(lines)

    def writers(self) -> dict[str, Writer]:
        """Tables, pictures and arrays as every result, and films: .gif, .mp4, and .html with a player."""
        return super().writers() | film_writers(self.film)


def _came_by(step: dict[str, Any], slot: str) -> str:
    """The slots of an agent's history."""
    return "-".join(map(str, step["slot_histories"][slot]))


@checked
def simulate_slots(
    world: str | Path | SlotScenario | HistoryBasedEnvironment | Mixture | None,
    policy: str | Callable[..., Label],
    steps: Horizon,
    *,
    members: str | Path | None = None,
    horizon: Horizon | None = None,
    discount: str | float | Fraction | None = None,
    seed: Seed = 0,
    likelihood: str = "exists",
    arithmetic: str = "exact",
    effort: Effort = ASK_FIRST,
    trust: bool = False,
) -> SlotSimulation:
    """Run agents with a policy for some steps.

    world: as in `slots`. policy: "always:ACTION", "cycle:A,B", "random:SEED", a future (the agent that is optimal for
    it), `module:attribute`, or a function of the history. horizon: the time step after which no reward counts for
    policies that plan, by default the last. seed: of the random outcomes. effort, trust: as in `slots`. Raises
    UnknownName, BadValue, ContractBroken.
    """
    from multislot.planning.arithmetic import named_arithmetic
    from multislot.policy import PolicyContext
    from multislot.simulation.simulation import simulate_slots as simulate

    mixture = slot_mixture(world, members, likelihood, effort, trust)
    if len(mixture.environments) > 1:
        raise BadValue("a class cannot be simulated", remedy="name one environment")
    if isinstance(policy, str) and not policy:
        raise BadValue("a simulation needs a policy", remedy=f"try {argument('policy', 'cpy')}")
    last_step = steps if horizon is None else horizon
    gamma = slot_discount(discount, world if members is None else members)
    context = PolicyContext(mixture, last_step, gamma, named_arithmetic(arithmetic), effort)
    environment = mixture.environments[0]
    return SlotSimulation(environment, simulate(environment, given_policy(policy, context), steps, seed, effort))
