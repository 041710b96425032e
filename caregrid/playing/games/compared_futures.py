"""Exact agents beside a player between slots, one for each future that counts as its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from engine.limits.effort import ASK_FIRST, Effort
from multislot.learning.mixture import Mixture
from multislot.planning.evaluate import SlotEvaluation, evaluate
from multislot.policies import slot_policy
from multislot.policy import PolicyContext
from multislot.simulation.simulation import simulate_slots
from multislot.worlds.environment import AgentHistory, Label, Slot

FinalAgents = tuple[Mapping[Slot, AgentHistory], Fraction]


@dataclass(frozen=True)
class ComparedFutures:
    """Futures by name in one world, horizon: of the game; values are kept, so that all games of a session share them.

    discount: of one step. effort: how much planning is done without asking.
    """

    mixture: Mixture
    futures: tuple[str, ...]
    horizon: int
    discount: Fraction
    effort: Effort = ASK_FIRST

    def evaluation(self, future: str, history: AgentHistory) -> SlotEvaluation:
        """Q at a history, for the steps that are left."""
        asked = future, history
        if asked not in self._evaluations:
            left = self.horizon - len(history)
            self._evaluations[asked] = evaluate(self.mixture, future, left, self.discount, history, effort=self.effort)
        return self._evaluations[asked]

    def verdicts(self, history: AgentHistory, action: Label) -> str:
        """For each future, the optimal actions at a history and what an action loses against them."""
        texts = []
        for future in self.futures:
            found = self.evaluation(future, history)
            loss = max(found.Q.values()) - found.Q[action]
            best = " or ".join(map(str, found.ties))
            texts.append(f"{future} {best}, as you" if not loss else f"{future} {best}, you lose {loss}")
        return "; ".join(texts)

    def first_choice(self, history: AgentHistory) -> Label:
        """What the first future's agent does."""
        return self.evaluation(self.futures[0], history).action

    def runs(self, seed: int) -> dict[str, FinalAgents]:
        """Future -> the histories of the agents that are left when its agents act, and their value at the start."""
        if seed not in self._runs:
            (world,), found = self.mixture.environments, {}
            context = PolicyContext(self.mixture, self.horizon, self.discount, effort=self.effort)
            for future in self.futures:
                value = Fraction(self.evaluation(future, ()).V)
                trace = simulate_slots(world, slot_policy(future, context), self.horizon, seed, self.effort)
                found[future] = trace[-1].histories, value
            self._runs[seed] = found
        return self._runs[seed]

    @cached_property
    def _runs(self) -> dict[int, dict[str, FinalAgents]]:
        return {}

    @cached_property
    def _evaluations(self) -> dict[tuple[str, AgentHistory], SlotEvaluation]:
        return {}
