"""Pictures and films of the documentation are what the commands beside them draw now, frame by frame."""

import shlex
from pathlib import Path

import pytest

pytest.importorskip("PIL")

from PIL import Image, ImageSequence

from caregrid.main import main
from tests.documentation.pages import ROOT

DRAWN = {
    "workshop-paths.png": ("README.md", "compare workshop --tile 18"),
    "garden.png": ("docs/rendering.md", "compare garden --care 0,1,10"),
    "workshop.gif": ("docs/rendering.md", "record workshop --care 0,2,6"),
    "multislot/copies.png": (
        "docs/multislot.md",
        "record slots/copy_delete_original --set policy=always:1 --set horizon=3",
    ),
    "counterfactual/itf_tampers.gif": ("docs/counterfactual.md", "terminal tamper-grid --agent itf --limit 1"),
    "counterfactual/itc_lobbies.gif": (
        "docs/counterfactual.md",
        "terminal car-factory --agent itc --set noticing=1 --set lobbying=0.5",
    ),
}


def read_frames(path: Path) -> list[bytes]:
    """The colours of each frame."""
    with Image.open(path) as film:
        return [frame.convert("RGB").tobytes() for frame in ImageSequence.Iterator(film)]


@pytest.mark.slow_cases("workshop.gif", "counterfactual")
@pytest.mark.parametrize("picture", DRAWN)
def test_a_picture_is_what_its_command_draws(picture: str, tmp_path: Path) -> None:
    page, command = DRAWN[picture]
    text = (ROOT / page).read_text(encoding="utf-8")
    assert f"figures/{picture})" in text
    assert f"caregrid {command}" in " ".join(text.split())
    assert main([*shlex.split(command), "--out", str(tmp_path / Path(picture).name)]) == 0
    shown, drawn = (ROOT / "docs" / "figures" / picture, tmp_path / Path(picture).name)
    assert read_frames(shown) == read_frames(drawn)
