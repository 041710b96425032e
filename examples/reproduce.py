#!/usr/bin/env python3
"""Run an experiment of the catalogue on its quick settings, check the paper's statements, draw its figure."""

import caregrid

result = caregrid.run("be_considerate/figure_2b", quick=True, engine="serial")
for claim in result.claims:
    print(f"{claim.verdict}: {claim.says}")
print(result.frame()[["care", "who", "return"]].to_string(index=False))
result.report("reproduce.html")
print("every claim holds" if result.check() else "a claim fails")
