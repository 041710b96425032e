"""Teach: `demo N` shows a lesson on the screen, `demo all --out DIR` writes them all as one page for a browser.

`demo` alone lists the lessons. Up and down change a lesson's parameter, space plays. `demo N --headless --out FILE`
writes the lesson's picture (.png) or film (.gif, .mp4, .json); `demo docs --out DIR` writes documents and notebooks."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument
from caregrid.arguments.screen import ScreenArguments

if TYPE_CHECKING:
    from caregrid.lessons.lesson import Lesson


@dataclass(frozen=True, kw_only=True)
class DemoArguments(ScreenArguments, JsonArgument):
    """A lesson and how to show it."""

    lesson: str | None = positional("a lesson's number or name, all, or docs", metavar="N", default=None)
    out: str | None = option(None, "a file (.gif, .png, .mp4, .json or .txt); for all and docs a folder", metavar="OUT")


def run(arguments: DemoArguments) -> int:
    from caregrid.lessons import find_lesson, lessons_in_order
    from engine.errors import BadValue

    if arguments.lesson is None:
        return _list(arguments)
    if arguments.lesson not in ("all", "docs"):
        return _show(find_lesson(arguments.lesson), arguments)
    if not arguments.out:
        raise BadValue("no folder to write into", place="demo", remedy="name one with --out DIR")
    from engine.files import output_directory, write_atomically

    folder = output_directory(arguments.out)
    if arguments.lesson == "all":
        from caregrid.lessons.page.html_page import lessons_page

        write_atomically(folder / "index.html", lessons_page(lessons_in_order()))
        written = ["index.html"]
    else:
        from caregrid.lessons.documents import write_documents

        written = write_documents(folder, lessons_in_order())
    print(json.dumps({"out": arguments.out, "files": written}) if arguments.json else "\n".join(written))
    return 0


def _list(arguments: DemoArguments) -> int:
    from caregrid.lessons import lessons_in_order
    from experiments.tables import aligned_lines

    lessons = lessons_in_order()
    if arguments.json:
        print(json.dumps([{"number": one.number, "name": one.name, "title": one.title} for one in lessons]))
    else:
        print("\n".join(aligned_lines((str(one.number), one.name, one.title) for one in lessons)))
    return 0


def _show(lesson: Lesson, arguments: DemoArguments) -> int:
    from caregrid.lessons.lesson import PICTURE_TILE
    from caregrid.lessons.viewable_lesson import ViewableLesson
    from caregrid.shows.headless import Screen, display
    from renderers.film import save_film

    screen = Screen(**arguments.screen())
    if arguments.headless and arguments.out and arguments.out.lower().endswith(".png") and not arguments.keys:
        save_film(arguments.out, (lesson.picture(),), tile=PICTURE_TILE)
        sys.stderr.write(f"wrote the picture of lesson {lesson.number} into {arguments.out}\n")
        return 0
    display(ViewableLesson(lesson), screen)
    return 0
