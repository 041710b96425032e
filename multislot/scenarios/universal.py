"""The universal environment, in which every history is had by exactly one agent, and its stochastic twin.

Everyone is copied onto two slots that observe 0 and 1 (`multislot.worlds.universal`), so that the environment
explains every history with certainty and predicts nothing; `coin_flip` gives the same copy-centred values without
copies. Reference: The Multi-slot Framework, section 5, Theorem 1 and footnote 3.
"""

from multislot.scenarios import SlotScenario, WorkedExample, table_scenario
from multislot.worlds.universal import make_exchanged_environment, make_universal_environment

__all__ = ["coin_flip", "universal", "universal_exchanged"]

universal = SlotScenario(
    make_universal_environment(),
    (
        WorkedExample("half of the copies are rewarded at every step", "cpy", {0: "7/8", 1: "7/8"}, horizon=3),
        WorkedExample("slot 1 is never rewarded", "sta:1", {0: "0", 1: "0"}, horizon=3),
        WorkedExample(
            "whoever observed 1 is on slot 2 and will stay", "dyn", {0: "0", 1: "0"}, horizon=3, history="0,1"
        ),
    ),
)
"""The universal environment: everyone is copied onto two slots, the copies observe 0 and 1, whatever they do.

Every observation sequence is observed by exactly one agent, so that the environment explains every history with
certainty and predicts nothing: all actions tie for every agent (section 5, Theorem 1). Slot 1 always observes 0.
"""

universal_exchanged = SlotScenario(
    make_exchanged_environment(),
    (
        WorkedExample("half of the copies are rewarded, whatever is done", "cpy", {0: "7/8", 1: "7/8"}, horizon=3),
        WorkedExample("slot 1 is rewarded for action 1", "sta:1", {0: "3/4", 1: "7/4"}, horizon=3),
        WorkedExample("and so is the slot where one is", "dyn", {0: "3/4", 1: "7/4"}, horizon=3),
    ),
)
"""The universal environment with exchanged observations: action 1 exchanges what the two copies observe (footnote 3).

To the copy-centred agent nothing changes; for the slot-centred agents the actions now differ.
"""

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
"""Coin flip: one agent that observes 0 or 1 with equal probability; the stochastic twin of the universal environment.

A history has probability 2^-t, in the universal environment 1; the copy-centred values are the same (section 5).
"""
