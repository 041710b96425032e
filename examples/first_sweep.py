#!/usr/bin/env python3
"""Sweep the caring coefficient of the workshop: Figure 1(b) of "Be Considerate", exactly."""

import caregrid

sweep = caregrid.problem("workshop").sweep(care="0:7:0.1")
print(sweep)
print(sweep.frame()[["care", "own", "newcomer", "total"]].drop_duplicates("own").to_string(index=False))
sweep.save("first_sweep.png")
sweep.save("first_sweep.csv")
