"""What a language agent is told of a state, as text, JSON or a picture, and a state read back from it.

The drawing alone does not show the state: sixteen states of the workshop share one. So the text has the board with its
legend and beside it every field that is not hidden, in the words of `Scenario.describe`. Two states that go on have one
text only where they differ in hidden fields.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.plain_values import make_json_value
from engine.scene import Scene

SHOWS = ("text", "json", "picture")
STATE, STEP, REWARD = "State: ", "Step ", "Reward of the last step: "
TILE = 32


class Shown(NamedTuple):
    """What is told at one step. picture: a PNG as a data URI, empty without one."""

    text: str
    picture: str = ""


def describe_shown(scenario: Scenario, state: Any) -> dict[str, Any]:
    """Return every field that is not hidden, in words, and what is observed beside the board."""
    fields = {name: value for name, value in scenario.describe(state).items() if name not in scenario.hidden}
    told: dict[str, Any] = make_json_value(fields | scenario.side_information(state))
    return told


def list_legend(scenario: Scenario, scene: Scene) -> dict[str, str]:
    """Return glyph -> what it stands for, of what a scene shows."""
    names: dict[str, dict[str, None]] = {"#": {"wall": None}} if any("#" in row for row in scene.floor) else {}
    for mark in scene.marks:
        name = "you" if mark.role == "agent" else scenario.plain_names.get(mark.name, mark.name)
        names.setdefault(mark.glyph, {})[name] = None
    return {glyph: " or ".join(every) for glyph, every in names.items()}


def show_state(
    scenario: Scenario, state: Any, step: int, limit: int, actions: Iterable[str], reward: float | None, show: str
) -> Shown:
    """Return what is told of a state before a step. step: from 1. reward: of the step before, None before the first."""
    scene = scenario.scene(state)
    fields, names = describe_shown(scenario, state), list(actions)
    board = scenario.board(state) if scene.floor else ()
    legend = list_legend(scenario, scene)
    if show == "json":
        content = {"step": step, "steps": limit, "board": list(board), "legend": legend, "state": fields}
        content |= {"caption": scene.caption} if scene.caption else {}
        content |= {"reward_of_the_last_step": reward} if reward is not None else {}
        return Shown(json.dumps({**content, "actions": names}, ensure_ascii=False))
    lines = [f"{STEP}{step} of {limit}."]
    if show == "text" and board:
        lines += ["Board:", *board]
    if board:
        lines.append(f"Legend: {', '.join(f'{glyph} {name}' for glyph, name in legend.items())}")
    lines += [scene.caption] if scene.caption else []
    lines.append(STATE + json.dumps(fields, ensure_ascii=False))
    lines += [f"{REWARD}{reward:.12g}"] if reward is not None else []
    lines.append(f"Actions: {', '.join(names)}")
    return Shown("\n".join(lines), _draw(scene) if show == "picture" else "")


def _draw(scene: Scene) -> str:
    from renderers.drawing.picture import Painter
    from renderers.formats.pictures import encode_image

    image = encode_image(Painter(TILE, legend=False, readings=False).picture(scene))
    return f"data:image/png;base64,{base64.b64encode(image).decode()}"


class ReadBack(NamedTuple):
    """What a text says. step: from 1. reward: of the step before, None before the first."""

    step: int
    limit: int
    fields: Mapping[str, Any]
    reward: float | None


def read_shown(text: str) -> ReadBack:
    """Read what `show_state` has written, in any form; BadValue for anything else."""
    try:
        if text.startswith("{"):
            content = json.loads(text)
            reward = content.get("reward_of_the_last_step")
            return ReadBack(content["step"], content["steps"], content["state"], reward)
        lines = text.split("\n")
        first = next(line for line in lines if line.startswith(STEP)).removeprefix(STEP).rstrip(".")
        step, limit = map(int, first.split(" of "))
        fields = json.loads(next(line for line in lines if line.startswith(STATE)).removeprefix(STATE))
        gains = [float(line.removeprefix(REWARD)) for line in lines if line.startswith(REWARD)]
        return ReadBack(step, limit, fields, gains[0] if gains else None)
    except (ValueError, KeyError, StopIteration, TypeError) as error:
        raise BadValue(f"no state can be read: {error}", place="language", remedy="give what was shown") from None


def spell_fields(fields: Mapping[str, Any]) -> str:
    """Return the fields as a text that is the same for equal ones."""
    return json.dumps(make_json_value(dict(fields)), sort_keys=True)
