"""The arithmetic of stacked learners in torch, all lanes of a step in each operation: for graphics processors.

The same steps as `engine.learning.stacks.compiled`, with gradients written out by hand: no graph is recorded. What
every lane draws is drawn by the same compiled functions of key and counters. Sums are taken in another order, so that
weights agree with the compiled ones closely, not bit for bit (`tests/engine/test_batched_stacks.py`).
"""
