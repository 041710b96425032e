"""Pages read the same on the forge and on the site: what a forge understands and the site's generator does not.

- CONTRIBUTING.md and CHANGELOG.md lie above docs/; the site shows them beside its other pages.
- Links to other files of the repository, which the site does not hold, become plain text.
- Markdown inside <details> is read as Markdown.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ABOVE = ("CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#]+)(#[^)]*)?\)")


def read_pages() -> dict[str, str]:
    """Return every page of docs/ and those above it: its place on the site -> its text."""
    folder = ROOT / "docs"
    pages = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.md"))}
    return {
        name: path.read_text(encoding="utf-8") for name, path in (pages | {name: ROOT / name for name in ABOVE}).items()
    }


def change_page(markdown: str, name: str) -> str:
    """Return the page's text with the site's links."""
    if name in ABOVE:
        markdown = re.sub(r"\]\(docs/", "](", markdown)
    folder = (ROOT / "docs" / name).parent

    def on_the_site(link: re.Match[str]) -> str:
        text, place, heading = link.groups(default="")
        target = (folder / place).resolve()
        if target.parent == ROOT and target.name in ABOVE:
            return f"[{text}]({place.replace('../', '', 1)}{heading})"
        return text if target.exists() and ROOT / "docs" not in target.parents else link[0]

    return LINK.sub(on_the_site, markdown).replace("<details>", '<details markdown="1">')
