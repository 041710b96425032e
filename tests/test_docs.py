"""What the documentation shows exists: every link leads somewhere and every command line parses."""

import re
import shlex
from pathlib import Path

import pytest

from caregrid.main import build_parser

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def _label(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _commands(page: Path) -> list[str]:
    """Command lines in fences or between backticks; what follows "#" or three blanks is a remark."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    fenced = re.findall(r"^```(?:bash|sh|console|text)?\n(.*?)^```", text, flags=re.S | re.M)
    lines = [line.strip().removeprefix("$ ") for block in fenced for line in block.splitlines()]
    inline = [
        " ".join(code.split())
        for code in re.findall(r"`(caregrid [^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))
    ]
    found = [*lines, *inline]
    bare = {re.split(r"\s+#|\s{3,}", line)[0] for line in found if line.startswith("caregrid ")}
    return sorted(line for line in bare if len(line.split()) > 2)


COMMANDS = [(page, line) for page in PAGES for line in _commands(page)]


def test_there_is_something_to_check() -> None:
    assert len(PAGES) > 10
    assert len(COMMANDS) > 50


@pytest.mark.parametrize("page", PAGES, ids=_label)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    inside = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
    assert not [link for link in inside if link and not (page.parent / link).exists()]


@pytest.mark.parametrize(("page", "line"), COMMANDS, ids=[f"{_label(page)}: {line}" for page, line in COMMANDS])
def test_commands_parse(page: Path, line: str) -> None:
    words = shlex.split(re.split(r"\s(?:\||>|&&|;)\s", line)[0])[1:]
    first = next((word for word in words if not word.startswith("-")), None)
    build_parser(first).parse_args(words)  # leaves with SystemExit where it refuses them
