"""The report as one self-contained HTML page: no other file, no script, nothing fetched."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from experiments.claims import comparison_rows
from experiments.report.interval_cells import with_intervals
from experiments.report.provenance_rows import provenance_rows
from experiments.report.sections import Section
from experiments.rows import columns_of
from experiments.tables import cell_text

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1></header>
<main>
{body}
</main>
</body>
</html>
"""


def html_report(sections: Sequence[Section]) -> str:
    """The whole page."""
    return html_page("caregrid: results", "\n".join([_overview(sections), *map(_section, sections)]))


def html_page(title: str, body: str) -> str:
    """A page of its own. title: plain text. body: HTML."""
    style = files("experiments.report").joinpath("style.css").read_text(encoding="utf-8")
    return PAGE.format(title=escape(title), style=style, body=body)


def _overview(sections: Sequence[Section]) -> str:
    lines = [
        f'<tr><td><a href="#{_anchor(section)}">{escape(section.name)}</a></td><td>{escape(section.title)}</td>'
        f"<td>{escape(section.problem or section.claims_summary)}</td><td>{_extent(section)}</td></tr>"
        for section in sections
    ]
    head = "<tr><th>experiment</th><th>reproduces</th><th>claims</th><th>rows</th></tr>"
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></div>'


def _section(section: Section) -> str:
    parts = [f'<section id="{_anchor(section)}"><h2>{escape(section.name)}</h2><p>{escape(section.title)}</p>']
    if section.problem:
        parts.append(f'<p class="fails">{escape(section.problem)}</p>')
    if section.image:
        source = base64.b64encode(section.image).decode()
        parts.append(f'<figure><img alt="{escape(section.title)}" src="data:image/png;base64,{source}"></figure>')
    if section.table:
        parts.append(html_table(section.table))
    for title, rows in section.statistics:
        parts += [f"<h3>{escape(title)}</h3>", html_table(with_intervals(rows))]
    if section.comparisons:
        parts += ["<h3>The paper's numbers beside ours</h3>", html_table(comparison_rows(section.comparisons))]
    if section.claims:
        claims = (
            f'<li class="{escape(claim.verdict.replace(" ", "-"))}"><b>{escape(claim.verdict)}</b> '
            f"{escape(claim.says)}</li>"
            for claim in section.claims
        )
        parts.append(f'<h3>Claims</h3><ul class="claims">{"".join(claims)}</ul>')
    parts.append(f"<details><summary>Provenance</summary>{html_table(provenance_rows(section))}</details></section>")
    return "\n".join(parts)


def html_table(rows: Iterable[dict[str, Any]]) -> str:
    """Rows as a table, numbers to the right."""
    listed = list(rows)
    columns = columns_of(listed)
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(_cell(row.get(column)) for column in columns)}</tr>" for row in listed)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"<td{' class=number' if number else ''}>{escape(cell_text(value))}</td>"


def _anchor(section: Section) -> str:
    return escape(f"{section.name}-{section.directory.name}".replace("/", "-").replace(" ", "-"))


def _extent(section: Section) -> str:
    return f"{section.extent}, {section.units} units"
