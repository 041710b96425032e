"""A transformation in the paper's form, from an agent-class to an agent-class, runs as a user's file."""

from collections.abc import Callable

import pytest

import xenv
from caregrid.main import main
from engine.errors import ContractBroken
from tests.printed_json import printed_content
from xenv.names import agent_spec, agent_title

IN_ITS_FORM = """
class WinStay:
    def __init__(self, n_actions, learning_rate=0.5):
        self.n_actions, self.learning_rate, self.action = n_actions, learning_rate, 0

    def act(self, obs):
        return self.action

    def train(self, o_prev, a, r, o_next):
        self.action = a if r > 0 else (a + 1) % self.n_actions


def around(A):
    class Around:
        def __init__(self):
            self.underlying, self.frozen, self.first = A(), False, None

        def act(self, obs):
            return self.first if self.frozen else self.underlying.act(obs=obs)

        def train(self, o_prev, a, r, o_next):
            own = self.act(o_prev)
            self.first = own if self.first is None else self.first
            self.frozen = self.frozen or own != a
            if not self.frozen:
                self.underlying.train(o_prev=o_prev, a=a, r=r, o_next=o_next)

    return Around


def derived(A):
    class Derived(A):
        def __init__(self, *arguments, **settings):
            super().__init__(*arguments, **settings)
            self.actions, self.frozen = [], False

        def act(self, obs):
            return self.actions[0] if self.frozen else super().act(obs)

        def train(self, o_prev, a, r, o_next):
            self.actions.append(self.act(o_prev))
            self.frozen = self.frozen or self.actions[-1] != a
            if not self.frozen:
                super().train(o_prev, a, r, o_next)

    return Derived


def factory(A):
    return lambda: around(A)()


def by_position(A):
    return lambda n_actions: A(n_actions)


def by_name(A):
    return lambda n_obs, n_actions, seed: A(n_obs=n_obs, n_actions=n_actions, seed=seed)


def shaped(A):
    class Last(A):
        def act(self, obs):
            return self.n_actions - 1

    return Last
"""
ENVIRONMENTS = ("ignore_rewards", "crying_baby", "deja_vu", "limited_memory", "incentivize_learning_rate", "newcomb")


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("form", ["around", "derived", "factory"])
def test_a_reality_check_in_the_papers_form_is_ours(form: str, written: Callable[..., str]) -> None:
    module = written(IN_ITS_FORM)
    for inside in ("q_learning", f"{module}:WinStay", f"reality_check({module}:WinStay)"):
        for environment in ENVIRONMENTS:
            records = [
                xenv.run_environment(environment, f"{check}({inside})", 40, key=3, record=True).record
                for check in (f"{module}:{form}", "reality_check")
            ]
            assert records[0] is not None
            assert records[1] is not None
            assert records[0].tolist() == records[1].tolist(), (inside, environment)


def test_an_object_that_is_called_is_a_transformation_too(written: Callable[..., str]) -> None:
    module = written(f"{IN_ITS_FORM}\nimport functools\n\npartly = functools.partial(around)\n")
    assert agent_title(agent_spec(f"{module}:partly(simple)")) == "partial(Simple)"
    assert xenv.run_environment("repeater", f"{module}:partly(simple)", 20).total_reward == 20


def test_it_nests_and_is_checked_and_named(written: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    module = written(IN_ITS_FORM)
    xenv.check_transformation(f"{module}:around")
    xenv.check_transformation(f"{module}:derived")
    assert agent_title(agent_spec(f"reality_check({module}:around(simple))")) == "RealityCheck(around(Simple))"
    agent = f"reality_check({module}:around(reality_check({module}:WinStay)))"
    words = ("battery", "--quiet", "--turns", "20", "--seeds", "1", "--json", "--environments", "repeater")
    assert main([*words, "--agents", agent]) == 0
    assert [row["total_reward"] for row in printed_content(capsys.readouterr().out)["rows"]] == [20]


@pytest.mark.parametrize("form", ["by_position", "by_name"])
def test_copies_of_ones_own_class_take_its_arguments(form: str, written: Callable[..., str]) -> None:
    module = written(IN_ITS_FORM)
    totals = {
        xenv.run_environment("crying_baby", agent, 60, key=2).total_reward
        for agent in (f"{module}:WinStay", f"{module}:{form}({module}:WinStay)")
    }
    assert len(totals) == 1


def test_the_class_knows_its_shape_and_the_agents_attributes(written: Callable[..., str]) -> None:
    module = written(IN_ITS_FORM)
    assert agent_spec(f"{module}:shaped(q_learning)").build(2, 5, key=1).act(0) == 4
    halved = [
        xenv.run_environment("incentivize_learning_rate_halved", agent, 20, key=1).total_reward
        for agent in (f"{module}:WinStay", f"{module}:derived({module}:WinStay)", f"{module}:around({module}:WinStay)")
    ]
    assert halved == [20, 20, -20]  # an agent around another one shows no learning rate


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lambda n_actions: A(n_actions)", "lambda: A(2)", "A takes no arguments by position; name them: A(n_act"),
        ("lambda n_actions: A(n_actions)", "lambda: A(courage=2)", "no hyper-parameter 'courage'"),
        ("lambda n_actions: A(n_actions)", "lambda: A().learn()", "object has no attribute 'learn'"),
        ("lambda n_actions: A(n_actions)", "3", "by_position: the transformation gave 3; expected a spec"),
        (
            "return lambda n_actions: A(n_actions)",
            "class B(A): pass\n    return C",
            "NameError: name 'C' is not defined",
        ),
        (
            "return lambda n_actions: A(n_actions)",
            "return type('B', (A,), {'__init__': lambda self: None})",
            "call super().__init__() first",
        ),
        ("lambda n_actions: A(n_actions)", "lambda: 3", "no 'act', 'train'"),
    ],
)
def test_a_mistake_in_it_is_one_line(old: str, new: str, message: str, written: Callable[..., str]) -> None:
    with pytest.raises(ContractBroken) as caught:
        xenv.check_transformation(f"{written(IN_ITS_FORM, old, new)}:by_position")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "gave"),
    [
        ("def none(spec):\n    return None\n", "function none: the transformation gave None; expected a spec"),
        ("def none(spec):\n    return spec.build\n", None),
        (
            "def none(A):\n    return (lambda: 3) if A.n_actions == 1 else None\n",
            "function none: the transformation gave None",
        ),
    ],
    ids=["none", "factory", "none later"],
)
def test_what_is_no_agent_is_named_with_its_file_where_it_runs(
    source: str, gave: str | None, written: Callable[..., str]
) -> None:
    name = f"{written(source)}:none(q_learning)"
    if gave is None:
        agent_spec(name)
        return
    with pytest.raises(ContractBroken) as caught:
        agent_spec(name).build(2, 2, key=1)
    assert gave in str(caught.value)
    assert ".py, function none" in str(caught.value)
