"""The report as Markdown, with its figures as files beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from experiments.claims import comparison_rows
from experiments.report.interval_cells import with_intervals
from experiments.report.provenance_rows import provenance_rows
from experiments.report.sections import Section
from experiments.tables import table_cells


def markdown_report(sections: Sequence[Section], figures: str) -> str:
    """The whole text; `figures` is the folder, seen from the text, that holds `figure_name(section)`."""
    overview: list[dict[str, Any]] = [
        {
            "experiment": section.name,
            "reproduces": section.title,
            "claims": section.problem or section.claims_summary,
            "rows": f"{section.extent}, {section.units} units",
        }
        for section in sections
    ]
    parts = ["# caregrid: results", _table(overview), *(_section(section, figures) for section in sections)]
    return "\n\n".join(parts) + "\n"


def figure_name(section: Section) -> str:
    """The file of a section's figure."""
    return f"{section.name}-{section.directory.name}.png".replace("/", "-").replace(":", "-")


def _section(section: Section, figures: str) -> str:
    parts = [f"## {section.name}", _escape(section.title)]
    if section.problem:
        parts.append(f"**{_escape(section.problem)}**")
    if section.image:
        parts.append(f"![{section.title}]({figures}/{figure_name(section)})")
    if section.table:
        parts.append(_table(section.table))
    for title, rows in section.statistics:
        parts += [f"### {title}", _table(with_intervals(rows))]
    if section.comparisons:
        parts += ["### The paper's numbers beside ours", _table(comparison_rows(section.comparisons))]
    if section.claims:
        claims = [f"- **{claim.verdict}**: {_escape(claim.says)}" for claim in section.claims]
        parts += ["### Claims", "\n".join(claims)]
    return "\n\n".join([*parts, "### Provenance", _table(provenance_rows(section))])


def _table(rows: Iterable[dict[str, Any]]) -> str:
    head, *body = table_cells(list(rows))
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(map(_escape, line)) + " |" for line in lines)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
