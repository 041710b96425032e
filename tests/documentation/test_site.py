"""The documentation site builds strictly, fetches nothing, and describes every public name."""

import inspect
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import caregrid
from caregrid.kinds import KINDS
from caregrid.lessons import list_lessons
from website.api_reference import classes_below, further_names, starting_points
from website.viewer_picture import PICTURE, picture

ROOT = Path(__file__).resolve().parents[2]
FETCHES = (
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(?:https?:)?//|<link\b[^>]*\bhref=[\"']?(?:https?:)?//[^>]*>"
)
CONTRACTS = [(kind.name, name) for kind in KINDS.values() for name in starting_points(kind)]


def _object(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(sys.modules[module], attribute)


def _bare(found: Any) -> list[str]:
    """Which public methods and properties have no docstring, after the object itself where it has none."""
    own = vars(found) if inspect.isclass(found) else {}
    parts = {
        name: part
        for name, part in own.items()
        if not name.startswith("_") and (inspect.isroutine(part) or isinstance(part, property))
    }
    return [*([] if found.__doc__ else [found.__name__]), *(name for name in parts if not _described(found, name))]


def _described(kind: type, name: str) -> bool:
    return any(inspect.getdoc(vars(each)[name]) for each in kind.__mro__ if name in vars(each))


def _run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run([sys.executable, *words], cwd=ROOT, env=settings, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.usefixtures("live_pages")
def test_the_site(tmp_path: Path) -> None:
    """One build, for it is what takes long: strict, self-contained, every public name on a page of the reference."""
    done = _run("website/build.py", tmp_path / "site")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    pages = {
        path.relative_to(tmp_path / "site"): path.read_text(encoding="utf-8")
        for path in (tmp_path / "site").rglob("*.html")
    }
    fetched = {f"{page}: {found[0]}" for page, text in pages.items() for found in re.finditer(FETCHES, text)}
    fetched |= {
        str(path)
        for path in (tmp_path / "site").rglob("*.css")
        if re.search(r"(url\(|@import )[\"']?(https?:)?//", path.read_text())
    }
    assert not fetched
    assert not [page for page, text in pages.items() if 'class="mermaid' in text], (
        "mermaid is fetched when a page is read"
    )
    drawn = re.findall(r'<img [^>]*src="(gallery/[^"]+)"', pages[Path("gallery.html")])
    assert len(drawn) > 8
    assert not [name for name in drawn if (tmp_path / "site" / name).stat().st_size < 1000]
    opening = re.findall(r'<iframe src="(live/[^"]+)"', pages[Path("index.html")])
    assert opening == ["live/care.html"]
    assert {Path("live") / f"{lesson.name}.html" for lesson in list_lessons()} | {Path("live/index.html")} <= set(pages)
    reference = "".join(text for page, text in pages.items() if page.parts[0] == "reference")
    described = set(re.findall(r'<h\d id="([\w.]+)" class="doc', reference))
    wanted = {f"caregrid.{name}" for name in caregrid.__all__ if not name.isupper()} | {name for _, name in CONTRACTS}
    wanted |= {*further_names()}
    assert not wanted - described


@pytest.mark.slow
def test_broken_links_stop_the_build(tmp_path: Path) -> None:
    """No such page, no such heading here or there, and a link from the root, which no forge can follow."""
    links = ("nowhere.md", "#nowhere", "page.md#nowhere", "/page.md")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n\n" + "\n".join(f"[link]({link})" for link in links))
    (tmp_path / "docs" / "page.md").write_text("# Page\n")
    ours, marker, _ = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")
    assert marker
    config = tmp_path / "mkdocs.yml"
    config.write_text(re.sub("docs_dir: .*", "docs_dir: docs", ours) + "\nnav: [index.md, page.md]\n")
    done = _run("-m", "zensical", "build", "-f", config)
    assert done.returncode != 0
    assert (done.stdout + done.stderr).count("Warning:") == len(links), done.stdout + done.stderr


def test_the_names_for_type_checkers_are_the_public_ones() -> None:
    """What follows `if TYPE_CHECKING` is where the reference, and editors, find a name."""
    block = inspect.getsource(caregrid).partition("if TYPE_CHECKING:\n")[2].partition("\n_PLACES")[0]
    named = [name for names in re.findall(r" import (.*)", block) for name in names.split(", ")]
    assert sorted(named) == sorted(caregrid.__all__)


def test_what_a_new_file_starts_from_is_documented() -> None:
    assert not {f"{kind}: {name}": bare for kind, name in CONTRACTS if (bare := _bare(_object(name)))}


@pytest.mark.slow
def test_what_snippets_import_is_documented() -> None:
    found = {name: _object(name) for name in further_names()}
    assert len(found) > 10
    assert not {name: _bare(each) for name, each in found.items() if _bare(each)}


def test_what_is_public_is_documented() -> None:
    functions = [getattr(caregrid, name) for name in caregrid.__all__ if not name.isupper()]
    results = [_object(name) for package in ("caregrid.programmes", "caregrid.gym") for name in classes_below(package)]
    assert len(results) > 30
    assert not {each.__name__: _bare(each) for each in [*functions, *results] if _bare(each)}


def test_a_missing_docstring_is_found() -> None:
    class Documented:
        """Says what it is."""

        def act(self) -> None:
            """Says what it does."""

    class Bare(Documented):
        def act(self) -> None:
            """Overrides a method that has one."""

        def train(self) -> None: ...

        @property
        def width(self) -> int:
            return 1

    assert not _bare(Documented)
    assert _bare(Bare) == ["Bare", "train", "width"]


def test_every_kind_that_has_files_has_a_starting_point() -> None:
    assert {kind for kind, _ in CONTRACTS} >= {kind.name for kind in KINDS.values() if kind.checker}


def test_the_picture_of_the_viewer_is_of_todays_viewer() -> None:
    shown, drawn = (Image.open(source).convert("RGB") for source in (PICTURE, io.BytesIO(picture())))
    assert shown.tobytes() == drawn.tobytes(), "draw it again: python website/viewer_picture.py"
