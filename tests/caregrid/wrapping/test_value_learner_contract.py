"""The contract of value learners: ours keep it, and `validate` refuses a user's own that would break while it runs."""

import importlib
from pathlib import Path

import pytest

import caregrid
from caregrid.inventory import check_entry
from engine.errors import ContractBroken
from tests.users_files import read_right_file

RIGHT = read_right_file("value_learners", "Mine")


def _write(folder: Path, name: str, text: str) -> str:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    return f"{name}:Mine"


def test_our_tabular_learner_and_a_users_own_keep_the_contract(users_folder: Path) -> None:
    check_entry("value_learners", "tabular")
    check_entry("value_learners", _write(users_folder, "own_learners_right", RIGHT))


def test_use_refuses_it_in_the_same_words(users_folder: Path) -> None:
    name = _write(users_folder, "own_learners_used", RIGHT.replace("return 0.0", "return 'much'"))
    made = caregrid.Considerate("FrozenLake-v1", learner=name)
    with pytest.raises(ContractBroken, match="class Learner: value gave 'much'; expected a number"):
        made.reset(seed=0)
