"""Inspect's provider `exact/...`: the exact agents of caregrid as a model that reads text and answers in words.

    inspect eval caregrid/caring -T world=garden --model exact/care=3

It costs nothing and needs no network: tokens are counted as words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from caregrid.language.answers import find_last_line
from caregrid.language.episodes import Message
from caregrid.language.exact_speaker import speak
from caregrid.language.memo import ModelQuestion
from engine.errors import CaregridError


class ExactModel(ModelAPI):
    """An exact agent as a model."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Answer as the exact agent does; by a tool call where there is a tool."""
        messages = tuple(Message(_name_role(message), _read_text(message)) for message in input)
        text = speak(self.model_name, ModelQuestion(messages, (), config.seed or 0))
        named = find_last_line(text, "ACTION:")
        if tools and named is not None:
            call = ToolCall(id="act", function=tools[0].name, arguments={"action": named})
            output = ModelOutput.from_message(ChatMessageAssistant(content="", tool_calls=[call]), "tool_calls")
        else:
            output = ModelOutput.from_content(self.model_name, text)
        asked = sum(len(message.text.split()) for message in messages)
        said = len(text.split())
        output.usage = ModelUsage(input_tokens=asked, output_tokens=said, total_tokens=asked + said)
        return output

    async def count_text_tokens(self, text: str) -> int:
        """Count words; Inspect's own estimate would fetch an encoding."""
        return len(text.split())


def _name_role(message: ChatMessage) -> Any:
    return "user" if message.role == "tool" else message.role


def _read_text(message: ChatMessage) -> str:
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        return f"ACTION: {message.tool_calls[0].arguments.get('action', '')}"
    return message.text


@modelapi(name="exact")
def exact() -> type[ModelAPI]:
    """The provider."""
    return ExactModel


def require_fitting(model: Model | None, place: str, require: Callable[[str], object]) -> None:
    """Raise what `require` raises of the name of a stand-in, with its place; other models are not looked at.

    So a stand-in that cannot answer is refused before anything is asked.
    """
    if model is None or not isinstance(model.api, ExactModel):
        return
    try:
        require(model.api.model_name)
    except CaregridError as error:
        raise error.move_to(f"exact/{model.api.model_name}, {place}") from None
