"""What can be wrong with a multi-slot environment or run: each error says the time step, the slots and the sources.

CaregridError
├── ContractBroken
│   └── ProtocolBroken           the interaction protocol was not kept
│       ├── UnboundedStart       the agent set S_0 is not a finite collection
│       ├── BadSlot              a slot that is not an integer >= 1
│       ├── UnoccupiedSource     a copy from a slot that holds no agent
│       ├── CopyConflict         two sources copied onto one slot
│       ├── ActionsMismatch      actions for other slots than S_{t-1}
│       ├── ObservationsMismatch observations for other slots than S_t
│       ├── ForeignAction        an action that the environment does not list
│       ├── ForeignObservation   an observation that the environment does not list
│       └── BadLaw               negative probabilities, or a sum that is not exactly 1
└── BadFile
    └── BadTable                 an environment table that cannot be read as one
"""

from __future__ import annotations

from engine.errors import BadFile, ContractBroken


class ProtocolBroken(ContractBroken):
    """The multi-slot interaction protocol was not kept."""


class UnboundedStart(ProtocolBroken):
    """The initial agent set is not a finite collection of slots."""


class BadSlot(ProtocolBroken):
    """A slot number that is not an integer >= 1."""


class UnoccupiedSource(ProtocolBroken):
    """A copy set of a slot that holds no agent."""


class CopyConflict(ProtocolBroken):
    """One slot is in the copy sets of two sources."""


class ActionsMismatch(ProtocolBroken):
    """The actions are not those of exactly the occupied slots."""


class ObservationsMismatch(ProtocolBroken):
    """The observations are not those of exactly the slots that hold an agent after copying."""


class ForeignAction(ProtocolBroken):
    """An action outside the environment's actions."""


class ForeignObservation(ProtocolBroken):
    """An observation outside the environment's observations."""


class BadLaw(ProtocolBroken):
    """Outcome probabilities that are negative or do not sum to exactly 1."""


class BadTable(BadFile):
    """A table that does not describe an environment."""
