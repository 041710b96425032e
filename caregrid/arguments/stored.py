"""Stored results as a command names them: what 'caregrid run' took, or a run directory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option, positional

if TYPE_CHECKING:
    from caregrid.runs.experiment import ExperimentResult


@dataclass(frozen=True, kw_only=True)
class StoredArguments:
    """TARGET and --from."""

    target: str = positional(
        "experiment, sweep file, MODULE:NAME or run directory", metavar="TARGET", kinds=("experiments",)
    )
    directory: str | None = option(None, "run directory (default results/NAME)", metavar="DIR", name="--from")
    trust: bool = option(False, "import code that the run directory or sweep file names, MODULE:NAME, and run it")

    def results(self) -> ExperimentResult:
        """The results, none where nothing has been run."""
        from caregrid.runs.experiment import load

        return load(self.target, self.directory, trust=self.trust)
