"""Results of packing a run into a file, of unpacking the file, and of computing some of its units again."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.results import Result
from caregrid.runs.experiment import ExperimentResult, load, load_rows
from engine.errors import BadValue
from engine.plain_values import make_json_value
from engine.printable import make_printable, show_value
from engine.value_types import SEEDS
from experiments.runs.unit import write_canonical_json

if TYPE_CHECKING:
    from experiments.sharing.packing import Packed
    from experiments.sharing.verification import Difference, Verified

SHOWN = 60


@dataclass(frozen=True, repr=False, eq=False)
class PackedRun(Result):
    """A run in one file. results: what was packed. packed: the file and what is in it."""

    results: ExperimentResult
    packed: Packed

    @property
    def path(self) -> Path:
        """The file."""
        return self.packed.place

    @property
    def title(self) -> str:
        """What is in which file."""
        return f"{self.results.name}: {self.results.results.store.tally()}: {self.path}"

    @property
    def exit_code(self) -> int:
        """What `caregrid pack` ends with: 1 where finished units are lost, or other code has made some."""
        return int(bool(self.results.warnings()))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per file in it."""
        return [{"file": name} for name in self.packed.files]

    def as_dict(self) -> dict[str, Any]:
        """Return {"experiment", "file", "files", "units", "rows", "problems"}."""
        stored = self.results.results
        problems = [*self.results.warnings(), *self.results.problems()]
        counts = {"units": len(stored.units), "rows": stored.number_of_rows, "problems": problems}
        return {"experiment": self.results.name, "file": str(self.path), "files": list(self.packed.files), **counts}

    def text(self) -> str:
        """Return what is in the file, and what a reader must know of the units."""
        return "\n".join([self.title, *(line for line in self.results.warnings() if line not in self.title)])


@dataclass(frozen=True, repr=False, eq=False)
class UnpackedRun(Result):
    """A run directory that came out of a file. unpacked: the directory and what is in it."""

    unpacked: Packed

    @property
    def directory(self) -> Path:
        """The run directory, as `caregrid.load` takes it."""
        return self.unpacked.place

    @property
    def title(self) -> str:
        """What came out."""
        stored = self.unpacked.results
        return make_printable(f"{stored.experiment.name}: {stored.store.tally()}: {self.directory}")

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per file."""
        return [{"file": name} for name in self.unpacked.files]

    def as_dict(self) -> dict[str, Any]:
        """Return {"experiment", "directory", "files", "units"}."""
        stored = self.unpacked.results
        counts = {"files": list(self.unpacked.files), "units": len(stored.units)}
        return {"experiment": stored.experiment.name, "directory": str(self.directory), **counts}

    def text(self) -> str:
        """Return what came out, and what reads it."""
        return f"{self.title}\n'check', 'draw', 'collect', 'report' and 'verify' read it"


@dataclass(frozen=True, repr=False, eq=False)
class VerifiedRun(Result):
    """What computing a part of a run once more has shown. place: the file or directory. verified: what was found."""

    place: Path
    experiment: str
    verified: Verified
    warnings: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether every byte does."""
        return self.verified.agrees

    @property
    def title(self) -> str:
        """How many units were computed again, and how many differ."""
        found = self.verified
        agree = found.recomputed - len(found.differences)
        counts = f"{agree} agree, {len(found.differences)} differ"
        return f"{self.experiment}: {found.recomputed} of {found.units} units computed again: {counts}"

    @property
    def exit_code(self) -> int:
        """What `caregrid verify` ends with: 0 where every byte agrees, 1 otherwise."""
        return int(not self.agrees)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per unit that differs: its setting, the column, both values, in what the code differs."""
        return [
            {**make_json_value(one._replace(setting={})._asdict()), "setting": write_canonical_json(one.setting)}
            for one in self.verified.differences
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return {"experiment", "place", "agrees", "warnings"} and the fields of `verified`."""
        found = self.verified._asdict() | {"stale": list(self.verified.stale), "differences": self.rows()}
        about = {"experiment": self.experiment, "place": str(self.place), "agrees": self.agrees}
        return {**about, **found, "warnings": list(self.warnings)}

    def text(self) -> str:
        """Return how many agree, the first that differs, whose code made them, what is lost, and the seed."""
        drawn = f"drawn by seed {self.verified.seed}"
        return "\n".join(map(make_printable, [self.title, *self._explain(), *self.warnings, drawn]))

    def _explain(self) -> Iterator[str]:
        found = self.verified
        if found.differences:
            yield _describe_difference(found.differences[0])
        if found.code:
            yield f"other code than here made units: {found.code}"
        elif found.unknown:
            yield f"nobody can know whether the same code made them ({found.unknown})"
        else:
            yield "same code, other bytes" if found.differences else "same code, same bytes"
        for name in found.stale:
            yield f"{name} is not what the units say"


def _describe_difference(difference: Difference) -> str:
    unit = write_canonical_json(difference.setting)
    if not difference.column:
        return f"first: {unit} cannot be computed: {difference.recomputed}"
    stored, made = (show_value(value, SHOWN) for value in (difference.stored, difference.recomputed))
    return f"first: {unit}, column '{difference.column}': stored {stored}, computed {made}"


def read_results(given: Any, trust: bool = False) -> ExperimentResult:
    """Stored results from what `caregrid.load` gave, or from what it takes; BadValue where nothing is kept of them."""
    results = given if isinstance(given, ExperimentResult) else load_rows(str(given), trust=trust)
    if not results.stored:
        raise BadValue("nothing is kept of this run", place=results.name, remedy="run it with out=DIR")
    return results


@contextmanager
def open_results(place: Path, trust: bool) -> Iterator[ExperimentResult]:
    """The results in a run directory, or in a file that `caregrid pack` made, for as long as the block lasts."""
    from experiments.sharing.packing import unpack_run

    if os.path.isdir(place):
        yield load(place, trust=trust)
        return
    with tempfile.TemporaryDirectory(prefix="caregrid-") as folder:
        unpacked = unpack_run(place, Path(folder, place.name))
        yield load(unpacked.place, trust=trust)


def draw_seed() -> int:
    """Return a seed that nobody can foresee, so that nobody knows which units will be computed again."""
    return secrets.randbelow(SEEDS.most + 1)
