"""Agents that are copied and deleted between slots, and what they should expect, exactly.

The programme varies one function: which future slots count as "me" (`multislot.futures`). Reference: L. Orseau, "The
Multi-slot Framework: A Formal Model for Multiple, Copiable AIs", AGI 2014. Worlds and simulations:

| symbol of the paper              | here                                                                    |
| -------------------------------- | ----------------------------------------------------------------------- |
| slot i                           | `worlds.environment.Slot`                                               |
| memory m^i                       | `simulation.Memory`; Definition 8: `simulation.HistoryBasedAgent`       |
| agent set S_t                    | `worlds.protocol.ProtocolStep.agent_set`                                |
| copy instance c^ij, copy set c^i | an entry of `ProtocolStep.copies`                                       |
| slot history s^i                 | `ProtocolStep.slot_histories`                                           |
| history h^i                      | `worlds.environment.AgentHistory`, `ProtocolStep.histories`             |
| policy of the history            | `policies.SlotPolicy`, `worlds.environment.HistoryPolicy`               |
| nu (Definition 5)                | `worlds.protocol.MultiSlotEnvironment`                                  |
| nu (Definition 9)                | `worlds.environment.HistoryBasedEnvironment`, see `worlds.locality`     |
| nu(c^ij o^j given h, a, i)       | `worlds.environment.copy_observation` of a law                          |
| r(o), gamma                      | `rewards`, `discount`                                                   |
| mu-forall (section 5), Theorem 1 | `worlds.universal`                                                      |

Values and learning:

| symbol of the paper              | here                                                                    |
| -------------------------------- | ----------------------------------------------------------------------- |
| P^i(h)                           | `planning.belief.SlotBelief`, `planning.planner.SlotEvaluation.P`       |
| P^ij(ha)                         | `futures.copy_centred.compute_copy_shares`                              |
| w_ij(o), the weight of a copy    | `futures.Future.copy_weights`                                           |
| Q(h, a), the Bellman backup      | `planning.backup.SlotBackup.action_value`                               |
| v_i(h, a), the value on slot i   | `planning.backup.SlotBackup.slot_values`                                |
| V^cpy, V^sta,i, V^dyn            | `planning.planner.evaluate` with "cpy", "sta:i", "dyn"                  |
| w_nu, the class M, xi            | `learning.Mixture`                                                      |
| L_nu(h), the likelihood          | `likelihoods.Likelihood`                                                |
"""
