"""Scenarios as Gymnasium environments: on a table with the augmented reward, or by their rules where none fits."""
