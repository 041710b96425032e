"""The formal twin of `xenv/environments/after_images.py`: each image is seen with the bits of the one before.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

import itertools

from engine.randomness.random_sources import RandomSource
from xenv.theory.histories import Prompt
from xenv.theory.response import HistoryEnvironment
from xenv.theory.twins._as_if import acting_as_if, with_entries


def after_images(source: RandomSource) -> HistoryEnvironment:
    """The twin."""
    return acting_as_if(_imagined, lambda turn: source.randrange(8, turn))


def _imagined(prompt: Prompt) -> Prompt:
    images = prompt.observations
    seen = (images[0], *(earlier | later for earlier, later in itertools.pairwise(images)))
    return with_entries(prompt, observations=seen)
