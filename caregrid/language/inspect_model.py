"""Questions put to the model that Inspect evaluates: messages, a picture, a tool; an answer as plain data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
    Model,
)
from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

from caregrid.language.episodes import Message
from caregrid.language.memo import AnswerMemo, ModelAnswer, ModelQuestion

TOOL = "act"
RETRIES, SECONDS, SECONDS_PER_ATTEMPT = 5, 600, 120
CONFIG = GenerateConfig(max_retries=RETRIES, timeout=SECONDS, attempt_timeout=SECONDS_PER_ATTEMPT)
"""Inspect tries again without end by default; a command line's own settings come first."""
NOT_OF_ANSWERS = {"max_retries", "timeout", "attempt_timeout", "max_connections", "adaptive_connections", "cache"}
"""Settings that say how to ask and not what is answered."""


def make_chat_message(message: Message) -> ChatMessage:
    """Make Inspect's message."""
    if message.role == "system":
        return ChatMessageSystem(content=message.text)
    if message.role == "assistant":
        return ChatMessageAssistant(content=message.text)
    if not message.picture:
        return ChatMessageUser(content=message.text)
    content: list[Content] = [ContentText(text=message.text), ContentImage(image=message.picture)]
    return ChatMessageUser(content=content)


def list_model_settings(model: Model) -> dict[str, Any]:
    """Return the settings that an answer depends on."""
    settings: dict[str, Any] = model.config.model_dump(exclude_none=True, exclude=NOT_OF_ANSWERS, mode="json")
    return settings


def put_to(model: Model) -> Callable[[ModelQuestion], Awaitable[ModelAnswer]]:
    """Return what puts a question to a model and reads what it says."""

    async def put(question: ModelQuestion) -> ModelAnswer:
        tools = [_make_tool(question.actions)] if question.actions else []
        output = await model.generate(
            [make_chat_message(message) for message in question.messages],
            tools=tools,
            config=GenerateConfig(seed=question.seed),
        )
        if not output.choices:
            return ModelAnswer("")
        message = output.choices[0].message
        call = message.tool_calls[0] if message.tool_calls else None
        named = call.arguments.get("action") if call and call.function == TOOL else None
        usage = output.usage
        return ModelAnswer(
            message.text,
            named if isinstance(named, str) else None,
            output.stop_reason == "content_filter",
            usage.input_tokens if usage else 0,
            usage.output_tokens if usage else 0,
        )

    return put


def _make_tool(actions: tuple[str, ...]) -> ToolInfo:
    parameter = JSONSchema(type="string", description="The name of an action.", enum=list(actions))
    return ToolInfo(
        name=TOOL,
        description="Take an action.",
        parameters=ToolParams(properties={"action": parameter}, required=["action"]),
    )


async def ask_model(memo: AnswerMemo, model: Model, question: ModelQuestion) -> ModelAnswer:
    """Return what a model answers, or has answered."""
    return await memo.ask(str(model), list_model_settings(model), question, put_to(model))
