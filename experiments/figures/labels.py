"""Names for readers in place of identifiers: "q_learning" is Q-learning, "reality_check(simple)" Simple, checked."""

from __future__ import annotations

import re

from engine.printable import make_printable

LONGEST = 60  # letters
NAMES = {
    "q_learning": "Q-learning",
    "q-learning": "Q-learning",
    "textbook": "textbook Q-learning",
    "exact": "exact",
    "dqn": "DQN",
    "sb3_dqn": "DQN (SB3)",
    "sb3_a2c": "A2C (SB3)",
    "sb3_ppo": "PPO (SB3)",
    "stacked_dqn": "DQN (stacked)",
    "stacked_a2c": "A2C (stacked)",
    "stacked_ppo": "PPO (stacked)",
    "stacked_ppo_redrawn": "PPO (redrawn)",
    "itf": "ITF",
    "itc": "ITC",
    "citc": "CITC",
    "fc": "f_c",
    "gc": "g_c",
    "cpy": "copy-centred",
    "sta:1": "static slot 1",
    "dyn": "dynamic slot",
    "nobody": "caring for nobody",
    "expected": "expected value (Eq. 1)",
    "worst_case": "worst case (Eq. 2)",
    "no_worse_off": "no worse off (Eq. 3)",
    "per_agent": "a coefficient for each agent (Eq. 4)",
    "least_well_off": "least well off (Eq. 5)",
    "gini_welfare": "Gini welfare",
    "nash_welfare": "Nash welfare",
    "simultaneous": "agents acting at once (Eq. 6)",
    "options": "options (Eq. 7)",
    "options_with_values": "options with values (Eq. 8)",
    "options_with_values_printed": "options with values (Eq. 8 as printed)",
    "passer_by": "passer-by",
    "opposite": "the agent's rewards negated",
    "literal_opposite": "the agent's and its copies' rewards negated",
    "of the action taken": "log-probability of the action taken",
    "of another draw": "log-probability of another draw",
}
SYMBOLS = {"f_c": "$f_c$", "g_c": "$g_c$"}
AROUND = {
    "reality_check": "{} + reality check",
    "reality_check_published": "{} + published check",
    "opposite": "opposite of {}",
    "literal_opposite": "literal opposite of {}",
    "always": "always {}",
    "scrambled": "scrambled {}",
}


def format_number(number: float, form: str = "g") -> str:
    """Return a number with a minus sign, which is as wide as a plus, in place of a hyphen."""
    return f"{number:{form}}".replace("-", "\u2212")


def use_minus_signs(text: str) -> str:
    """Return the same text with a minus sign before each negative number, in place of a hyphen."""
    return re.sub(r"(?<![\w-])-(?=\d|inf)", "\u2212", text)


def format_name(identifier: object) -> str:
    """The name of an agent, method, world or formulation, in one line of words; a long one without its middle."""
    text = str(identifier)
    if text in NAMES:
        return NAMES[text]
    for opens, closes in (("(", ")"), (":", "")):
        outer, found, inner = text.partition(opens)
        if found and outer in AROUND:
            return AROUND[outer].format(format_name(inner.removesuffix(closes)))
    words = make_printable(" ".join(text.replace("_", " ").split()))
    return words if len(words) <= LONGEST else f"{words[: LONGEST // 2]} ... {words[-LONGEST // 4 :]}"


def format_label(identifier: object) -> str:
    """Return the name as matplotlib writes it: a symbol as mathematics, a dollar as a dollar."""
    name = format_name(identifier)
    return SYMBOLS.get(name, name.replace("$", r"\$"))


def format_title(title: str) -> str:
    """Return a title of identifiers and words between commas, such as "garden, per_agent, care 1", with their names."""
    return ", ".join(map(format_label, title.split(", ")))
