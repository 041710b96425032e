"""Deletion is worth 0: an agent with negative rewards deletes itself, whatever its future is."""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

deletion = table_scenario(
    *(
        WorkedExample(f"{value}: 0 is better than negative rewards", value, {0: "-1", 1: "0"}, horizon=3)
        for value in ("cpy", "sta:1", "dyn")
    ),
    name="deletion",
    actions=[0, 1],
    rewards={"0": "-1"},
    z0="S",
    rules=[["S", 1, 0, [["1", {"1": 0}]]], ["S", 1, 1, [["1", {}]]]],
)
