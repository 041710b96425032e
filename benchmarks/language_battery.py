"""Agents of the battery that speak, against the same agents compiled: equal rewards in every environment, or it fails.

    python benchmarks/language_battery.py [--turns N] [--key N] [--agents NAME,...] [--environments NAME,...]
                                          [--opposites] [--seconds N]

Each agent is asked through the language door: turns are run again with the answers so far, each question is told in
words and put once (the memo), the text is read back into a history, and the answer into an action. The same run by the
compiled loop is the truth. Every tabular agent of the registry is measured, plain and behind a reality check.
`punish_nondeterministic` draws answers anew: it is compared for agents that draw nothing, and left out, by name, for
others. Prints a line per agent and environment; with --seconds it stops then and says how many are left.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from caregrid.language.exact_speaker import note_turns, speak
from caregrid.language.memo import AnswerMemo, ModelAnswer, ModelQuestion
from caregrid.language.self_reflection import (
    ALWAYS_ANEW,
    SelfQuestion,
    SelfReflectionRun,
    list_environments,
    plain_name,
    read_answer,
)
from engine.agents import AGENTS
from xenv.agents import BATTERY_AGENTS
from xenv.interaction_loop import run_environment

DRAW_NOTHING = ("constant", "simple")
TOLERANCE = 1e-12


def list_tabular_agents() -> tuple[str, ...]:
    """Return the agents of the battery that are no networks."""
    return tuple(name for name in BATTERY_AGENTS.names() if name in (*AGENTS, "simple"))


def speak_through(run: SelfReflectionRun, agent: str, memo: AnswerMemo) -> float:
    """Return the mean reward of an agent that is asked in words."""

    async def put(question: ModelQuestion) -> ModelAnswer:
        return ModelAnswer(speak(agent, question))

    async def play() -> float:
        given = run.start()
        while isinstance(question := run.advance(given), SelfQuestion):
            told = run.tell(question)
            note_turns(told[0].text, question.shape)
            asked = ModelQuestion(told, (), question.seed)
            answer = await memo.ask(f"exact/{agent}", {}, asked, put)
            action = read_answer(question, answer.text)
            assert action is not None, answer.text
            given.keep(question, action)
        return question

    return asyncio.run(play())


def compare(run: SelfReflectionRun, agent: str, memo: AnswerMemo) -> tuple[float, float]:
    """Return the mean reward in words and that of the compiled loop."""
    compiled = f"reality_check({agent})" if run.reality_check else agent
    return speak_through(run, agent, memo), run_environment(run.environment, compiled, run.turns, run.key).mean


def main(arguments: list[str] | None = None) -> int:
    """Compare, and return 1 if any run differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--key", type=int, default=0)
    parser.add_argument("--agents", default=",".join(list_tabular_agents()))
    parser.add_argument("--environments", default="")
    parser.add_argument("--opposites", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args(arguments)
    environments = given.environments.split(",") if given.environments else list_environments(given.opposites)
    equal = different = anew = left = 0
    end = time.monotonic() + given.seconds
    for agent in given.agents.split(","):
        for checked in (False, True):
            name, memo = f"reality_check({agent})" if checked else agent, AnswerMemo()
            for environment in environments:
                if plain_name(environment) == ALWAYS_ANEW and agent not in DRAW_NOTHING:
                    anew += 1
                    print(f"{name:32} {environment:40} drawn anew")
                    continue
                if time.monotonic() > end:
                    left += 1
                    continue
                run = SelfReflectionRun(environment, given.turns, given.key, reality_check=checked)
                spoken, compiled = compare(run, agent, memo)
                same = abs(spoken - compiled) <= TOLERANCE
                equal, different = equal + same, different + (not same)
                verdict = "equal" if same else "DIFFERENT"
                print(f"{name:32} {environment:40} {spoken:10.6f} {compiled:10.6f} {verdict}", flush=True)
    print(f"{given.turns} turns: {equal} equal, {different} different, {anew} drawn anew, {left} left for want of time")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
