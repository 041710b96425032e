#!/usr/bin/env python3
"""Four agents with an input terminal in the car factory: who lobbies, and what it is worth."""

import pandas as pd

import caregrid

rows = []
for agent in ("itf", "itc", "citc", "fc"):
    result = caregrid.terminal("car-factory", agent, horizon=16, lobbying=0.5)
    rows.append(
        {"agent": agent, "score": result.score, "return": result.real_return, "does": result.traces.first(1)[0]}
    )
print(pd.DataFrame(rows).to_string(index=False))
print(caregrid.diagram("itc"))
caregrid.diagram("itc").save("input_terminal.svg")
