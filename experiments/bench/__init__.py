"""The benchmark: suites of worlds, methods of each, and one file of what they reach.

| file               | holds                                                                                        |
| ------------------ | -------------------------------------------------------------------------------------------- |
| `suite`            | what a suite declares, the case (one method in one world of one suite), and users' methods    |
| `suites/`          | the suites                                                                                   |
| `case_results`     | the points of a case as one result (means over all coefficients, area), and the file of them |
| `leaderboard`      | several runs compared, suite by suite, with intervals                                        |
| `leaderboard_page` | the comparison as a page, with what each method gets most wrong                              |
"""
