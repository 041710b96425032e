"""Random conflict-free tables for properties: whatever their states, the slots copy onto disjoint sets of slots."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from multislot.worlds.table import TableEnvironment, parse_table

SLOTS = (1, 2, 3, 4)
STATES = ("p", "q")
OBSERVATIONS = ("0", "1")


@st.composite
def laws(draw: st.DrawFn, targets: tuple[int, ...]) -> list[Any]:
    """One to three outcomes, each of them any copies onto the targets, with probabilities in sixths."""
    outcomes = draw(
        st.lists(
            st.dictionaries(st.sampled_from(targets), st.sampled_from(OBSERVATIONS)) if targets else st.just({}),
            min_size=1,
            max_size=3,
        )
    )
    cuts = sorted(draw(st.lists(st.integers(0, 6), min_size=len(outcomes) - 1, max_size=len(outcomes) - 1)))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, 6], strict=True)]
    return [
        [str(Fraction(size, 6)), {str(slot): o for slot, o in copies.items()}]
        for size, copies in zip(sizes, outcomes, strict=True)
    ]


@st.composite
def contents(draw: st.DrawFn) -> dict[str, Any]:
    """A table in which every target slot belongs to one source."""
    rules = []
    owner = {target: draw(st.sampled_from(SLOTS)) for target in SLOTS}
    for state in STATES:
        for slot in SLOTS:
            targets = tuple(target for target in SLOTS if owner[target] == slot)
            rules += [[state, slot, action, draw(laws(targets))] for action in (0, 1)]
    update = [
        [state, action, observation, draw(st.sampled_from(STATES))]
        for state in STATES
        for action in (0, 1)
        for observation in OBSERVATIONS
    ]
    rewards = {o: str(Fraction(draw(st.integers(-4, 4)), draw(st.integers(1, 3)))) for o in OBSERVATIONS}
    return {"name": "random", "actions": [0, 1], "init": [1], "z0": "p", "rewards": rewards, "rules": rules} | {
        "update": update
    }


def environments() -> st.SearchStrategy[TableEnvironment]:
    """The tables, parsed."""
    return contents().map(lambda content: parse_table(content, "random"))


@st.composite
def mono_contents(draw: st.DrawFn) -> dict[str, Any]:
    """A table in which nobody is ever copied or deleted."""
    content = draw(contents())
    for rule in content["rules"]:
        rule[3] = [[probability, {str(rule[1]): draw(st.sampled_from(OBSERVATIONS))}] for probability, _ in rule[3]]
    return content


def relabelled(content: dict[str, Any], slots: dict[int, int]) -> dict[str, Any]:
    """The same table with every slot renamed."""
    rules = [
        [z, slots[i], a, [[p, {str(slots[int(j)]): o for j, o in copies.items()}] for p, copies in law]]
        for z, i, a, law in content["rules"]
    ]
    return content | {"rules": rules, "init": [slots[i] for i in content["init"]]}
