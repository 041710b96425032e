"""What `caregrid cite` gives: BibTeX for caregrid, and for the works that an entry cites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from caregrid.bibliography import SOFTWARE, cite_software, find_citations, read_works
from caregrid.results.result import Result

ROOT = Path(__file__).resolve().parents[2]


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
        """A row a work: key and BibTeX."""
        return [{"key": key, "bibtex": work} for key, work in self.works.items()]

    def as_dict(self) -> dict[str, Any]:
        """{"name", "works"}; name is None for caregrid alone."""
        return {"name": self.name or None, "works": self.rows()}

    def text(self) -> str:
        """A BibTeX file."""
        return "\n\n".join(self.works.values())


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
