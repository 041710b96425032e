"""Notebooks: cells use `import caregrid`, hold their outputs and run without torch; a wrong cell is one line."""

import base64
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from caregrid.lessons import LESSONS, list_lessons
from caregrid.lessons.documents import run_cell, write_notebook
from caregrid.lessons.lesson import PICTURE_TILE, Lesson
from engine.errors import ContractBroken
from renderers.drawing.picture import draw_picture
from tests.documentation.pages import ROOT, SOURCE_DISTRIBUTION

NOTEBOOKS = sorted((ROOT / "docs" / "lessons").glob("*.ipynb"))


@pytest.mark.slow_cases(beyond=3)
@pytest.mark.parametrize("lesson", list_lessons(), ids=lambda lesson: lesson.name)
def test_cells_use_the_package_and_hold_outputs(lesson: Lesson) -> None:
    cells = [cell for cell in json.loads(write_notebook(lesson, "x"))["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    assert sources[0].startswith("import caregrid\n")
    assert len(sources) == 2 + len(lesson.cells) > 2
    [shown] = cells[1]["outputs"]
    with Image.open(io.BytesIO(base64.b64decode(shown["data"]["image/png"]))) as picture:
        assert np.array_equal(np.asarray(picture.convert("RGB")), draw_picture(lesson.picture(), PICTURE_TILE))
    assert all(cell["outputs"] for cell in cells)
    assert not [source for source in sources if "renderers" in source or "craftworld." in source]


def test_what_a_cell_prints_and_ends_with() -> None:
    assert run_cell("x = 2\nprint(x)\nx + 1", {}) == ("2\n", 3)
    assert run_cell("x = 2", {}) == ("", None)
    assert run_cell("", {}) == ("", None)


def test_a_wrong_cell_is_named_in_one_line() -> None:
    wrong = LESSONS["care"].__class__(**{**vars(LESSONS["care"]), "cells": ("1 / 0",)})
    with pytest.raises(ContractBroken) as refused:
        write_notebook(wrong, "x")
    assert "\n" not in str(refused.value)
    assert "ZeroDivisionError" in str(refused.value)


def test_every_lesson_of_the_course_fills_45_minutes() -> None:
    assert len(list_lessons()) >= 10
    for lesson in list_lessons():
        assert sum(phase.minutes for phase in lesson.plan) == 45
        assert len(lesson.choices) >= 3
        assert len(lesson.exercises) >= 3


@pytest.mark.slow
@pytest.mark.skipif(SOURCE_DISTRIBUTION, reason="the source distribution leaves notebooks out")
def test_a_notebook_of_the_documentation_runs_in_jupyter() -> None:
    """The cells of all others are run where the files are compared with what is written anew."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbmake", "--nbmake-timeout=60"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, str(NOTEBOOKS[0])], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "1 passed" in done.stdout


@pytest.mark.slow
def test_there_is_a_notebook_a_lesson_and_none_needs_torch() -> None:
    assert len(NOTEBOOKS) == (0 if SOURCE_DISTRIBUTION else len(LESSONS))
    cells = [cell for path in NOTEBOOKS for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    assert not [cell for cell in cells if cell["cell_type"] == "code" and "torch" in "".join(cell["source"])]
    script = "import sys; sys.modules['torch'] = None\nfrom caregrid.lessons import list_lessons\n"
    script += "for lesson in list_lessons(): [variant.film for variant in lesson.variants()]; lesson.picture()\n"
    script += "assert 'stable_baselines3' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
