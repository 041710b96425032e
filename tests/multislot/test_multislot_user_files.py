"""Fault: a user's own scenario, future, policy, crowd and likelihood, right and wrong, by name."""

import itertools
import random
from fractions import Fraction
from pathlib import Path

import pytest

from caregrid.main import main
from engine.errors import CaregridError, ContractBroken
from multislot.contract_checks import check_crowd, check_future, check_likelihood, check_policy, check_slot_world
from multislot.futures import find_future
from multislot.worlds.environment import CopyOutcome, HistoryBasedEnvironment
from tests.printed_json import printed_content
from tests.users_files import read_right_file

WORLD = read_right_file("slot_scenarios", "world")
FUTURE = read_right_file("slot_futures", "mine")
POLICY = read_right_file("slot_policies", "Mine")
CROWD = read_right_file("crowds", "Mine")
LIKELIHOOD = read_right_file("slot_likelihoods", "mine")
FILES = {"my_world": WORLD, "my_future": FUTURE, "my_policy": POLICY, "my_crowd": CROWD, "my_likelihood": LIKELIHOOD}


@pytest.fixture
def folder(users_folder: Path) -> Path:
    """A working directory with a file of each kind."""
    for name, text in FILES.items():
        (users_folder / f"{name}.py").write_text(text)
    return users_folder


def printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["multislot", *words, "--json"]) == 0
    answer: dict[str, object] = printed_content(capsys.readouterr().out)
    return answer


def test_a_file_of_each_kind_passes_its_checker(folder: Path) -> None:
    for name in ("my_world:Ferry", "my_world:world", "my_world:family", "my_world:family:2"):
        check_slot_world(name)
    for name in ("my_future:mine", "my_future:family", "my_future:family:2"):
        check_future(name)
    for name in ("my_policy:Mine", "my_policy:Mine:0"):
        check_policy(name)
    check_crowd("my_crowd:Mine")
    check_likelihood("my_likelihood:mine")


