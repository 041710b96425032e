"""Several agents who act at once on one table: joint plans, best responses, and when these are an equilibrium."""
