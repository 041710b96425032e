"""What every command takes that shows something in a window, or headless into a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.arguments.declaration import option
from engine.errors import BadValue
from engine.value_types import Frames

if TYPE_CHECKING:
    from caregrid.programmes.screen import Screen


@dataclass(frozen=True, kw_only=True)
class ScreenArguments:
    """--headless, --frames, --keys and --out."""

    headless: bool = option(False, "no window: write what it would show into --out")
    frames: Frames | None = option(None, "headless: at most so many frames (default: to the end)", metavar="N")
    keys: str = option("", "headless: keys to press, one a frame", metavar="K,K,...")
    out: str | None = option(None, "headless: .gif, .png, .mp4, .html, .json or .txt", metavar="FILE")

    def screen(self) -> dict[str, Any]:
        """`out`, `frames` and `keys` of everything that shows something, checked before anything is computed."""
        return vars(self.place().checked())

    def place(self) -> Screen:
        """Where it is shown; BadValue for one of --headless and --out without the other."""
        from caregrid.programmes.screen import Screen

        if self.headless != bool(self.out):
            wanted = "--headless needs --out FILE" if self.headless else "--out needs --headless"
            raise BadValue(wanted, place="--out" if self.headless else "--headless", remedy="give both or neither")
        return Screen(self.out or None, self.frames, self.keys)
