"""Agents that are copied and deleted between slots, and what they should expect."""