def test_the_command_takes_them_by_name_with_and_without_arguments(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Action 1 pays the higher of two copies: all of it for the highest slot, half of it for all copies."""
    ask = ["--horizon", "1"]
    assert printed(["my_world:world", *ask, "--value", "my_future:mine"], capsys)["Q"] == {"0": "0", "1": "1"}
    assert printed(["my_world:Ferry", *ask, "--value", "my_future:family:4"], capsys)["Q"] == {"0": "0", "1": "0"}
    assert printed(["my_world:family:2", *ask], capsys)["P"] == {"2": "1"}
    evaluated = printed(["my_world:world", *ask, "--policy", "my_policy:Mine:1"], capsys)
    assert (evaluated["Q"], evaluated["action"]) == ({"0": "0", "1": "1/2"}, 1)
    counted = printed(["my_world:world", *ask, "--policy", "1", "--value", "my_crowd:Mine"], capsys)
    assert counted["Q"] == {"0": "0", "1": "1"}
    both = ["my_world:world", "--simulate", "1", "--horizon", "1", "--policy", "optimal:my_future:mine"]
    assert main(["multislot", *both]) == 0
    assert "slot 3, came by 1-3: 1,there" in capsys.readouterr().out
    assert printed(["my_world:world", *ask, "--likelihood", "my_likelihood:mine"], capsys)["V"] == "1/2"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("st:1", "unknown future 'st:1'"),
        ("stax:one", "unknown future 'stax'; did you mean 'sta'"),
        ("cpy:1", "takes no argument"),
        ("sta", "needs an argument; write 'sta:1'"),
        ("nowhere:mine", "no module 'nowhere' here; run where nowhere.py is"),
        ("my_future:mind", "my_future.py: no 'mind' in it; did you mean 'mine'"),
        ("my_future:mine:3", "takes no argument"),
        ("my_future:family:x", "future 'my_future:family:x': 'x' is not a slot"),
    ],
)
def test_names_that_stand_for_nothing(folder: Path, name: str, message: str) -> None:
    with pytest.raises(CaregridError) as caught:
        find_future(name)
    assert message in str(caught.value)


class FalseTwins(HistoryBasedEnvironment):
    """Says that all slots are alike, and pays on odd ones only."""

    name, actions, initial = "false twins", (0, 1), (1,)
    rewards = {"paid": Fraction(1), "not": Fraction(0)}  # noqa: RUF012

    def start(self):
        return 0

    def update(self, state, action, observation):
        return 0

    def representative(self, state, slot):
        return 1

    def law(self, state, slot, action):
        return (CopyOutcome(Fraction(1), {2 * slot: "paid" if slot % 2 else "not", 2 * slot + 1: "not"}),)


class Chain(HistoryBasedEnvironment):
    """Action 1 pays; the state is the number of actions."""

    name, actions, initial = "chain", (0, 1), (1,)
    rewards = {"paid": Fraction(1), "not": Fraction(0)}  # noqa: RUF012

    def start(self):
        return 0

    def update(self, state, action, observation):
        return state + 1

    def law(self, state, slot, action):
        return (CopyOutcome(Fraction(1), {slot: "paid" if action else "not"}),)


class Drawn(Chain):
    def __init__(self):
        self.generator = random.Random(0)

    def law(self, state, slot, action):
        return super().law(state, slot, self.generator.randrange(2))


class Counting(Chain):
    def __init__(self):
        self.calls = 0

    def law(self, state, slot, action):
        self.calls += 1
        return super().law(state, slot, action if self.calls < 6 else 0)


class DrawnState(Chain):
    def __init__(self):
        self.generator = random.Random(0)

    def update(self, state, action, observation):
        return state + self.generator.randrange(100)


class Remembering(Chain):
    """Keeps the history itself, not in the state."""

    def __init__(self):
        self.seen = []

    def update(self, state, action, observation):
        self.seen.append(observation)
        return len(self.seen)


class Later:
    """A state that is changed in place: one object, which every history has."""

    def __init__(self):
        self.steps = 0


class Changing(Chain):
    def start(self):
        return Later()

    def update(self, state, action, observation):
        state.steps += 1
        return state


class OneDictionary(Chain):
    """Gives one dictionary for every law, with other entries each time."""

    def __init__(self):
        self.copies = {}

    def law(self, state, slot, action):
        self.copies.clear()
        self.copies[slot] = "paid" if action else "not"
        return (CopyOutcome(Fraction(1), self.copies),)


class PaidMore(Chain):
    """Pays more at each reading of its rewards."""

    def __init__(self):
        self.readings = itertools.count(1)

    @property
    def rewards(self):
        return {"paid": Fraction(next(self.readings)), "not": Fraction(0)}


@pytest.mark.parametrize(
    ("world", "says"),
    [
        (PaidMore, "when it is read again; let it be one value, such as an attribute that __init__ gives"),
        (Drawn, "is another one when asked again; let it depend on these three alone"),
        (Counting, "is another one when asked again; let it depend on these three alone"),
        (DrawnState, "for one step; let it depend on state, action and observation alone"),
        (Remembering, "update gave 1 and then 2 for one step; let it depend on state, action and observation alone"),
        (Changing, "update changed the state that it was given; return a new one"),
    ],
)
def test_worlds_that_answer_otherwise_when_asked_again_are_refused(world, says):
    import caregrid

    with pytest.raises(ContractBroken) as caught:
        caregrid.slots(world(), horizon=3)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_dictionary_that_is_used_again_is_read_when_it_is_given():
    import caregrid

    """Discounted by one half: action 1 pays 1 + 1/2 + 1/4."""
    assert (
        caregrid.slots(OneDictionary(), horizon=3).Q
        == caregrid.slots(Chain(), horizon=3).Q
        == {0: Fraction(3, 4), 1: Fraction(7, 4)}
    )


@pytest.mark.slow
def test_slots_that_are_not_alike_are_found_where_a_plan_takes_them_for_one():
    import caregrid

    with pytest.raises(ContractBroken, match="slot 1 for slot 2 in state 0, whose law under action 0 differs"):
        caregrid.slots(FalseTwins(), horizon=3)
    assert caregrid.slots(FalseTwins(), value="sta:1", horizon=3).Q  # which plans each slot by itself
    assert caregrid.slots("exponential", horizon=40).P == {1: 1}  # true ones are no slower
