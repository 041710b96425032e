"""Sweep the caring coefficient of the workshop: Figure 1(b) of "Be Considerate", exactly."""

import caregrid

problem = caregrid.problem("workshop")
sweep = problem.sweep(care="0:7:0.1")
print(sweep)
print(sweep.frame()[["care", "own", "newcomer", "total"]].drop_duplicates("own").to_string(index=False))
sweep.save("first_sweep.png")
sweep.save("first_sweep.csv")
