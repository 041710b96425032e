"""Which registered scenarios a test that runs over many of them takes."""

from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS

SOLVED = tuple(name for name in SCENARIOS if not make_scenario(SCENARIOS[name]).replay_only)
"""Those that a table is made of."""
LEVELS = tuple(name for name in SCENARIOS if SCENARIOS.file(name).parent.name == "levels")
CRAFT_WORLDS = tuple(name for name in SCENARIOS if name not in LEVELS)
"""Those with one start state in which somebody else counts."""
