"""Pages read the same on the forge and on the site: what a forge understands and the site's generator does not.

- CONTRIBUTING.md and CHANGELOG.md lie above docs/; the site shows them beside its other pages.
- Links out of docs/ to anything else of the repository lead nowhere on the site; none is allowed.
- Markdown inside <details> is read as Markdown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ABOVE = ("CONTRIBUTING.md", "CHANGELOG.md")


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that lie above docs/."""
    root = Path(config.config_file_path).parent
    for name in ABOVE:
        files.append(File.generated(config, name, content=(root / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page's text with the site's links."""
    if page.file.src_uri in ABOVE:
        markdown = re.sub(r"\]\(docs/", "](", markdown)
    for name in ABOVE:
        markdown = re.sub(rf"\]\(((?:\.\./)*)\.\./{re.escape(name)}", rf"](\g<1>{name}", markdown)
    return markdown.replace("<details>", '<details markdown="1">')
