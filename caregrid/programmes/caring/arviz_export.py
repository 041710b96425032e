"""The posterior of one hypothesis as ArviZ takes it: draws, and the log likelihood of every observed step at each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from craftworld.identification.draws import draw_parameters
from craftworld.identification.identify import OWN
from craftworld.identification.likelihood import SAME
from craftworld.identification.posterior import Prior
from engine.errors import BadValue, MissingExtra, UnknownName

if TYPE_CHECKING:
    from craftworld.identification.identify import Hypothesis, Identified
    from engine.mdp.mdp import Floats

NAMES = ("care", "temperature", "slip")
STEP = "step"
ACTION = "action"
MOST_NUMBERS = 50_000_000


def export_posterior(identified: Identified, prior: Prior, name: str | None, draws: int, chains: int, seed: int) -> Any:
    """Make a tree of data sets; the arguments are those of `Identification.to_arviz`."""
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise MissingExtra("no package arviz-base", place="to_arviz", remedy="pip install 'caregrid[arviz]'") from error

    hypothesis = _choose(identified, name)
    assert hypothesis.posterior is not None
    observed = identified.observed
    if draws * chains * observed > MOST_NUMBERS:
        remedy = f"take at most {max(1, MOST_NUMBERS // (chains * observed))} draws"
        raise BadValue(f"{draws * chains:,} draws at {observed:,} steps", place="to_arviz", remedy=remedy)
    question = identified.question
    kind = OWN if hypothesis.formulations is None else hypothesis.formulations.name
    choices = question.gather(kind)
    if kind == OWN:
        choices = choices.without_care()
    drawn = draw_parameters(choices, hypothesis.posterior, prior, draws * chains, seed)
    free = hypothesis.posterior.free
    posterior = {each: drawn[:, at].reshape(chains, draws) for at, each in enumerate(NAMES) if free[at]}
    likely, actions = explain_actions(identified, kind, drawn)
    return from_dict(
        {
            "posterior": posterior,
            "log_likelihood": {ACTION: likely.reshape(chains, draws, observed)},
            "observed_data": {ACTION: actions},
        },
        dims={ACTION: [STEP]},
        attrs={
            "posterior": {
                "hypothesis": hypothesis.name,
                "probability": hypothesis.probability,
                "log_evidence": hypothesis.log_evidence,
            }
        },
    )


def _choose(identified: Identified, name: str | None) -> Hypothesis:
    """Return the hypothesis of a name, by default the likeliest with a parameter."""
    open_ones = {each.name: each for each in identified.hypotheses if each.posterior is not None}
    if name is None:
        return max(open_ones.values(), key=lambda each: each.probability)
    if name not in open_ones:
        raise UnknownName("hypothesis with parameters", name, tuple(open_ones), place="to_arviz")
    return open_ones[name]


def explain_actions(identified: Identified, kind: str, drawn: Floats) -> tuple[Floats, Any]:
    """log P(a|s) of every observed step at each draw, f64[draws, steps], and the actions' numbers, int64[steps]."""
    known: dict[tuple[int, int, int, int], Floats] = {}
    rows, actions = [], []
    for number, behaviour in enumerate(identified.behaviours):
        table, mark = behaviour.world.table, behaviour.world.fingerprint
        for episode in behaviour.episodes:
            start = episode[0].state if episode else 0
            for state, action, _ in episode:
                key = (number, start, state, action)
                if key not in known:
                    values = identified.question.get_values(mark, start, kind)
                    usable = np.flatnonzero(table.action_mask(state)).tolist()
                    lines = [values.lines[state, each] for each in usable]
                    known[key] = _compute_log_chances(lines, usable.index(action), drawn)
                rows.append(known[key])
                actions.append(action)
    return np.stack(rows, axis=1), np.array(actions)


def _compute_log_chances(lines: list[Floats], place: int, drawn: Floats) -> Floats:
    """f64[draws], log P of the action at a place among those that are available. lines: of each one's value."""
    care, temperature, slip = drawn.T
    nothing = np.full(len(drawn), -np.inf)
    value = np.stack([(each[:, :1] + each[:, 1:] * care).max(axis=0) if len(each) else nothing for each in lines])
    best = value.max(axis=0)
    hopeless = ~np.isfinite(best)
    above = np.where(hopeless, 0.0, value - np.where(hopeless, 0.0, best))
    exact = (above >= -SAME).astype(np.float64)
    weight = np.where(temperature == 0.0, exact, np.exp(above / np.where(temperature == 0.0, 1.0, temperature)))
    chance = (1.0 - slip) * weight[place] / weight.sum(axis=0) + slip / len(lines)
    return np.asarray(np.log(np.maximum(chance, 1e-300)))
