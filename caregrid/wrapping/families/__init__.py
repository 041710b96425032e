"""Families of environments that other packages bring: which states they have, and how an episode goes on."""
