"""What a session shows while it runs, and the summary of what it did.

Progress is bars on a terminal, a plain line every few seconds elsewhere, nothing with --quiet. The summary holds
counts, failures, and how the session ended.
"""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TextIO

from experiments.experiment import UnitLength, UnitSetting

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

SECONDS_BETWEEN_LINES = 5.0
NO_LENGTH = UnitLength()
SECONDS_UNTIL_NAMED = 10.0


class LongestUnit(NamedTuple):
    """The unit that has been running longest, since a moment of `time.monotonic`; as text "" while that is not long."""

    unit: str
    since: float

    def __str__(self) -> str:
        seconds = time.monotonic() - self.since
        return f"{self.unit} for {seconds:.0f} s" if seconds >= SECONDS_UNTIL_NAMED else ""


class Progress(Protocol):
    """Contract of a progress display: called at every change, writes to stderr.

    length: of every unit. longest: the unit that has been running longest.
    """

    def start(self, name: str, total: int, length: UnitLength = NO_LENGTH) -> None: ...

    def update(self, finished: int, failed: int, longest: LongestUnit | None = None) -> None: ...

    def note(self, text: str) -> None: ...

    def stop(self) -> None: ...


class Silent:
    """Shows nothing."""

    def start(self, name: str, total: int, length: UnitLength = NO_LENGTH) -> None:
        """Nothing."""

    def update(self, finished: int, failed: int, longest: LongestUnit | None = None) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def stop(self) -> None:
        """Nothing."""


class Lines:
    """A line every few seconds, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def start(self, name: str, total: int, length: UnitLength = NO_LENGTH) -> None:
        """Begin to count."""
        self._name = name
        self._total = total
        self._length = length
        self._started = self._shown = time.monotonic()
        self._first: int | None = None

    def update(self, finished: int, failed: int, longest: LongestUnit | None = None) -> None:
        """Show a line if the last one is a few seconds old."""
        now = time.monotonic()
        self._first = finished if self._first is None else self._first
        if now - self._shown < SECONDS_BETWEEN_LINES:
            return
        self._shown = now
        rate = (finished - self._first) / (now - self._started)
        left = f", {(self._total - finished) / rate:.0f} s left" if rate else ""
        runs = f", longest: {longest}" if longest and str(longest) else ""
        words = f" ({self._length.describe_rate(rate)})" if self._length.number else ""
        self.note(f"{finished} of {self._total} units, {rate:.3g} per second{words}{left}, {failed} failed{runs}")

    def note(self, text: str) -> None:
        """Show a line now."""
        self._stream.write(f"{self._name}: {text}\n")
        self._stream.flush()

    def stop(self) -> None:
        """Nothing to tidy."""


class ProgressBars:
    """A bar with rate, time left and failures."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bars: RichProgress | None = None
        self._task: Any = None

    def start(self, name: str, total: int, length: UnitLength = NO_LENGTH) -> None:
        """Draw the bar."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _make_rate_column(length),
            TimeRemainingColumn(),
            TextColumn("{task.fields[failed]} failed"),
            TextColumn("{task.fields[longest]}", markup=False),
            console=Console(file=self._stream),
        )
        self._task = self._bars.add_task(name, total=total, failed=0, longest="")
        self._bars.start()

    def update(self, finished: int, failed: int, longest: LongestUnit | None = None) -> None:
        """Move the bar."""
        if self._bars is not None:
            self._bars.update(self._task, completed=finished, failed=failed, longest=longest or "")

    def note(self, text: str) -> None:
        """Print a line above the bar."""
        if self._bars is not None:
            self._bars.console.print(text, markup=False, highlight=False)

    def stop(self) -> None:
        """Leave the bar as it is."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


def _make_rate_column(length: UnitLength) -> Any:
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else length.describe_rate(task.speed) or f"{task.speed:.3g}/s")

    return Rate()


def choose_progress(stream: TextIO, quiet: bool) -> Progress:
    """Return the kind of progress that suits a stream."""
    if quiet:
        return Silent()
    return ProgressBars(stream) if stream.isatty() else Lines(stream)


class UnitFailure(NamedTuple):
    """A unit without rows: its setting and why."""

    setting: UnitSetting
    reason: str


@dataclass
class RunSummary:
    """What a session did.

    units: asked for. already: stored before. done: stored now. stopped: the signal that ended it early, if any. kept:
    whether the directory will be there afterwards. shard: whose units these are, such as "3/8"; "" for the whole grid.
    missing: units of other shards that are not stored yet.
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
    shard: str = ""
    missing: int = 0

    @property
    def finished(self) -> int:
        """Units asked for that are stored."""
        return self.already + self.done

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.finished == self.units and not self.missing

    @property
    def exit_code(self) -> int:
        """0 where all that was asked for is stored, 1 with failures, 128 + the signal's number where one ended it."""
        if self.stopped:
            return 128 + signal.Signals[self.stopped]
        return int(bool(self.failures) or self.finished < self.units)

    def progress(self) -> str:
        """Return how many units are stored."""
        return f"{self.finished} of {self.units} units{f' of shard {self.shard}' * bool(self.shard)} are stored"

    def sentence(self) -> str:
        """Return one line for people."""
        how = f"stopped by {self.stopped}: " if self.stopped else ""
        failed = f", {len(self.failures)} failed" if self.failures else ""
        if not self.kept:
            return f"{how}{self.finished} of {self.units} units are finished{failed}; none is stored"
        failed += f" (see {self.log})" if self.failures else ""
        stored = f"{self.progress()} in {self.directory} ({self.done} now, {self.already} before)"
        return f"{how}{stored}{failed}{f'; {self.missing} of other shards are missing' * bool(self.missing)}"

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
