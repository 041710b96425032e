"""Doors to the libraries of others: how their worlds are reset and stepped, who acts, and where chance lies."""
