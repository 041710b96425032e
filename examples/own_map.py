#!/usr/bin/env python3
"""The workshop on a map of one's own, in the scenario's legend (`caregrid show workshop`), and the film of it."""

import caregrid

MAP = """
############
#E..K#...T.#
#....#.....#
#....#...###
#..........#
##.###.....#
#....W..K..#
#..F......X#
############
"""

problem = caregrid.problem("workshop", map=MAP)
print(problem)
print(problem.breakpoints())
caring = problem.solve(care=2)
print(f"care 2: {len(caring.path) - 1} steps, own return {caring.own:g}, others {dict(caring.others)}")
caring.film().save("own_map.html")
