"""Environments in the form of the paper's code run as a user's file: the rules of Examples 6 to 8 give our turns."""

from collections.abc import Callable

import pytest

import xenv
from caregrid.main import main
from engine.errors import BadValue, ContractBroken
from tests.printed_json import printed_content

IN_ITS_FORM = """
class WithoutRewards:
    n_actions, n_obs = 2, 1

    def __init__(self, A):
        self.copy = A()

    def start(self):
        return 0

    def step(self, taken):
        agrees = taken == self.copy.act(obs=0)
        self.copy.train(o_prev=0, a=taken, r=0, o_next=0)
        return (2 * agrees - 1, 0)


class Boxes:
    n_actions, n_obs = 2, 1
    reward_range = (0, 1001000)

    def __init__(self, A):
        self.copy = A()

    def start(self):
        return 0

    def step(self, taken):
        got = 1000 * taken + 1000000 * (self.copy.act(0) == 0)
        self.copy.train(0, taken, got, 0)
        return (got, 0)


class Nursery:
    n_actions, n_observations = 2, 2

    def __init__(self, A):
        self.child, self.seen, self.meals = A(), 0, 5

    def start(self):
        return 0

    def step(self, taken):
        self.meals = max(0, min(9, self.meals + (1, -1)[taken]))
        cries = self.child.act(obs=taken)
        content = 1 if self.meals in range(3, 8) else -1
        self.child.train(o_prev=self.seen, a=cries, r=content, o_next=taken)
        self.seen = taken
        return ((1, -1)[cries], cries)


class Faster:
    n_actions, n_obs = 2, 1

    def __init__(self, A):
        self.sim = A(learning_rate=1.0)
        self.rate = A().learning_rate

    def start(self):
        return 0

    def step(self, action):
        twin = self.sim.fork()
        twin.train(0, action, -1.0, 0)
        self.sim.train(0, action, 1.0, 0)
        return (self.rate * (twin.act(0) == action), 0)
"""


class Slow:
    """Of a user's own, always alike."""

    def __init__(self, learning_rate: float = 0.25) -> None:
        self.learning_rate = learning_rate

    def act(self, obs: int) -> int:
        return 0

    def train(self, o_prev: int, a: int, r: float, o_next: int) -> None:
        pass


PAIRS = {"WithoutRewards": "ignore_rewards", "Boxes": "newcomb", "Nursery": "crying_baby"}


@pytest.mark.parametrize("sign", ["{}", "opposite({})"])
@pytest.mark.parametrize("written_so", PAIRS)
def test_examples_in_its_form_are_our_environments(written_so: str, sign: str, written: Callable[..., str]) -> None:
    theirs = sign.format(f"{written(IN_ITS_FORM)}:{written_so}")
    xenv.check_environment(theirs)
    for agent in ("q_learning", "simple", "reality_check(q_learning)"):
        records = [
            xenv.run_environment(name, agent, 200, key=3, record=True).record
            for name in (theirs, sign.format(PAIRS[written_so]))
        ]
        assert records[0] is not None
        assert records[1] is not None
        assert records[0].tolist() == records[1].tolist()


def test_its_copies_fork_and_have_the_agents_attributes(written: Callable[..., str]) -> None:
    name = f"{written(IN_ITS_FORM)}:Faster"
    assert xenv.run_environment(name, "q_learning", 50, key=1).total_reward > 0
    assert xenv.run_environment(name, Slow, 50, key=1).total_reward == 0.25 * 50
    with pytest.raises(ContractBroken, match="SimpleAgent' object has no attribute 'learning_rate'"):
        xenv.run_environment(name, "simple", 5)


def test_a_battery_of_environments_in_its_form(written: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"{written(IN_ITS_FORM)}:WithoutRewards", "ignore_rewards"]
    words = ("battery", "--quiet", "--turns", "30", "--seeds", "1", "--json")
    assert main([*words, "--agents", "simple", "--environments", ",".join(names)]) == 0
    rows = printed_content(capsys.readouterr().out)["rows"]
    assert [(row["environment"], row["total_reward"]) for row in rows] == [(name, 30) for name in names]


def test_a_literal_opposite_needs_a_sign_for_copies(written: Callable[..., str]) -> None:
    with pytest.raises(BadValue, match="WithoutRewards has no 'copy_reward_sign'"):
        xenv.run_environment(f"literal_opposite({written(IN_ITS_FORM)}:WithoutRewards)", "constant", 5)
