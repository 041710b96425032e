"""The log file of one session: a line an event, each with the time of day, written through at once."""

from __future__ import annotations

import contextlib
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from experiments.provenance import now


class SessionLog:
    """A file of its own for every session; what cannot be logged stops nothing."""

    def __init__(self, folder: Path) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
        self.path = folder / f"{stamp}-{platform.node()}-{os.getpid()}.log"

    def write(self, event: str) -> None:
        """Append an event; further lines of it are indented."""
        with contextlib.suppress(OSError), self.path.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(f"{now()} " + event.rstrip().replace("\n", "\n    ") + "\n")
