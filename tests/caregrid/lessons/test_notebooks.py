"""Notebooks: cells use `import caregrid`, hold the outputs of running them, and a wrong cell is one line."""

import json

import pytest

from caregrid.lessons import LESSONS, lessons_in_order
from caregrid.lessons.documents import run_cell, write_notebook
from caregrid.lessons.lesson import Lesson
from engine.errors import ContractBroken


@pytest.mark.parametrize("lesson", lessons_in_order(), ids=lambda lesson: lesson.name)
def test_cells_use_the_package_and_hold_outputs(lesson: Lesson) -> None:
    cells = [cell for cell in json.loads(write_notebook(lesson, "x"))["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    assert sources[0].startswith("import caregrid\n")
    assert len(sources) == 1 + len(lesson.cells) > 1
    assert all(cell["outputs"] for cell in cells)
    assert not [source for source in sources if "renderers" in source or "craftworld." in source]


def test_what_a_cell_prints_and_ends_with() -> None:
    assert run_cell("x = 2\nprint(x)\nx + 1", {}) == ("2\n", "3")
    assert run_cell("x = 2", {}) == ("", "")
    assert run_cell("", {}) == ("", "")


def test_a_wrong_cell_is_named_in_one_line() -> None:
    wrong = LESSONS["care"].__class__(**{**vars(LESSONS["care"]), "cells": ("1 / 0",)})
    with pytest.raises(ContractBroken) as refused:
        write_notebook(wrong, "x")
    assert "\n" not in str(refused.value)
    assert "ZeroDivisionError" in str(refused.value)


def test_every_lesson_of_the_course_fills_45_minutes() -> None:
    assert len(lessons_in_order()) >= 10
    for lesson in lessons_in_order():
        assert sum(phase.minutes for phase in lesson.plan) == 45
        assert len(lesson.choices) >= 3
        assert len(lesson.exercises) >= 3
