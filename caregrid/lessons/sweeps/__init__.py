"""Answers along a number line: what a world's agents do at each value of one quantity, exactly, for the live page.

`break_points.py` finds where the answer changes, `sweep_data.py` writes it as plain data; the other files answer for
worlds of one programme each.
"""
