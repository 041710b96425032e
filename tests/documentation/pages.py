"""What a page shows, in order: files to save, commands to type, Python to run, and what each prints.

- A fence whose first line is `# NAME.py` (or .toml), or that follows a line ending in "`NAME`:", is a file to save.
- A line that begins with "caregrid " or "$ caregrid " is a command. After a prompt, the lines up to the next command
  are its output. A line without a prompt may end with a remark, after "#" or three blanks.
- A fence of Python is run; one of pycon is run and its output compared.
- What follows `<!-- not run: REASON -->` is not run; its commands are parsed. So are those between backticks.
- A fence of text holds nothing to run: an equation, a drawing, the names of files.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import NamedTuple

from caregrid.command_line.parser import CommandParser
from caregrid.operations import COMMANDS
from experiments.bench.suites import SUITES
from experiments.catalogue import CATALOGUE

NAMES: dict[str, Container[str]] = {"run": CATALOGUE, "bench": SUITES}
ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SOURCE_DISTRIBUTION = (ROOT / "PKG-INFO").exists()
LEFT_OUT = (".gif", ".png", ".svg", ".ipynb")  # of the source distribution
SHELL = ("", "bash", "console")
NOT_RUN = re.compile(r"<!-- (?:not run: .+|main command|test command) -->")  # README's two have tests of their own


class Block(NamedTuple):
    """A fence, or indented lines: its language, its text, the last line of text above it, its first line's number."""

    language: str
    text: str
    above: str
    line: int


class Step(NamedTuple):
    """One thing that a reader does. kind: "file", "command", "python", "pycon", "not run", or "unread".

    A command that is not run is parsed. Unread is what belongs to none of these, so that no test would look at it.
    text: the file's text, the command, the code. shown: what the page says is printed, None where it says nothing.
    """

    kind: str
    text: str
    line: int
    shown: str | None = None
    name: str = ""


def is_there(target: Path) -> bool:
    """Whether the target of a link exists, or is a picture or notebook, which the source distribution leaves out."""
    return target.exists() or (SOURCE_DISTRIBUTION and target.suffix in LEFT_OUT)


def blocks(text: str) -> Iterator[Block]:
    """Every fence, and every run of indented lines, of a page."""
    lines, above, at = text.splitlines(), "", 0
    while at < len(lines):
        begin = at
        if lines[at].startswith("```"):
            at = next((k for k in range(at + 1, len(lines)) if lines[k] == "```"), len(lines))
            yield Block(lines[begin][3:], "\n".join(lines[begin + 1 : at]) + "\n", above, begin + 2)
        elif lines[at].startswith("    ") and not (at and lines[at - 1].strip()):
            at = next((k for k in range(at, len(lines)) if not lines[k].startswith("    ")), len(lines))
            yield Block("", "\n".join(line[4:] for line in lines[begin:at]) + "\n", above, begin + 1)
        above = lines[begin] if at == begin and lines[begin].strip() else above if at == begin else ""
        at += 1


def steps(page: Path) -> Iterator[Step]:
    """Everything that a page asks its reader to do, in order."""
    for block in blocks(page.read_text(encoding="utf-8")):
        named = re.match(r"# (\w+\.(?:py|toml))\b", block.text) or re.search(r"`([\w.]+\.\w+)`:$", block.above)
        if NOT_RUN.fullmatch(block.above):
            yield from (step._replace(kind="not run") for step in _commands(block) if step.kind == "command")
        elif named:
            yield Step("file", block.text, block.line, name=named[1])
        elif block.language in ("python", "pycon"):
            yield Step(block.language, block.text, block.line)
        elif block.language in SHELL:
            yield from _commands(block)
        elif block.language != "text" or re.search(r"^(\$|>>>|caregrid:?) \S", block.text, flags=re.M):
            yield Step("unread", block.text, block.line)


def mentioned(page: Path) -> Iterator[str]:
    """The commands between backticks, outside fences, but for the mere names of commands."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    found = [" ".join(code.split()) for code in re.findall(r"`(caregrid [^`]+)`", text)]
    yield from (line for line in dict.fromkeys(found) if len(line.split()) > 2)


def require_readable(words: list[str]) -> None:
    """Read the words of a command line, without "caregrid"; SystemExit or an error where the command refuses them."""
    name = next(word for word in words if not word.startswith("-"))
    rest = [word for word in words if word is not name]
    if rest and f"{name}_{rest[0]}" in COMMANDS:
        name, rest = f"{name}_{rest[0]}", rest[1:]
    CommandParser(COMMANDS[name]).values(rest)
    if name in NAMES and rest and not (rest[0].startswith("-") or rest[0].endswith(".toml") or ":" in rest[0]):
        assert rest[0] in NAMES[name], f"no {rest[0]}"


def _commands(block: Block) -> Iterator[Step]:
    """The commands of a block, each with the output that is shown below it."""
    text = block.text.replace("\\\n", " ")
    before, *found = re.split(r"^((?:\$ )?caregrid (?! ).*)\n", text, flags=re.M)
    if before.strip():
        yield Step("unread", before, block.line)
    line = block.line + before.count("\n")
    for command, output in zip(found[::2], found[1::2], strict=True):
        prompted = command.startswith("$ ")
        words = command[2:] if prompted else re.split(r"\s+#|\s{3,}", command)[0]
        yield Step("command", " ".join(words.split()), line, (output.strip("\n") or None) if prompted else None)
        if output.strip() and not prompted:
            yield Step("unread", output, line + 1)
        line += 1 + output.count("\n")
