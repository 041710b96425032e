"""Learning from records: two records, kernels estimated from them, and ways to fill them.

Perfect learning is the world itself: the real world may be given wherever a learned one is expected.
"""
