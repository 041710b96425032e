"""Experiments as data, the runner, requests (sweeps, batteries), results and reports."""
