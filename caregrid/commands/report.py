"""Report all results in one self-contained HTML page, and as Markdown: figures, tables, claims, the papers' numbers.

Every run below DIR gets a section, with its provenance. The Markdown text keeps its figures in a folder beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument


@dataclass(frozen=True, kw_only=True)
class ReportArguments(JsonArgument):
    """Where results are, and where the report goes."""

    directory: str = positional("default: results", metavar="DIR", default="results")
    out: str | None = option(None, "where to write report.html and report.md (default: DIR)", metavar="DIR")


def run(arguments: ReportArguments) -> int:
    from experiments.report.sections import read_sections
    from experiments.report.writing import write_report

    sections = read_sections(Path(arguments.directory))
    written = write_report(sections, Path(arguments.out or arguments.directory))
    if arguments.json:
        claims = {section.name: [claim._asdict() for claim in section.claims] for section in sections}
        print(json.dumps({"files": [str(path) for path in written], "claims": claims}))
        return 0
    for section in sections:
        print(f"{section.name}: {section.problem or section.claims_summary}")
    for path in written:
        print(path)
    return 0
