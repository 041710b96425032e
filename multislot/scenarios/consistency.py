"""The consistency trick: being copied to two slots that see the same and pay for opposite actions, slot 2 more.

After the copy everyone takes action 1, the better one on average. The dynamic agent knows on slot 1 that this will
earn slot 1 nothing, and is not copied; the static agent will go on counting slot 1 alone; the
copy-centred agent takes half of the better pay. All three are time-consistent and all three differ (section 4.4).
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

consistency = table_scenario(
    WorkedExample("the copy-centred agent is copied", "cpy", {0: "1/5", 1: "1/4"}, horizon=2),
    WorkedExample("the static agent is copied", "sta:1", {0: "1/5", 1: "1/3"}, horizon=2),
    WorkedExample("the dynamic agent is not", "dyn", {0: "1/5", 1: "0"}, horizon=2),
    WorkedExample("once copied, action 1 is best on average", "dyn", {0: "1/3", 1: "1/2"}, horizon=1, history="1,0"),
    name="consistency",
    actions=[0, 1],
    rewards={"0": "0", "1": "2/3", "2": "1", "3": "2/5"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 0}]]],
        ["S", 1, 1, [["1", {"1": 0, "2": 0}]]],
        ["safe", 1, "*", [["1", {"1": 3}]]],
        ["D", 1, 0, [["1", {"1": 1}]]],
        ["D", 1, 1, [["1", {"1": 0}]]],
        ["D", 2, 0, [["1", {"2": 0}]]],
        ["D", 2, 1, [["1", {"2": 2}]]],
    ],
    update=[["S", 0, "*", "safe"], ["S", 1, "*", "D"]],
)
