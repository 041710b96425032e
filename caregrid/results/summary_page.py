"""Title, picture and table as HTML: for a notebook's cell, and as a page by itself with everything in it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import Any

from experiments.report.pages import write_html_page, write_html_table

ROWS_SHOWN = 20


def summary_html(
    title: str, png: bytes | None, rows: Sequence[dict[str, Any]], rows_shown: int | None = ROWS_SHOWN
) -> str:
    """A fragment; of a long table the first rows (all of them where `rows_shown` is None)."""
    parts = [f"<p><b>{escape(title)}</b></p>", html_image(png, title)]
    parts.append(write_html_table(rows[:rows_shown]) if rows else "")
    if rows_shown is not None and len(rows) > rows_shown:
        parts.append(f"<p>{rows_shown} of {len(rows)} rows</p>")
    return "\n".join(filter(None, parts))


def summary_page(title: str, png: bytes | None, rows: Sequence[dict[str, Any]]) -> str:
    """A page of its own that fetches nothing."""
    return write_html_page(title, f"<section>{summary_html(title, png, rows, None)}</section>")


def html_image(png: bytes | None, title: str) -> str:
    """A picture inside the page, "" for none."""
    if png is None:
        return ""
    return f'<img alt="{escape(title)}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'
