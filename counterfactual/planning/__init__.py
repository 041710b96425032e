"""Planning in a world: layers of reachable states, backward induction, replanning."""
