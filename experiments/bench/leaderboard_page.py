"""The leaderboard as one page for a browser: sortable tables, method x world, what each method gets wrong, pictures.

The page is one file that fetches nothing. A click on a column sorts by it.

What a method gets most wrong is shown in its worst world: that of the least area below 1, then of the most
violations, then of the greatest distance from the best own return in it. Of its coefficients the one with the least
quality is shown (`craftworld.measures`: the hidden performance, else the others' returns), with the actions of one
episode where nothing is random.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from experiments.bench.case_results import CaseResult
from experiments.bench.leaderboard import COMPARED, RankedMethod, Standing, tabulate_worlds
from experiments.bench.suite import split_world
from experiments.caring_problem import NamedProblem
from experiments.report.pages import write_html_page, write_html_table
from experiments.rows import TextNumber

ROUNDING = 1e-9
TILE = 28
QUALITIES = {"performance": "performance", "others": "the others' returns", "own": "own return"}


@dataclass(frozen=True)
class Failure:
    """One method in its worst world.

    care_from, care_to: the interval of coefficients, None where there are none (care_to: without end). measure: what is
    too low there. reached, best: the method's, and the best of all methods. actions: one episode's.
    """

    entry: RankedMethod
    world: str
    care_from: float | None
    care_to: float | None
    measure: str
    reached: float
    best: float
    violations: float | None
    actions: str

    def row(self) -> dict[str, Any]:
        """Return the fields, flat."""
        mine = {name: value for name, value in vars(self).items() if name != "entry"}
        entry = {"suite": self.entry.suite, "method": self.entry.method, "runs": ", ".join(self.entry.runs)}
        return entry | mine

    @property
    def sentence(self) -> str:
        """In words."""
        ends = "without end" if self.care_to is None else f"{self.care_to:.6g}"
        care = "" if self.care_from is None else f" at coefficients from {self.care_from:.6g} to {ends}"
        what = [f"{QUALITIES[self.measure]} {self.reached:.6g} where a method reaches {self.best:.6g}"]
        if self.best - self.reached <= ROUNDING * (1.0 + abs(self.best)):
            what = [f"{QUALITIES[self.measure]} {self.reached:.6g}"]
        if self.violations:
            what.append(f"{self.violations:.3g} violations")
        return f"{self.world}{care}: {', '.join(what)}"

    def picture(self) -> bytes | None:
        """Return the end of the episode with the agent's path, as PNG; None where nothing is known.

        Only worlds by a registered name are drawn: what a file names is never imported.
        """
        from craftworld.rollout import rollout
        from craftworld.scenarios import SCENARIOS
        from engine.errors import CaregridError
        from engine.scene import Path, Scene
        from renderers.drawing.picture import Painter
        from renderers.formats.pictures import encode_image

        name, options = split_world(self.world)
        if not self.actions or name not in SCENARIOS.names():
            return None
        try:
            scenario = NamedProblem(name, options=options).make_scenario()
            states = rollout(scenario, self.actions.split(",")).episode.states
        except CaregridError:
            return None
        scene: Scene = scenario.scene(states[-1])
        places = [scenario.position(state) for state in states]
        cells = tuple((place.row, place.column) for place in places if place is not None)
        drawn = Scene(scene.floor, scene.marks, (Path("path", cells),) if cells else ())
        return encode_image(Painter(TILE, readings=False).picture(drawn))


def find_failures(entries: Sequence[RankedMethod]) -> list[Failure]:
    """Return the worst of each entry that fails anywhere, for the entries of one suite."""
    best = _find_best_points([result for entry in entries for result in entry.fitting])
    found = []
    for entry in entries:
        falls = [(_measure_shortfall(result, best), result) for result in entry.fitting]
        worst, result = max(falls, key=lambda fall: fall[0], default=((0.0, 0.0, 0.0), None))
        if result is not None and max(worst) > ROUNDING:
            found.append(_describe_failure(entry, result, best))
    return found


def _find_best_points(results: Sequence[CaseResult]) -> dict[tuple[str, str], float]:
    """(world, measure) -> the most that any method reaches at any coefficient."""
    best: dict[tuple[str, str], float] = {}
    for result in results:
        for point in result["points"]:
            for measure in QUALITIES:
                if point[measure] is not None:
                    key = result["world"], measure
                    best[key] = max(best.get(key, point[measure]), point[measure])
    return best


def _measure_shortfall(result: CaseResult, best: dict[tuple[str, str], float]) -> tuple[float, float, float]:
    area = 0.0 if result["area"] is None else 1.0 - result["area"]
    return area, result["violations"] or 0.0, best[result["world"], "own"] - result["own"]


def _describe_failure(entry: RankedMethod, result: CaseResult, best: dict[tuple[str, str], float]) -> Failure:
    measure = next(name for name in QUALITIES if result[name] is not None)
    point = min(result["points"], key=lambda each: (each[measure], -(each["violations"] or 0.0)))
    return Failure(
        entry,
        result["world"],
        point["care_from"],
        point["care_to"],
        measure,
        point[measure],
        best[result["world"], measure],
        point["violations"],
        point["actions"],
    )


LOOK = """<style>
header, main { max-width: 90rem; }
.failures figcaption { overflow-wrap: break-word; }
.failures { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem; }
.failures figure { margin: 0; }
.failures figcaption { color: #1b1f24; font-size: 0.8rem; }
</style>"""


def write_leaderboard_page(runs: Mapping[str, Mapping[str, Any]], standings: Sequence[Standing]) -> str:
    """Return the page. runs: name -> the content of the file."""
    parts = ["<section><h2>Runs</h2>", write_html_table(make_run_rows(runs)), *_write_maps(runs), "</section>"]
    for suite in dict.fromkeys(standing.entry.suite for standing in standings):
        parts.append(_write_suite(suite, [standing for standing in standings if standing.entry.suite == suite]))
    return write_html_page("caregrid: leaderboard", "\n".join([*parts, LOOK]))


def make_run_rows(runs: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row per run: name, suites, extent, the seed of held-out maps, caregrid's version, digest."""
    return [
        {
            "run": name,
            "suites": ", ".join(content["suites"]),
            "extent": "quick" if content["quick"] else "whole",
            "held_out": content.get("held_out"),
            "caregrid": content["versions"].get("caregrid"),
            "digest": content["digest"],
        }
        for name, content in runs.items()
    ]


def _write_maps(runs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a table of held-out maps, each once, with how hard they are; nothing where there are none."""
    maps = {world: each for content in runs.values() for world, each in content.get("difficulty", {}).items()}
    rows = [
        {
            "held-out map": world,
            "states": each["states"],
            "break points": ", ".join(f"{point:.6g}" for point in each["break_points"] if isinstance(point, float)),
            "area without care": each["careless_area"],
            "area of the best single coefficient": each["one_care_area"],
        }
        for world, each in maps.items()
    ]
    return ["<h3>Held-out maps</h3>", write_html_table(rows)] if rows else []


def _write_suite(suite: str, standings: Sequence[Standing]) -> str:
    entries = [standing.entry for standing in standings]
    table = tabulate_worlds(entries)
    areas = any(standing.entry.mean("area") is not None for standing in standings)
    worlds = [name for name in table[0] if name not in ("method", "runs")]
    measure = "area" if areas else "own return"
    return "\n".join(
        [
            f"<section><h2>{escape(suite)}</h2>",
            f"<p>{_explain_ranks(standings)}</p>",
            write_html_table(_make_standing_rows(standings)),
            f"<h3>Method and world: {measure}</h3>",
            write_html_table(table, shaded=worlds if areas else ()),
            "<h3>What each method gets most wrong</h3>",
            _write_failures(entries),
            *_write_refusals(entries),
            "</section>",
        ]
    )


def _write_refusals(entries: Sequence[RankedMethod]) -> list[str]:
    """Return a table of the worlds that methods do not fit, and why; nothing where all fit."""
    rows = [
        {"method": entry.method, "runs": ", ".join(entry.runs), "world": world, "why": why}
        for entry in entries
        for world, why in entry.refusals.items()
    ]
    return ["<h3>Refusals</h3>", write_html_table(rows)] if rows else []


def _explain_ranks(standings: Sequence[Standing]) -> str:
    """Over which worlds ranks are, and what becomes of a method that lacks one."""
    common = standings[0].common
    said = f"Ranks and means over {common} common worlds, with 95 percent intervals over worlds and seeds."
    unranked = any(standing.rank is None for standing in standings)
    return said + (
        " A method that lacks one of them has no rank; its means are over the worlds that it fits." * unranked
    )


def _make_standing_rows(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    """Return a row per standing, with the intervals beside the means; measures that no method has are left out."""
    rows = [standing.row() for standing in standings]
    had = [measure for measure in COMPARED if any(row[measure] is not None for row in rows)]
    return [
        {
            "rank": standing.place if standing.rank is None else TextNumber(standing.rank, standing.place),
            "method": row["method"],
            "runs": row["runs"],
            "exact": "exact" if row["exact"] else "",
        }
        | {measure: _format_estimate(row, measure) for measure in had}
        | ({"acts as": row["acts_as"] or "-"} if any(each["acts_as"] for each in rows) else {})
        | {name: row[name] for name in ("worlds", "refused", "coverage")}
        for standing, row in zip(standings, rows, strict=True)
    ]


def _format_estimate(row: Mapping[str, Any], measure: str) -> float | None:
    mean, low, high = (row[name] for name in (measure, f"{measure}_low", f"{measure}_high"))
    return mean if low is None else TextNumber(mean, f"{mean:.3f} [{low:.3f}, {high:.3f}]")


def _write_failures(entries: Sequence[RankedMethod]) -> str:
    """Return one figure for all methods that fail alike."""
    alike: dict[tuple[str, str], list[Failure]] = {}
    for failure in find_failures(entries):
        alike.setdefault((failure.sentence, failure.actions), []).append(failure)
    figures = []
    for (sentence, _), group in alike.items():
        image = group[0].picture()
        shown = "" if image is None else f'<img alt="" src="data:image/png;base64,{base64.b64encode(image).decode()}">'
        methods = ", ".join(dict.fromkeys(failure.entry.method for failure in group))
        caption = f"<b>{escape(methods)}</b><br>{escape(sentence)}"
        figures.append(f"<figure>{shown}<figcaption>{caption}</figcaption></figure>")
    return f'<div class="failures">{"".join(figures)}</div>' if figures else "<p>Nothing.</p>"
