"""Learning from records: two records, kernels estimated from them, and ways to fill them.

Perfect learning is the world itself: wherever a learned world is asked for, the true one may be given.
"""
