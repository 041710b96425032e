"""The contracts of scenarios and formulations, executable: `check_scenario` and `check_formulation`.

from craftworld.checkers.scenario import check_scenario
check_scenario(Kitchen)
"""
