#!/usr/bin/env python3
"""A figure for a paper: where the break points of three formulations lie, as vectors, with one's own labels."""

from matplotlib.figure import Figure

import caregrid

FORMULATIONS = ("expected", "worst_case", "no_worse_off")

figure = Figure(figsize=(5, 2.5), layout="constrained")
axes = figure.subplots()
for formulation in FORMULATIONS:
    frame = caregrid.problem("workshop", formulation).breakpoints(care_max=7).frame()
    total = frame["newcomer"].clip(lower=-40)
    axes.step([*frame["care_from"], 7], [*total, total.iloc[-1]], where="post", label=formulation.replace("_", " "))
axes.set_xlabel("caring coefficient")
axes.set_ylabel("the newcomer's return")
axes.legend(frameon=False)
figure.savefig("paper_figure.pdf", metadata={"CreationDate": None})
print("wrote paper_figure.pdf")
