"""The arithmetic of stacked learners in compiled code, one row after the other.

An observation is a number, which a network sees as a one-hot vector. Equal observations of a minibatch have equal
outputs, and the gradient is linear in what flows back through them. So each distinct observation is passed forward and
backward once, with the summed derivative of the loss: the same gradient, up to the order of sums.
"""
