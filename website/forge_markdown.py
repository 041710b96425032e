"""Pages read the same on the forge and on the site: what a forge understands and the site's generator does not.

- CONTRIBUTING.md and CHANGELOG.md lie above docs/; the site shows them beside its other pages.
- Links to other files of the repository, which the site does not hold, become plain text.
- Markdown inside <details> is read as Markdown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
ABOVE = ("CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#]+)(#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that lie above docs/."""
    for name in ABOVE:
        files.append(File.generated(config, name, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page's text with the site's links."""
    if page.file.src_uri in ABOVE:
        markdown = re.sub(r"\]\(docs/", "](", markdown)
    folder = (ROOT / "docs" / page.file.src_uri).parent

    def on_the_site(link: re.Match[str]) -> str:
        text, place, heading = link.groups(default="")
        target = (folder / place).resolve()
        if target.parent == ROOT and target.name in ABOVE:
            return f"[{text}]({place.replace('../', '', 1)}{heading})"
        return text if target.exists() and ROOT / "docs" not in target.parents else link[0]

    return LINK.sub(on_the_site, markdown).replace("<details>", '<details markdown="1">')
