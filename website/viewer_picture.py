"""The viewer's window as `docs/rendering.md` shows it, with its buttons, slider and time line.

    python website/viewer_picture.py

Recorded pictures leave these out, so the window is drawn here: the workshop at care 1.62, where the agent is done.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import caregrid  # noqa: E402
from caregrid.programmes.caring.viewer import EditableSolution, ViewableSolution  # noqa: E402
from engine.files import write_atomically  # noqa: E402
from renderers.formats.pictures import (  # noqa: E402
    encode_image,
    index_pixels,
    make_shared_palette,
)
from renderers.viewer.player import Player  # noqa: E402
from renderers.viewer.viewer_layout import ViewerLayout  # noqa: E402

CARE, STEP = 1.62, 31
PICTURE = ROOT / "docs" / "figures" / "viewer.png"


def picture() -> bytes:
    """Return the PNG file."""
    problems = caregrid.problem("workshop").by_formulation
    player = Player(EditableSolution(ViewableSolution(*problems(), care=CARE), lambda grid: problems()))
    player.go(STEP)
    drawn = ViewerLayout().draw(player)
    palette, entry = make_shared_palette([drawn])
    return encode_image(index_pixels(drawn, entry), palette)


if __name__ == "__main__":
    write_atomically(PICTURE, picture())
