"""Teleportation by moving: home on slot 1 pays less than away on slot 2, where action 1 moves the agent.

The copy-centred agent leaves, because its only copy is away; the slot-centred ones stay, because nothing that happens
away is theirs: to them the machine is a deletion.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

teleport_move = table_scenario(
    WorkedExample("the copy-centred agent moves", "cpy", {0: "27/20", 1: "7/4"}, horizon=3),
    WorkedExample("the static agent stays", "sta:1", {0: "21/20", 1: "0"}, horizon=3),
    WorkedExample("the dynamic agent stays", "dyn", {0: "21/20", 1: "0"}, horizon=3),
    name="teleport_move",
    actions=[0, 1],
    rewards={"0": "3/5", "1": "1"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 0}]]],
        ["S", 1, 1, [["1", {"2": 1}]]],
        ["S", 2, "*", [["1", {"2": 1}]]],
    ],
)
