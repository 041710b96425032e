"""Experiments of "The Multi-slot Framework: A Formal Model for Multiple, Copiable AIs"."""
