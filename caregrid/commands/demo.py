"""Teach: `demo N` shows a lesson on the screen, `demo all --out DIR` writes them all as one page for a browser.

`demo` alone lists the lessons. Up and down change a lesson's parameter, space plays. `demo N --headless --out FILE`
writes the lesson's picture (.png) or film (.gif, .mp4, .json); `demo docs --out DIR` writes documents, worksheets and
notebooks. `--lessons 1,3,mine.toml` chooses which, your own among them (docs/tutorials/own_lesson.md)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.arguments.screen import ScreenArguments
from caregrid.command_line.terminal_width import print_text

if TYPE_CHECKING:
    from caregrid.lessons.course import LessonShown

GROUP = "Look at worlds and episodes"


@dataclass(frozen=True, kw_only=True)
class DemoArguments(ScreenArguments, JsonArgument):
    """A lesson and how to show it."""

    lesson: str | None = positional(
        "a lesson's number or name, a file of yours, all, or docs",
        metavar="N",
        default=None,
        kinds=("lessons",),
    )
    out: str | None = option(None, "a file (.gif, .png, .mp4, .json or .txt); for all and docs a folder", metavar="OUT")
    lessons: str | None = option(
        None, "for all and docs: which lessons, joined by commas (default: ours)", metavar="N,N", kinds=("lessons",)
    )
    trust: bool = option(False, "import code that the file of a lesson names, MODULE:NAME")


def run(arguments: DemoArguments) -> int:
    from caregrid.lessons.course import course, lesson
    from engine.errors import BadValue

    together = arguments.lesson in ("all", "docs")
    if arguments.lessons is not None and not together:
        raise BadValue("a choice of lessons", place="--lessons", remedy="write demo all or demo docs before it")
    if arguments.lesson is None:
        lessons = course()
        if arguments.json:
            print_json("demo", {"lessons": lessons.rows()})
        else:
            print_text(lessons.text())
        return 0
    if not together:
        return _show(lesson(arguments.lesson, trust=arguments.trust), arguments)
    if not arguments.out:
        raise BadValue("no folder to write into", place="demo", remedy="name one with --out DIR")
    names = None if arguments.lessons is None else [name.strip() for name in arguments.lessons.split(",")]
    lessons = course(names, trust=arguments.trust)
    write = lessons.write_page if arguments.lesson == "all" else lessons.write_documents
    written = write(arguments.out)
    if arguments.json:
        print_json("demo_files", {"out": arguments.out, "files": written})
    else:
        print("\n".join(written))
    return 0


def _show(lesson: LessonShown, arguments: DemoArguments) -> int:
    screen = arguments.screen()
    if arguments.headless and arguments.out and arguments.out.lower().endswith(".png") and not arguments.keys:
        lesson.save(arguments.out)
        sys.stderr.write(f"wrote the picture of lesson {lesson.lesson.number} into {arguments.out}\n")
    else:
        lesson.view(**screen)
    if arguments.json:
        shown = lesson.lesson
        words = {"title": shown.title, "question": shown.question, "command": shown.command}
        print_json("demo_lesson", {"number": shown.number, "name": shown.name, **words, "out": arguments.out})
    return 0
