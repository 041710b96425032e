"""Small agents to try examples with, one file each: a function of prompts of the file's name.

A function that takes more than a prompt takes natural numbers, which are written after its name: `always:1`.
"""
