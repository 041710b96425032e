"""Statements of the papers as functions that check them: mercy, handicaps, Proposition 13."""
