"""A headless browser that tests drive: the DevTools protocol over two pipes, without a port or a driver."""

import base64
import itertools
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 60.0
NAVIGATED = "Inspected target navigated or closed"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
)  # fmt: skip


class NavigatedError(Exception):
    """The page was left before it answered."""


class Browser:
    """One tab. errors: what the console and uncaught exceptions said; requests: the addresses that were asked for."""

    def __init__(self, program: str, profile: Path) -> None:
        reads, self._write = os.pipe()
        self._read, writes = os.pipe()
        command = 'exec "$@" 3<&' + str(reads) + " 4>&" + str(writes)
        arguments = ["bash", "-c", command, "browser", program, *FLAGS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            arguments, pass_fds=(reads, writes), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(reads)
        os.close(writes)
        self._numbers, self._pending, self._session = itertools.count(1), b"", ""
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._send(f"{domain}.enable")

    def open(self, path: Path, width: int, height: int = 900, keeps: bool = False) -> None:
        """Load a page at a width, as on a screen, and wait until its script has run.

        keeps: whether what pages have stored is still there.
        """
        self.errors, self.requests = [], []
        self.emulate("screen")
        if not keeps:  # what the page before has just stored is still on its way
            self.do("try { localStorage.clear(); } catch {}")
        self._send("Page.navigate", url="about:blank")
        if not keeps:
            self._send("Storage.clearDataForOrigin", origin="file://", storageTypes="all")
        self.resize(width, height)
        self._send("Page.navigate", url=path.as_uri())
        self.wait("document.documentElement?.dataset.ready !== undefined")

    def resize(self, width: int, height: int = 900) -> None:
        """Give the window another size."""
        mobile = width < 600
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def do(self, script: str) -> Any:
        """The value of a JavaScript expression, promises awaited."""
        answer = self._send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            pytest.fail(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until a JavaScript expression is true; a page that is just being left answers nothing."""
        deadline = time.monotonic() + PATIENCE
        while not self._is_true(condition):
            assert time.monotonic() < deadline, condition
            time.sleep(0.05)

    def _is_true(self, condition: str) -> bool:
        try:
            return bool(self.do(condition))
        except NavigatedError:
            return False

    def follow_link(self, page: Path, lesson: str) -> None:
        """Open the address of what is seen of a lesson as somebody else does, who has done nothing yet."""
        link = f'document.querySelector("#{lesson} .permalink").getAttribute("href")'
        target = self.do(link)
        self.open(page, 1280)
        self.do(f"location.hash = {json.dumps(target)}")
        self.wait(f"{link} === {json.dumps(target)}")

    def press(self, key: str) -> None:
        """A key on what has the focus."""
        for kind in ("keyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def click(self, x: float, y: float) -> None:
        """A click of the left button at a point of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path: Path, whole: bool = True) -> None:
        """A PNG of the page."""
        taken = self._send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken["data"]))

    def emulate(self, media: str = "", features: dict[str, str] | None = None) -> None:
        """A medium such as "print", and features such as {"prefers-reduced-motion": "reduce"}."""
        listed = [{"name": name, "value": value} for name, value in (features or {}).items()]
        self._send("Emulation.setEmulatedMedia", media=media, features=listed)

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)
        for end in (self._read, self._write):
            os.close(end)

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive(method)
            if answer.get("id") == number:
                if NAVIGATED in str(answer.get("error")):
                    raise NavigatedError(method)
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def _receive(self, method: str) -> dict[str, Any]:
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._read], [], [], PATIENCE)
            more = os.read(self._read, 1 << 20) if ready else b""
            assert more, f"the browser does not answer {method}"
            self._pending += more
        message, _, self._pending = self._pending.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        kind, given = event.get("method"), event.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(given["exceptionDetails"])[:500])
        elif kind == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning"):
            self.errors.append(json.dumps(given["args"])[:500])
        elif kind == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(given["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"][:200])


@pytest.fixture(scope="session")
def page(live_pages: dict[str, Path]) -> Path:
    """The page of all lessons."""
    return live_pages["live/index.html"]


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Browser]]:
    """The browser of all tests, once one of them has asked for it; pages store nothing in it."""
    running: list[Browser] = []
    yield running
    for each in running:
        each.close()


@pytest.fixture
def browser(chromium: str, opened: list[Browser], tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """A browser as if just started; `open` loads a page."""
    if not opened:
        opened.append(Browser(chromium, tmp_path_factory.mktemp("profile")))
    return opened[0]
