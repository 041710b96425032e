"""The page of lessons in a headless browser: milliseconds until it can be used, and to solve a map there and here.

    python benchmarks/lessons_page.py [--quick]

Until it can be used: from the beginning of navigation until the last script has run, at a laptop's width, all lessons
on the page. The map is the workshop's (8,640 states on the desktop): in the page from the drawing to the segments with
their paths, on the desktop from the scenario to the segments, tables and others' values included, compiled beforehand.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import caregrid
from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem

LEAST = 0.02
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
MEASURE = """<script>
{ const { world } = data.find((each) => each.name === "care").worlds[0], began = performance.now();
  solvedWorld(world, world.rows);
  document.documentElement.dataset.solved = performance.now() - began; }
</script></body>"""


def measure_page(browser: str, page: Path) -> tuple[float, float]:
    """Milliseconds until the page can be used, and of solving the workshop in it."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", "--window-size=1280,900", "--dump-dom", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    ready, solved = (re.search(rf'data-{name}="([\d.]+)"', done.stdout) for name in ("ready", "solved"))
    assert ready is not None
    assert solved is not None
    return float(ready[1]), float(solved[1])


def measure_desktop() -> float:
    """Milliseconds of processor time for the workshop."""
    began = time.process_time()
    make_problem(SCENARIOS["workshop"]()).segments  # noqa: B018
    return 1000 * (time.process_time() - began)


class PageTimes(NamedTuple):
    """Medians in milliseconds, and the size of the page in bytes."""

    ready: float
    solved: float
    desktop: float
    size: int


def measure_page_times(rounds: int) -> PageTimes | None:
    """Until the page can be used, and to solve the workshop there and here; None where no browser is installed."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        return None
    measure_desktop()
    with tempfile.TemporaryDirectory() as folder:
        caregrid.course().write_page(folder)
        page = Path(folder) / "index.html"
        page.write_text(page.read_text(encoding="utf-8").replace("</body>", MEASURE), encoding="utf-8")
        found = [(*measure_page(browser, page), measure_desktop()) for _ in range(rounds)]
        return PageTimes(*map(statistics.median, zip(*found, strict=True)), page.stat().st_size)


def main() -> int:
    """Print the medians of all rounds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round")
    add_ratios_option(parser)
    options = parser.parse_args()
    times = measure_page_times(1 if options.quick else 5)
    if times is None:
        print("no browser is installed")
        return 2
    print(f"the page ({times.size / 1e6:.1f} MB) can be used after {times.ready:.0f} ms")
    print(f"the workshop is solved in {times.solved:.0f} ms in the page, {times.desktop:.0f} ms on the desktop")
    ratios = Ratios("lessons_page", options.ratios, quick=options.quick)
    ratios.add("a second / until it can be used", 1000 / times.ready)
    ratios.add("the workshop, desktop / page", times.desktop / times.solved, least=LEAST)
    return 0


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
