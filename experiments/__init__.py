"""Experiments as data, the runner, results, reports and the command line."""
