"""Report all results in one self-contained HTML page, and as Markdown: figures, tables, claims, the papers' numbers.

Every run below DIR gets a section, with its provenance. The Markdown text keeps its figures in a folder beside it."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class ReportArguments(JsonArgument):
    """Where results are, and where the report goes."""

    directory: str = positional("default: results", metavar="DIR", default="results")
    out: str | None = option(None, "where to write report.html and report.md (default: DIR)", metavar="DIR")
    trust: bool = option(False, "import code of their own that runs name, MODULE:NAME, and judge their rows anew")


def run(arguments: ReportArguments) -> int:
    from caregrid.runs.experiment import report

    written = report(arguments.directory, out=arguments.out or arguments.directory, trust=arguments.trust)
    arguments.print_result("report", written)
    return 0
