"""The default prior of learned worlds: what was never tried changes nothing, makes nothing and updates nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from counterfactual.columns import Column
from counterfactual.terminal_world import PhysicsOutcome, SignalOutcome, TerminalWorld


@dataclass(frozen=True)
class NoChangePrior(TerminalWorld[Any]):
    """A world in which nothing changes."""

    features: tuple[str, ...]

    name = "no change"

    def start(self) -> Any:
        """No state: a prior only says what comes next."""
        return ()

    def physics(self, step: int, x: Any, action: Column) -> Sequence[PhysicsOutcome[Any]]:
        """The same state, no events."""
        return [PhysicsOutcome(1, x, (0,) * len(self.features))]

    def terminal(self, signal: Column, step: int, x: Any, action: Column, next_x: Any) -> Sequence[SignalOutcome]:
        """The same signal."""
        return [SignalOutcome(1, signal)]
