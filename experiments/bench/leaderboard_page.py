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
from experiments.report.html_tables import html_table
from experiments.tables import TextNumber

LOOK = """<style>
header, main { max-width: 90rem; }
.failures figcaption { overflow-wrap: break-word; }
.failures { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem; }
.failures figure { margin: 0; }
.failures figcaption { color: #1b1f24; font-size: 0.8rem; }
</style>"""


def leaderboard_page(runs: Mapping[str, Mapping[str, Any]], standings: Sequence[Standing]) -> str:
    """The page. runs: name -> the content of the file."""
    parts = ["<section><h2>Runs</h2>", html_table(run_rows(runs)), "</section>"]
    for suite in dict.fromkeys(standing.entry.suite for standing in standings):
        parts.append(_suite(suite, [standing for standing in standings if standing.entry.suite == suite]))
    return html_page("caregrid: leaderboard", "\n".join([*parts, LOOK]))


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
            html_table(_shown(standings)),
            f"<h3>Method and world: {measure}</h3>",
            html_table(table, shaded=worlds if areas else ()),
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
    return mean if low is None else TextNumber(mean, f"{mean:.3f} [{low:.3f}, {high:.3f}]")


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
