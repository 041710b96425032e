"""The contract of value learners: ours keep it, and `validate` refuses a user's own that would break while it runs."""

import importlib
from pathlib import Path

import pytest

import caregrid
from caregrid.inventory import check_entry
from engine.errors import ContractBroken

RIGHT = """
from dataclasses import dataclass
from caregrid.wrapping.value_learner import ValueLearner, ValueLearnerSpec


class Learner(ValueLearner):
    def learn(self, steps):
        self.steps = steps

    def value(self):
        return 0.0

    def action(self, number):
        return 0


@dataclass(frozen=True)
class Mine(ValueLearnerSpec):
    rate: float = 0.5

    def build(self, world, begin, key):
        return Learner()
"""
MISTAKES = {
    "a parameter without a default": ("rate: float = 0.5", "rate: float", r"takes \(rate: float\).*called as Mine\(\)"),
    "nothing is built": (
        "return Learner()",
        "return None",
        "build gave None; expected a learner with 'learn'",
    ),
    "a value that is no number": ("return 0.0", "return 'much'", "class Learner: value gave 'much'; expected a number"),
    "an action that is no number": (
        "return 0\n",
        "return 'up'\n",
        "action gave 'up'; expected the number",
    ),
    "an action out of range": ("return 0\n", "return 9\n", "action gave 9; expected the number of an action, 0 to 3"),
    "an exception while learning": ("self.steps = steps", "1 / 0", r"own_learners.*\.py, line 8: ZeroDivisionError"),
    "only its first learning": (
        "self.steps = steps",
        "self.steps = steps if not hasattr(self, 'steps') else 1 / 0",
        r"own_learners.*\.py, line 8: ZeroDivisionError",
    ),
    "a value before it has learned": ("return 0.0", "return float(self.steps)", "AttributeError"),
    "another signature": ("def build(self, world, begin, key)", "def build(self, world)", "it is called as build"),
}


def _write(folder: Path, name: str, text: str) -> str:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    return f"{name}:Mine"


def test_our_tabular_learner_and_a_users_own_keep_the_contract(users_folder: Path) -> None:
    check_entry("value_learners", "tabular")
    check_entry("value_learners", _write(users_folder, "own_learners_right", RIGHT))


@pytest.mark.parametrize("what", MISTAKES)
def test_validate_refuses_what_would_break_while_it_runs(what: str, users_folder: Path) -> None:
    old, new, message = MISTAKES[what]
    assert old in RIGHT
    name = _write(users_folder, f"own_learners_{list(MISTAKES).index(what)}", RIGHT.replace(old, new))
    with pytest.raises(ContractBroken, match=message) as refused:
        check_entry("value_learners", name)
    assert "\n" not in str(refused.value)


def test_use_refuses_it_in_the_same_words(users_folder: Path) -> None:
    name = _write(users_folder, "own_learners_used", RIGHT.replace("return 0.0", "return 'much'"))
    made = caregrid.Considerate("FrozenLake-v1", learner=name)
    with pytest.raises(ContractBroken, match="class Learner: value gave 'much'; expected a number"):
        made.reset(seed=0)
