"""Rows as tables of a page: headings with scopes, numbers to the right; `sort.js` sorts them by a click."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from experiments.rows import columns_of
from experiments.tables import cell_text


def html_table(
    rows: Iterable[Mapping[str, Any]], *, shaded: Sequence[str] = (), links: Mapping[str, str] | None = None
) -> str:
    """A table whose first column names its rows.

    shaded: columns of numbers from 0 (bad) to 1 (good) to be shaded. links: text of the first column -> where it leads.
    """
    listed = [dict(row) for row in rows]
    columns = columns_of(listed)
    numeric = {name for name in columns if all(row.get(name) is None or _is_number(row.get(name)) for row in listed)}
    head = "".join(f'<th scope="col"{_kind(name in numeric)}>{escape(name)}</th>' for name in columns)
    lines = (
        "<tr>"
        + "".join(
            _cell(row.get(name), name, number == 0, name in numeric, name in shaded, links or {})
            for number, name in enumerate(columns)
        )
        + "</tr>"
        for row in listed
    )
    return (
        f'<div class="wide" tabindex="0"><table class="sortable"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _cell(value: Any, column: str, names_row: bool, numeric: bool, shaded: bool, links: Mapping[str, str]) -> str:
    plain = "" if value is None else f"{float(value)!r}" if _is_number(value) else escape(str(value))
    text = escape(cell_text(value))
    share = round(60 * min(1.0, max(0.0, value))) if shaded and value is not None else 0
    shade = f' style="background: rgb(34 136 51 / {share}%)"' if share else ""
    attributes = f' data-value="{plain}" data-label="{escape(column)}"{_kind(numeric)}{shade}'
    if not names_row:
        return f"<td{attributes}>{text}</td>"
    shown = f'<a href="{escape(links[str(value)])}">{text}</a>' if str(value) in links else text
    return f'<th scope="row"{attributes}>{shown}</th>'


def _kind(numeric: bool) -> str:
    return " class=number" if numeric else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
