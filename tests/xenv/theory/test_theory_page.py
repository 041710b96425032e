"""docs/theory.md: every file that it lists holds what it says, every entry is listed."""

import importlib
import re
import subprocess
from pathlib import Path

from xenv.theory import THEORY_EXAMPLES

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([AB], [^|]+) \| [^|]+ \| `([^`]+)` \| ([^|]+) \|$", PAGE, flags=re.MULTILINE)


def test_every_item_of_the_papers_is_listed() -> None:
    listed = {item for item, _, _ in ROWS}
    for kind, count in (("Definition", 5), ("Lemma", 4), ("Example", 13)):
        for number in range(1, count + 1):
            assert any(re.fullmatch(rf"A, {kind}s? (.*\b)?{number}\b.*", item) for item in listed), (kind, number)
    held = {(file, name) for _, file, names in ROWS for name in re.findall(r"`([^`]+)`", names)}
    examples = {(f"xenv/theory/examples/{THEORY_EXAMPLES.file(name).name}", name) for name in THEORY_EXAMPLES}
    assert {name for _, name in examples - held} == {"counting"}  # an ordinary environment, to try others with


def test_the_files_hold_what_the_page_says() -> None:
    missing = []
    for item, file, names in ROWS:
        module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
        for name in re.findall(r"`([^`]+)`", names):
            thing: object = module
            for part in name.split("."):
                thing = getattr(thing, part, None)
            if thing is None:
                missing.append((item, file, name))
    assert len(ROWS) > 50
    assert missing == []


def test_a_shell_reads_the_commands_as_they_are_meant() -> None:
    """Brackets outside quotes are syntax errors, and a star outside quotes is a pattern of file names."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    blocks = [block for language, block in fenced if not language]
    assert len(blocks) > 2
    for block in blocks:
        read = subprocess.run(["bash", "-n"], input=block, text=True, capture_output=True, check=False)
        assert read.stderr == "", block
        for line in block.splitlines():
            outside = re.sub(r"'[^']*'|#.*", "", line)
            assert not set(outside) & set("*?()[]<>&;|"), line
