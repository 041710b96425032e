"""Coin flip: one agent that observes 0 or 1 with equal probability; the stochastic twin of the universal environment.

A history has probability 2^-t, in the universal environment 1; the copy-centred values are the same (section 5).
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

coin_flip = table_scenario(
    *(
        WorkedExample(f"{value}: 1/2 a step", value, {0: "7/8", 1: "7/8"}, horizon=3)
        for value in ("cpy", "sta:1", "dyn")
    ),
    name="coin_flip",
    actions=[0, 1],
    rewards={"0": "0", "1": "1"},
    z0="S",
    rules=[["S", 1, "*", [["1/2", {"1": 0}], ["1/2", {"1": 1}]]]],
)
