"""Which slot am I on: agents that share a history, act alike and are rewarded for different actions.

    P^i(h) = nu(h^i = h) / sum_j nu(h^j = h)

The estimate counts agents with the history, not branches of the past; an observation that tells slots apart makes it
collapse. Reference: The Multi-slot Framework, section 4.1.
"""

from multislot.scenarios import WorkedExample, table_scenario

__all__ = ["grey_red_blue", "rooms_alike", "rooms_differ", "sleeping_beauty", "split_tree"]

sleeping_beauty = table_scenario(
    WorkedExample(
        "awake, tails at 3/5 is better than heads at 1", "cpy", {0: "1/3", 1: "2/5"}, horizon=1, history="0,0"
    ),
    WorkedExample(
        "one's slot is as unknown to the dynamic agent", "dyn", {0: "1/3", 1: "2/5"}, horizon=1, history="0,0"
    ),
    WorkedExample("on slot 1 it was heads", "sta:1", {0: "1", 1: "0"}, horizon=1, history="0,0"),
    name="sleeping_beauty",
    actions=[0, 1],
    rewards={"0": "0", "1": "1", "2": "3/5"},
    z0="1",
    rules=[
        ["1", 1, "*", [["1/2", {"1": 0}], ["1/2", {"2": 0, "3": 0}]]],
        ["2", 1, 0, [["1", {"1": 1}]]],
        ["2", 1, 1, [["1", {"1": 0}]]],
        ["2", 2, 0, [["1", {"2": 0}]]],
        ["2", 2, 1, [["1", {"2": 2}]]],
        ["2", 3, 0, [["1", {"3": 0}]]],
        ["2", 3, 1, [["1", {"3": 2}]]],
    ],
    update=[["1", "*", "*", "2"]],
)
"""Sleeping beauty: a fair coin makes one awakening or two that look the same; the agent then bets on the coin.

The slot estimate of section 4.1 is a third for every awakening, so that tails has probability 2/3 when the agent is
asked, and a bet on tails at 3/5 beats a bet on heads at 1.
"""

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
"""Grey, red and blue rooms: three copies start in grey light and guess the colour that it will take.

One room turns red and two turn blue. In the grey the agent is in each room with probability 1/3 and says blue; once
the colour is seen, the estimate collapses onto the rooms of that colour.
"""

split_tree = table_scenario(
    WorkedExample("thirds, not halves and quarters", "cpy", {0: "1/3", 1: "8/15"}, horizon=1, history="0,0;0,0"),
    WorkedExample("seen from the root", "cpy", {0: "2/15", 1: "2/15"}, horizon=3),
    WorkedExample("slot 1 sees that the others outvote it", "dyn", {0: "0", 1: "0"}, horizon=3),
    WorkedExample("the static agent counts slot 1 alone", "sta:1", {0: "1/4", 1: "1/4"}, horizon=3),
    name="split_tree",
    actions=[0, 1],
    rewards={"0": "0", "1": "1", "2": "4/5"},
    z0="1",
    rules=[
        ["1", 1, "*", [["1", {"1": 0, "2": 0}]]],
        ["2", 1, "*", [["1", {"1": 0}]]],
        ["2", 2, "*", [["1", {"2": 0, "3": 0}]]],
        ["3", 1, 0, [["1", {"1": 1}]]],
        ["3", 1, 1, [["1", {"1": 0}]]],
        ["3", 2, 0, [["1", {"2": 0}]]],
        ["3", 2, 1, [["1", {"2": 2}]]],
        ["3", 3, 0, [["1", {"3": 0}]]],
        ["3", 3, 1, [["1", {"3": 2}]]],
    ],
    update=[["1", "*", "*", "2"], ["2", "*", "*", "3"]],
)
"""A split tree: two copies, of which the second is copied again; who has the history counts agents, not branches.

After two steps three agents share a history and each slot is estimated at 1/3, although one branch split once and
the other not at all: action 1, rewarded on two of the three slots, has the higher value.
"""

rooms_alike = table_scenario(
    WorkedExample("the copies can only hit one of two rooms", "cpy", {0: "1/4", 1: "1/4"}, horizon=2),
    WorkedExample(
        "the tie falls to the dynamic agent's slot",
        "dyn",
        {0: "1/2", 1: "1/2"},
        horizon=2,
    ),
    WorkedExample("the static agent counts slot 1 alone", "sta:1", {0: "1/2", 1: "1/2"}, horizon=2),
    name="rooms_alike",
    actions=[0, 1],
    rewards={"0": "0", "1": "0", "paid": "1"},
    z0="corridor",
    rules=[
        ["corridor", 1, "*", [["1", {"1": 0, "2": 0}]]],
        ["room", 1, 0, [["1", {"1": "paid"}]]],
        ["room", 1, 1, [["1", {"1": 0}]]],
        ["room", 2, 0, [["1", {"2": 1}]]],
        ["room", 2, 1, [["1", {"2": "paid"}]]],
    ],
    update=[["corridor", "*", "*", "room"]],
)
"""Two rooms that look alike: a copy in each, rewarded for opposite actions, and no copy can observe which one it is.

One action must serve both, so that half of what could be had is lost. For the later self of the dynamic agent both
actions tie; the first one is taken, and it is the one that is rewarded on the slot where the agent is now.
"""

rooms_differ = table_scenario(
    WorkedExample("every copy hits", "cpy", {0: "1/2", 1: "1/2"}, horizon=2),
    WorkedExample("so does the dynamic agent", "dyn", {0: "1/2", 1: "1/2"}, horizon=2),
    WorkedExample("and the static agent", "sta:1", {0: "1/2", 1: "1/2"}, horizon=2),
    name="rooms_differ",
    actions=[0, 1],
    rewards={"0": "0", "1": "0", "paid": "1"},
    z0="corridor",
    rules=[
        ["corridor", 1, "*", [["1", {"1": 0, "2": 1}]]],
        ["room", 1, 0, [["1", {"1": "paid"}]]],
        ["room", 1, 1, [["1", {"1": 0}]]],
        ["room", 2, 0, [["1", {"2": 1}]]],
        ["room", 2, 1, [["1", {"2": "paid"}]]],
    ],
    update=[["corridor", "*", "*", "room"]],
)
"""Two rooms that look different: a copy in each, rewarded for opposite actions, and each copy observes where it is.

Every copy does what its room pays for, and nothing is lost (compare `rooms_alike`).
"""
