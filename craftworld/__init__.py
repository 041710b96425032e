"""Caring agents: an acting agent's reward is augmented by what its behaviour is worth to others.

    r'(s, a, s') = alpha_1 r_1(s, a, s') + [s' terminal] gamma alpha_2 F(V, P, s')

Reference: P. Alizadeh Alamdari, T. Klassen, R. Toro Icarte, S. McIlraith, "Be Considerate: Objectives, Side Effects,
and Deciding How to Act".

| in the paper                   | here                                                                              |
| ------------------------------ | --------------------------------------------------------------------------------- |
| acting agent, its world        | `scenario.Scenario`, one file each in `scenarios/`                                |
| r_1, gamma, s_0                | `reward`, `discount`, `starts` of a scenario                                      |
| alpha_1, alpha_2               | `own`, `care`                                                                     |
| F                              | `formulation.Formulation`, one file each in `formulations/`                       |
| agents that act afterwards     | `scenario.Newcomer`, `Scenario.newcomers`; where they begin: `Scenario.handover`  |
| agents that act simultaneously | `scenario.SimultaneousAgent`, `Scenario.simultaneous_agents`                      |
| options <I, V>                 | `scenario.Option`: `initiation_set` I, `value` V                                  |
| V, P(V), V(s_0)                | `value`, `probability`, `baseline_value` of `others.value_distribution`           |
| V_ij, agent i                  | one of N possibilities, `owners[n]` being its agent                               |
| alpha_i                        | `weight`; whether care multiplies it: `swept`, `fixed`                            |
| r_ij, P(r_ij)                  | `reward`, `probability` of `others.reward_distribution`                           |
| 1_I, P(I), P(<I, V>)           | `initiation_set`, `probability` of `others.option_distribution`                   |
| V_i*, F(i) of appendix B       | `values`, `probability` of `others.auxiliary_tasks`                               |
| augmented reward r'            | `solution.augmentation.augment`, `solution.problem.Problem.augmented`             |
| transition points of Fig. 1(b) | `solution.solution.break_points`, exactly and for every formulation               |

| folder        | what it holds                                                                                      |
| ------------- | -------------------------------------------------------------------------------------------------- |
| `scenarios/`, `levels/` | the worlds, one file each; the classic safety levels are apart                           |
| `formulations/` | how others count, one file each                                                                  |
| `others/`     | what an agent assumes of others: their values, rewards and options                                 |
| `solution/`   | problems and their exact solutions, sweeps, episodes, certificates                                 |
| `regions/`    | several coefficients at once                                                                       |
| `inference/`  | who comes afterwards, inferred from demonstrations                                                 |
| `measures/`   | what policies are measured by: returns, hidden performance, violations, areas                      |
| `environments/` | scenarios as Gymnasium environments without pictures                                             |
| `random_maps/` | random maps of a scenario's family                                                                |
| `checkers/`   | the contracts of scenarios and formulations                                                        |
"""
