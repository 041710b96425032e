"""What a session did: counts, failures, and how it ended."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from experiments.experiment import UnitSetting


class UnitFailure(NamedTuple):
    """A unit without rows: its setting and why."""

    setting: UnitSetting
    reason: str


@dataclass
class RunSummary:
    """What a session did.

    units: asked for. already: stored before. done: stored now. stopped: the signal that ended it early, if any. kept:
    whether the directory will be there afterwards.
    """

    directory: Path
    units: int
    already: int = 0
    log: Path | None = None
    done: int = 0
    failures: list[UnitFailure] = field(default_factory=list)
    stopped: str | None = None
    seconds: float = 0.0
    unit_seconds: float = 0.0
    kept: bool = True

    @property
    def finished(self) -> int:
        """Units asked for that are stored."""
        return self.already + self.done

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.finished == self.units

    @property
    def exit_code(self) -> int:
        """0 complete, 1 with failures, 128 + the signal's number where one ended it."""
        return 128 + signal.Signals[self.stopped] if self.stopped else int(bool(self.failures) or not self.complete)

    def sentence(self) -> str:
        """One line for people."""
        how = f"stopped by {self.stopped}: " if self.stopped else ""
        failed = f", {len(self.failures)} failed" if self.failures else ""
        if not self.kept:
            return f"{how}{self.finished} of {self.units} units are finished{failed}; none is stored"
        failed += f" (see {self.log})" if self.failures else ""
        stored = f"{self.finished} of {self.units} units are stored in {self.directory}"
        return f"{how}{stored} ({self.done} now, {self.already} before){failed}"

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "units": self.units,
            "already": self.already,
            "done": self.done,
            "failed": [{"setting": dict(failure.setting), "reason": failure.reason} for failure in self.failures],
            "stopped": self.stopped,
            "directory": str(self.directory) if self.kept else None,
            "seconds": round(self.seconds, 3),
            "log": str(self.log) if self.log and self.kept else None,
        }
