"""The formal theory of extended environments: `caregrid.theory`, films, and answers for lessons."""
