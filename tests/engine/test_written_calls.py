"""Names with arguments are read as Python writes calls, and nothing is evaluated."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import BadValue
from engine.registry import split_call, write_call


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("sarsa", "sarsa", {}),
        ("sarsa()", "sarsa", {}),
        ("sarsa(epsilon=0.3)", "sarsa", {"epsilon": 0.3}),
        (" my.file:Sarsa ( a = -1e-3 , b=True,c=None ) ", "my.file:Sarsa", {"a": -1e-3, "b": True, "c": None}),
        (
            "dqn(layers=(64, 64), kind='a(b)=c', randomness=keys)",
            "dqn",
            {"layers": (64, 64), "kind": "a(b)=c", "randomness": "keys"},
        ),
        ("sarsa(epsilon=1", "sarsa(epsilon=1", {}),
        ("reality_check(q_learning)", "reality_check(q_learning)", {}),
    ],
)
def test_a_call_is_split(text: str, name: str, arguments: dict[str, Any]) -> None:
    assert split_call(text, "agent") == (name, arguments)
    assert split_call(write_call(name, arguments), "agent") == (name, arguments)


@pytest.mark.parametrize(
    "text", ["f(0.3)", "f(a=1, 2)", "f(a=1, a=2)", "f(**a)", "f(a=g(1))", "f(a=1+x)", "f(a=)", "f(a=[)", "f('x')"]
)
def test_what_is_no_call_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadValue, match=r"write f\(ARGUMENT=NUMBER") as caught:
        split_call(text, "agent")
    assert "\n" not in str(caught.value)
