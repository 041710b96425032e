"""Caring problems with several coefficients: what the coefficients multiply, and the regions of all optima."""
