"""Agents as functions of whole histories: written as functions, practical agents, and reality checks of both."""
