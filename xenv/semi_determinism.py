"""Users' own agents are tried for a tenth of a second of work: are identically trained ones identical (Definition 9)?

Otherwise what an environment sees in a copy is not what the agent would do, and the measure says little. Alexander et
al. 2021, Definition 9. `xenv.check_semi_deterministic` tries longer, and raises.
"""

from __future__ import annotations

import time
from typing import Any

from engine.check_agent import AnswersDiffer, check_agent
from engine.errors import CaregridError
from engine.notices import print_notice
from engine.user_code import user_code
from xenv.user_agents import FactorySpec
from xenv.user_environments import is_our_spec

SECONDS = 0.1
LENGTHS = (2, 8, 32, 64)  # trainings of each trial; the next one begins only where time is left

_tried: dict[int, tuple[Any]] = {}


def tell_if_not_semi_deterministic(spec: Any, n_observations: int, n_actions: int) -> None:
    """Print one line, once for an agent of a user's own, that names what differs between two of its instances."""
    known = spec.factory if isinstance(spec, FactorySpec) else spec
    if is_our_spec(spec) or id(known) in _tried:
        return
    _tried[id(known)] = (known,)  # kept, so that no other one gets its identity
    tried = spec if isinstance(spec, FactorySpec) else FactorySpec(spec.build)
    end = time.thread_time() + SECONDS
    try:
        for trainings in LENGTHS:
            if time.thread_time() > end:
                break
            with user_code(tried.name):
                shape = {"n_observations": min(n_observations, 8), "n_actions": n_actions}
                check_agent(tried, **shape, trainings=trainings, histories=1)
    except AnswersDiffer as error:
        text = f"{error.place}: its copies are not what it is itself: {error.problem}; {error.remedy}"
        print_notice(text, subject=f"copies of {error.place}")
    except CaregridError:
        return  # an error on a past that may never be: a run in which it occurs names it
