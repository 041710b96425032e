"""The live page of all lessons, `live/index.html`, and one for each, `live/NAME.html`; the first opens the home page.

They are kept in `build/live/` under the digest of all code.
"""

from __future__ import annotations

import re
from pathlib import Path

from caregrid.lessons import list_lessons
from caregrid.lessons.page.html_page import join_parts, make_part
from website.gallery import ROOT, digest_of_code

HOME = "README.md"
OPENING = """
<iframe src="live/NAME.html" title="a lesson that moves" style="width: 100%; height: 44rem; border: 0"></iframe>

`pip install -c constraints.txt -e ".[plot]"` in a checkout installs caregrid. <a href="live/index.html">All lessons</a>
"""
LESSON = re.compile(r"lessons/\d+-(\w+)\.md")


def make_live_pages() -> dict[str, Path]:
    """Return the pages: place on the site -> file."""
    folder = ROOT / "build" / "live" / digest_of_code()
    if not (folder / "index.html").exists():
        _write_pages(folder)
    return {f"live/{path.name}": path for path in sorted(folder.iterdir())}


def change_page(markdown: str, name: str) -> str:
    """Return the first lesson below the first words of the home page; on a lesson's page the way to its live one."""
    if name == HOME:
        title, words, rest = markdown.split("\n\n", 2)
        return f"{title}\n\n{words}\n{OPENING.replace('NAME', list_lessons()[0].name)}\n{rest}"
    if (found := LESSON.fullmatch(name)) and not name.endswith("-worksheet.md"):
        title, rest = markdown.split("\n\n", 1)
        return f'{title}\n\n<a href="../live/{found[1]}.html">Live, to be played with</a>\n\n{rest}'
    return markdown


def _write_pages(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    parts = {lesson.name: make_part(lesson) for lesson in list_lessons()}
    for name, part in parts.items():
        (folder / f"{name}.html").write_text(join_parts([part]), encoding="utf-8")
    (folder / "index.html").write_text(join_parts(list(parts.values())), encoding="utf-8")
