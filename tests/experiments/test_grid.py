"""Grids of settings: texts of the command line, in the kinds that an experiment declares, counted, never built."""

from collections.abc import Sequence

import pytest

from engine.errors import BadValue, CaregridError, UnknownName
from experiments.ranges import parse_seed_range
from experiments.setting_grid import SettingGrid, override_settings

DECLARED = {"care": (0.0, 0.5), "seed": (0, 1), "agent": ("q_learning", "random"), "blind": (False, True)}


def _set(*assignments: str, seeds: Sequence[int] | None = None) -> dict[str, tuple[object, ...]]:
    return dict(override_settings(DECLARED, assignments, seeds, DECLARED))


def test_words_take_the_declared_kind() -> None:
    assert _set("care=0,1,5")["care"] == (0.0, 1.0, 5.0)
    assert all(isinstance(care, float) for care in _set("care=0,1,5")["care"])
    assert _set("care=1/4")["care"] == (0.25,)
    assert _set("seed=7")["seed"] == (7,)
    assert isinstance(_set("seed=7")["seed"][0], int)
    assert _set("agent=random")["agent"] == ("random",)
    assert _set("blind=true")["blind"] == (True,)
    assert _set(seeds=range(4))["seed"] == (0, 1, 2, 3)
    assert _set("care=1", "care=2")["care"] == (2.0,)


def test_ranges_are_exact_and_leave_the_stop_out() -> None:
    assert _set("care=0:7:0.01")["care"][-1] == 6.99
    assert len(_set("care=0:7:0.01")["care"]) == 700
    assert _set("care=-1:1:0.5,3")["care"] == (-1.0, -0.5, 0.0, 0.5, 3.0)
    assert _set("seed=0:4")["seed"] == (0, 1, 2, 3)
    assert _set("agent=q-learning")["agent"] == ("q_learning",)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("cares=1", "unknown setting 'cares'; did you mean 'care'"),
        ("care", "sets nothing"),
        ("care=", "empty value"),
        ("care=1,,2", "empty value"),
        ("care=nan", "not finite"),
        ("care=inf", "not finite"),
        ("care=1e999", "not finite"),
        ("care=much", "not a number"),
        ("care=1/0", "not a number"),
        ("care=1,1", "repeats"),
        ("care=3:1", "is empty"),
        ("care=0:1:0", "has step 0"),
        ("care=0:6:300", "'0:6:300' has a step that is longer than from 0 to 6; write start:stop:step"),
        ("care=0:1:nan", "is not finite"),
        ("care=0:1:1:1", "is not a range"),
        ("care=0:1e9:1e-3", "has 1000000000000 values"),
        ("seed=0.5", "not a whole number"),
        ("seed=true", "not a number"),
        ("agent=q_lerning", "did you mean 'q_learning'"),
        ("blind=perhaps", "not a flag"),
    ],
)
def test_bad_assignments_are_refused_in_one_line(assignment: str, message: str) -> None:
    with pytest.raises(CaregridError, match=message.replace("?", r"\?")) as caught:
        _set(assignment)
    assert "\n" not in str(caught.value)


def test_seeds_need_a_setting_of_that_name() -> None:
    with pytest.raises(UnknownName, match=r"^seeds: "):
        override_settings({"care": (0.0,)}, [], 3, {"care": (0.0,)})


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("3", (0, 1, 2)),
        ("1,2,5", (1, 2, 5)),
        ("2,2,1", (2, 1)),
        ("4:7", (4, 5, 6)),
        ("0:10:5", (0, 5)),
        (" 2 ", (0, 1)),
    ],
)
def test_seeds_are_a_count_a_list_or_a_range(text: str, seeds: tuple[int, ...]) -> None:
    assert parse_seed_range(text) == seeds


@pytest.mark.parametrize("text", ["0", "-1", "", "1,,2", "one", "1.5", "3:3", "0:5:0", "1:2:3:4", "0:2000000"])
def test_what_is_no_seeds_is_refused(text: str) -> None:
    with pytest.raises(BadValue, match=r"^seeds: "):
        parse_seed_range(text)


def test_a_huge_grid_is_refused_with_its_size_and_never_built() -> None:
    grid = SettingGrid({name: tuple(range(1000)) for name in "abc"})
    assert grid.size == 10**9
    assert grid.setting(next(grid.points())) == {"a": 0, "b": 0, "c": 0}
    with pytest.raises(BadValue, match="1,000,000,000 units"):
        grid.require_size(yes=False)
    grid.require_size(yes=True)


def test_walking_a_grid_changes_the_last_setting_fastest() -> None:
    assert list(SettingGrid({"a": (1, 2), "b": ("x", "y")}).points()) == [
        (1, "x"),
        (1, "y"),
        (2, "x"),
        (2, "y"),
    ]
