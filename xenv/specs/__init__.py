"""Specifications of agents: names, hyper-parameters, and the copies that environments simulate."""
