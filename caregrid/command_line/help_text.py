"""What `caregrid COMMAND --help` prints: how it is called, what it does, and each argument and option."""

from __future__ import annotations

import shutil
import textwrap

from caregrid.command_line.operation import NO_DEFAULT, Operation, Parameter
from engine.printable import NARROWEST, fit_examples

INDENT = 24
HELP = ("-h, --help", "show this help and leave")
DARK = ("--dark", "draw pictures, films and windows on a dark ground")
AS_JSON = ("--json", "print one JSON object (see 'caregrid list schemas')")


def help_text(operation: Operation) -> str:
    """Return the help of one command, as wide as the terminal."""
    width = max(shutil.get_terminal_size().columns - 2, NARROWEST)
    places = [parameter for parameter in operation.parameters if parameter.by_place]
    options = [parameter for parameter in operation.parameters if not parameter.by_place]
    paragraphs = [operation.documentation.summary, *operation.documentation.text.split("\n\n")]
    parts = [_usage(operation, places, options, width)]
    parts += [_paragraph(paragraph, width) for paragraph in paragraphs if paragraph]
    if places:
        parts.append("\n".join(["arguments:", *(_row(one.metavar, _help(one), width) for one in places)]))
    rows = [_row(*HELP, width), *(_row(_spell(one), _help(one), width) for one in options)]
    rows += [_row(*flag, width) for flag in _list_flags(operation)]
    parts.append("\n".join(["options:", *rows]))
    return "\n\n".join(parts) + "\n"


def _usage(operation: Operation, places: list[Parameter], options: list[Parameter], width: int) -> str:
    start = f"usage: caregrid {operation.name.replace('_', '-')} "
    words = [_spell(one) if one.required else f"[{_spell(one)}]" for one in options]
    words += [f"[{flag}]" for flag, _ in _list_flags(operation)]
    words += [one.metavar if one.required else f"[{one.metavar}{' ...' if one.several else ''}]" for one in places]
    glued = [word.replace(" ", "\0") for word in words]  # an option and its value stay in one line
    lines = textwrap.wrap(
        " ".join(glued),
        width,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines or [start.rstrip()]).replace("\0", " ")


def _list_flags(operation: Operation) -> list[tuple[str, str]]:
    """Return the flags that are no parameters of the function, each with its text."""
    return [DARK] * operation.pictures + [AS_JSON] * operation.prints_json


def _spell(parameter: Parameter) -> str:
    return parameter.spelling if parameter.is_flag else f"{parameter.spelling} {parameter.metavar}"


def _help(parameter: Parameter) -> str:
    """Return the text of a parameter; its default where the text does not say it."""
    text = parameter.text.rstrip(".")
    nothing = parameter.default in (NO_DEFAULT, None, "", ()) or isinstance(parameter.default, bool)
    silent = nothing or "default" in text
    if silent:
        return text
    shown = ",".join(map(str, parameter.default)) if isinstance(parameter.default, tuple) else parameter.default
    return f"{text} (default: {shown:g})" if isinstance(shown, float) else f"{text} (default: {shown})"


def _row(name: str, text: str, width: int) -> str:
    start = f"  {name}".ljust(INDENT)
    lines = textwrap.wrap(text, width, initial_indent=" " * INDENT, subsequent_indent=" " * INDENT)
    if not start.endswith(" ") or not lines:
        return "\n".join([start.rstrip(), *lines])
    return "\n".join([start + lines[0][INDENT:], *lines[1:]])


def _paragraph(paragraph: str, width: int) -> str:
    if paragraph.startswith(" "):
        return "\n".join(fit_examples(paragraph, width))
    return textwrap.fill(" ".join(paragraph.split()), width)
