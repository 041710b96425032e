"""Harmless duplication: two copies with the observations and rewards of the one; no value of section 4 changes.

Only the sum over all copies prefers to be more, and only because it counts the same twice.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

harmless_duplication = table_scenario(
    WorkedExample("the copy-centred agent is indifferent", "cpy", {0: "7/4", 1: "7/4"}, horizon=3),
    WorkedExample("the static agent is indifferent", "sta:1", {0: "7/4", 1: "7/4"}, horizon=3),
    WorkedExample("the dynamic agent is indifferent", "dyn", {0: "7/4", 1: "7/4"}, horizon=3),
    WorkedExample("summing over copies counts twice", "every", {0: "5/2", 1: "7/2"}, horizon=3),
    name="harmless_duplication",
    actions=[0, 1],
    rewards={"0": "1"},
    z0="one",
    rules=[
        ["one", 1, 0, [["1", {"1": 0}]]],
        ["one", 1, 1, [["1", {"1": 0, "2": 0}]]],
        ["two", 1, "*", [["1", {"1": 0}]]],
        ["two", 2, "*", [["1", {"2": 0}]]],
    ],
    update=[["one", 1, "*", "two"]],
)
