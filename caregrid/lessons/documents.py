"""Lessons as documents: a page, a worksheet, a picture and a notebook each, written from the lessons themselves.

A notebook has cells to edit that use `import caregrid`, with the outputs of running them.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from caregrid.lessons.lesson import PICTURE_TILE, Lesson
from caregrid.results import Result
from engine.files import all_or_none, output_directory, write_atomically
from engine.scene import Scene
from engine.user_code import user_code
from renderers.film import save_film

OPENING = "import caregrid\n\nlesson = caregrid.lesson({called})\nlesson.frame()"
EDIT = "Change a cell and run it again; the numbers are exact."


def write_notebook(lesson: Lesson, stem: str) -> str:
    """Return the notebook of a lesson as JSON. stem: of the names of the lesson's other files."""
    choices = "\n".join(f"- {choice.text}" for choice in lesson.choices)
    predict = f"\n\nPredict first:\n\n{choices}" if choices else ""
    tasks = "\n".join(f"{number}. {exercise}" for number, exercise in enumerate(lesson.exercises, start=1))
    called = json.dumps(lesson.called or lesson.name, ensure_ascii=False)  # a file's name may hold anything
    opening = OPENING.format(called=f"{called}, trust=True" if lesson.trusted else called)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = [
        _make_text_cell(f"# {lesson.number}. {lesson.title}\n\n{lesson.question}{predict}"),
        _run_code_cell(opening, namespace, lesson),
        _make_text_cell(f"## What you should see\n\n{lesson.expected}"),
        _run_code_cell("lesson", namespace, lesson),
        *([_make_text_cell(f"## Try\n\n{EDIT}")] if lesson.cells else []),
        *(_run_code_cell(source, namespace, lesson) for source in lesson.cells),
        *([_make_text_cell(f"## Exercises\n\n{tasks}")] if tasks else []),
        _make_text_cell(f"## Answer\n\n{lesson.answer}\n\n{lesson.source}"),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{lesson.name}-{number}"
    count = 0
    for cell in cells:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def run_cell(source: str, namespace: dict[str, Any]) -> tuple[str, Any]:
    """Return what a cell prints, and the value of its last expression (None for none)."""
    tree = ast.parse(source)
    printed = io.StringIO()
    last = tree.body[-1] if tree.body else None
    tail = last.value if isinstance(last, ast.Expr) else None
    if tail is not None:
        tree.body.pop()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)
        value = eval(compile(ast.Expression(tail), "cell", "eval"), namespace) if tail is not None else None
    return printed.getvalue(), value


