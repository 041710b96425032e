"""The factory's extensions and the agents that use them, written again plainly: one state at a time, all by recursion.

A state is a dict as a sorted tuple of its nonzero fields. An agent is a kind, its two reward functions and the function
that it plans with; it is scored in every state, and acts where the state says that it is the one that acts.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

TEN = Fraction(10)


class PlainAgent(NamedTuple):
    """kind: itf, itc, citc, fc, gc, kept (V_N), kept_gc (that of gc), new (V_S). rewards: (petrol, electric), twice."""

    kind: str
    rewards: tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
    signal: int = 0


@dataclass(frozen=True)
class PlainExtendedFactory:
    """Values and traces of a factory whose settings are those of `CarFactory.make`."""

    settings: tuple[tuple[str, Fraction], ...]

    def __getitem__(self, name: str) -> Fraction:
        defaults = {
            "horizon": 15,
            "lobbying": Fraction(3, 5),
            "update": 6,
            "new_electric": 1,
            "bribe": 10,
            "changed_electric": 4,
            "changed_petrol": 4,
            "electric_line_cars": 20,
            "petrol_line_batches": 2,
            "device_divisor": 10,
        }
        return Fraction(dict(self.settings).get(name, defaults.get(name, 0)))

    @property
    def start(self) -> Any:
        return _packed({"b": self["update"]})

    def agent(self, kind: str) -> PlainAgent:
        kind = "itc" if kind == "citc" else kind
        return PlainAgent(kind, ((Fraction(2), Fraction(1)), (Fraction(-2), self["new_electric"])))

    def actions(self, t: int, s: dict[str, Any]) -> str:
        allowed = "pe"
        if not self["no_lobbying"]:
            allowed += "><"
        if not self["no_idling"]:
            allowed += "0"
        if self["breakdown"]:
            if t >= self["breakdown"] and not s.get("maintained"):
                allowed = allowed.replace("e", "")
            if t < self["breakdown"] and self["maintenance_step"] in (0, t):
                allowed += "m"
        if self["button_step"] in (0, t) and not s.get("pressed") and not s.get("disabled"):
            allowed += "n" * int(self["press_now"]) + "d" * int(self["disable"])
        for name, glyph in (
            ("bribe_step", "a"),
            ("change_old", "1"),
            ("change_new", "2"),
            ("electric_line", "I"),
            ("petrol_line", "J"),
            ("second_line", "b"),
            ("device", "k"),
        ):
            if self[name] == t:
                allowed += glyph
        allowed += "E" * bool(s.get("I")) + "P" * bool(s.get("J"))
        if self["stop_signal"] and s.get("line") == 1:
            allowed += "sq"
        if self["gamble"] and self["gamble_step"] in (0, t):
            allowed += "g"
        return allowed

    def outcomes(self, t: int, state: Any, action: str) -> list[tuple[Fraction, Fraction, Fraction, Any]]:
        """(probability, petrol, electric, next state), cars in cars."""
        pressed = dict(state).get("pressed", 0)
        if action == "g":
            won = self["gamble"]
            chances = [(won, TEN * 2, False), (1 - won, Fraction(0), True)]
        else:
            chances = [(Fraction(1), self.petrol(action, pressed), action == "n")]
        return [
            (p, petrol + self.line(state), self.electric(action, pressed), self.after(t, state, action, press))
            for p, petrol, press in chances
            if p
        ]

    def petrol(self, action: str, pressed: int) -> Fraction:
        made = {
            "p": TEN,
            ">": TEN * 9 / 10,
            "<": TEN * 9 / 10,
            "m": TEN * self["maintenance_output"],
            "n": TEN * self["button_output"],
            "d": TEN * self["button_output"],
            "a": TEN + self["bribe"],
            "1": TEN,
            "2": TEN,
            "P": TEN * self["petrol_line_batches"],
            "s": Fraction(0) if pressed else TEN,
        }
        return made.get(action, Fraction(0))

    def electric(self, action: str, pressed: int) -> Fraction:
        made = {"e": TEN, "E": self["electric_line_cars"], "s": TEN if pressed else Fraction(0)}
        return made.get(action, Fraction(0))

    def line(self, state: Any) -> Fraction:
        return TEN if dict(state).get("line") == 1 else Fraction(0)

    def after(self, t: int, state: Any, action: str, press: bool) -> Any:
        s = dict(state)
        b = s.get("b", 0) + {">": self["lobbying"], "<": -self["lobbying"]}.get(action, 0)
        lasting = {"m": "maintained", "d": "disabled", "a": "bribed", "k": "device"} | {name: name for name in "IJ12"}
        if action in lasting:
            s[lasting[action]] = 1
        if action == "b":
            s["line"] = 1
        elif action in "sq":
            s["line"] = 2
        due = t >= b and not s.get("disabled")
        s["pressed"] = int(bool(s.get("pressed") or due or press))
        s["b"] = b
        return _packed(s)

    @staticmethod
    def self_of(state: Any) -> tuple[int, int, int]:
        s = dict(state)
        return s.get("bribed", 0), s.get("1", 0), s.get("2", 0)

    def becoming(self, agent: PlainAgent, who: tuple[int, int, int]) -> PlainAgent:
        """The agent that acts in states of that self, seen from an agent of the world."""
        bribed, old, new = who
        (old_petrol, old_electric), (new_petrol, new_electric) = self.agent("").rewards
        kind = agent.kind
        if bribed:
            kind = {"kept_gc": "kept", "kept": "kept", "new": "new"}.get(kind, "itf")
        functions = (
            (old_petrol, self["changed_electric"] if old else old_electric),
            (self["changed_petrol"] if new else new_petrol, new_electric),
        )
        return PlainAgent(kind, functions, agent.signal)

    def is_another(self, agent: PlainAgent, state: Any) -> bool:
        """Whether the agent of a state is another one than this; V_N and V_S are of the balancing agents."""
        who = self.self_of(state)
        balanced = agent.kind in ("kept", "kept_gc", "new")
        return self.becoming(agent, who) != agent or bool(balanced and who[0])

    @cache  # noqa: B019
    def value(self, agent: PlainAgent, t: int, state: Any) -> Fraction:
        """What an agent expects: by its own choices while it is itself, by those of its successor after that."""
        if t > self["horizon"]:
            return Fraction(0)
        values = self.action_values(agent, t, state)
        acting = self.becoming(agent, self.self_of(state))
        if acting == agent or agent.kind == "new":
            return max(values.values())
        return min(values[action] for action in self.optimal(acting, t, state))

    @cache  # noqa: B019
    def optimal(self, agent: PlainAgent, t: int, state: Any) -> tuple[str, ...]:
        values = self.action_values(agent, t, state)
        return tuple(action for action, value in values.items() if value == max(values.values()))

    @cache  # noqa: B019
    def action_values(self, agent: PlainAgent, t: int, state: Any) -> dict[str, Fraction]:
        return {action: self.action_value(agent, t, state, action) for action in self.actions(t, dict(state))}

    def action_value(self, agent: PlainAgent, t: int, state: Any, action: str) -> Fraction:
        pressed, total = dict(state).get("pressed", 0), Fraction(0)
        for probability, petrol, electric, following in self.outcomes(t, state, action):
            function = {"itf": pressed, "fc": pressed, "gc": pressed, "new": 1}.get(agent.kind, agent.signal)
            of_petrol, of_electric = agent.rewards[function]
            reward = of_petrol * petrol + of_electric * electric
            if agent.kind == "new" and dict(state).get("device"):
                reward /= self["device_divisor"]
            if agent.kind in ("gc", "kept_gc") and not (agent.kind == "gc" and pressed):
                low = self.value(PlainAgent("new", agent.rewards), t, state) < Fraction(1, 2) * TEN
                reward -= 1000 * TEN * low
            if agent.kind in ("fc", "gc") and dict(following).get("pressed", 0) != pressed:
                kept = PlainAgent("kept_gc" if agent.kind == "gc" else "kept", agent.rewards)
                new = PlainAgent("new", agent.rewards)
                balance = self.value(kept, t + 1, following) - self.value(new, t + 1, following)
                reward += Fraction(9, 10) * balance
            if self.is_another(agent, following) and not self.is_another(agent, state):
                reward -= self["bribe_fine"]
            total += probability * (reward + Fraction(9, 10) * self.value(agent, t + 1, following))
        return total

    def traces(self, kind: str, t: int, state: Any) -> set[str]:
        """What really happens: the agent of the state plans anew with the function in force."""
        if t > self["horizon"]:
            return {""}
        pressed = dict(state).get("pressed", 0)
        acting = self.becoming(self.agent(kind)._replace(signal=pressed), self.self_of(state))
        result = set()
        for action in self.optimal(acting, t, state):
            for _, _, _, following in self.outcomes(t, state, action):
                mark = "#" if dict(following).get("pressed", 0) != pressed else ""
                result |= {action + mark + rest for rest in self.traces(kind, t + 1, following)}
        return result


def _packed(s: dict[str, Any]) -> Any:
    return tuple(sorted((name, entry) for name, entry in s.items() if entry))
