"""Influence diagrams of agents with an input terminal: graphs, d-separation, diagrams and incentives."""
