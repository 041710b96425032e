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
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from caregrid.main import main

ROOT = Path(__file__).resolve().parent.parent
PAGE = "gallery.md"
COMMAND = re.compile(r"^```bash\n(caregrid .* --out (\S+))\n```$", flags=re.M)


def on_files(files: Files, config: Any) -> Files:
    """Adds the pictures."""
    code = digest_of_code()
    for command, name in COMMAND.findall((ROOT / "docs" / PAGE).read_text(encoding="utf-8")):
        folder = ROOT / "build" / "gallery" / hashlib.blake2b((code + command).encode(), digest_size=8).hexdigest()
        if not (folder / name).exists():
            _run(command, folder)
        files.append(File.generated(config, f"gallery/{name}", abs_src_path=str(folder / name)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Each picture below its command; what it shows is the sentence above."""
    return (
        COMMAND.sub(r"\g<0>\n\n![What the command draws](gallery/\2)", markdown)
        if page.file.src_uri == PAGE
        else markdown
    )


def digest_of_code() -> str:
    """Of every module of ours, and of the scripts and styles of the live page."""
    packages = [path.parent for path in ROOT.glob("*/__init__.py")]
    files = sorted(path for folder in packages for path in folder.rglob("*") if path.suffix in (".py", ".js", ".css"))
    return hashlib.blake2b(b"".join(path.read_bytes() for path in files)).hexdigest()


def _run(command: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(shlex.split(command)[1:])
    if code:
        raise PluginError(f"{PAGE}: {command}: {printed.getvalue()}")
