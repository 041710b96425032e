"""The pictures of the gallery, made by the commands that the page shows.

A picture is kept in `build/gallery/`, under the digest of its command and of all code, so that a build makes only what
has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import shlex
from pathlib import Path

from caregrid.main import main

ROOT = Path(__file__).resolve().parent.parent
PAGE = "gallery.md"
COMMAND = re.compile(r"^```bash\n(caregrid .* --out (\S+))\n```$", flags=re.M)


def make_pictures() -> dict[str, Path]:
    """Return the pictures: place on the site -> file."""
    code = digest_of_code()
    pictures = {}
    for command, name in COMMAND.findall((ROOT / "docs" / PAGE).read_text(encoding="utf-8")):
        folder = ROOT / "build" / "gallery" / hashlib.blake2b((code + command).encode(), digest_size=8).hexdigest()
        if not (folder / name).exists():
            _run(command, folder)
        pictures[f"gallery/{name}"] = folder / name
    return pictures


def change_page(markdown: str, name: str) -> str:
    """Return each picture below its command; what it shows is the sentence above."""
    return COMMAND.sub(r"\g<0>\n\n![What the command draws](gallery/\2)", markdown) if name == PAGE else markdown


def digest_of_code() -> str:
    """Of every module of ours, and of the scripts and styles of the live page."""
    packages = [path.parent for path in ROOT.glob("*/__init__.py")]
    files = sorted(
        path for folder in packages for path in folder.rglob("*") if path.suffix in (".py", ".js", ".css", ".svg")
    )
    return hashlib.blake2b(b"".join(path.read_bytes() for path in files)).hexdigest()


def _run(command: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(shlex.split(command)[1:])
    if code:
        raise SystemExit(f"{PAGE}: {command}: {printed.getvalue()}")
