"""The benchmark: suites of worlds, methods of each, and one file of what they reach.

| file                | holds                                                                         |
| ------------------- | ----------------------------------------------------------------------------- |
| `suite`             | what a suite declares, and the case: one method in one world of one suite     |
| `suites/`           | the suites, one file each                                                     |
| `own_method`        | what a method of a user's own may be                                          |
| `summary`           | the points of a case as one result: means over all coefficients, area         |
| `bench_file`        | the file: results, versions, digest                                           |
"""
