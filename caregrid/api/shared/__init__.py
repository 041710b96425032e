"""Worlds that several agents share: what each one's own planning leads to."""
