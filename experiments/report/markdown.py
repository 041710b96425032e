"""The report as Markdown, with its figures as files beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.printable import printable
from experiments.claims import comparison_rows
from experiments.report.interval_cells import with_intervals
from experiments.report.provenance_rows import provenance_rows
from experiments.report.sections import Section
from experiments.report.summary import overview_rows, summary_sentences
from experiments.tables import table_cells


def markdown_report(sections: Sequence[Section], figures: str, expected: Iterable[str] = ()) -> str:
    """The whole text; `figures` is the folder, seen from the text, that holds `figure_name(section)`.

    expected: names of experiments that could have been run; the summary says which were not.
    """
    sentences = "\n".join(f"- {_escape(sentence)}" for sentence in summary_sentences(sections, expected))
    parts = ["# caregrid: results", "## Summary", sentences, _table(overview_rows(sections))]
    return printable("\n\n".join([*parts, *(_section(section, figures) for section in sections)])) + "\n"


def figure_name(section: Section) -> str:
    """The file of a section's figure."""
    return f"{section.anchor}.png"


def _section(section: Section, figures: str) -> str:
    parts = [f"## {section.label}", _escape(section.title)]
    if section.problem:
        parts.append(f"**{_escape(section.problem)}**")
    if section.note:
        parts.append(_escape(section.note))
    if section.image:
        parts.append(f"![{section.title}]({figures}/{figure_name(section)})")
    if section.table:
        parts.append(_table(section.first_rows))
    if section.further_rows:
        parts.append(f"{section.further_rows} [rows.csv](<{section.rows_file}>)")
    for title, rows in section.statistics:
        parts += [f"### {title}", _table(with_intervals(rows))]
    if section.comparisons:
        parts += ["### The paper's numbers beside ours", _table(comparison_rows(section.comparisons))]
    if section.claims:
        claims = [f"- **{claim.verdict}**: {_escape(claim.says)}" for claim in section.claims]
        parts += [f"### Claims{section.extent_note}", "\n".join(claims)]
    return "\n\n".join([*parts, "### Provenance", _table(provenance_rows(section))])


def _table(rows: Iterable[dict[str, Any]]) -> str:
    head, *body = table_cells(list(rows))
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(map(_escape, line)) + " |" for line in lines)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