def _make_text_cell(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _run_code_cell(source: str, namespace: dict[str, Any], lesson: Lesson) -> dict[str, Any]:
    """Return a code cell with its outputs."""
    with user_code(f"lesson '{lesson.name}', cells"):
        printed, value = run_cell(source, namespace)
    outputs: list[dict[str, Any]] = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value is not None:
        data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
        if draws_itself(value):
            data["image/png"] = base64.b64encode(value._repr_png_()).decode() + "\n"
        outputs.append({"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": data})
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": outputs, "source": lines}


def hide_overlays(scene: Scene) -> Scene:
    """Return a scene without paths and values, which would say the answer."""
    return replace(scene, overlays=(), panels=tuple(map(hide_overlays, scene.panels)))


def draws_itself(value: Any) -> bool:
    """Return whether a value has a picture that is drawn here, to the same bytes everywhere, and not by matplotlib."""
    return getattr(type(value), "_repr_png_", Result._repr_png_) is not Result._repr_png_


def write_documents(folder: Path, lessons: Sequence[Lesson]) -> list[str]:
    """Write README.md and, for each lesson, .md, .png, .ipynb and a worksheet; returns the names of the files."""
    texts = {"README.md": write_contents(lessons)}
    pictures: dict[str, Scene] = {}
    for lesson in lessons:  # before anything is written: cells of notebooks write files of their own
        stem = lesson.stem
        texts[f"{stem}.md"], texts[f"{stem}.ipynb"] = write_markdown(lesson), write_notebook(lesson, stem)
        if lesson.exercises:
            texts[f"{stem}-worksheet.md"] = write_worksheet(lesson)
            pictures[f"{stem}-start.png"] = hide_overlays(lesson.variants()[0].film[0])
        pictures[f"{stem}.png"] = lesson.picture()
    with all_or_none():
        output_directory(folder)
        for name, picture in pictures.items():
            save_film(folder / name, (picture,), tile=PICTURE_TILE)
        for name, text in texts.items():
            write_atomically(folder / name, text)
    return sorted([*texts, *pictures])


def write_contents(lessons: Sequence[Lesson]) -> str:
    """Return the page that leads to the lessons."""
    rows = [
        f"{lesson.number}. [{lesson.title}]({lesson.stem}.md) ({_write_further_things(lesson)})" for lesson in lessons
    ]
    return "\n".join(
        [
            "# Lessons",
            "",
            "Each takes 45 minutes: predict, run, explain. `caregrid demo N` shows a lesson on the screen, `caregrid",
            "demo all --out DIR` writes them all as one live page for a browser, which needs no network. The pages",
            "here, with worksheets to print, teacher's notes and notebooks, are written by `caregrid demo docs --out",
            "DIR`. A lesson of your own is a text file: caregrid's documentation says how to write one, and what the",
            "live page shows.",
            "",
            *rows,
            "",
        ]
    )


def _write_further_things(lesson: Lesson) -> str:
    stem = lesson.stem
    sheet = f"[worksheet]({stem}-worksheet.md), " if lesson.exercises else ""
    return f"{sheet}[notebook]({stem}.ipynb)"


def write_markdown(lesson: Lesson) -> str:
    """Return a lesson as a page; its picture is made by its command."""
    stem = lesson.stem
    trust = " --trust" if lesson.trusted else ""
    shown = f"caregrid demo {shlex.quote(lesson.called or str(lesson.number))}{trust}"
    return f"""# {lesson.number}. {lesson.title}

{lesson.question}
{_write_choices(lesson)}
## Run it

```bash
{lesson.command}
```

## What you should see

![{lesson.title}]({stem}.png)

{lesson.expected}

<details><summary>Answer</summary>

{lesson.answer}
{_write_feedback(lesson)}
</details>
{_write_exercises(lesson)}{_write_plan(lesson)}{_write_key(lesson)}
{lesson.source} On the screen: `{shown}`; as a notebook: [{stem}.ipynb]({stem}.ipynb).
"""


def write_worksheet(lesson: Lesson) -> str:
    """Question, choices and exercises with room to write, without answers; beside them the world at the start."""
    room = "\n\n" + "\n\n".join(["_" * 60] * 4) + "\n"
    tasks = [f"## {number}\n\n{exercise}{room}" for number, exercise in enumerate(lesson.exercises, start=1)]
    boxes = "\n".join(f"- [ ] {choice.text}" for choice in lesson.choices)
    return "\n".join(
        [
            f"# {lesson.number}. {lesson.title}\n",
            f'<img src="{lesson.stem}-start.png" alt="the world at the start" align="right" width="42%">\n',
            f"{lesson.question}\n\nMy prediction:\n\n{boxes}\n",
            *tasks,
        ]
    )


def _write_choices(lesson: Lesson) -> str:
    if not lesson.choices:
        return ""
    return "\nPredict first:\n\n" + "\n".join(f"- {choice.text}" for choice in lesson.choices) + "\n"


def _write_feedback(lesson: Lesson) -> str:
    lines = [
        f"- {choice.text} *{'Yes' if choice.right else 'Not quite'}.* {choice.feedback}" for choice in lesson.choices
    ]
    return "\n" + "\n".join(lines) + "\n" if lines else ""


def _write_exercises(lesson: Lesson) -> str:
    lines = [f"{number}. {exercise}" for number, exercise in enumerate(lesson.exercises, start=1)]
    return "\n## Exercises\n\n" + "\n".join(lines) + "\n" if lines else ""


def _write_key(lesson: Lesson) -> str:
    lines = [f"{number}. {answer}" for number, answer in enumerate(lesson.key, start=1)]
    text = "\n".join(lines)
    return f"\n<details><summary>Answers to the exercises</summary>\n\n{text}\n\n</details>\n" if lines else ""


def _write_plan(lesson: Lesson) -> str:
    lines = []
    begun = 0
    for phase in lesson.plan:
        lines.append(f"| {begun} to {begun + phase.minutes} | {phase.activity} |")
        begun += phase.minutes
    return (
        "\n## Teacher's notes\n\n| minute | what the class does |\n| --- | --- |\n" + "\n".join(lines) + "\n"
        if lines
        else ""
    )
