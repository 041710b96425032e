"""Reading run directories for a report: each by its experiment, or, unless its code is trusted, without it."""

from __future__ import annotations

from pathlib import Path

from engine.errors import CaregridError
from engine.storage.trusted_names import UntrustedCode
from engine.user_code import described
from experiments.report.sections import Section, section_of
from experiments.report.untrusted import untrusted_section
from experiments.results import Results
from experiments.runs.run_directory import RunDirectory
from experiments.runs.storage.manifest import read_manifest
from experiments.targets import target_of_directory


def read_section(directory: Path) -> Section:
    """What one run directory holds, read without importing code that its manifest names."""
    return _read(directory, trust=False)


def read_trusted_section(directory: Path) -> Section:
    """What one run directory holds, judged anew by the code that its manifest names."""
    return _read(directory, trust=True)


def _read(directory: Path, trust: bool) -> Section:
    """A section; a run that cannot be read, or whose code fails, is reported as such and spoils nothing."""
    name, title = directory.name, ""
    try:
        manifest = read_manifest(directory)
        name, title = str(manifest.get("experiment", name)), str(manifest.get("reproduces", ""))
        seed = manifest.get("seed", 0)
        try:
            experiment = target_of_directory(directory, trust).experiment
        except UntrustedCode:
            return untrusted_section(directory, manifest)
        return section_of(Results(RunDirectory(directory, experiment, seed if isinstance(seed, int) else 0)))
    except CaregridError as error:
        return Section(name, title, directory, problem=str(error))
    except Exception as error:  # a claim, a table or a figure that cannot cope with what is stored
        return Section(name, title, directory, problem=f"its results cannot be shown: {described(error)}")
