"""Writing a report: one HTML page, one Markdown text, and the text's figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.files import all_or_none, output_directory, write_atomically
from experiments.report.html import html_report
from experiments.report.markdown import figure_name, markdown_report
from experiments.report.sections import Section

FIGURES = "report_figures"


def write_report(sections: Sequence[Section], out: Path, expected: Iterable[str] = ()) -> list[Path]:
    """Write report.html and report.md into a folder, and say where; BadFile where it cannot be written to."""
    names, page, text = tuple(expected), out / "report.html", out / "report.md"
    drawn = {figure_name(section): section.image for section in sections if section.image}
    with all_or_none():
        output_directory(out)
        for name, image in drawn.items():
            write_atomically(output_directory(out / FIGURES) / name, image)
        write_atomically(page, html_report(sections, names))
        write_atomically(text, markdown_report(sections, FIGURES, names))
    return [page, text]
