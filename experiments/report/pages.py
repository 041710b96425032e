"""The report as one self-contained HTML page, and as Markdown with its figures as files beside it.

The HTML page fetches nothing; a small script (`sort.js`) sorts its tables by a click. Tables have headings with
scopes and numbers to the right; a number and the ends of its interval share a cell: x, x_low, x_high become "0.52
[0.47, 0.58]".
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from engine.files import all_or_none, output_directory, write_atomically
from engine.printable import make_printable
from experiments.experiment import ResultRow, Rows, Scalar
from experiments.report.sections import Section
from experiments.report.summary import tabulate_provenance, tabulate_runs, write_summary_sentences
from experiments.results import tabulate_comparisons
from experiments.rows import TextNumber, format_cell, format_cells, list_columns


def write_html_table(
    rows: Iterable[Mapping[str, Any]], *, shaded: Sequence[str] = (), links: Mapping[str, str] | None = None
) -> str:
    """Return a table whose first column names its rows.

    shaded: columns of numbers from 0 (bad) to 1 (good) to be shaded. links: text of the first column -> where it leads.
    """
    listed = [dict(row) for row in rows]
    columns = list_columns(listed)
    numeric = {name for name in columns if all(row.get(name) is None or _is_number(row.get(name)) for row in listed)}
    head = "".join(f'<th scope="col"{_choose_cell_class(name in numeric)}>{escape(name)}</th>' for name in columns)
    lines = (
        "<tr>"
        + "".join(
            _write_html_cell(row.get(name), name, number == 0, name in numeric, name in shaded, links or {})
            for number, name in enumerate(columns)
        )
        + "</tr>"
        for row in listed
    )
    return (
        f'<div class="wide" tabindex="0"><table class="sortable"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _write_html_cell(
    value: Any, column: str, names_row: bool, numeric: bool, shaded: bool, links: Mapping[str, str]
) -> str:
    plain = "" if value is None else f"{float(value)!r}" if _is_number(value) else escape(str(value))
    text = escape(format_cell(value))
    share = round(60 * min(1.0, max(0.0, value))) if shaded and value is not None else 0
    shade = f' style="background: rgb(34 136 51 / {share}%)"' if share else ""
    attributes = f' data-value="{plain}" data-label="{escape(column)}"{_choose_cell_class(numeric)}{shade}'
    if not names_row:
        return f"<td{attributes}>{text}</td>"
    shown = f'<a href="{escape(links[str(value)])}">{text}</a>' if str(value) in links else text
    return f'<th scope="row"{attributes}>{shown}</th>'


def _choose_cell_class(numeric: bool) -> str:
    return " class=number" if numeric else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


LOW, HIGH = "_low", "_high"


def merge_intervals(rows: Rows) -> Rows:
    """Return the rows with the columns of ends drawn into that of their number."""
    return [_merge_row(row) for row in rows]


def _merge_row(row: ResultRow) -> ResultRow:
    ends = {name: (row[name + LOW], row[name + HIGH]) for name in row if name + LOW in row and name + HIGH in row}
    hidden = {name + end for name in ends for end in (LOW, HIGH)}
    return {
        name: _write_interval(value, *ends[name]) if name in ends else value
        for name, value in row.items()
        if name not in hidden
    }


def _write_interval(number: Scalar, low: Scalar, high: Scalar) -> Scalar:
    if low is None or high is None or not isinstance(number, int | float):
        return number
    return TextNumber(number, f"{_shorten_number(number)} [{_shorten_number(low)}, {_shorten_number(high)}]")


def _shorten_number(number: Scalar) -> str:
    return f"{number:.4g}" if isinstance(number, float) else format_cell(number)


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


def write_html_report(sections: Sequence[Section], expected: Iterable[str] = ()) -> str:
    """The whole page. expected: names of experiments that could have been run; the summary says which were not."""
    return write_html_page(
        "caregrid: results", "\n".join([_write_html_summary(sections, expected), *map(_write_html_section, sections)])
    )


def write_html_page(title: str, body: str) -> str:
    """Return a page of its own. title: plain text. body: HTML."""
    style, script = (
        files("experiments.report").joinpath(name).read_text(encoding="utf-8") for name in ("style.css", "sort.js")
    )
    return PAGE.format(title=make_printable(escape(title)), style=style, script=script, body=make_printable(body))


def _write_html_summary(sections: Sequence[Section], expected: Iterable[str]) -> str:
    """Return what is reproduced, how closely, what is not; then a row per run."""
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in write_summary_sentences(sections, expected))
    links = {section.label: f"#{section.anchor}" for section in sections}
    table = write_html_table(tabulate_runs(sections), links=links).replace(
        'class="sortable"', 'class="sortable stacked"'
    )
    return f'<section id="summary"><h2>Summary</h2><ul class="summary">{sentences}</ul>{table}</section>'


def _write_html_section(section: Section) -> str:
    parts = [f'<section id="{section.anchor}"><h2>{escape(section.label)}</h2><p>{escape(section.title)}</p>']
    if section.problem:
        parts.append(f'<p class="fails">{escape(section.problem)}</p>')
    parts += [f'<p class="fails">{escape(warning)}</p>' for warning in section.warnings]
    if section.note:
        parts.append(f"<p>{escape(section.note)}</p>")
    if section.image:
        source = base64.b64encode(section.image).decode()
        parts.append(f'<figure><img alt="{escape(section.title)}" src="data:image/png;base64,{source}"></figure>')
    if section.table:
        parts.append(write_html_table(section.first_rows))
    if section.further_rows:
        link = f'<a href="{escape(section.rows_file.as_uri())}">rows.csv</a>'
        parts.append(f"<p>{escape(section.further_rows)} {link}</p>")
    for title, rows, _ in section.statistics:
        parts += [f"<h3>{escape(title)}</h3>", write_html_table(merge_intervals(rows))]
    if section.comparisons:
        parts += [
            "<h3>The paper's numbers beside ours</h3>",
            write_html_table(tabulate_comparisons(section.comparisons)),
        ]
    if section.claims:
        claims = (
            f'<li class="{escape(claim.verdict.replace(" ", "-"))}"><b>{escape(claim.verdict)}</b> '
            f"{escape(claim.says)}</li>"
            for claim in section.claims
        )
        parts.append(f'<h3>Claims{section.extent_note}</h3><ul class="claims">{"".join(claims)}</ul>')
    parts.append(
        f"<details><summary>Provenance</summary>{write_html_table(tabulate_provenance(section))}</details></section>"
    )
    return "\n".join(parts)


def write_markdown_report(sections: Sequence[Section], figures: str, expected: Iterable[str] = ()) -> str:
    """Return the whole text; `figures` is the folder, seen from the text, that holds `name_figure_file(section)`.

    expected: names of experiments that could have been run; the summary says which were not.
    """
    sentences = "\n".join(f"- {_escape(sentence)}" for sentence in write_summary_sentences(sections, expected))
    parts = ["# caregrid: results", "## Summary", sentences, _write_markdown_table(tabulate_runs(sections))]
    return (
        make_printable("\n\n".join([*parts, *(_write_markdown_section(section, figures) for section in sections)]))
        + "\n"
    )


def name_figure_file(section: Section) -> str:
    """Return the file of a section's figure."""
    return f"{section.anchor}.png"


