"""Plain objects in compiled code: the same methods, the same numbers, nothing changed behind Python's back."""

import importlib
import linecache
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from engine.agent import Transition, has_terminated
from engine.compiling.digest import digest_of
from engine.compiling.objects import Compilable, fork_deeply, is_compilable

ROOT = Path(__file__).parents[2]


class Purse(Compilable):
    def __init__(self, coins: int) -> None:
        self.coins = coins
        self.history = np.zeros(4)

    def put(self, coins: int) -> None:
        self.coins += coins
        self.history[self.coins % 4] += coins

    fork = fork_deeply


class Traveller(Compilable):
    def __init__(self) -> None:
        self.purse, self.spare = Purse(3), Purse(5)
        self.tired, self.steps, self.place = False, 0.5, (1, 2.5)

    def travel(self, days: int) -> float:
        for day in range(days):
            self.purse.put(day)
            if day % 3 == 0:
                self.purse = self.spare.fork()
            self.spare.put(1)
            self.steps += self.place[1] * self.purse.coins
            self.tired = self.steps > 40
        return self.steps + self.purse.history.max() + 100 * self.tired


class Idler(Compilable):
    def __init__(self) -> None:
        self.days = 0

    def put(self) -> None:
        self.days += 1


def travel(traveller: Traveller, days: int) -> float:
    return traveller.travel(days)


@pytest.mark.parametrize("days", [0, 1, 2, 7, 30])
def test_compiled_methods_give_what_plain_ones_give(days: int) -> None:
    assert numba.njit(travel)(Traveller(), days) == travel(Traveller(), days)


def test_assigning_a_fork_copies_it() -> None:
    def spend(traveller):  # type: ignore[no-untyped-def]
        traveller.purse = traveller.spare.fork()
        traveller.purse.put(6)
        return (
            traveller.purse.coins,
            traveller.spare.coins,
            traveller.purse.history.sum(),
            traveller.spare.history.sum(),
        )

    assert numba.njit(spend)(Traveller()) == spend(Traveller()) == (11, 5, 6.0, 0.0)


def test_scalars_stay_with_python_and_arrays_are_lent() -> None:
    traveller = Traveller()
    numba.njit(travel)(traveller, 2)
    assert traveller.steps == 0.5
    assert traveller.spare.history.sum() == 2


def test_classes_may_have_methods_of_one_name_and_other_parameters() -> None:
    def put(purse, idler):  # type: ignore[no-untyped-def]
        purse.put(2)
        idler.put()
        return purse.coins, idler.days

    assert numba.njit(put)(Purse(1), Idler()) == put(Purse(1), Idler()) == (3, 1)


def test_what_compiled_code_cannot_hold() -> None:
    class Local(Compilable):
        pass

    holder = Traveller()
    assert is_compilable(holder)
    assert not is_compilable(Local())
    assert not is_compilable(object())
    holder.place = ("here", 1.0)  # type: ignore[assignment]
    assert not is_compilable(holder)


def test_an_edited_source_is_another_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "from engine.compiling.objects import Compilable\n\nclass Counter(Compilable):\n    def up(self): return {}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "edited_counter.py").write_text(text.format(1))
    module = importlib.import_module("edited_counter")
    before = str(numba.typeof(module.Counter()))
    (tmp_path / "edited_counter.py").write_text(text.format(2) + "# edited\n")
    linecache.clearcache()
    after = str(numba.typeof(importlib.reload(module).Counter()))
    assert digest_of(module.Counter) in after
    assert before != after


def test_a_transition_without_terminated_did_not_end_in_compiled_code_either() -> None:
    def plain(terminated):  # type: ignore[no-untyped-def]
        return has_terminated(Transition(0, 1, 0.5, 0)), has_terminated(Transition(0, 1, 0.5, 0, terminated))

    assert numba.njit(plain)(True) == plain(True) == (False, True)


@pytest.mark.slow
def test_a_cache_outlives_the_modules_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(
        "import numba\n\n@numba.njit(cache=True)\ndef up(counter):\n    return counter.up()\n"
    )
    text = (
        "from engine.compiling.objects import Compilable\n\nclass Counter(Compilable):\n    def up(self): return {}\n"
    )
    for name, answer in (("leaving", 1), ("staying", 2)):
        (tmp_path / f"{name}.py").write_text(text.format(answer))
        script = f"import loop, {name}; print(loop.up({name}.Counter()))"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
        )
        assert done.stdout == f"{answer}\n", done.stderr
        (tmp_path / "leaving.py").unlink(missing_ok=True)


def test_a_digest_is_the_same_in_every_process_and_follows_the_numbers_that_methods_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "from engine.compiling.digest import digest_of; from xenv.environments import ENVIRONMENTS as E\n"
    script += "from engine.agents.q_learning import QLearner; print(digest_of(E['crying_baby']), digest_of(QLearner))"
    digests = {
        subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(digests) == 1
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "rates.py").write_text("RATE = 1\n")
    (tmp_path / "rated.py").write_text(
        "import rates\nfrom engine.compiling.objects import Compilable\n\n"
        "class Counter(Compilable):\n    def up(self): return rates.RATE\n"
    )
    rated = importlib.import_module("rated")
    before = digest_of(rated.Counter)
    monkeypatch.setattr("rates.RATE", 2)
    assert digest_of(rated.Counter) != before
