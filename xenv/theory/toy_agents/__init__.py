"""Small agents to try examples with, by their names: public functions of prompts.

A function that takes more than a prompt takes natural numbers, which are written after its name: `always:1`.
"""
