"""Caring agents: `caregrid.problem`, what its methods return, films, viewers, and games of scenarios."""
