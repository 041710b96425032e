"""Bridges from theory to practice: environments and agents of histories as practical ones.

The way back, a practical agent as a function of histories, is `xenv.theory.agents.practical_agent.as_history_agent`.
"""
