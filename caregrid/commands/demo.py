"""Teach: `demo N` shows a lesson on the screen, `demo all --out DIR` writes them all as one page for a browser.

`demo` alone lists the lessons. Up and down turn a lesson's knob, space plays. `demo N --headless --out FILE` writes the
lesson's picture (.png) or film (.gif, .mp4, .json); `demo docs --out DIR` writes them as documents and notebooks."""

from __future__ import annotations

import argparse
import json
import sys


def configure(parser: argparse.ArgumentParser) -> None:
    from caregrid.shows.headless import add_screen

    parser.add_argument("lesson", metavar="N", nargs="?", help="a lesson's number or name, all, or docs")
    add_screen(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from caregrid.lessons import find, in_order
    from engine.errors import BadValue

    if arguments.lesson is None:
        return _list(arguments)
    if arguments.lesson not in ("all", "docs"):
        return _show(find(arguments.lesson), arguments)
    if not arguments.out:
        raise BadValue("no folder to write into", place="demo", remedy="name one with --out DIR")
    from engine.files import output_directory, write_atomically

    folder = output_directory(arguments.out)
    if arguments.lesson == "all":
        from caregrid.lessons.page.writing import page

        write_atomically(folder / "index.html", page(in_order()))
        written = ["index.html"]
    else:
        from caregrid.lessons.documents import write_documents

        written = write_documents(folder, in_order())
    print(json.dumps({"out": arguments.out, "files": written}) if arguments.json else "\n".join(written))
    return 0


def _list(arguments: argparse.Namespace) -> int:
    from caregrid.lessons import in_order

    lessons = in_order()
    if arguments.json:
        print(json.dumps([{"number": one.number, "name": one.name, "title": one.title} for one in lessons]))
    else:
        print("\n".join(f"{one.number}  {one.name:10} {one.title}" for one in lessons))
    return 0


def _show(lesson: object, arguments: argparse.Namespace) -> int:
    from caregrid.lessons.lesson import PICTURE_TILE, Lesson, LessonShow
    from caregrid.shows.headless import check_screen, screen
    from renderers.film import save

    assert isinstance(lesson, Lesson)
    check_screen(arguments)
    if arguments.headless and str(arguments.out).lower().endswith(".png") and not arguments.keys:
        save(arguments.out, (lesson.picture(),), tile=PICTURE_TILE)
        sys.stderr.write(f"wrote the picture of lesson {lesson.number} into {arguments.out}\n")
        return 0
    return screen(LessonShow(lesson), arguments)
