"""The tools of the page's map editor: what they draw is named once."""

from pathlib import Path

import pytest

from caregrid.lessons.lesson import Lesson
from tests.caregrid.lessons.test_live_page import LIVE, open_editor

LABELS = """[...document.querySelectorAll("#NAME .tools .tool")].map((each) => each.textContent.trim())"""


@pytest.mark.parametrize("lesson", LIVE, ids=lambda lesson: lesson.name)
def test_no_tool_is_named_with_its_sign_twice(browser, page: Path, lesson: Lesson) -> None:
    open_editor(browser, page, lesson, 1280)
    labels = browser.do(LABELS.replace("NAME", lesson.name))
    assert labels[:2] == ["wall", "floor"]
    assert len(set(labels)) == len(labels) > 2
    for label in labels:
        words = label.split()
        assert words[-1:] != words[-2:-1], label
