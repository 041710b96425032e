"""Two rewards and every coefficient between them: the upper envelope of the optimal return."""
