"""Build the documentation site: every page as Markdown into DIRECTORY-pages, then all of them by Zensical.

    python website/build.py [DIRECTORY]     build/site by default

Pages are those of docs/ with the site's links, and what is made from the code: the reference, the pictures of the
gallery, the live lessons.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from website import api_reference, forge_markdown, gallery, live_lessons  # noqa: E402

CONFIGURATION = ROOT / "mkdocs.yml"


def write_pages(folder: Path) -> None:
    """Write all that Zensical reads: pages, pictures, live lessons."""
    pages = forge_markdown.read_pages() | api_reference.make_pages()
    for changes in (forge_markdown, gallery, live_lessons):
        pages = {name: changes.change_page(text, name) for name, text in pages.items()}
    files = {
        path.relative_to(ROOT / "docs").as_posix(): path
        for path in sorted((ROOT / "docs").rglob("*"))
        if path.is_file() and path.suffix != ".md"
    }
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for name, path in (files | gallery.make_pictures() | live_lessons.make_live_pages()).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / name)


def build(site: Path) -> int:
    """Write the pages and build the site; a broken link, a missing heading or an unknown name makes it fail."""
    site.parent.mkdir(parents=True, exist_ok=True)
    pages = f"{site.name}-pages"
    write_pages(site.parent / pages)
    text = CONFIGURATION.read_text(encoding="utf-8")
    for name, place in (("docs_dir", pages), ("site_dir", site.name)):
        text = re.sub(rf"^{name}: .*$", f"{name}: {place}", text, flags=re.M)
    configuration = site.parent / f"{site.name}.yml"
    configuration.write_text(text.replace("paths: [.]", f"paths: [{ROOT}]"), encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "-f", str(configuration)], cwd=ROOT)
    configuration.unlink()
    return done.returncode


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build" / "site"))
