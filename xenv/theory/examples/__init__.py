"""The theory's examples, one file each, found by their file names.

Those that are extended environments already are handicaps as well; the others make one from an environment or from
what it is about.
"""
