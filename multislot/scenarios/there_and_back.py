"""There and back: action 1 moves the agent away for one step and back to a slot 1 that then pays 1 for ever.

The slot-centred agents gain nothing by it although they come home again: they have left. The copy-centred agent
goes. After it, at the same history, the static value stays 0 and the dynamic one recovers.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

there_and_back = table_scenario(
    WorkedExample("the copy-centred agent goes", "cpy", {0: "23/40", 1: "7/8"}, horizon=4),
    WorkedExample("the static agent does not", "sta:1", {0: "3/8", 1: "0"}, horizon=4),
    WorkedExample("the dynamic agent does not", "dyn", {0: "3/8", 1: "0"}, horizon=4),
    WorkedExample(
        "back home, it is never its old slot to the static agent", "sta:1", {0: "0", 1: "0"}, 2, history="1,0;0,1"
    ),
    WorkedExample("to the dynamic agent it is", "dyn", {0: "3/2", 1: "3/2"}, 2, history="1,0;0,1"),
    name="there_and_back",
    actions=[0, 1],
    rewards={"0": "0", "1": "1", "2": "1/5"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 2}]]],
        ["S", 1, 1, [["1", {"2": 0}]]],
        ["B", 2, "*", [["1", {"1": 1}]]],
        ["E", 1, "*", [["1", {"1": 1}]]],
    ],
    update=[["S", 1, 0, "B"], ["B", "*", "*", "E"]],
)
