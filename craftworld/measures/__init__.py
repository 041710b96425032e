"""What policies are measured by: returns, hidden performance, safety violations, and areas over all coefficients.

| file                 | holds                                                                    |
| -------------------- | ------------------------------------------------------------------------ |
| `policy_measures`    | the measures of one policy, within the scenario's step limit             |
| `trade_off_curve`    | those of every optimal segment, from coefficient 0 on                    |
| `side_effect_penalties` | reachability and utility that the steps of an episode lose               |
| `dominated_area`     | how much of what is possible a curve reaches                             |
"""
