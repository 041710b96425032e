"""An OpenAI-compatible server on the loopback address that answers as an exact agent, and fails as it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from caregrid.language.episodes import Message
from caregrid.language.exact_speaker import speak
from caregrid.language.memo import ModelQuestion

Fault = Callable[["ChatHandler", int], bool]
"""(the request, its number) -> whether it was answered already."""


class ChatServer(ThreadingHTTPServer):
    """agent: the exact agent that answers. fault: what goes wrong. asked: every question that was answered rightly."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, agent: str, fault: Fault | None = None) -> None:
        super().__init__(("127.0.0.1", 0), ChatHandler)
        self.agent, self.fault = agent, fault
        self.requests = 0
        self.asked: list[str] = []
        self.keys: set[str] = set()
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        """The base address for `openai-api`."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class ChatHandler(BaseHTTPRequestHandler):
    """One request."""

    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a question, or fail."""
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        with self.server.lock:
            self.server.requests += 1
            number = self.server.requests
            self.server.keys.add(self.headers.get("Authorization", ""))
        if self.server.fault is not None and self.server.fault(self, number):
            return
        messages = tuple(Message(each["role"], each["content"]) for each in body["messages"])
        text = speak(self.server.agent, ModelQuestion(messages, (), body.get("seed", 0)))
        with self.server.lock:
            self.server.asked.append(json.dumps([body["messages"], body.get("seed")]))
        self.send(200, complete(text))

    def send(self, status: int, content: Any, **headers: str) -> None:
        """Send a status and JSON, or text as it is."""
        data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write nothing."""


def complete(text: str, reason: str = "stop") -> dict[str, Any]:
    """Return an answer as the API gives it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    head = {"id": "x", "object": "chat.completion", "created": int(time.time()), "model": "exact"}
    return {**head, "choices": [choice], "usage": usage}


@contextmanager
def serve(agent: str, fault: Fault | None = None) -> Iterator[ChatServer]:
    """Run a server until the end of the block."""
    server = ChatServer(agent, fault)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
