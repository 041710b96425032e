"""The page's own solver against the desktop's, on maps that neither has seen: break points, returns, paths."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import quickjs

from caregrid.lessons.cell_rules import rearrange
from caregrid.lessons.live_world import write_live_world
from caregrid.lessons.page import html_page
from craftworld.scenario import Scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem
from engine.errors import CaregridError
from engine.randomness.counter_based import split

SCRIPTS = Path(html_page.__file__).parent / "scripts"
SOLVER = ("heap", "map", "compose", "shortest_path", "envelope", "solve")
EDITABLE = ("workshop", "workshop_auto", "office_kitchen", "kitchen_cookie", "kitchen_peanut", "kitchen_salad")


def page_context(*modules: str) -> quickjs.Context:
    """The page's scripts without a page."""
    context = quickjs.Context()
    for name in modules:
        context.eval((SCRIPTS / f"{name}.js").read_text(encoding="utf-8").replace('"use strict";', ""))
    return context


def solved_in_page(world: dict, rows: Sequence[str]) -> list[dict]:
    context = page_context(*SOLVER)
    return json.loads(
        context.eval(
            f"JSON.stringify(solvedWorld({json.dumps(world)}, {json.dumps(list(rows))}).segments.map((each) =>"
            "({...each, from: each.from, steps: each.steps.map((one) => [one.action, one.cell, one.state])})))"
        )
    )


def summary(segments: list[dict]) -> list[tuple]:
    """What must agree: ends, returns, and every step."""
    return [
        (
            one["from"], one["to"], one["own"], one["others"], pytest.approx(one["total"]),
            [[step["action"], step["cell"], step["state"]] for step in one["steps"]],
        )
        for one in segments
    ]  # fmt: skip


def random_scenarios(name: str, count: int) -> list[Scenario]:
    """The scenario on maps drawn by chance, those on which it can be solved."""
    found: list[Scenario] = []
    own = SCENARIOS[name]()
    for number in range(60):
        if len(found) == count:
            break
        rows = rearrange(own.grid.rows, split(7, f"page {name} {number}"))
        try:
            scenario = SCENARIOS[name](own.parse_map("\n".join(rows)))
            make_problem(scenario).segments  # noqa: B018
        except CaregridError:
            continue
        found.append(scenario)
    return found


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", EDITABLE)
def test_the_page_finds_what_the_desktop_finds(name: str) -> None:
    exported = write_live_world(make_problem(SCENARIOS[name]()), SCENARIOS[name])
    assert exported["rules"] is not None, exported["fixed"]
    scenarios = [SCENARIOS[name](), *random_scenarios(name, 4)]
    assert len(scenarios) > 2
    for scenario in scenarios:
        desktop = write_live_world(make_problem(scenario))["segments"]
        page = solved_in_page(exported, scenario.grid.rows)
        page = [
            one | {"steps": [dict(zip(("action", "cell", "state"), s, strict=True)) for s in one["steps"]]}
            for one in page
        ]
        assert summary(page) == summary(desktop), "\n".join(scenario.grid.rows)
