"""Caring agents: an acting agent's reward is augmented by what its behaviour is worth to others.

    r'(s, a, s') = alpha_1 r_1(s, a, s') + [s' terminal] gamma alpha_2 F(V, P, s')

Reference: P. Alizadeh Alamdari, T. Klassen, R. Toro Icarte, S. McIlraith, "Be Considerate: Objectives, Side Effects,
and Deciding How to Act".

| in the paper                   | here                                                                              |
| ------------------------------ | --------------------------------------------------------------------------------- |
| acting agent, its world        | `scenario.Scenario`, in `scenarios/` and `levels/`                                |
| r_1, gamma, s_0                | `reward`, `discount`, `starts` of a scenario                                      |
| alpha_1, alpha_2               | `own`, `care`                                                                     |
| F                              | `formulation.Formulation`, in `formulations/`                                     |
| agents that act afterwards     | `scenario.Newcomer`, `Scenario.newcomers`; where they begin: `Scenario.handover`  |
| agents that act simultaneously | `scenario.SimultaneousAgent`, `Scenario.simultaneous_agents`                      |
| options <I, V>                 | `scenario.Option`: `initiation_set` I, `value` V                                  |
| V, P(V), V(s_0)                | `value`, `probability`, `baseline_value` of `others.value_distribution`           |
| V_ij, agent i                  | one of N possibilities, `owners[n]` being its agent                               |
| alpha_i                        | `weight`; whether care multiplies it: `swept`, `fixed`                            |
| r_ij, P(r_ij)                  | `reward`, `probability` of `others.other_agents`                                  |
| 1_I, P(I), P(<I, V>)           | `initiation_set`, `probability` of `others.option_distribution`                   |
| V_i*, F(i) of appendix B       | `values`, `probability` of `others.auxiliary_tasks`                               |
| augmented reward r'            | `solution.problem.augment`, `solution.problem.Problem.make_augmented_table`       |
| transition points of Fig. 1(b) | `solution.exact_solution.find_break_points`, exactly and for every formulation    |

| folder or file            | what it holds                                                                      |
| ------------------------- | ---------------------------------------------------------------------------------- |
| `scenario`, `shared_scenario`, `table_scenario` | what a world is: of one agent, of several, as tables         |
| `scenarios/`, `levels/`   | the worlds; the classic safety levels are apart                                    |
| `scenario_maker`, `random_maps` | a scenario from its class and options; random maps of its family             |
| `formulation`, `formulations/` | how others count: what a formulation is, and all formulations by family       |
| `others/`                 | what an agent assumes of others: their values, rewards and options                 |
| `solution/`               | problems and their exact solutions, sweeps, episodes, certificates                 |
| `regions`                 | several coefficients at once                                                       |
| `inference`, `value_of_information` | who comes afterwards, inferred from demonstrations; what watching is worth |
| `rollout`                 | actions replayed, step by step                                                     |
| `measures`, `trade_off_curve`, `side_effect_penalties` | what policies and episodes are measured by            |
| `caring_table`, `gymnasium_environments` | scenarios as environments without pictures                          |
| `scenario_contract`, `formulation_contract` | what scenarios and formulations must keep, executable            |
"""
