"""Many small networks at once: DQN, A2C and PPO as lanes of stacks, one row of every array a learner.

    W: float32[lanes, parameters]   and as many for each moment of the optimiser, the target network, the memory

A lane is an `engine.agent.Agent`: it answers and is trained at the caller's pace. It trains its networks only every
`train_freq` or `n_steps` transitions, so it notes its transitions and waits; as soon as one lane is asked for what it
can answer only after learning, all the waiting lanes of its stack learn in one call. A lane's arithmetic reads its own
row alone: in a stack of any size it is the same, bit for bit.

    initial_weights    the layout of a row, and what it holds at first
    lanes              what all lanes of a stack have in common, what a caller sees, how rows are lent and taken back
    stacks             one stack a kind of learner
    compiled/          the arithmetic in compiled code, row by row
    batched_networks,
    batched_lanes      the arithmetic in torch, all rows in each operation
    rules              which arithmetic computes which rule

Hyper-parameters and rules are those of Stable-Baselines3 (Raffin et al. 2021), whose weights these are after the same
transitions and minibatches (`tests/xenv/test_deep_equals_sb3.py`).
"""

CPU = "cpu"
"""The device of compiled code."""
