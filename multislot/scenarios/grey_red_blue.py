"""Grey, red and blue rooms: three copies start in grey light and guess the colour that it will take.

One room turns red and two turn blue. In the grey the agent is in each room with probability 1/3 and says blue; once
the colour is seen, the estimate collapses onto the rooms of that colour.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

grey_red_blue = table_scenario(
    WorkedExample("in the grey, blue is twice as likely", "cpy", {"red": "1/3", "blue": "2/3"}, 1, history="red,grey"),
    WorkedExample("before waking up the guess does not matter", "cpy", {"red": "1/3", "blue": "1/3"}, horizon=2),
    WorkedExample("slot 1, which turns red, will still say blue", "dyn", {"red": "0", "blue": "0"}, horizon=2),
    WorkedExample("an agent that cares for slot 1 says red", "sta:1", {"red": "1", "blue": "0"}, 1, history="red,grey"),
    name="grey_red_blue",
    actions=["red", "blue"],
    rewards={"grey": "0", "red-right": "1", "red-wrong": "0", "blue-right": "1", "blue-wrong": "0"},
    z0="asleep",
    rules=[
        ["asleep", 1, "*", [["1", {"1": "grey", "2": "grey", "3": "grey"}]]],
        ["awake", 1, "red", [["1", {"1": "red-right"}]]],
        ["awake", 1, "blue", [["1", {"1": "red-wrong"}]]],
        ["awake", 2, "red", [["1", {"2": "blue-wrong"}]]],
        ["awake", 2, "blue", [["1", {"2": "blue-right"}]]],
        ["awake", 3, "red", [["1", {"3": "blue-wrong"}]]],
        ["awake", 3, "blue", [["1", {"3": "blue-right"}]]],
    ],
    update=[["asleep", "*", "*", "awake"]],
)
