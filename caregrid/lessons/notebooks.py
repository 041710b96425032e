"""Lessons as notebooks: cells to edit that use `import caregrid`, with the outputs of running them."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from typing import Any

from caregrid.lessons.lesson import Lesson
from engine.user_code import user_code

OPENING = "import caregrid\n\nlesson = caregrid.lesson({called})\nlesson.frame()"
EDIT = "Change a cell and run it again; the numbers are exact."


def notebook(lesson: Lesson, stem: str) -> str:
    """The notebook of a lesson as JSON. stem: of the names of the lesson's other files."""
    choices = "\n".join(f"- {choice.text}" for choice in lesson.choices)
    predict = f"\n\nPredict first:\n\n{choices}" if choices else ""
    tasks = "\n".join(f"{number}. {each}" for number, each in enumerate(lesson.exercises, start=1))
    called = json.dumps(lesson.called or lesson.name, ensure_ascii=False)  # a file's name may hold anything
    opening = OPENING.format(called=f"{called}, trust=True" if lesson.trusted else called)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = [
        _words(f"# {lesson.number}. {lesson.title}\n\n{lesson.question}{predict}"),
        _code(opening, namespace, lesson),
        _words(f"## What you should see\n\n![{lesson.title}]({stem}.png)\n\n{lesson.expected}"),
        *([_words(f"## Try\n\n{EDIT}")] if lesson.cells else []),
        *(_code(source, namespace, lesson) for source in lesson.cells),
        *([_words(f"## Exercises\n\n{tasks}")] if tasks else []),
        _words(f"## Answer\n\n{lesson.answer}\n\n{lesson.source}"),
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


def run_cell(source: str, namespace: dict[str, Any]) -> tuple[str, str]:
    """What a cell prints, and its last expression as text ("" for none)."""
    tree, printed = ast.parse(source), io.StringIO()
    last = tree.body[-1] if tree.body else None
    tail = last.value if isinstance(last, ast.Expr) else None
    if tail is not None:
        tree.body.pop()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)
        value = eval(compile(ast.Expression(tail), "cell", "eval"), namespace) if tail is not None else None
    return printed.getvalue(), "" if value is None else repr(value)


def _words(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(source: str, namespace: dict[str, Any], lesson: Lesson) -> dict[str, Any]:
    """A code cell with its outputs."""
    with user_code(f"lesson '{lesson.name}', cells"):
        printed, value = run_cell(source, namespace)
    outputs: list[dict[str, Any]] = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value:
        data = {"text/plain": value.splitlines(keepends=True)}
        outputs.append({"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": data})
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": outputs, "source": lines}
