"""`caregrid.report`: all results below a folder, as one page and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.api.checked import checked
from caregrid.api.results.result import Result, Writer
from engine.printable import printable

if TYPE_CHECKING:
    from experiments.report.sections import Section


@dataclass(frozen=True, repr=False, eq=False)
class ResultsReport(Result):
    """Figures, tables, claims and the papers' numbers of every run. sections: one a run. files: what was written.

    expected: names of experiments that could have been run, for the summary.
    """

    sections: Sequence[Section]
    files: Sequence[Path] = ()
    expected: Sequence[str] = ()

    @property
    def title(self) -> str:
        """How many runs."""
        return f"{len(self.sections)} runs"

    def rows(self) -> list[dict[str, Any]]:
        """A row a claim: experiment, directory, what is claimed, the verdict."""
        return [
            {"experiment": section.name, "directory": str(section.directory), **claim._asdict()}
            for section in self.sections
            for claim in section.claims
        ]

    def as_dict(self) -> dict[str, Any]:
        """{"files", "claims"}."""
        claims = {section.name: [claim._asdict() for claim in section.claims] for section in self.sections}
        return {"files": [str(path) for path in self.files], "claims": claims}

    def text(self) -> str:
        """What became of each run's claims, and what was written."""
        lines = [f"{section.label}: {section.problem or section.claims_summary}" for section in self.sections]
        lines = list(map(printable, lines))
        return "\n".join([*lines, *map(str, self.files)])

    def writers(self) -> dict[str, Writer]:
        """As every result; .html is the whole report."""
        from engine.files import write_atomically
        from experiments.report.html import html_report

        def as_page(path: Path) -> None:
            write_atomically(path, html_report(self.sections, self.expected))

        return super().writers() | {"html": as_page}


@checked
def report(directory: str | Path = "results", *, out: str | Path | None = None, trust: bool = False) -> ResultsReport:
    """Read every run below a directory.

    out: a folder for report.html, report.md and its figures; None writes nothing. trust: import code that the runs
    themselves name, `module:attribute`, and judge their rows anew; without it, such runs are reported as they judged
    themselves. BadFile where there is no run.
    """
    from experiments.catalogue import CATALOGUE
    from experiments.report.reading import read_section, read_trusted_section
    from experiments.report.sections import read_sections
    from experiments.report.writing import write_report

    sections = read_sections(Path(directory), read_trusted_section if trust else read_section)
    names = CATALOGUE.names()
    return ResultsReport(sections, [] if out is None else write_report(sections, Path(out), names), names)
