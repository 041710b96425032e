"""The leaderboard as one page for a browser: sortable tables, method x world, what each method gets wrong, pictures.

The page is one file that fetches nothing. A click on a column sorts by it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from experiments.bench.failures import Failure, failures
from experiments.bench.leaderboard import RANKED, RankedMethod, Standing, world_table
from experiments.report.html import html_page
from experiments.tables import cell_text

SORT = """<script>
document.querySelectorAll('table.sortable th').forEach(function (head) {
  head.tabIndex = 0;
  function sort() {
    var table = head.closest('table'), body = table.tBodies[0], column = head.cellIndex;
    var down = head.getAttribute('aria-sort') !== 'descending';
    table.querySelectorAll('th').forEach(function (other) { other.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    function key(row) {
      var text = row.cells[column].dataset.value, number = parseFloat(text);
      return text === '' ? null : isNaN(number) ? text : number;
    }
    Array.from(body.rows).sort(function (a, b) {
      var x = key(a), y = key(b);
      if (x === null || y === null) { return (x === null) - (y === null); }
      var order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
      return down ? -order : order;
    }).forEach(function (row) { body.appendChild(row); });
  }
  head.addEventListener('click', sort);
  head.addEventListener('keydown', function (event) { if (event.key === 'Enter') { sort(); } });
});
</script>
<style>
table.sortable th { cursor: pointer; }
table.sortable th[aria-sort=descending]::after { content: ' \\2193'; }
table.sortable th[aria-sort=ascending]::after { content: ' \\2191'; }
header, main { max-width: 90rem; }
.failures figcaption { overflow-wrap: break-word; }
.failures { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem; }
.failures figure { margin: 0; }
.failures figcaption { color: #1b1f24; font-size: 0.8rem; }
</style>"""


def leaderboard_page(runs: Mapping[str, Mapping[str, Any]], standings: Sequence[Standing]) -> str:
    """The page. runs: name -> the content of the file."""
    parts = ["<section><h2>Runs</h2>", sortable_table(run_rows(runs)), "</section>"]
    for suite in dict.fromkeys(standing.entry.suite for standing in standings):
        parts.append(_suite(suite, [standing for standing in standings if standing.entry.suite == suite]))
    return html_page("caregrid: leaderboard", "\n".join([*parts, SORT]))


def run_rows(runs: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row a run: name, suites, extent, caregrid's version, digest."""
    return [
        {
            "run": name,
            "suites": ", ".join(content["suites"]),
            "extent": "quick" if content["quick"] else "whole",
            "caregrid": content["versions"].get("caregrid"),
            "digest": content["digest"],
        }
        for name, content in runs.items()
    ]


def sortable_table(rows: Sequence[Mapping[str, Any]], *, shaded: Sequence[str] = ()) -> str:
    """Rows as a table that a click sorts. shaded: the columns of numbers from 0 (bad) to 1 (good) to be shaded."""
    columns = list(rows[0]) if rows else []
    numeric = {name for name in columns if all(_is_number(row[name]) or row[name] is None for row in rows)}
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    lines = (
        f"<tr>{''.join(_cell(row[column], column in numeric, column in shaded) for column in columns)}</tr>"
        for row in rows
    )
    return (
        f'<div class="wide"><table class="sortable"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _suite(suite: str, standings: Sequence[Standing]) -> str:
    entries = [standing.entry for standing in standings]
    table = world_table(entries)
    areas = any(standing.entry.mean("area") is not None for standing in standings)
    worlds = [name for name in table[0] if name not in ("method", "runs")]
    measure = "area" if areas else "own return"
    return "\n".join(
        [
            f"<section><h2>{escape(suite)}</h2>",
            "<p>Means over worlds, with 95 percent intervals over worlds and seeds.</p>",
            sortable_table(_shown(standings)),
            f"<h3>Method and world: {measure}</h3>",
            sortable_table(table, shaded=worlds if areas else ()),
            "<h3>What each method gets most wrong</h3>",
            _failures(entries),
            "</section>",
        ]
    )


def _shown(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    """A row a standing, with the intervals beside the means; measures that no method has are left out."""
    rows = [standing.row() for standing in standings]
    had = [measure for measure in RANKED if any(row[measure] is not None for row in rows)]
    return [
        {name: row[name] for name in ("rank", "method", "runs")}
        | {measure: _estimate(row, measure) for measure in had}
        | {name: row[name] for name in ("worlds", "refused")}
        for row in rows
    ]


def _estimate(row: Mapping[str, Any], measure: str) -> float | None:
    mean, low, high = (row[name] for name in (measure, f"{measure}_low", f"{measure}_high"))
    return mean if low is None else _Estimate(mean, low, high)


class _Estimate(float):
    """A mean that prints with its interval."""

    def __new__(cls, mean: float, low: float, high: float) -> _Estimate:
        made = super().__new__(cls, mean)
        made.text = f"{mean:.3f} [{low:.3f}, {high:.3f}]"
        return made

    text: str


def _failures(entries: Sequence[RankedMethod]) -> str:
    """One figure for all methods that fail alike."""
    alike: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures(entries):
        alike.setdefault((failure.sentence, failure.actions), []).append(failure)
    figures = []
    for (sentence, _), group in alike.items():
        image = group[0].picture()
        shown = "" if image is None else f'<img alt="" src="data:image/png;base64,{base64.b64encode(image).decode()}">'
        methods = ", ".join(dict.fromkeys(failure.entry.method for failure in group))
        caption = f"<b>{escape(methods)}</b><br>{escape(sentence)}"
        figures.append(f"<figure>{shown}<figcaption>{caption}</figcaption></figure>")
    return f'<div class="failures">{"".join(figures)}</div>' if figures else "<p>Nothing.</p>"


def _cell(value: Any, numeric: bool, shaded: bool) -> str:
    plain = "" if value is None else f"{float(value)!r}" if _is_number(value) else escape(str(value))
    text = value.text if isinstance(value, _Estimate) else cell_text(value)
    share = round(60 * min(1.0, max(0.0, value))) if shaded and value is not None else 0
    shade = f' style="background: rgb(34 136 51 / {share}%)"' if share else ""
    return f'<td data-value="{plain}"{" class=number" if numeric else ""}{shade}>{escape(text)}</td>'


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
