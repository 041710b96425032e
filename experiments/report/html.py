"""The report as one self-contained HTML page: no other file, nothing fetched; a small script sorts its tables."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from engine.printable import printable
from experiments.claims import comparison_rows
from experiments.report.html_tables import html_table
from experiments.report.interval_cells import with_intervals
from experiments.report.provenance_rows import provenance_rows
from experiments.report.sections import Section
from experiments.report.summary import overview_rows, summary_sentences

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
<script>
{script}</script>
</body>
</html>
"""


def html_report(sections: Sequence[Section], expected: Iterable[str] = ()) -> str:
    """The whole page. expected: names of experiments that could have been run; the summary says which were not."""
    return html_page("caregrid: results", "\n".join([_summary(sections, expected), *map(_section, sections)]))


def html_page(title: str, body: str) -> str:
    """A page of its own. title: plain text. body: HTML."""
    style, script = (
        files("experiments.report").joinpath(name).read_text(encoding="utf-8") for name in ("style.css", "sort.js")
    )
    return PAGE.format(title=printable(escape(title)), style=style, script=script, body=printable(body))


def _summary(sections: Sequence[Section], expected: Iterable[str]) -> str:
    """What is reproduced, how closely, what is not; then a row a run."""
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in summary_sentences(sections, expected))
    links = {section.label: f"#{section.anchor}" for section in sections}
    table = html_table(overview_rows(sections), links=links).replace('class="sortable"', 'class="sortable stacked"')
    return f'<section id="summary"><h2>Summary</h2><ul class="summary">{sentences}</ul>{table}</section>'


def _section(section: Section) -> str:
    parts = [f'<section id="{section.anchor}"><h2>{escape(section.label)}</h2><p>{escape(section.title)}</p>']
    if section.problem:
        parts.append(f'<p class="fails">{escape(section.problem)}</p>')
    if section.note:
        parts.append(f"<p>{escape(section.note)}</p>")
    if section.image:
        source = base64.b64encode(section.image).decode()
        parts.append(f'<figure><img alt="{escape(section.title)}" src="data:image/png;base64,{source}"></figure>')
    if section.table:
        parts.append(html_table(section.first_rows))
    if section.further_rows:
        link = f'<a href="{escape(section.rows_file.as_uri())}">rows.csv</a>'
        parts.append(f"<p>{escape(section.further_rows)} {link}</p>")
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
        parts.append(f'<h3>Claims{section.extent_note}</h3><ul class="claims">{"".join(claims)}</ul>')
    parts.append(f"<details><summary>Provenance</summary>{html_table(provenance_rows(section))}</details></section>")
    return "\n".join(parts)
