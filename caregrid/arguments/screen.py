"""What every command takes that shows something in a window, or headless into a file."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import option


@dataclass(frozen=True, kw_only=True)
class ScreenArguments:
    """--headless, --frames, --keys and --out."""

    headless: bool = option(False, "no window: write what it would show into --out")
    frames: int | None = option(None, "headless: at most so many frames (default: to the end)", metavar="N")
    keys: str = option("", "headless: keys to press, one a frame", metavar="K,K,...")
    out: str | None = option(None, "headless: .gif, .png, .mp4, .json or .txt", metavar="FILE")
