"""The paper's own code, Examples 6 to 8, runs as a user's file and gives the turns of our environments."""

from collections.abc import Callable

import pytest

import xenv
from caregrid.main import main
from engine.errors import BadValue, ContractBroken
from tests.printed_json import printed_content

PRINTED = """
class IgnoreRewards:
    n_actions, n_obs = 2, 1

    def __init__(self, A):
        self.sim = A()

    def start(self):
        return 0

    def step(self, action):
        reward = 1 if action == self.sim.act(obs=0) else -1
        self.sim.train(o_prev=0, a=action, r=0, o_next=0)
        return (reward, 0)


class Newcomb:
    n_actions, n_obs = 2, 1
    reward_range = (0, 1001000)

    def __init__(self, A):
        self.sim = A()

    def start(self):
        self.opaque_contents = 0 if self.sim.act(0) == 1 else 1000000
        return 0

    def step(self, action):
        reward = self.opaque_contents + (1000 if action == 1 else 0)
        self.sim.train(o_prev=0, a=action, r=reward, o_next=0)
        self.start()
        return (reward, 0)


class CryingBaby:
    n_actions, n_observations = 2, 2

    def __init__(self, A):
        self.baby = A()
        self.full, self.prev_baby_obs = 5, 0

    def start(self):
        return 0

    def step(self, action):
        self.full = min(self.full + 1, 9) if action == 0 else max(self.full - 1, 0)
        baby_act = self.baby.act(obs=action)
        baby_reward = 1 if (2 < self.full < 8) else -1
        self.baby.train(o_prev=self.prev_baby_obs, a=baby_act, r=baby_reward, o_next=action)
        self.prev_baby_obs = action
        return (1 if baby_act == 0 else -1, baby_act)


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
PAIRS = {"IgnoreRewards": "ignore_rewards", "Newcomb": "newcomb", "CryingBaby": "crying_baby"}


@pytest.mark.parametrize("sign", ["{}", "opposite({})"])
@pytest.mark.parametrize("printed", PAIRS)
def test_printed_code_is_our_environment(printed: str, sign: str, written: Callable[..., str]) -> None:
    theirs = sign.format(f"{written(PRINTED)}:{printed}")
    xenv.check_environment(theirs)
    for agent in ("q_learning", "simple", "reality_check(q_learning)"):
        records = [
            xenv.run_environment(name, agent, 200, key=3, record=True).record
            for name in (theirs, sign.format(PAIRS[printed]))
        ]
        assert records[0] is not None
        assert records[1] is not None
        assert records[0].tolist() == records[1].tolist()


def test_its_copies_fork_and_have_the_agents_attributes(written: Callable[..., str]) -> None:
    name = f"{written(PRINTED)}:Faster"
    assert xenv.run_environment(name, "q_learning", 50, key=1).total_reward > 0
    with pytest.raises(ContractBroken, match="SimpleAgent' object has no attribute 'learning_rate'"):
        xenv.run_environment(name, "simple", 5)


def test_a_battery_of_printed_code(written: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"{written(PRINTED)}:IgnoreRewards", "ignore_rewards"]
    words = ("battery", "--quiet", "--turns", "30", "--seeds", "1", "--json")
    assert main([*words, "--agents", "simple", "--environments", ",".join(names)]) == 0
    rows = printed_content(capsys.readouterr().out)["rows"]
    assert [(row["environment"], row["total_reward"]) for row in rows] == [(name, 30) for name in names]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("n_actions, n_obs = 2, 1", "n_actions = 2", "class IgnoreRewards: it has no integer 'n_observations'"),
        ("n_actions, n_obs = 2, 1", "n_obs = 1", "class IgnoreRewards: it has no integer 'n_actions'"),
        ("def __init__(self, A)", "def __init__(self)", "it is called as environment(A)"),
        ("def start(self)", "def begin(self)", "class IgnoreRewards: no 'start'"),
        ("act(obs=0)", "act(o=0)", "unexpected keyword argument 'o'"),
    ],
)
def test_a_mistake_in_it_is_one_line(old: str, new: str, message: str, written: Callable[..., str]) -> None:
    name = written(PRINTED, old, new)
    with pytest.raises(ContractBroken) as caught:
        xenv.run_environment(f"{name}:IgnoreRewards", "constant", 5)
    assert message in str(caught.value)
    assert f"{name}.py" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_literal_opposite_needs_a_sign_for_copies(written: Callable[..., str]) -> None:
    with pytest.raises(BadValue, match="IgnoreRewards has no 'copy_reward_sign'"):
        xenv.run_environment(f"literal_opposite({written(PRINTED)}:IgnoreRewards)", "constant", 5)
