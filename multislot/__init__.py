"""Agents that are copied and deleted between slots, and what they should expect, exactly.

The programme varies one function: which future slots count as "me" (`multislot.future`). Reference: L. Orseau, "The
Multi-slot Framework: A Formal Model for Multiple, Copiable AIs", AGI 2014.

| symbol of the paper              | here                                                              |
| -------------------------------- | ----------------------------------------------------------------- |
| slot i, memory m^i               | `environment.Slot`, `agents.Memory`                               |
| agent set S_t                    | `protocol.Moment.agent_set`                                       |
| copy instance c^ij, copy set c^i | an entry of `protocol.Moment.copies`                              |
| slot history s^i                 | `protocol.Moment.slot_histories`                                  |
| history h^i                      | `environment.History`, `protocol.Moment.histories`                |
| nu (Definition 5)                | `protocol.MultiSlotEnvironment`                                   |
| nu (Definition 9)                | `environment.HistoryBasedEnvironment`, checked by `locality`      |
| nu(c^ij o^j given h, a, i)       | `environment.copy_observation` of a law                           |
| r(o), gamma                      | `rewards`, `discount`                                             |
| P^i(h)                           | `belief.Belief.estimate`, `evaluate.SlotEvaluation.P`             |
| P^ij(ha)                         | `futures.cpy`                                                     |
| V^cpy, V^sta,i, V^dyn            | `evaluate.evaluate` with "cpy", "sta:i", "dyn"                      |
| w_nu, the class M, xi            | `mixture.Mixture`                                                 |
| mu-forall (section 5)            | `universal.universal_environment`, Theorem 1 in `theorem`         |
"""
