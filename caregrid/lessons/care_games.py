"""Short games in which the page finds out how much somebody cares: worlds as data, without their solutions.

docs/live_page.md describes the format. The page plays them, and computes the posterior of care from all moves together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from caregrid.lessons.lesson import LiveProblem
from caregrid.programmes.programme import Live
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem

GAMES_FORMAT = "caregrid care games 1"
FIELDS = ("scenario", "formulation", "fingerprint", "options", "rows", "features", "others", "table")


@dataclass(frozen=True)
class CareGames(Live):
    """Games to play in the page.

    label: their name among several. worlds: as suites name them, such as "playroom,held_out=1-4". formulation: how care
    is rewarded. about: scenario -> what a player must know.
    """

    label: str
    worlds: tuple[str, ...]
    formulation: str
    about: Mapping[str, str]

    def describe(self) -> dict[str, Any]:
        """Return the worlds; rules, which know no map, once for all worlds of a scenario."""
        rules: dict[str, Any] = {}
        games = []
        for written in self.worlds:
            name, *options = written.split(",")
            settings = dict(option.split("=") for option in options)
            problem = make_problem(make_scenario(SCENARIOS[name], **settings), self.formulation)
            world = LiveProblem(name, problem, None if name in rules else SCENARIOS[name], options=settings).describe()
            rules.setdefault(name, world["rules"])
            games.append({field: world[field] for field in FIELDS} | ({"table": None} if rules[name] else {}))
        return {"format": GAMES_FORMAT, "games": games, "rules": rules, "about": dict(self.about)}