def _write_markdown_section(section: Section, figures: str) -> str:
    parts = [f"## {section.label}", _escape(section.title)]
    if section.problem:
        parts.append(f"**{_escape(section.problem)}**")
    parts += [f"**{_escape(warning)}**" for warning in section.warnings]
    if section.note:
        parts.append(_escape(section.note))
    if section.image:
        parts.append(f"![{section.title}]({figures}/{name_figure_file(section)})")
    if section.table:
        parts.append(_write_markdown_table(section.first_rows))
    if section.further_rows:
        parts.append(f"{section.further_rows} [rows.csv](<{section.rows_file}>)")
    for title, rows, _ in section.statistics:
        parts += [f"### {title}", _write_markdown_table(merge_intervals(rows))]
    if section.comparisons:
        parts += [
            "### The paper's numbers beside ours",
            _write_markdown_table(tabulate_comparisons(section.comparisons)),
        ]
    if section.claims:
        claims = [f"- **{claim.verdict}**: {_escape(claim.says)}" for claim in section.claims]
        parts += [f"### Claims{section.extent_note}", "\n".join(claims)]
    return "\n\n".join([*parts, "### Provenance", _write_markdown_table(tabulate_provenance(section))])


def _write_markdown_table(rows: Iterable[dict[str, Any]]) -> str:
    head, *body = format_cells(list(rows))
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(map(_escape, line)) + " |" for line in lines)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


FIGURES = "report_figures"


def write_report(sections: Sequence[Section], out: Path, expected: Iterable[str] = ()) -> list[Path]:
    """Write report.html and report.md into a folder, and say where; BadFile where it cannot be written to."""
    names = tuple(expected)
    page = out / "report.html"
    text = out / "report.md"
    drawn = {name_figure_file(section): section.image for section in sections if section.image}
    with all_or_none():
        output_directory(out)
        for name, image in drawn.items():
            write_atomically(output_directory(out / FIGURES) / name, image)
        write_atomically(page, write_html_report(sections, names))
        write_atomically(text, write_markdown_report(sections, FIGURES, names))
    return [page, text]
