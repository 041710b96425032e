"""Markov decision processes as files and arrays: PRISM, JANI, `.npz`, MDPtoolbox, QuantEcon.

Each door reads into a `DecisionTable` or writes one; `doors` chooses a door by the ending of a file.
"""

ENDINGS = ("prism", "nm", "pm", "jani", "npz")
POMDP = "pomdp"
