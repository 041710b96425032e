"""What `caregrid cite` gives: BibTeX for caregrid, and for the works that an entry cites; and what a run cites."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from caregrid.bibliography import SOFTWARE, cite_software, find_citations, read_works, write_citation_file
from caregrid.kinds import KINDS
from caregrid.results import Result
from engine.errors import CaregridError
from engine.user_code import names_of_file

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, repr=False, eq=False)
class Citations(Result):
    """What to cite. name: the entry's, "" for caregrid alone. works: BibTeX key -> entry, caregrid first."""

    as_wide_as_terminal: ClassVar[bool] = True  # a program reads it: no line is broken

    name: str
    works: Mapping[str, str]

    @property
    def title(self) -> str:
        """What is cited."""
        return f"what to cite for {self.name or SOFTWARE}"

    def rows(self) -> list[dict[str, Any]]:
        """A row per work: key and BibTeX."""
        return [{"key": key, "bibtex": work} for key, work in self.works.items()]

    def as_dict(self) -> dict[str, Any]:
        """{"name", "works"}; name is None for caregrid alone."""
        return {"name": self.name or None, "works": self.rows()}

    def text(self) -> str:
        """A BibTeX file."""
        return "\n\n".join(self.works.values())


WORD = re.compile(r"[\w./:-]+")
MOST_WORDS = 1000


def cite_run(directory: Path, experiment: str = "", asked: Sequence[Any] = ()) -> dict[str, str]:
    """Name of a file -> its content: what to cite for a run, by its experiment and the entries that settings name.

    experiment, asked: what the user has named just now; code of their own counts. What the directory says is a file's.
    """
    from experiments.results import read_described_results
    from experiments.runs.run_directory import read_manifest

    works = {SOFTWARE: cite_software(), **_find_works(experiment, asked)}
    with names_of_file(directory):
        manifest = read_manifest(directory)
        sessions = read_described_results(directory).store.sessions()
        stored = [manifest.get("origin"), *(session.get("settings") for session in sessions)]
        works |= _find_works(str(manifest.get("experiment")), stored)
    return {
        "CITATION.cff": write_citation_file(work for key, work in works.items() if key != SOFTWARE),
        "CITATION.bib": "\n\n".join(works.values()) + "\n",
    }


def _find_works(experiment: str, asked: Sequence[Any]) -> dict[str, str]:
    works: dict[str, str] = {}
    for kind, name in dict.fromkeys([("experiments", experiment), *_list_entries(asked)]):
        with contextlib.suppress(CaregridError):  # a word that names nothing, or code that nobody trusts
            works |= cite_entry(name, kind).works
    return works


def _list_entries(asked: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """(kind, name) of the entries among settings: a setting `agent` names agents or, where there is none, others."""
    for settings in asked:
        for setting, values in settings.items() if isinstance(settings, Mapping) else ():
            several = f"{str(setting).removesuffix('s')}s"
            kinds = sorted((kind for kind in KINDS if f"_{kind}".endswith(f"_{several}")), key=len)
            listed = values[:MOST_WORDS] if isinstance(values, list | tuple) else [values]
            for word in (word for value in listed if isinstance(value, str) for word in WORD.findall(value)):
                kind = next((kind for kind in kinds if ":" in word or word in KINDS[kind].light_registry()), None)
                if kind is not None:
                    yield kind, word


def cite_entry(name: str | None, kind: str | None = None) -> Citations:
    """The works of every entry that has a name, each once; raises as `caregrid.inventory.find_entries`."""
    from caregrid.inventory import find_entries, find_entry_file

    works = {SOFTWARE: cite_software()}
    every = read_works()
    for one, found in find_entries(name, kind) if name else ():
        registry = one.full_registry()
        file = find_entry_file(registry, found, registry[found])
        folder = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
        if file.suffix == ".py":
            works |= {key: every[key] for key in find_citations(file, registry.documentation(found), folder)}
    return Citations(name or "", works)
