"""The scripts of examples/ run, and docs/python.md names every public name."""

import ast
import itertools
import math
import os
import re
import runpy
import sys
from pathlib import Path

import pytest

import caregrid

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGE = ROOT / "docs" / "python.md"
SHORTER = {"cleanrl_style_dqn": ("--total-timesteps", "1500")}


def test_there_are_enough() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.slow_cases("sb3_zoo_style", "cleanrl_style_dqn", "learned_care")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(path), *SHORTER.get(path.stem, ())])
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert os.access(path, os.X_OK)
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr()
    assert printed.out
    assert printed.err == ""


def test_every_public_name_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert not [name for name in caregrid.__all__ if not re.search(rf"`(caregrid\.)?{name}\b", text)]


def test_the_altruist_opens_each_door_from_what_its_text_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """4 steps for 7 cells more, and for 1."""
    runpy.run_path(str(ROOT / "examples" / "altruist.py"), run_name="__main__")
    assert (
        f"discrete_choice: the door opens from {{'shut in': [{4 / 7:.3f}], 'free': [{4 / 1}]}}"
        in capsys.readouterr().out
    )


def test_the_robot_waits_where_that_is_worth_most(capsys: pytest.CaptureFixture[str]) -> None:
    """Learned without seeing u: the largest of E[u], 0 and what the human's decision is worth."""
    runpy.run_path(str(ROOT / "examples" / "off_switch_game.py"), run_name="__main__")
    utilities = {-3.0: 0.1, -1.0: 0.4, 1.0: 0.2, 2.0: 0.3}
    gain = sum(chance * max(u, 0.0) for u, chance in utilities.items())
    loss = sum(chance * min(u, 0.0) for u, chance in utilities.items())
    best = {right: max(gain + loss, 0.0, right * gain + (1.0 - right) * loss) for right in (1.0, 0.8, 0.5)}
    says = [
        f"right {right}: learned {worth:g}, the best without knowing u is {worth:g}" for right, worth in best.items()
    ]
    assert capsys.readouterr().out.splitlines() == says


def test_social_preferences_are_those_of_every_course_of_the_meadow(capsys: pytest.CaptureFixture[str]) -> None:
    """All 81 courses of four seasons, followed by hand; each printed piece is optimal, with its own return."""
    runpy.run_path(str(ROOT / "examples" / "social_preferences.py"), run_name="__main__")
    printed = dict(line.split(": ") for line in capsys.readouterr().out.splitlines())
    lines = [_follow_meadow(course) for course in itertools.product(range(3), repeat=4)]
    for name, pieces in printed.items():
        starts = ast.literal_eval(pieces)
        for (start, own), stop in zip(starts, [*(low for low, _ in starts[1:]), 10.0], strict=True):
            care = (start + stop) / 2
            best = max(own + care * extra[name] for own, extra in lines)
            reached = {round(own, 9) for own, extra in lines if own + care * extra[name] > best - 1e-9}
            assert reached == {own}
        edges = [low for low, _ in starts[1:]]
        for edge in edges:  # two own returns are as good there, but for the rounding of what is printed
            best = max(own + edge * extra[name] for own, extra in lines)
            assert len({own for own, extra in lines if own + edge * extra[name] > best - 1e-3}) >= 2


def _follow_meadow(course: tuple[int, ...]) -> tuple[float, dict[str, float]]:
    """The own return of a course, and what each of the three rewards adds up to."""
    grass, total, extra = 6, 0.0, {"guilt": 0.0, "equal_angle": 0.0, "influence": 0.0}

    def take(grass: int, action: int) -> tuple[int, list[int]]:
        taken = []
        for wanted in (action, int(grass > 0), int(grass > 0)):
            taken.append(min(wanted, grass - sum(taken)))
        left = grass - sum(taken)
        return min(left + left // 2, 12), taken

    for action in course:
        after = [int(take(grass, other)[0] > 0) for other in range(3)]  # what both others do next
        grass, taken = take(grass, action)
        own, mean = taken[0], sum(taken[1:]) / 2
        total += own
        extra["guilt"] -= sum(max(own - other, 0) for other in taken[1:]) / 2
        extra["equal_angle"] -= abs(math.pi / 4 - math.atan2(mean, own))
        extra["influence"] -= 2 * math.log(after.count(after[action]) / 3)
    return total, extra
