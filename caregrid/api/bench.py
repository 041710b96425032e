"""`caregrid.bench`: every method in every world of some suites, measured over its whole range of coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from caregrid.api.checked import checked
from caregrid.api.execution import Execution, Place, RunNotFinished, RunOptions, run_directory
from caregrid.api.results.result import Result
from caregrid.api.several import several
from engine.errors import BadValue
from engine.limits.whole_numbers import Maps, Seed
from engine.printable import shown_value


@dataclass(frozen=True, repr=False, eq=False)
class BenchResult(Result):
    """What methods reach in worlds.

    content: what the file holds, see `experiments.bench.bench_file`. path: the file, None where nothing was written.
    """

    content: dict[str, Any]
    path: Path | None = None

    @property
    def title(self) -> str:
        """How many methods in how many worlds."""
        results = self.content["results"]
        worlds = {(result["suite"], result["world"]) for result in results}
        return f"benchmark, {len(worlds)} worlds, {len(results)} results"

    @property
    def digest(self) -> str:
        """32 hexadecimal digits, the same for the same results."""
        return str(self.content["digest"])

    def rows(self) -> list[dict[str, Any]]:
        """A row a method and world: suite, world, method, seed, refused, area, own, others, performance, violations."""
        from experiments.bench.summary import table_rows

        return table_rows(self.content["results"])

    def as_dict(self) -> dict[str, Any]:
        """The content of the file."""
        return self.content

    def text(self) -> str:
        """For each suite and method the means over worlds, the digest, and what was written."""
        from experiments.bench.summary import overview
        from experiments.tables import aligned_lines

        listed = overview(self.content["results"])
        lines = aligned_lines([tuple(listed[0]), *(tuple(row.values()) for row in listed)]) if listed else []
        wrote = [] if self.path is None else [f"wrote {self.path}"]
        return "\n".join([*lines, f"digest {self.digest}", *wrote])


@checked
def bench(
    suites: str | Sequence[str] = (),
    *,
    quick: bool = False,
    methods: str | Sequence[str] = (),
    agents: str | Sequence[str] = (),
    held_out: Seed | None = None,
    maps: Maps = 3,
    out: Place = None,
    **options: Unpack[RunOptions],
) -> BenchResult:
    """Measure every method in every world of some suites.

    suites: names, also joined by commas; all by default. quick: few worlds and seeds. methods: `module:attribute` of
    your own, also joined by commas, measured in the place of ours (`experiments.bench.own_method` says what they may
    be). agents: likewise, or names of registered agents, such as dqn and sb3_ppo (extra `deep`). held_out: a seed of
    random maps, `maps` for each world that has any, which take the place of the worlds (`craftworld.random_maps`). out:
    a directory for bench.json and finished units, which goes on where it stopped; True for one below results/; None
    writes nothing. options: see `RunOptions`. Raises UnknownName for a suite or agent, BadValue or ContractBroken for a
    method or agent, MissingExtra for one that needs it, RunNotFinished where a unit fails or the run stops.
    """
    from engine.files import write_atomically
    from experiments.bench.bench_file import FILE, bench_content, encoded
    from experiments.requests.bench import BenchRequest
    from experiments.runs.storage.manifest import read_manifest
    from experiments.targets import RESULTS

    request = BenchRequest(_suites(suites), quick, _names(methods, "methods"), _names(agents, "agents"), held_out, maps)
    experiment = request.experiment()
    request.rehearse()
    with run_directory(out, lambda: Path(RESULTS) / request.name) as directory:
        request.refuse_clash(read_manifest(directory), directory)
        summary = Execution(**options).run(experiment, directory, origin=request.as_dict(), here=True)
        results = request.results(directory)
        if not summary.complete:
            from experiments.bench.summary import table_rows

            raise RunNotFinished(summary, table_rows(results))
        drawings = request.drawings()
        content = bench_content(results, {**request.identity(), **({"drawings": drawings} if drawings else {})})
        if out is None:
            return BenchResult(content)
        write_atomically(directory / FILE, encoded(content))
        return BenchResult(content, directory / FILE)


def _suites(suites: str | Sequence[str]) -> tuple[str, ...]:
    """The names, each once, in the order given; all where none is; UnknownName for one that is unknown."""
    from engine.registry import spelled
    from experiments.bench.suites import SUITES

    names = [spelled(name) for name in _names(suites, "suites")]
    for name in names:
        SUITES[name]
    return tuple(dict.fromkeys(names or SUITES.names()))


def _names(given: str | Sequence[str], place: str) -> tuple[str, ...]:
    """Names, given one by one or joined by commas, each once; BadValue for an empty one."""
    texts = [given] if isinstance(given, str) else several(given, place, "bench", "give names")
    if not all(isinstance(text, str) for text in texts):
        raise BadValue(f"{place} are {shown_value(given)}", place="bench", remedy="give names")
    names = [word.strip() for text in texts for word in text.split(",")]
    if not all(names):
        raise BadValue(f"an empty name among the {place}", place="bench", remedy="separate names by single commas")
    return tuple(dict.fromkeys(names))
